#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// Component documents of the blocks and entities of the sample world (docs/formats/components.md).
namespace orbis::world::sample {

struct Item {
    std::string_view id;
    int quantity = 1;
    int durability = 0; ///< now and at most
};

using Uuid = std::array<std::uint8_t, 16>;
/// A random-looking (version 4) UUID for a number, always the same one.
[[nodiscard]] Uuid make_uuid(std::uint64_t seed, int number);

/// `{"Components": {"ItemContainerBlock": …}}`; the items lie in every second slot.
[[nodiscard]] Buffer chest(int capacity, std::span<const Item> items);
[[nodiscard]] Buffer bench();
/// A bench that cooks or smelts.
[[nodiscard]] Buffer processing_bench(std::span<const Item> input, std::span<const Item> fuel);
[[nodiscard]] Buffer farming(int growth_percent);
[[nodiscard]] Buffer respawn();

/// Somebody who stands somewhere and looks into a direction (tenths of radians).
struct Figure {
    double x = 0;
    double y = 0;
    double z = 0;
    int yaw_tenths = 0;
    std::string_view model;
    std::string_view name; ///< on the plate above the head; empty for none
};
[[nodiscard]] Buffer figure(const Figure& figure, const Uuid& uuid);
/// An item that lies on the ground.
[[nodiscard]] Buffer dropped_item(double x, double y, double z, const Item& item, const Uuid& uuid);

} // namespace orbis::world::sample

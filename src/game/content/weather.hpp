#pragma once

#include "game/codec/wire_ids.hpp"
#include "game/content/world_clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::game {

class ContentPack;
class RegistryFrames;

/// The weathers of a server: their numbers on the wire, and which of them there is where and when.
class Weathers {
public:
    static constexpr std::int32_t k_unknown = 0;
    static constexpr std::int32_t k_clear = 1; ///< if nothing else is said
    /// How long a client takes from one weather to the next.
    static constexpr float k_transition_seconds = 10;
    /// The same for the first one of a world.
    static constexpr float k_first_transition_seconds = 0.5F;

    /// Those that the pack names, in its files or in forecasts; the pack must outlive this.
    explicit Weathers(const ContentPack* pack);

    /// The number of a weather, a new one where it had none: for those that worlds name. Clients know what
    /// was there when the registries were prepared.
    std::int32_t id_of(std::string_view name);
    [[nodiscard]] std::int32_t find(std::string_view name) const;
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// The weather of an environment in this hour of the game: one of its forecast, chosen by `seed`, so that
    /// everybody in a world sees the same, and the same again after a restart.
    [[nodiscard]] std::int32_t at(std::string_view environment, const GameTime& time,
                                  std::uint64_t seed) const;

    void add_to(RegistryFrames& out) const;

private:
    const ContentPack* pack_;
    std::vector<std::string> names_;
};

} // namespace orbis::game

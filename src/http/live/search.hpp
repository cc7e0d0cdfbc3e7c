#pragma once

#include "http/live/map_index.hpp"
#include "map/markers.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orbis::http {

struct SearchQuestion {
    std::string text;
    bool blocks = true;
    bool items = true;
    bool entities = true;
    bool markers = true;
    std::size_t limit = 100;
    std::optional<std::array<std::int32_t, 2>> near{}; ///< x and z: of equal names, the nearest chunks first
};

/// The world that facts are of: chunks are read to say where each block is.
struct SearchWorld {
    const world::World& world;
    const storage::Store& store;
};

/// Looks through the facts of all chunks, region by region, and answers in JSON: `{"results": […], "more":
/// …, "complete": …}`. Better names come first. Facts tell which chunks have a block; each block of these is
/// a result, found as `orbis find` does. Where a chunk cannot be read, and without a world, the chunk is one
/// result with the number of its cells. Gives up after some seconds, which `more` tells.
Result<std::string> search_facts(const MapIndex& index, const std::filesystem::path& map_folder,
                                 std::span<const map::Marker> markers, const SearchWorld* world,
                                 const SearchQuestion& question, const std::atomic<bool>& stopping);

} // namespace orbis::http

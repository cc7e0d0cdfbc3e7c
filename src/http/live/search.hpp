#pragma once

#include "http/live/map_index.hpp"
#include "map/markers.hpp"

#include <atomic>
#include <chrono>
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
};

/// Looks through the facts of all chunks, region by region, and answers in JSON: `{"results": […], "more":
/// …, "complete": …}`. Better names come first. Gives up after some seconds, which `more` tells.
Result<std::string> search_facts(const MapIndex& index, const std::filesystem::path& map_folder,
                                 std::span<const map::Marker> markers, const SearchQuestion& question,
                                 const std::atomic<bool>& stopping);

} // namespace orbis::http

#pragma once

#include "app/console.hpp"
#include "http/address.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace orbis::app {

class EndingSignals;

struct ServeOptions {
    http::Address address;
    std::filesystem::path cache;    ///< empty for the user's own
    std::vector<std::string> hosts; ///< names that are answered to
    std::size_t threads = 1;
};

/// Serves the map of a location until one of the signals comes. `on_ready` gets the address for a browser as
/// soon as it is answered.
Result<void> serve_map(Console& console, const world::Location& location, const world::Assets& assets,
                       const ServeOptions& options, EndingSignals& signals,
                       const std::function<void(const std::string& url)>& on_ready);

} // namespace orbis::app

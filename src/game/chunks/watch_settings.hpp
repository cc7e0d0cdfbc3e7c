#pragma once

#include <chrono>
#include <filesystem>

namespace orbis::game {

/// How a served world is watched for what others change on the disk.
struct WatchSettings {
    std::chrono::milliseconds every{1000};
    /// A folder for a file of hashes without a name; empty: that of the system.
    std::filesystem::path scratch{};
};

} // namespace orbis::game

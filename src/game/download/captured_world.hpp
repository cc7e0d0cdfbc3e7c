#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/chunk.hpp"
#include "protocol/catalogue.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace orbis::game {

/// Which world of which capture, and where it goes.
struct CapturedWorldRules {
    std::filesystem::path capture{};
    std::filesystem::path out{};
    std::optional<std::uint64_t> player{};      ///< whose world; none: the first who joins one
    const protocol::BuildInfo* build = nullptr; ///< of frames that do not say theirs
    std::string command{};                      ///< for the note in a folder that was not finished
    chunk::IsTransparent is_transparent{};
};

/// How it went.
struct CapturedWorldReport {
    std::uint64_t player = 0;
    std::size_t chunks = 0;              ///< in the folder
    std::vector<ChunkPos> incomplete{};  ///< of which something came, but not all
    std::size_t unnamed = 0;             ///< packets with numbers that the server did not name
    std::vector<std::string> problems{}; ///< broken packets, the first few
    bool has_more_worlds = false;        ///< the player went into another one later, which is not here
    std::optional<Error> damage{};       ///< where the capture could not be read further

    [[nodiscard]] bool is_fine() const {
        return incomplete.empty() && unnamed == 0 && problems.empty() && !damage && chunks > 0;
    }
};

/// Writes the chunks that a server sent to a player as a world folder, as a download does. An error if the
/// folder cannot be written, or nobody joins a world in the capture.
Result<CapturedWorldReport> world_of_capture(const CapturedWorldRules& rules);

} // namespace orbis::game

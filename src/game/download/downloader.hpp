#pragma once

#include "chunk/chunk.hpp"
#include "game/download/route.hpp"
#include "net/address.hpp"
#include "net/game_build.hpp"
#include "net/time.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace orbis::net {
class Loop;
}

namespace orbis::game {

/// What to download, and how.
struct DownloadRules {
    net::HostPort server{};
    net::GameBuild build = net::GameBuild::current(); ///< that it claims to be
    std::filesystem::path out{};
    bool goes_on = false;
    std::string command{}; ///< that goes on where it ends early, for the note in the folder
    std::string name = "orbis";
    std::string password{};
    std::int32_t view_radius = 384;                 ///< blocks
    std::optional<ChunkArea> area{};                ///< none: all that can be found
    std::optional<double> speed{};                  ///< blocks per second; none: from stop to stop at once
    bool flies = false;                             ///< high above the ground instead of on it
    std::optional<net::Duration> time{};            ///< ends then, complete or not
    net::Duration settle = std::chrono::seconds(1); ///< the shortest wait, see docs/download.md
    /// Chunks per second that the server looks for at least, whether they exist or not.
    double least_pace = 25;
    /// Chunks of which nothing came that are kept for the report: from most servers nothing more comes.
    std::size_t most_unanswered = 1 << 18;
    chunk::IsTransparent is_transparent{};
};

struct DownloadStatus {
    double seconds = 0;
    std::size_t chunks = 0;
    std::size_t stops = 0;
    std::size_t waiting = 0; ///< stops that are known to follow
    std::uint64_t bytes = 0;
    double silence = 0; ///< seconds since anything came
};

/// How it went.
struct DownloadReport {
    std::size_t chunks = 0;  ///< in the folder
    std::size_t written = 0; ///< by this run
    std::size_t stops = 0;
    std::size_t unreachable = 0; ///< stops where the server did not let it stay
    std::uint64_t bytes = 0;     ///< received
    double seconds = 0;
    bool is_finished = false;            ///< the whole route was visited
    std::vector<ChunkPos> incomplete{};  ///< of which something came, but not all
    std::vector<ChunkPos> unanswered{};  ///< not sent by a server that says what does not exist
    int reach = 0;                       ///< chunks: further from all that came nothing was looked for
    std::size_t unnamed = 0;             ///< packets with numbers that the server did not name
    std::vector<std::string> problems{}; ///< broken packets, the first few, and why it ended early

    [[nodiscard]] bool is_fine() const {
        return is_finished && incomplete.empty() && unanswered.empty() && unnamed == 0 && unreachable == 0
               && problems.empty();
    }
};

/// Joins a server, goes through what it sends, and writes it as a world folder. An error only where the
/// folder cannot be written or nothing listens; everything else is in the report. Without a loop it makes its
/// own.
Result<DownloadReport> download(const DownloadRules& rules,
                                const std::function<void(const DownloadStatus&)>& tell,
                                const std::function<bool()>& is_stopped,
                                std::shared_ptr<net::Loop> loop = nullptr);

} // namespace orbis::game

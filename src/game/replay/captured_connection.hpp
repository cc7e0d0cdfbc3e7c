#pragma once

#include "bytes/result.hpp"
#include "protocol/catalogue.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace orbis::game {

/// A connection in a capture, from its `Connect` on.
struct CapturedConnection {
    std::uint64_t player = 0;                   ///< its number in the capture
    std::string name{};                         ///< of the player; empty if it is not known
    const protocol::BuildInfo* build = nullptr; ///< null if the program has no schema of it
    std::string build_name{};                   ///< name, CRC or hash; empty for unknown
    std::uint64_t connect = 0;                  ///< number of the record with `Connect`, from 1 on
    std::int64_t start = 0;                     ///< time of that record
};

/// Whose connection is meant.
struct ConnectionWanted {
    std::filesystem::path capture{};
    std::optional<std::uint64_t> player{};      ///< none: the first who joins a world
    const protocol::BuildInfo* build = nullptr; ///< of frames that do not say theirs
};

/// Finds a connection of which the capture has the start. An error says what to do if it has none.
Result<CapturedConnection> find_connection(const ConnectionWanted& wanted);

} // namespace orbis::game

#pragma once

#include "bytes/result.hpp"
#include "protocol/catalogue.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orbis::protocol {
class Dialect;
}

namespace orbis::net {

/// What a client says of itself in `Connect`, and how it speaks then.
struct GameBuild {
    std::int32_t crc = 0;
    std::int32_t number = 0;
    std::string version{};                      ///< at most 20 characters
    std::string protocol = "hytale/2";          ///< in TLS
    const protocol::Dialect* dialect = nullptr; ///< null for the usual build

    /// The build that the packets of this program are made from.
    static GameBuild current();
    static GameBuild of(const protocol::BuildInfo& build);
    /// A build that clients of this program can be of, by its name or sum; an error names them.
    static Result<GameBuild> find(std::string_view text);
};

/// The builds whose clients a server can take, oldest first.
std::vector<const protocol::BuildInfo*> spoken_builds();
/// The same by their names or sums, separated by commas.
Result<std::vector<const protocol::BuildInfo*>> find_spoken_builds(std::string_view list);
/// `2026.02.17, 2026.03.26`
std::string names_of(const std::vector<const protocol::BuildInfo*>& builds);

} // namespace orbis::net

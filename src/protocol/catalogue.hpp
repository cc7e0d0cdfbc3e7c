#pragma once

#include "protocol/schema.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace orbis::protocol {

/// What is known of a build without reading its schema.
struct BuildInfo {
    std::string_view build;
    std::string_view same_layout; ///< builds with the same layouts, separated by spaces
    std::int32_t version;
    std::int32_t build_number;       ///< 0 in builds that do not state one
    std::optional<std::int32_t> crc; ///< sent in Connect by builds that have one
    std::string_view hash;           ///< sent in Connect by the earliest builds, else empty
    std::string_view json;           ///< the schema itself, in the memory of the program
    std::string_view manners;        ///< what a schema cannot say (docs/design/builds.md)
    bool is_spoken;                  ///< servers and clients of this program can be of this build
};

/// The builds whose schemas are part of the program, oldest first.
std::span<const BuildInfo> builds();

/// The build that the typed packets are generated from.
inline constexpr std::string_view k_default_build = "2026.02.17";

/// A build by its name or that of one with the same layouts, by its CRC (decimal or 0x…) or by its hash.
const BuildInfo* find_build(std::string_view text);

/// The schema of a build: parsed at the first call, kept for the life of the program. Threads may call it at
/// the same time.
const Schema& schema_of(const BuildInfo& build);

/// Both in one: an error names the builds that there are.
Result<const Schema*> find_schema(std::string_view text);

} // namespace orbis::protocol

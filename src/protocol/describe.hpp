#pragma once

#include "bytes/json_writer.hpp"
#include "protocol/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orbis::protocol {

/// A packet, struct, union or enum for people: lines with offsets, presence bits, types and limits. Empty
/// when the schema has nothing of that name; packets can be named by their id too.
std::vector<std::string> describe(const Schema& schema, std::string_view name);

/// The same as the members of a JSON object; false when there is nothing of that name.
bool describe(JsonWriter& json, const Schema& schema, std::string_view name);

/// What happened to a packet or struct from build to build, oldest first.
struct BuildChange {
    std::string_view build;
    bool present = false;
    /// What differs from the build before: `+ field …`, `- field …`, `moved: …` for fields that only have
    /// another place or bit, `~ Type` for a nested type. Empty when nothing does, and for the first build.
    std::vector<std::string> changes;
};
std::vector<BuildChange> changes_between_builds(std::string_view name);

} // namespace orbis::protocol

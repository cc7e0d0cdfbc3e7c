#pragma once

#include "bytes/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::http {

/// Longer ones are refused with status 414.
inline constexpr std::size_t k_longest_target = 2048;

/// What a request asks for, taken apart: `/api/tile/my%20world/surface/0/1.-2?x=1`.
///
/// Each part of the path is decoded once and is then a plain name: never empty, `.` or `..`, and without `/`,
/// `\` or control characters, however they were written.
struct Target {
    std::vector<std::string> path; ///< empty for `/`
    std::vector<std::pair<std::string, std::string>> query;

    /// The first value of that name.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;
};

/// Reads a target as it stands in the request line. `too_large` for status 414, other errors for 400.
Result<Target> parse_target(std::string_view raw);

/// A whole number with nothing before or after: `-12`, never `+1`, `01` or `-0`.
std::optional<std::int32_t> parse_integer(std::string_view text);

/// The two numbers of a tile's name: `X.Z`.
std::optional<std::pair<std::int32_t, std::int32_t>> parse_tile_name(std::string_view text);

} // namespace orbis::http

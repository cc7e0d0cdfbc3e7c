#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace orbis {

/// Where a JSON text is nested deeper than `most` levels, if anywhere. To be asked before a parser that uses
/// the stack gets the text; whether it is JSON at all is the parser's business.
std::optional<std::size_t> find_deep_nesting(std::string_view json, int most);

/// Where an object of a JSON text has more than `most` members, if anywhere. A parser that keeps members in
/// their order looks at all of them for each new one, and would not end with a million.
std::optional<std::size_t> find_wide_object(std::string_view json, std::size_t most = 20'000);

} // namespace orbis

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace orbis {

/// Where a JSON text is nested deeper than `most` levels, if anywhere. To be asked before a parser that uses
/// the stack gets the text; whether it is JSON at all is the parser's business.
std::optional<std::size_t> find_deep_nesting(std::string_view json, int most);

} // namespace orbis

#pragma once

#include <string>
#include <string_view>

namespace orbis::protocol {

/// Text as the game holds it: U+FFFD stands for every malformed part.
std::string with_replacements(std::string_view text);

} // namespace orbis::protocol

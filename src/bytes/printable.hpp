#pragma once

#include <string>
#include <string_view>

namespace orbis {

/// Text of others as it may go to a terminal: on one line, and without anything that moves the cursor,
/// changes colours or turns the order of letters. What could do that is shown as a number, `\x1b` or
/// `\u202e`; bytes that are not UTF-8 too. Tabs stay where `keeps_tabs`.
std::string printable(std::string_view text, bool keeps_tabs = false);

} // namespace orbis

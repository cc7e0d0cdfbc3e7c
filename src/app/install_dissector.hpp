#pragma once

#include "app/console.hpp"

#include <string_view>

namespace orbis::app {

/// Puts the dissector where Wireshark looks for a user's own plugins, and says where that is. Replaces only a
/// dissector that this program made, as a whole and never through a link.
Result<void> install_dissector(Console& console, std::string_view script);

} // namespace orbis::app

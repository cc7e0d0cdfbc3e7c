#pragma once

#include <string>
#include <string_view>

namespace orbis {

/// JSON laid out again for people: two spaces per level, and short lists and objects on one
/// line.
std::string indent_json(std::string_view json);

} // namespace orbis

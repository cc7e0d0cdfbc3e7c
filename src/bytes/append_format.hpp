#pragma once

#include <fmt/core.h>

#include <string>

namespace orbis {

void append_formatted(std::string& out, fmt::string_view format, fmt::format_args arguments);

/// Appends a formatted text. `fmt::format_to` would do so too, and compile the whole of fmt again in every
/// source.
template <typename... Args>
void append_format(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    append_formatted(out, format, fmt::make_format_args(args...));
}

} // namespace orbis

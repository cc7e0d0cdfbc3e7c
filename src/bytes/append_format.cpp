#include "bytes/append_format.hpp"

#include <fmt/format.h>

#include <iterator>

namespace orbis {

void append_formatted(std::string& out, fmt::string_view format, fmt::format_args arguments) {
    fmt::vformat_to(std::back_inserter(out), format, arguments);
}

} // namespace orbis

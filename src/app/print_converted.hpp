#pragma once

#include "app/console.hpp"
#include "jobs/convert/convert.hpp"

#include <filesystem>
#include <string_view>

namespace orbis::app {

/// What became of a copy to `target`, of `snapshot` where it was made from one: problems, the answer, and
/// what is to be done about what is missing.
void print_converted(Console& console, const jobs::ConvertReport& report, const std::filesystem::path& target,
                     std::string_view snapshot = {});

} // namespace orbis::app

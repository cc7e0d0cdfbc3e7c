#pragma once

#include <cstddef>
#include <string>

namespace orbis::bench {

/// Makes a map of a folder of region files beside it and prints the peak of its memory and that of its tiles
/// in work, both in kilobytes; an exit code. It runs in a process of its own.
int map_and_exit(const std::string& chunks, std::size_t threads);

} // namespace orbis::bench

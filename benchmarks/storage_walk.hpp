#pragma once

#include <string>

namespace orbis::bench {

/// Reads and decompresses every chunk of a folder of region files on two threads; an exit code. It runs in a
/// process of its own, whose peak memory is then the figure of a row.
int walk_and_exit(const std::string& chunks);

} // namespace orbis::bench

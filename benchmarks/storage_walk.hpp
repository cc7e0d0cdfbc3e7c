#pragma once

#include <string>

namespace orbis::bench {

/// Reads and decompresses every chunk of a folder of region files on two threads and prints the peak of its
/// memory in kilobytes; an exit code. It runs in a process of its own.
int walk_and_exit(const std::string& chunks);

} // namespace orbis::bench

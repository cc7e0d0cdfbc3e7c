#pragma once

#include <cstddef>
#include <string>

namespace orbis::bench {

/// Answers one question about the chunks in a folder and prints the most memory that this process had, in kB:
/// for a row that starts this program again, so that it has nothing else in memory. An exit code.
int ask_and_exit(const std::string& chunks, std::size_t threads, const std::string& sql);

} // namespace orbis::bench

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace orbis::test {

/// One call of the system that changed something below a folder, or made a change last.
struct TracedCall {
    enum class Kind : std::uint8_t { create, folder, write, resize, rename, remove, link, sync, other };

    Kind kind = Kind::other;
    std::string path; ///< below the folder; empty for the folder itself or where it lies outside
    std::string to;   ///< of `rename` and `link`
    std::uint64_t offset = 0;
    std::string bytes;      ///< of `write`; of `link` what a symbolic one says
    std::uint64_t size = 0; ///< of `resize`
};

/// What happens to the call with the number `at`, counted from 0.
struct TracedFault {
    enum class Kind : std::uint8_t {
        none,
        kill,    ///< the process is killed before it
        tear,    ///< a write is half done, then the process is killed
        shorten, ///< a write does half of its work and says so, and all goes on
        fail,    ///< it fails with `error`, once
        full,    ///< half of a write is done, then it and all later calls that need room fail with ENOSPC
    };
    Kind kind = Kind::none;
    std::size_t at = 0;
    int error = 0;
};

struct TracedRun {
    std::vector<TracedCall> calls; ///< those that succeeded, in order
    std::size_t count = 0;         ///< those that were begun: the numbers that a fault can have
    bool faulted = false;
    int exit_code = 0; ///< -1 where a signal ended the process
};

/// Runs `job` in a process of its own and follows what it does to files below `folder`, on all of its
/// threads. It sees calls of the system, so that nothing in the program or in a library can pass it by; a
/// file that is changed through a mapping is the exception. The process ends with what `job` returns.
TracedRun trace_run(const std::filesystem::path& folder, const std::function<int()>& job,
                    TracedFault fault = {});

} // namespace orbis::test

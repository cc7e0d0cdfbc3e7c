#pragma once

#include <csignal>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::test {

/// Runs `job` in a process of its own and kills it as soon as it begins or ends a call of the system for the
/// `moment`-th time, so that a kill comes to the same place however slow the machine is. How many such
/// moments there were: fewer than `moment` where the job came to its end.
template <typename Job>
std::int64_t run_and_kill(const Job& job, std::int64_t moment) {
    const auto child = fork();
    if (child < 0) throw std::runtime_error("no process can be made");
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        (void)raise(SIGSTOP);
        job();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) throw std::runtime_error("this system does not let a process be followed");
    std::int64_t moments = 0;
    for (std::intptr_t signal = 0; moments < moment; ++moments) {
        if (ptrace(PTRACE_SYSCALL, child, nullptr, signal) != 0) break;
        waitpid(child, &status, 0);
        if (!WIFSTOPPED(status)) return moments;
        signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return moments;
}

/// Runs `job` in a process of its own to its end; how many moments it has.
template <typename Job>
std::int64_t count_moments(const Job& job) {
    return run_and_kill(job, std::numeric_limits<std::int64_t>::max());
}

} // namespace orbis::test

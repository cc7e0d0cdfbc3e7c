#include "harness.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::bench {

namespace {

/// The best time of several starts of `program --version`, in seconds.
double start_time(const std::string& program) {
    double best = 1e9;
    for (int i = 0; i < amount(10, 1); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const auto child = fork();
        if (child == 0) {
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
            execl(program.c_str(), program.c_str(), "--version", nullptr);
            _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) throw std::runtime_error(program + " does not start");
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

void add_rows() {
    add_value({"program: what ./orbis adds when nothing changed", "s", 0.2, Better::lower},
              [] { return start_time(ORBIS_ROOT "/orbis") - start_time(ORBIS_PROGRAM); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

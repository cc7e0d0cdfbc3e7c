#include "app/command.hpp"
#include "bytes/printable.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <new>

namespace {

/// In a program that is started without stdin, stdout or stderr, the first files that it opens would take
/// their places: a world could be read as commands, or be written over with messages.
void fill_standard_streams() {
    for (int descriptor = 0; descriptor < 3; ++descriptor)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)open("/dev/null", O_RDWR);
}

} // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    try {
        return orbis::app::run_command_line(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("orbis: not enough memory; try --threads 1\n", stderr);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "orbis: %s\n", orbis::printable(problem.what(), true).c_str());
    }
    return 1;
}

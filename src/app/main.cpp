#include "app/command.hpp"

#include <cstdio>
#include <exception>
#include <new>

int main(int argc, char** argv) {
    try {
        return orbis::app::run_command_line(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("orbis: not enough memory; try --threads 1\n", stderr);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "orbis: %s\n", problem.what());
    }
    return 1;
}

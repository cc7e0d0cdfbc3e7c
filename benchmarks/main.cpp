#include "harness.hpp"
#include "map_memory.hpp"
#include "query_memory.hpp"
#include "storage_walk.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <string>

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--walk") == 0) return orbis::bench::walk_and_exit(argv[2]);
    if (argc == 4 && std::strcmp(argv[1], "--map") == 0)
        return orbis::bench::map_and_exit(argv[2], std::strtoul(argv[3], nullptr, 10));
    if (argc == 5 && std::strcmp(argv[1], "--ask") == 0)
        return orbis::bench::ask_and_exit(argv[2], std::strtoul(argv[3], nullptr, 10), argv[4]);
    orbis::bench::RunOptions options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--json") {
            options.json = true;
        } else if (argument == "--quick") {
            options.quick = true;
        } else if (argument == "--filter" && i + 1 < argc) {
            options.filter = argv[++i];
        } else {
            std::fprintf(stderr, "usage: ./bench [--json] [--quick] [--filter REGEX]\n");
            return 2;
        }
    }
    // The two loops of a row run in turn, so that a machine that slows down slows both.
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {argv[0], interleave.data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return orbis::bench::run(options);
}

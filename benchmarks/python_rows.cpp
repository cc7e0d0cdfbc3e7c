#include "bench_world.hpp"
#include "harness.hpp"
#include "orbis/world.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>

namespace orbis::bench {

namespace {

/// What one side needs for all blocks of a world as arrays.
struct ArrayTime {
    std::uint64_t cells = 0;
    double seconds = 1e9; ///< of the processor
};

ArrayTime read_arrays(const std::string& path) {
    const auto begin = std::clock();
    ArrayTime time;
    const auto world = open_world(path);
    if (!world) throw std::runtime_error(world.error().text());
    for (const auto& chunk : world->chunks())
        for (const auto& section : chunk.sections()) {
            const auto blocks = section.blocks();
            benchmark::DoNotOptimize(blocks.data());
            time.cells += blocks.size();
        }
    time.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return time;
}

/// The same by the module for Python, in a process of its own.
ArrayTime python_arrays(const std::string& path, int passes) {
    const auto command = fmt::format("PYTHONPATH='{}' /usr/bin/python3 '{}/benchmarks/all_blocks.py' '{}' {}",
                                     ORBIS_PYTHON_FOLDER, ORBIS_ROOT, path, passes);
    auto* answer = popen(command.c_str(), "r");
    if (answer == nullptr) throw std::runtime_error("Python cannot be started");
    ArrayTime time;
    unsigned long long cells = 0;
    const auto read = std::fscanf(answer, "%llu %lf", &cells, &time.seconds);
    if (pclose(answer) != 0 || read != 2) throw std::runtime_error("benchmarks/all_blocks.py failed");
    time.cells = cells;
    return time;
}

/// Both in turn, several times, so that a machine that slows down slows both.
double python_against_library() {
    const auto path = world_for(Terrain::dense).chunks.string();
    ArrayTime library;
    ArrayTime python;
    for (int round = 0; round < amount(5, 1); ++round) {
        const auto theirs = python_arrays(path, amount(3, 1));
        for (int pass = 0; pass < amount(3, 1); ++pass) {
            const auto ours = read_arrays(path);
            if (ours.cells != theirs.cells) throw std::runtime_error("Python reads another number of cells");
            library.seconds = std::min(library.seconds, ours.seconds);
        }
        python.seconds = std::min(python.seconds, theirs.seconds);
    }
    return python.seconds / library.seconds;
}

void add_python_rows() {
    add_value({"python: all blocks of a world as arrays / in C++", "×", 1.5, Better::lower},
              python_against_library);
}

const Registration k_python_rows(add_python_rows);

} // namespace

} // namespace orbis::bench

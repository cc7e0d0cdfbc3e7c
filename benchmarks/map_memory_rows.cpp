#include "bench_world.hpp"
#include "harness.hpp"
#include "map/tile.hpp"
#include "map/update_map.hpp"
#include "map_memory.hpp"
#include "support/shared.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

/// What the memory has at most beside tiles in work, in MiB.
double peak_beside_tiles(const BenchWorld& world, int threads) {
    const test::TemporaryFolder folder;
    make_large_world(world, folder.path());
    // What getrusage says of a child begins with the memory of its parent, so the child tells by itself.
    const auto command = fmt::format("{} --map {} {}", fs::read_symlink("/proc/self/exe").string(),
                                     (folder / "chunks").string(), threads);
    FILE* const out = popen(command.c_str(), "r");
    long peak = 0;
    long tiles = 0;
    const bool told = out != nullptr && std::fscanf(out, "%ld kB %ld", &peak, &tiles) == 2; // NOLINT
    const bool ended = out != nullptr && pclose(out) == 0;
    if (!told || !ended) throw std::runtime_error("the map failed");
    return static_cast<double>(peak - tiles) / 1024;
}

void add_rows() {
    const auto& world = world_for(Terrain::sparse);
    for (const int threads : {1, 2}) {
        const Row row{fmt::format("map: memory beside tiles, 102,400 chunks, {} thread{}, {}", threads,
                                  threads == 1 ? "" : "s", world.name),
                      "MiB", 64, Better::lower};
        add_value(row, [&world, threads] { return peak_beside_tiles(world, threads); });
    }
}

const Registration k_rows(add_rows);

} // namespace

int map_and_exit(const std::string& chunks, std::size_t threads) {
    const auto place = world::find_location(chunks);
    if (!place) return 1;
    map::UpdateOptions options;
    options.threads = threads;
    options.layers = map::parse_layers("surface,height,light,environment").value();
    map::MapFiles files;
    NoProgress progress;
    const auto done = map::update_world(place->worlds.at(0), world::Assets::built_in(), files,
                                        fs::path(chunks).parent_path() / "map", options, progress);
    if (!done || !done->problems.empty()) return 1;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            std::printf("%s %zu\n", line.substr(6).c_str(), map::TileMemory::peak() / 1024);
    return 0;
}

} // namespace orbis::bench

#include "bench_world.hpp"
#include "harness.hpp"
#include "storage/walk.hpp"
#include "storage_walk.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

void read_all(const BenchWorld& world, storage::ReadContext& context) {
    for (const auto pos : world.positions) {
        const auto document = world.store->read(pos, context);
        benchmark::DoNotOptimize(document->value().data());
    }
}

void walk_all(const storage::Store& store, std::size_t threads) {
    storage::walk<std::size_t>(
        store, threads,
        {.work =
             [&](ChunkPos pos, storage::ReadContext& context) {
                 return store.read(pos, context).value().value().size();
             },
         .emit =
             [](ChunkPos, std::size_t& size) {
                 benchmark::DoNotOptimize(size);
                 return true;
             },
         .on_error = [](const Error& error) { throw std::runtime_error(error.text()); }});
}

/// The region file with the most chunks, and how many.
std::pair<RegionPos, std::size_t> fullest_region(const BenchWorld& world) {
    std::map<RegionPos, std::size_t> counts;
    for (const auto pos : world.positions) ++counts[pos.region()];
    return *std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
}

/// A world of 33,000 chunks: many names for the same file.
double peak_of_a_large_walk(const BenchWorld& world) {
    std::string folder = (fs::temp_directory_path() / "orbis-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
    const auto [region, chunks] = fullest_region(world);
    const auto file = fs::canonical(world.chunks / storage::region_file_name(region));
    const auto names = amount<int>(33'000 / static_cast<int>(chunks), 2);
    const auto name = [&](int i) { return fs::path(folder) / storage::region_file_name({i, 0}); };
    fs::copy_file(file, name(0));
    for (int i = 1; i < names; ++i) fs::create_hard_link(name(0), name(i));
    // What getrusage says of a child begins with the memory of its parent, so the child tells by itself.
    const auto command = fs::read_symlink("/proc/self/exe").string() + " --walk " + folder;
    FILE* const out = popen(command.c_str(), "r");
    long kilobytes = 0;
    const bool told = out != nullptr && std::fscanf(out, "%ld", &kilobytes) == 1; // NOLINT(cert-err34-c)
    const bool ended = out != nullptr && pclose(out) == 0;
    fs::remove_all(folder);
    if (!told || !ended) throw std::runtime_error("the walk failed");
    return static_cast<double>(kilobytes) / 1024;
}

void add_rows() {
    for (const auto terrain : {Terrain::dense, Terrain::sparse}) {
        const auto& world = world_for(terrain);
        add_ratio(
            {"store: read, one thread, " + world.name, "× bare zstd", 1.05, Better::lower},
            [&world, context = std::make_shared<storage::ReadContext>()] { read_all(world, *context); },
            [&world] { world.decompress_all(); });
        using Store = std::unique_ptr<storage::RegionStore>;
        const auto walk = [&world, store = std::make_shared<Store>()](std::size_t threads) {
            if (!*store) {
                const storage::Folder folder(storage::open_disk_tree(eight_times(world)));
                *store = storage::open_region_store(folder, {}).value();
            }
            walk_all(**store, threads);
        };
        add_speedup(
            {fmt::format("store: {} × 8, two threads against one", world.name), "× faster", 1.9,
             Better::higher},
            [walk] { walk(2); }, [walk] { walk(1); });
    }
    const auto& dense = world_for(Terrain::dense);
    const auto decompress = [&dense](int times) {
        for (int i = 0; i < times; ++i) dense.decompress_all();
    };
    add_speedup(
        {"machine: bare zstd, two threads that share nothing against one", "× faster", {}, Better::higher},
        [decompress] {
            const std::jthread other([decompress] { decompress(4); });
            decompress(4);
        },
        [decompress] { decompress(8); });
    add_value({"store: peak memory, walk of 33,000 chunks, " + dense.name, "MiB", 32, Better::lower},
              [&dense] { return peak_of_a_large_walk(dense); });
}

const Registration k_rows(add_rows);

} // namespace

int walk_and_exit(const std::string& chunks) {
    const auto store = storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), {});
    if (!store) return 1;
    walk_all(**store, 2);
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) std::printf("%s\n", line.substr(6).c_str());
    return 0;
}

} // namespace orbis::bench

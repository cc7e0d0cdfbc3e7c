#include "harness.hpp"
#include "real_world.hpp"
#include "storage/walk.hpp"
#include "storage_walk.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

void read_all(const RealWorld& world, storage::ReadContext& context) {
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

/// A world of 800 MB of region files: many names for the same file.
double peak_of_a_large_walk(const RealWorld& world) {
    std::string folder = (fs::temp_directory_path() / "orbis-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
    const auto file = fs::canonical(world.chunks / storage::region_file_name({-1, 1}));
    for (int i = 0; i < 200; ++i)
        fs::create_symlink(file, fs::path(folder) / storage::region_file_name({i, 0}));
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
    for (const char* name : {"dense", "sparse"}) {
        const Row row{std::string("store: read, one thread, ") + name, "× bare zstd", 1.05, Better::lower};
        const auto* world = real_world(name);
        if (world == nullptr) {
            skip(row, k_no_worlds);
            continue;
        }
        add_ratio(
            row, [world, context = std::make_shared<storage::ReadContext>()] { read_all(*world, *context); },
            [world] { world->decompress_all(); });
        add_ratio(
            {std::string("store: two threads against one, ") + name, "× faster", 1.9, Better::higher},
            [world] { walk_all(*world->store, 2); }, [world] { walk_all(*world->store, 1); });
    }
    const Row peak{"store: peak memory, walk of 33,000 dense chunks", "MiB", 32, Better::lower};
    if (const auto* dense = real_world("dense"))
        add_value(peak, [dense] { return peak_of_a_large_walk(*dense); });
    else
        skip(peak, k_no_worlds);
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

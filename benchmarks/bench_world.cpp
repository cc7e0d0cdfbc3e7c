#include "bench_world.hpp"

#include "bytes/atomic_file.hpp"
#include "dense_world.hpp"
#include "harness.hpp"
#include "support/shared.hpp"
#include "world/sample/sample.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unistd.h>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

/// Goes up when the bytes of the sample universe change.
constexpr int k_sample_version = 1;

using Worlds = std::map<std::string, std::unique_ptr<BenchWorld>>;

Worlds& loaded() {
    static Worlds worlds;
    return worlds;
}

std::unique_ptr<BenchWorld> load(std::string name, const fs::path& chunks) {
    auto world = std::make_unique<BenchWorld>();
    world->name = std::move(name);
    world->chunks = chunks;
    world->store = storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), {}).value();
    const auto cursor = world->store->chunks();
    storage::ReadContext context;
    while (true) {
        const auto pos = cursor->next().value();
        if (!pos) break;
        const auto frame = world->store->read_compressed(*pos, context).value().value();
        world->positions.push_back(*pos);
        world->frames.emplace_back(frame.bytes.begin(), frame.bytes.end());
        world->raw_sizes.push_back(frame.raw_size);
    }
    return world;
}

/// The folder of a made world. `make` fills it where it is not there; it gets its name when it is complete,
/// and its name says the version, so that another version of the code makes another one.
template <typename Make>
fs::path made_once(const char* name, int version, Make&& make) {
    const auto folder = fs::path(ORBIS_BUILD) / "bench-worlds" / fmt::format("{}-{}", name, version);
    if (fs::is_directory(folder)) return folder;
    fmt::print(stderr, "making {}, once\n", folder.string());
    auto growing = folder;
    growing += fmt::format(".part-{}", getpid());
    fs::remove_all(growing);
    if (const auto done = create_folders(folder.parent_path()); !done)
        throw std::runtime_error(done.error().text());
    if (const Result<void> done = make(growing); !done) {
        fs::remove_all(growing);
        throw std::runtime_error(done.error().text());
    }
    std::error_code lost; // against another run that made the same world
    fs::rename(growing, folder, lost);
    if (lost) fs::remove_all(growing);
    return folder;
}

std::unique_ptr<BenchWorld> made_dense() {
    const auto folder = made_once("dense", k_dense_version, [](const fs::path& growing) -> Result<void> {
        TRY_DO(create_folders(growing / "chunks"));
        return write_dense_world(growing / "chunks");
    });
    return load("made dense", folder / "chunks");
}

std::unique_ptr<BenchWorld> made_sample() {
    const auto folder = made_once("sample", k_sample_version, [](const fs::path& growing) -> Result<void> {
        TRY_DO(world::sample::write_sample(growing, {}));
        return {};
    });
    return load("sample", folder / "worlds" / "default" / "chunks");
}

} // namespace

void BenchWorld::decompress_all() const {
    thread_local const auto context =
        std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>(ZSTD_createDCtx(), ZSTD_freeDCtx);
    thread_local Buffer out(8 << 20);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto got =
            ZSTD_decompressDCtx(context.get(), out.data(), raw_sizes[i], frames[i].data(), frames[i].size());
        if (got != raw_sizes[i]) throw std::runtime_error("a frame does not decompress");
        benchmark::DoNotOptimize(out.data());
    }
}

TilePos BenchWorld::fullest_tile() const {
    std::map<TilePos, int> counts;
    for (const auto pos : positions) ++counts[TilePos::of(pos)];
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

fs::path eight_times(const BenchWorld& world) {
    static std::map<std::string, test::TemporaryFolder> made;
    const auto [at, is_new] = made.try_emplace(world.name);
    const auto chunks = at->second / "chunks";
    if (!is_new) return chunks;
    fs::create_directories(chunks);
    storage::StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = storage::SyncPolicy::none;
    const auto store =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), options).value();
    for (int copy = 0; copy < amount(8, 1); ++copy)
        for (std::size_t i = 0; i < world.frames.size(); ++i) {
            const auto pos = world.positions[i];
            if (!store->write_compressed({pos.x + copy * 2 * k_side, pos.z},
                                         {world.frames[i], world.raw_sizes[i]}))
                throw std::runtime_error("a world cannot be written");
        }
    return chunks;
}

void make_large_world(const BenchWorld& world, const fs::path& folder) {
    const auto whole = folder / "whole";
    const auto chunks = folder / "chunks";
    fs::create_directories(whole);
    fs::create_directories(chunks);
    storage::StoreOptions options;
    options.write = true;
    options.sync = storage::SyncPolicy::none;
    {
        const auto store =
            storage::open_region_store(storage::Folder(storage::open_disk_tree(whole)), options).value();
        for (int slot = 0; slot < k_columns; ++slot) {
            const auto i = static_cast<std::size_t>(slot) % world.frames.size();
            if (!store->write_compressed(RegionPos{0, 0}.chunk({slot}),
                                         {world.frames[i], world.raw_sizes[i]}))
                throw std::runtime_error("a large world cannot be written");
        }
    }
    const int side = amount(10, 1);
    for (int z = 0; z < side; ++z)
        for (int x = 0; x < side; ++x)
            fs::create_hard_link(whole / storage::region_file_name({0, 0}),
                                 chunks / storage::region_file_name({x - 3, z - 4}));
}

const BenchWorld* real_world(const std::string& name) {
    auto& world = loaded()[name];
    const auto shared = test::shared_folder();
    if (!world && shared && fs::is_directory(*shared / "worlds" / name / "chunks"))
        world = load(name, *shared / "worlds" / name / "chunks");
    return world.get();
}

const BenchWorld& world_for(Terrain terrain) {
    const bool is_dense = terrain == Terrain::dense;
    if (const auto* real = real_world(is_dense ? "dense" : "sparse")) return *real;
    auto& world = loaded()[is_dense ? "made dense" : "sample"];
    if (!world) world = is_dense ? made_dense() : made_sample();
    return *world;
}

std::string about_worlds() {
    std::vector<std::string> names;
    for (const auto& [name, world] : loaded())
        if (world)
            names.push_back(
                fmt::format("{} ({} chunks of {})", name, world->positions.size(), world->chunks.string()));
    return names.empty() ? "" : fmt::format("worlds: {}", fmt::join(names, ", "));
}

} // namespace orbis::bench

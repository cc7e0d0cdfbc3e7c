#include "bench_world.hpp"
#include "chunk/chunk.hpp"
#include "harness.hpp"
#include "jobs/snapshot/take.hpp"
#include "support/shared.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <stdexcept>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;
namespace snapshot = jobs::snapshot;

/// A time at which no file of the benchmark looks freshly written.
constexpr std::int64_t k_later = 4'000'000'000;

template <typename T>
T checked(Result<T>&& result) {
    if (!result) throw std::runtime_error(result.error().text());
    return *std::move(result);
}

/// A copy of a world without holes, and a store for its snapshots.
struct Kept {
    test::TemporaryFolder folder;
    fs::path chunks = folder / "world" / "chunks";
    fs::path store = folder / "store";
    std::int64_t time = k_later;

    explicit Kept(const BenchWorld& world) {
        const auto copy = open();
        for (std::size_t i = 0; i < world.positions.size(); ++i)
            if (!copy->write_compressed(world.positions[i], {world.frames[i], world.raw_sizes[i]}))
                throw std::runtime_error("cannot copy a world");
        if (!copy->sync()) throw std::runtime_error("cannot copy a world");
    }

    [[nodiscard]] std::unique_ptr<storage::RegionStore> open() const {
        storage::StoreOptions options;
        options.write = true;
        options.create = true;
        options.sync = storage::SyncPolicy::batch;
        return checked(storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), options));
    }

    snapshot::TakeReport take() {
        NoProgress quiet;
        snapshot::TakeOptions options;
        options.time = time += 86400;
        return checked(
            snapshot::take(store, checked(world::find_location(chunks.parent_path())), options, quiet));
    }

    [[nodiscard]] double bytes() const {
        std::uint64_t sum = 0;
        for (const auto& entry : fs::directory_iterator(chunks)) sum += entry.file_size();
        return static_cast<double>(sum);
    }
};

/// Builds in one chunk of a hundred: forty blocks each.
void build(const Kept& kept, const BenchWorld& world, std::mt19937_64& random) {
    const auto store = kept.open();
    storage::ReadContext context;
    for (std::size_t i = 0; i < (world.positions.size() + 99) / 100; ++i) {
        const auto pos = world.positions[random() % world.positions.size()];
        auto chunk = checked(chunk::Chunk::decode(checked(store->read(pos, context)).value()));
        for (int block = 0; block < 40; ++block) {
            const BlockPos at{static_cast<int>(random() % 32), static_cast<int>(random() % k_world_height),
                              static_cast<int>(random() % 32)};
            chunk::BlockState state;
            state.key = block % 2 == 0 ? "Soil_Dirt" : "Wood_Oak_Planks";
            if (!chunk.set_block(at, state)) throw std::runtime_error("cannot place a block");
        }
        Buffer out;
        const auto document = checked(chunk.encode(out));
        if (!store->write(pos, document)) throw std::runtime_error("cannot write a chunk");
    }
    if (!store->sync()) throw std::runtime_error("cannot write a world");
}

double ten_days(const BenchWorld& world) {
    Kept kept(world);
    const auto compacted = kept.bytes();
    std::mt19937_64 random(1);
    std::uint64_t store = 0;
    for (int day = 0; day < amount(10, 2); ++day) {
        store = kept.take().store_bytes;
        build(kept, world, random);
    }
    return static_cast<double>(store) / compacted;
}

/// What is the same for every world, such as syncs, weighs little only against a world that takes a while.
void add_speed(const BenchWorld& world) {
    add_ratio(
        {"snapshot: unchanged world, " + world.name, "× reading", 0.2, Better::lower},
        [&world, kept = std::shared_ptr<Kept>()]() mutable {
            if (!kept) {
                kept = std::make_shared<Kept>(world);
                (void)kept->take();
            }
            if (kept->take().decompressed != 0) throw std::runtime_error("an unchanged world was read");
        },
        [&world] {
            storage::ReadContext context;
            for (const auto pos : world.positions)
                benchmark::DoNotOptimize(world.store->read(pos, context)->value().data());
        });
    add_ratio(
        {"snapshot: first, one thread, " + world.name, "× bare zstd", 20, Better::lower},
        [&world, kept = std::shared_ptr<Kept>()]() mutable {
            if (!kept) kept = std::make_shared<Kept>(world);
            fs::remove_all(kept->store);
            if (kept->take().new_chunks == 0) throw std::runtime_error("nothing was stored");
        },
        [&world] { world.decompress_all(); });
}

void add_rows() {
    const auto& dense = world_for(Terrain::dense);
    for (const auto* world : {&dense, &world_for(Terrain::sparse), real_world("june")})
        if (world != nullptr)
            add_value(
                {"snapshot: 10 days of 1 % changed, " + world->name, "× compacted", 1.25, Better::lower},
                [world] { return ten_days(*world); });
    add_speed(dense);
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

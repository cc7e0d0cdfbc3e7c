#include "bench_world.hpp"
#include "harness.hpp"
#include "jobs/compare/diff_worlds.hpp"
#include "jobs/edit/prune.hpp"
#include "jobs/edit/restore.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <ctime>
#include <stdexcept>
#include <unistd.h>

namespace orbis::bench {

namespace {

namespace fs = std::filesystem;

/// A folder that goes with this.
class Scratch {
public:
    Scratch() : path_((fs::temp_directory_path() / "orbis-bench-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] fs::path operator/(const char* name) const { return fs::path(path_) / name; }

private:
    std::string path_;
};

void copy_world(const BenchWorld& world, const fs::path& to) {
    fs::create_directories(to);
    for (const auto& file : fs::directory_iterator(world.chunks)) {
        fs::copy_file(file.path(), to / file.path().filename());
        fs::permissions(to / file.path().filename(), fs::perms::owner_all);
    }
}

world::World world_at(const fs::path& chunks) { return world::find_location(chunks).value().worlds.at(0); }

/// The world with one block more in every `step`th chunk.
std::shared_ptr<storage::Store> changed_copy(const BenchWorld& world, const fs::path& to, std::size_t step) {
    copy_world(world, to);
    const storage::Folder folder(storage::open_disk_tree(to));
    const auto store =
        storage::open_region_store(folder, {.write = true, .sync = storage::SyncPolicy::batch}).value();
    storage::ReadContext context;
    for (std::size_t i = 0; i < world.positions.size(); i += step) {
        const auto pos = world.positions[i];
        auto chunk = chunk::Chunk::decode(store->read(pos, context).value().value()).value();
        chunk.set_block({3, 300, 4}, {"Rock_Stone", {}, {}}).value();
        Buffer out;
        store->write(pos, chunk.encode(out).value()).value();
    }
    store->sync().value();
    return storage::open_region_store(folder, {}).value();
}

void diff(const storage::Store& a, const storage::Store& b, std::uint64_t changed) {
    NoProgress quiet;
    const auto sums = jobs::diff_worlds(
        {.before = a, .after = b, .options = {}, .threads = 1, .wanted = {}, .on_chunk = {}, .on_error = {}},
        quiet);
    if (sums.changed != changed) throw std::runtime_error("the comparison is wrong");
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The best of several runs, each on a world that `prepare` has made.
template <typename Prepare, typename Work>
double best_time(Prepare&& prepare, Work&& work) {
    double best = 1e9;
    for (int i = 0; i < amount(5, 1); ++i) {
        prepare();
        const auto begin = processor_seconds();
        work();
        best = std::min(best, processor_seconds() - begin);
    }
    return best;
}

/// Everything that `orbis prune` does to remove all chunks but one, with its undo archive, against bare
/// decompression: no chunk is decompressed, so it must be far below 1.
double prune_against_zstd(const BenchWorld& world) {
    const Scratch scratch;
    jobs::PruneOptions options;
    options.keep =
        jobs::Selection::parse(fmt::format("{},{}", world.positions[0].x, world.positions[0].z)).value();
    const auto fresh = [&] {
        fs::remove_all(scratch / "world");
        copy_world(world, scratch / "world" / "chunks");
    };
    const auto prune = [&] {
        NoProgress quiet;
        const auto place = world_at(scratch / "world");
        const auto plan = jobs::plan_prune(place, *place.open({}).value(), options, quiet).value();
        const auto report = jobs::prune(place, plan, options, quiet).value();
        if (report.change.chunks_removed + 1 != world.positions.size())
            throw std::runtime_error("not everything was removed");
    };
    return best_time(fresh, prune) / best_time([] {}, [&] { world.decompress_all(); });
}

jobs::RestoreReport restore_all(const world::World& world, const world::World& backup) {
    NoProgress quiet;
    return jobs::restore(world, backup,
                         {.selection = jobs::Selection::parse("all").value(),
                          .dry_run = false,
                          .force = false,
                          .threads = 1,
                          .command = {},
                          .on_chunk = {}},
                         quiet)
        .value();
}

/// Everything that `orbis restore` does to bring all chunks back into a world that has lost them, against
/// bare decompression, which the check of each chunk needs at least.
double restore_against_zstd(const BenchWorld& world) {
    const Scratch scratch;
    const auto backup = world_at(world.chunks);
    const auto fresh = [&] {
        fs::remove_all(scratch / "world");
        fs::create_directories(scratch / "world" / "chunks");
    };
    const auto restore = [&] {
        const auto report = restore_all(world_at(scratch / "world"), backup);
        if (report.added != world.positions.size()) throw std::runtime_error("not everything came back");
    };
    return best_time(fresh, restore) / best_time([] {}, [&] { world.decompress_all(); });
}

/// The same where nothing is to be done, because the world is as the backup: no chunk is decompressed.
double restore_of_the_same_against_zstd(const BenchWorld& world) {
    const Scratch scratch;
    copy_world(world, scratch / "world" / "chunks");
    const auto restore = [&] {
        const auto report = restore_all(world_at(scratch / "world"), world_at(world.chunks));
        if (report.same != world.positions.size()) throw std::runtime_error("something differs");
    };
    return best_time([] {}, restore) / best_time([] {}, [&] { world.decompress_all(); });
}

void add_rows() {
    const auto* world = &world_for(Terrain::dense);
    const auto row = [&](const char* name, const char* unit, double goal) {
        return Row{fmt::format("{}, {}", name, world->name), unit, goal, Better::lower};
    };
    static const Scratch scratch; // the rows are measured after this
    const auto zstd = [world] { world->decompress_all(); };
    const auto count = world->positions.size();
    copy_world(*world, scratch / "same");
    const std::shared_ptr<storage::Store> same =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(scratch / "same")), {}).value();
    add_ratio(row("diff: equal worlds", "× bare zstd", 0.1), [=] { diff(*world->store, *same, 0); }, zstd);
    const auto few = changed_copy(*world, scratch / "few", 100);
    add_ratio(
        row("diff: 1 % of the chunks changed", "× bare zstd", 0.15),
        [=] { diff(*world->store, *few, (count + 99) / 100); }, zstd);
    const auto every = changed_copy(*world, scratch / "every", 1);
    add_ratio(
        row("diff: every chunk changed", "× bare zstd of both", 1.5),
        [=] { diff(*world->store, *every, count); },
        [world] {
            world->decompress_all();
            world->decompress_all();
        });
    add_value(row("prune: all chunks but one", "× bare zstd", 0.75),
              [world] { return prune_against_zstd(*world); });
    add_value(row("restore: all chunks", "× bare zstd", 2), [world] { return restore_against_zstd(*world); });
    add_value(row("restore: unchanged chunks", "× bare zstd", 0.2),
              [world] { return restore_of_the_same_against_zstd(*world); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

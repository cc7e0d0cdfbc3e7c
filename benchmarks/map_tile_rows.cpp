#include "bench_world.hpp"
#include "harness.hpp"
#include "map/update_map.hpp"
#include "support/shared.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace orbis::bench {

namespace {

/// Writes files without waiting for the disk, whose speed is not what is measured.
class QuickFiles final : public map::MapFiles {
public:
    Result<void> sync(const std::filesystem::path&) override { return {}; }
    Result<void> replace(const std::filesystem::path& path, Bytes content) override {
        return write(path, content);
    }
};

/// A world and a folder for maps of it, which go away at the end.
class MapRun {
public:
    explicit MapRun(const std::filesystem::path& chunks) : place_(world::find_place(chunks).value()) {}

    /// Makes the whole map of the surface: all levels, facts and the index.
    void operator()(std::size_t threads) const {
        map::UpdateOptions options;
        options.layers = {{map::LayerKind::surface, 0}};
        options.threads = threads;
        options.full = true;
        QuickFiles files;
        care::NoProgress progress;
        const auto done = map::update_world(place_.worlds.at(0), world::Assets::built_in(), files,
                                            folder_ / "map", options, progress);
        if (!done) throw std::runtime_error(done.error().text());
        if (!done->problems.empty()) throw std::runtime_error(done->problems[0].text());
    }

private:
    test::TemporaryFolder folder_;
    world::Place place_;
};

/// The chunks of a world several times beside each other: more regions than threads.
void repeat(const BenchWorld& world, const std::filesystem::path& folder) {
    storage::StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = storage::SyncPolicy::none;
    std::filesystem::create_directories(folder);
    const auto store =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(folder)), options).value();
    for (int copy = 0; copy < amount(8, 1); ++copy)
        for (std::size_t i = 0; i < world.frames.size(); ++i) {
            const auto pos = world.positions[i];
            if (!store->write_frame({pos.x + copy * 64, pos.z}, {world.frames[i], world.raw_sizes[i]}))
                throw std::runtime_error("a world for the map cannot be written");
        }
}

void add_rows() {
    const auto& dense = world_for(Terrain::dense);
    const auto once = std::make_shared<MapRun>(dense.chunks);
    add_ratio(
        {fmt::format("map: tiles on disk, {}, one thread", dense.name), "× bare zstd", 2.0, Better::lower},
        [once] { (*once)(1); }, [&dense] { dense.decompress_all(); });
    struct Wide {
        test::TemporaryFolder folder;
        std::unique_ptr<MapRun> run;
    };
    // Made when it is first used, so that other rows do not wait for it.
    const auto wide = std::make_shared<Wide>();
    const auto run = [wide, &dense](std::size_t count) {
        if (!wide->run) {
            repeat(dense, wide->folder / "chunks");
            wide->run = std::make_unique<MapRun>(wide->folder / "chunks");
        }
        (*wide->run)(count);
    };
    add_speedup(
        {"map: tiles on disk, two threads against one, " + dense.name, "× faster", 1.9, Better::higher},
        [run] { run(2); }, [run] { run(1); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

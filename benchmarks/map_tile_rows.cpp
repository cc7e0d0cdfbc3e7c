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

void add_rows() {
    const auto& dense = world_for(Terrain::dense);
    const auto once = std::make_shared<MapRun>(dense.chunks);
    add_ratio(
        {fmt::format("map: tiles on disk, {}, one thread", dense.name), "× bare zstd", 2.0, Better::lower},
        [once] { (*once)(1); }, [&dense] { dense.decompress_all(); });
    const auto wide = [&dense, run = std::make_shared<std::optional<MapRun>>()](std::size_t threads) {
        if (!*run) run->emplace(eight_times(dense));
        (**run)(threads);
    };
    add_speedup(
        {fmt::format("map: tiles on disk, {} × 8, two threads against one", dense.name), "× faster", 1.9,
         Better::higher},
        [wide] { wide(2); }, [wide] { wide(1); });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

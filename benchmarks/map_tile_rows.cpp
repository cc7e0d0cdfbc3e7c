#include "bench_world.hpp"
#include "harness.hpp"
#include "map/tile_renderer.hpp"
#include "map/update_map.hpp"
#include "support/shared.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <libdeflate.h>
#include <memory>
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
    explicit MapRun(const std::filesystem::path& chunks) : place_(world::find_location(chunks).value()) {}

    /// Makes the whole map of the surface: all levels, facts and the index.
    void operator()(std::size_t threads) const {
        map::UpdateOptions options;
        options.layers = {{map::LayerKind::surface, 0}};
        options.threads = threads;
        options.full = true;
        QuickFiles files;
        NoProgress progress;
        const auto done = map::update_world(place_.worlds.at(0), world::Assets::built_in(), files,
                                            folder_ / "map", options, progress);
        if (!done) throw std::runtime_error(done.error().text());
        if (!done->problems.empty()) throw std::runtime_error(done->problems[0].text());
    }

private:
    test::TemporaryFolder folder_;
    world::Location place_;
};

/// The surface tile with the most chunks as the rows that a tile's PNG compresses, and both ways to compress
/// them.
class TileRows {
public:
    explicit TileRows(const BenchWorld& world) {
        const map::Colours colours(world::Assets::built_in());
        map::TileRenderer renderer(*world.store, colours);
        map::TilePixels pixels;
        if (!renderer.render({map::LayerKind::surface, 0}, world.fullest_tile(), pixels).value_or(false))
            throw std::runtime_error("there was no tile");
        rows_.resize(k_row * map::k_tile_side);
        for (int z = 0; z < map::k_tile_side; ++z)
            std::memcpy(rows_.data() + k_row * static_cast<std::size_t>(z) + 1, pixels.at(0, z), k_row - 1);
    }

    std::size_t by_pixels() {
        out_.clear();
        deflate_.append(rows_, k_row, sizeof(map::Rgba), out_);
        return out_.size();
    }

    std::size_t by_library() {
        out_.resize(libdeflate_zlib_compress_bound(library_.get(), rows_.size()));
        return libdeflate_zlib_compress(library_.get(), rows_.data(), rows_.size(), out_.data(), out_.size());
    }

private:
    static constexpr std::size_t k_row = map::k_tile_side * sizeof(map::Rgba) + 1; ///< with its filter byte

    struct Free {
        void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
    };

    Buffer rows_;
    Buffer out_;
    map::PixelDeflate deflate_;
    std::unique_ptr<libdeflate_compressor, Free> library_{libdeflate_alloc_compressor(1)};
};

void add_encoder_rows(const BenchWorld& world) {
    const auto rows = [&world, made = std::make_shared<std::optional<TileRows>>()]() -> TileRows& {
        if (!*made) made->emplace(world);
        return **made;
    };
    add_ratio(
        {fmt::format("map: PixelDeflate of a tile, time, {}", world.name), "× libdeflate level 1", 0.6,
         Better::lower},
        [rows] { benchmark::DoNotOptimize(rows().by_pixels()); },
        [rows] { benchmark::DoNotOptimize(rows().by_library()); });
    add_value({fmt::format("map: PixelDeflate of a tile, bytes, {}", world.name), "× libdeflate level 1", 1.1,
               Better::lower},
              [rows] {
                  return static_cast<double>(rows().by_pixels()) / static_cast<double>(rows().by_library());
              });
}

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
    add_encoder_rows(dense);
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

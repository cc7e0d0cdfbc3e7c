#include "bench_world.hpp"
#include "harness.hpp"
#include "map/painter.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

namespace orbis::bench {

namespace {

/// Every chunk of a world from its compressed frame to finished pixels: each is read once, and shaded when
/// all are drawn.
class PaintAll {
public:
    PaintAll(const BenchWorld& world, map::Layer layer)
        : world_(world),
          layer_(layer),
          painter_(colours_),
          sheets_(world.frames.size()),
          edges_(world.frames.size()),
          pixels_(world.frames.size() * k_columns) {
        for (std::size_t i = 0; i < world.positions.size(); ++i) places_.emplace(world.positions[i], i);
    }

    void operator()() {
        for (std::size_t i = 0; i < world_.frames.size(); ++i) {
            const auto document =
                decompressor_.decompress(world_.frames[i], world_.raw_sizes[i], storage::k_largest_document);
            if (!painter_.read(document.value(), map::parts_of(layer_)))
                throw std::runtime_error("a chunk cannot be read");
            painter_.draw(layer_, sheets_[i]);
            edges_[i] = sheets_[i].edges();
        }
        for (std::size_t i = 0; i < sheets_.size(); ++i) {
            const auto at = [&](int x, int z) -> const map::Edges* {
                const auto pos = world_.positions[i];
                const auto found = places_.find({pos.x + x, pos.z + z});
                return found == places_.end() ? nullptr : &edges_[found->second];
            };
            map::shade(sheets_[i],
                       {at(0, -1), at(1, -1), at(1, 0), at(1, 1), at(0, 1), at(-1, 1), at(-1, 0), at(-1, -1)},
                       &pixels_[i * k_columns], k_side);
        }
        benchmark::DoNotOptimize(pixels_.data());
        benchmark::ClobberMemory();
    }

private:
    const BenchWorld& world_;
    map::Layer layer_;
    map::Colours colours_{world::Assets::built_in()};
    map::ChunkPainter painter_;
    Decompressor decompressor_;
    std::unordered_map<ChunkPos, std::size_t> places_;
    std::vector<map::UnshadedChunk> sheets_;
    std::vector<map::Edges> edges_;
    std::vector<map::Rgba> pixels_;
};

void add_rows() {
    struct Wanted {
        const char* name;
        Terrain terrain;
        map::Layer layer;
        double goal;
    };
    using map::LayerKind;
    for (const auto& wanted :
         {Wanted{"surface", Terrain::dense, {}, 1.25}, Wanted{"surface", Terrain::sparse, {}, 3.0},
          Wanted{"slice", Terrain::dense, {LayerKind::slice, 64}, 1.5},
          Wanted{"cave", Terrain::dense, {LayerKind::cave, 64}, 2.0}}) {
        const auto& world = world_for(wanted.terrain);
        const Row row{fmt::format("map: {} pixels, {}, one thread", wanted.name, world.name), "× bare zstd",
                      wanted.goal, Better::lower};
        const auto paint = std::make_shared<PaintAll>(world, wanted.layer);
        add_ratio(row, [paint] { (*paint)(); }, [&world] { world.decompress_all(); });
    }
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

#include "bench_world.hpp"
#include "bytes/zstd.hpp"
#include "chunk/chunk_reader.hpp"
#include "harness.hpp"
#include "jobs/cells/cell_set.hpp"
#include "jobs/edit/replace_blocks.hpp"
#include "jobs/select/chunk_set.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <stdexcept>

namespace orbis::bench {

namespace {

const std::vector<jobs::Replacement>& rules() {
    static const std::vector<jobs::Replacement> made{jobs::Replacement::parse("Soil_*=Soil_Sand").value(),
                                                     jobs::Replacement::parse("Rock_*=Rock_Basalt").value()};
    return made;
}

/// What `orbis edit replace` does, but for writing.
std::uint64_t replace_all(const world::World& world, std::vector<ChunkPos>* changed) {
    NoProgress quiet;
    jobs::EditOptions options;
    options.dry_run = true;
    options.preview = [&](ChunkPos pos, const storage::CompressedChunk& frame) -> Result<void> {
        if (changed != nullptr) changed->push_back(pos);
        benchmark::DoNotOptimize(frame.bytes.data());
        return {};
    };
    const auto report =
        jobs::replace_blocks(world, world::Assets::built_in(), {}, {}, rules(), options, quiet);
    if (!report) throw std::runtime_error(report.error().text());
    return report->counts.blocks;
}

/// Decompresses all chunks, and compresses those that an edit changes.
void move_bytes(const storage::Store& store, const jobs::ChunkSet& changed) {
    storage::ReadContext context;
    const auto cursor = store.chunks();
    while (const auto pos = cursor->next().value()) {
        const auto document = store.read(*pos, context).value().value();
        if (changed.contains(*pos)) benchmark::DoNotOptimize(context.compressor.compress(document));
    }
}

/// The chunks of a world, decoded.
struct DecodedWorld {
    std::vector<Buffer> documents;
    explicit DecodedWorld(const world::World& world) {
        const auto store = world.open({}).value();
        storage::ReadContext context;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto bytes = store->read(*pos, context).value().value();
            documents.emplace_back(bytes.begin(), bytes.end());
            if (documents.size() == 64) break;
        }
    }
};

/// A box that cuts all sections: every other cell is left out on each side.
void fill_inside(chunk::Chunk& chunk) {
    jobs::CellSet cells;
    for (int y = 0; y < k_sections; ++y)
        for (int row = 0; row < k_columns; ++row)
            cells.insert(y, CellIndex(row * k_side + 1), CellIndex(row * k_side + 31));
    jobs::EditCounts counts;
    if (!jobs::put_block(chunk, cells, {"Rock_Marble", {}, {}}, counts)) throw std::runtime_error("no fill");
    benchmark::DoNotOptimize(counts.blocks);
}

void add_rows() {
    for (const auto terrain : {Terrain::dense, Terrain::sparse}) {
        const auto& world = world_for(terrain);
        const auto place = std::make_shared<world::Location>(world::find_location(world.chunks).value());
        const auto store = place->worlds.at(0).open({}).value();
        auto changed = std::make_shared<std::vector<ChunkPos>>();
        replace_all(place->worlds.at(0), changed.get());
        const auto set = std::make_shared<jobs::ChunkSet>(std::move(*changed));
        add_ratio(
            {"edit replace: one thread, " + world.name, "× decompressing all and compressing changed", 1.3,
             Better::lower},
            [place] { replace_all(place->worlds.at(0), nullptr); },
            [store, set] { move_bytes(*store, *set); });
        const auto decoded = std::make_shared<DecodedWorld>(place->worlds.at(0));
        const auto cells = static_cast<double>(decoded->documents.size()) * k_sections * k_columns * 30;
        add_rate(
            {"edit fill: cells of decoded chunks, " + world.name, "million cells/s", 100, Better::higher},
            cells, 1e6, [decoded] {
                chunk::Chunk chunk;
                for (const auto& document : decoded->documents) {
                    if (!chunk.read(document)) throw std::runtime_error("no chunk");
                    fill_inside(chunk);
                }
            });
    }
}

const Registration k_edit_rows(add_rows);

} // namespace

} // namespace orbis::bench

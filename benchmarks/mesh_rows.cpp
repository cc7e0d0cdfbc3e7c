#include "bench_world.hpp"
#include "harness.hpp"
#include "mesh/chunk_mesher.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// Chunks of a world that have all four neighbours, decoded.
class MeshWork {
public:
    explicit MeshWork(const BenchWorld& world) {
        storage::ReadContext context;
        for (const auto pos : world.positions) {
            const auto document = world.store->read(pos, context).value().value();
            chunks_.emplace(pos, chunk::Chunk::decode(Buffer(document.begin(), document.end())).value());
        }
        for (const auto& [pos, chunk] : chunks_) {
            const auto beside = [&](int x, int z) -> const chunk::Chunk* {
                const auto found = chunks_.find({pos.x + x, pos.z + z});
                return found != chunks_.end() ? &found->second : nullptr;
            };
            const mesh::Neighbours around{beside(0, -1), beside(0, 1), beside(-1, 0), beside(1, 0)};
            if (around.north && around.south && around.west && around.east)
                inner_.emplace_back(&chunk, around);
        }
        if (inner_.empty()) throw std::runtime_error("no chunk has all its neighbours");
    }

    /// Milliseconds for each chunk; the best of several turns.
    double milliseconds() {
        double best = 1e9;
        for (int turn = 0; turn < amount(7, 1); ++turn) {
            const auto begin = std::chrono::steady_clock::now();
            make();
            best = std::min(
                best,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        return best / static_cast<double>(inner_.size());
    }
    double quads() {
        make();
        return static_cast<double>(total_) / static_cast<double>(inner_.size());
    }

private:
    void make() {
        total_ = 0;
        for (const auto& [chunk, around] : inner_) {
            quads_.clear();
            mesher_.make(*chunk, around, {}, quads_);
            total_ += quads_.size();
        }
        benchmark::DoNotOptimize(quads_.data());
    }

    std::map<ChunkPos, chunk::Chunk> chunks_;
    std::vector<std::pair<const chunk::Chunk*, mesh::Neighbours>> inner_;
    mesh::Materials materials_{world::Assets::built_in()};
    mesh::ChunkMesher mesher_{materials_};
    std::vector<mesh::Quad> quads_;
    std::size_t total_ = 0;
};

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    const auto work = std::make_shared<std::optional<MeshWork>>();
    const auto get = [work, &world]() -> MeshWork& { return *work ? **work : work->emplace(world); };
    add_value({"mesh: all faces of a chunk with neighbours, " + world.name, "ms", 1, Better::lower},
              [get] { return get().milliseconds(); });
    add_value({"mesh: rectangles of a chunk, " + world.name, "thousand", std::nullopt, Better::lower},
              [get] { return get().quads() / 1e3; });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

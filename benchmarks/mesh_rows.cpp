#include "bench_world.hpp"
#include "harness.hpp"
#include "mesh/chunk_mesher.hpp"
#include "mesh/mesh_file.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// Chunks of a world that have all eight neighbours, decoded.
class MeshWork {
public:
    explicit MeshWork(const BenchWorld& world) {
        storage::ReadContext context;
        for (const auto pos : world.positions) {
            const auto document = world.store->read(pos, context).value().value();
            chunks_.emplace(pos, chunk::Chunk::decode(Buffer(document.begin(), document.end())).value());
        }
        for (auto& [at, chunk] : chunks_) {
            const auto pos = at;
            const auto beside = [&](int x, int z) -> const chunk::Chunk* {
                const auto found = chunks_.find({pos.x + x, pos.z + z});
                return found != chunks_.end() ? &found->second : nullptr;
            };
            const mesh::Neighbours around{beside(0, -1),  beside(0, 1),  beside(-1, 0), beside(1, 0),
                                          beside(-1, -1), beside(1, -1), beside(-1, 1), beside(1, 1)};
            if (around.north && around.south && around.west && around.east && around.north_west
                && around.north_east && around.south_west && around.south_east)
                inner_.emplace_back(&chunk, around);
        }
        if (inner_.empty()) throw std::runtime_error("no chunk has all its neighbours");
    }

    /// Milliseconds for all faces of a chunk; the best of several turns.
    double milliseconds() {
        return best_of([this] { make(); });
    }
    double quads() {
        make();
        return static_cast<double>(total_) / static_cast<double>(inner_.size());
    }
    /// The same for what a page gets of it.
    double file_milliseconds() {
        return best_of([this] { make_files(); });
    }
    double file_bytes() {
        make_files();
        return static_cast<double>(total_) / static_cast<double>(inner_.size());
    }

private:
    template <typename Work>
    double best_of(Work work) {
        double best = 1e9;
        for (int turn = 0; turn < amount(7, 1); ++turn) {
            const auto begin = std::chrono::steady_clock::now();
            work();
            best = std::min(
                best,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        return best / static_cast<double>(inner_.size());
    }
    void make() {
        total_ = 0;
        for (const auto& [chunk, around] : inner_) {
            quads_.clear();
            mesher_.make(*chunk, around, {}, quads_);
            total_ += quads_.size();
        }
        benchmark::DoNotOptimize(quads_.data());
    }
    void make_files() {
        total_ = 0;
        for (const auto& [chunk, around] : inner_)
            total_ += maker_.make(*chunk, around, mesh::MeshFileMaker::Faces::surface).size();
    }

    std::map<ChunkPos, chunk::Chunk> chunks_;
    std::vector<std::pair<chunk::Chunk*, mesh::Neighbours>> inner_;
    mesh::Materials materials_{world::Assets::built_in()};
    mesh::ChunkMesher mesher_{materials_};
    mesh::MeshFileMaker maker_{world::Assets::built_in()};
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
    add_value({"mesh: surface of a chunk with neighbours, " + world.name, "ms", std::nullopt, Better::lower},
              [get] { return get().file_milliseconds(); });
    add_value({"mesh: bytes of the surface of a chunk, " + world.name, "KB", 4, Better::lower},
              [get] { return get().file_bytes() / 1e3; });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

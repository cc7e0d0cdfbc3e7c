#pragma once

#include "bytes/recent_map.hpp"
#include "chunk/chunk_reader.hpp"
#include "mesh/mesh_file.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace orbis::http {

struct MeshKey {
    ChunkPos pos;
    mesh::MeshFileMaker::Faces faces = mesh::MeshFileMaker::Faces::surface;
    mesh::Part part{}; ///< places in the chunk
    friend constexpr auto operator<=>(const MeshKey&, const MeshKey&) = default;
};

/// The part of a chunk that a box of the world leaves. Boxes that leave the same of a chunk and of what is
/// near it give the same part.
[[nodiscard]] mesh::Part part_in_box(ChunkPos pos, BlockPos first, BlockPos last);

/// What a thread that makes meshes keeps between them: decoded chunks, because each is needed for those
/// around it too.
class MeshWorker {
public:
    /// What the chunks that are kept may take, as far as their documents say.
    static constexpr std::size_t k_most_bytes = 8 << 20;

    /// `assets` must outlive this.
    explicit MeshWorker(const world::Assets& assets) : maker_(assets) {}

    /// The mesh of a chunk as `MeshFileMaker` makes it; nothing if there is no such chunk, an error if it
    /// cannot be read. What was kept of another store, or before another change, is read again.
    Result<std::optional<Buffer>> make(std::shared_ptr<const storage::Store> store, std::uint64_t change,
                                       const MeshKey& key);

private:
    struct Kept {
        std::optional<chunk::Chunk> chunk; ///< nothing if there is none, or it cannot be read
        std::optional<Error> problem;      ///< then: why
        /// Whether it is being written, so that it can be read a moment later.
        [[nodiscard]] bool is_busy() const { return problem && problem->code == Errc::busy; }
    };
    std::shared_ptr<Kept> load(ChunkPos pos);

    mesh::MeshFileMaker maker_;
    chunk::ChunkReader reader_;
    std::shared_ptr<const storage::Store> store_;
    std::uint64_t change_ = 0;
    RecentMap<ChunkPos, std::shared_ptr<Kept>, std::map> kept_{k_most_bytes};
};

} // namespace orbis::http

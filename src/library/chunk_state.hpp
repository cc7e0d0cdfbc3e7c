#pragma once

#include "chunk/chunk.hpp"
#include "library/world_state.hpp"
#include "orbis/chunk.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace orbis {

/// What the copies of a `Chunk` share: the document, and a model for each group of parts, made when it is
/// first asked for and never changed again. So all that was handed out stays valid, and threads need no lock
/// for what is there.
struct ChunkState {
    /// Parts that are decoded together.
    enum class Group : std::uint8_t {
        blocks,
        cells,
        columns,
        environments,
        components,
        entities,
        everything
    };
    static constexpr std::size_t k_groups = 7;

    /// What a section has unpacked.
    struct Unpacked {
        std::atomic<bool> has_keys = false;
        std::atomic<bool> has_cells = false;
        std::vector<std::string_view> keys;
        std::unique_ptr<std::array<std::uint16_t, k_cells>> cells;
    };

    explicit ChunkState(std::shared_ptr<WorldState> of) : world(std::move(of)) {}

    /// Reads a chunk in place of what this was before; only where nobody else has it. False where there is
    /// none.
    Result<bool> load(std::shared_ptr<storage::Store> from, ChunkPos at);

    [[nodiscard]] const chunk::Chunk& model(Group group);
    [[nodiscard]] Unpacked& with_keys(int y);
    [[nodiscard]] Unpacked& with_cells(int y);
    /// A document of this chunk as text; `{}` if it is damaged, which the world remembers.
    [[nodiscard]] std::string json(const bson::Document& of) const;
    /// Says of an error about this chunk where it is.
    [[nodiscard]] Error placed(Error&& error) const;

    std::shared_ptr<WorldState> world;
    std::shared_ptr<storage::Store> store;
    ChunkPos pos;
    Bytes document; ///< in the context, or kept alive from there

private:
    struct Model {
        std::atomic<bool> is_ready = false;
        chunk::Chunk chunk;
    };

    storage::ReadContext context_;
    std::mutex mutex_;
    std::array<Model, k_groups> models_;
    std::array<Unpacked, k_sections> unpacked_;
};

/// Reads chunk after chunk in the same memory as long as nobody keeps them.
class ChunkSource {
public:
    explicit ChunkSource(std::shared_ptr<WorldState> world) : world_(std::move(world)) {}
    /// Nothing where there is no such chunk.
    Result<std::optional<Chunk>> read(std::shared_ptr<storage::Store> store, ChunkPos pos);

private:
    std::shared_ptr<WorldState> world_;
    std::shared_ptr<ChunkState> last_;
};

} // namespace orbis

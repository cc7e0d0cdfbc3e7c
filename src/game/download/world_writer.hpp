#pragma once

#include "game/bot/walk.hpp"
#include "game/download/chunk_collector.hpp"
#include "game/download/route.hpp"
#include "protocol/types.hpp"
#include "storage/region_store.hpp"

namespace orbis::game {

/// A world folder that a download writes: `config.json` and region files. Chunks are safe on the disk
/// after `sync`; what a crash leaves behind is a valid world with the chunks so far.
class WorldWriter final : public ChunkCollector::Shelf {
public:
    /// `exists` if something is at `folder` already, unless `goes_on`; then `not_found` if nothing is,
    /// and `exists` if it is a world that was not downloaded.
    static Result<std::unique_ptr<WorldWriter>> open(const std::filesystem::path& folder, bool goes_on);

    /// Removes a download to which no chunk came, and nothing else.
    static void remove_empty(const std::filesystem::path& folder);

    /// Writes `config.json` unless there is one; `exists` where that is of another world.
    Result<void> write_config(std::string_view name, const protocol::Uuid& uuid, const Point& spawn);

    /// Chunks outside the area are not written.
    void set_area(const std::optional<ChunkArea>& area);
    Result<void> put(ChunkPos pos, const chunk::Chunk& chunk) override;
    Result<std::optional<chunk::Chunk>> take_back(ChunkPos pos) override;
    [[nodiscard]] bool contains(ChunkPos pos) const { return stored_.contains(pos); }
    [[nodiscard]] std::size_t stored() const { return stored_.size(); }
    /// Chunks that were written, those that were there before and have changed included.
    [[nodiscard]] std::size_t written() const { return written_.size(); }
    Result<void> sync();

    /// Says in the folder that a download was interrupted, and which command continues it if that is
    /// known. Every verb that opens the world tells it, until `note_end`.
    Result<void> note_begin(std::string_view server, const std::string& command);
    Result<void> note_end();

private:
    explicit WorldWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path folder_;
    std::unique_ptr<storage::RegionStore> store_;
    std::optional<ChunkArea> area_;
    std::unordered_set<ChunkPos> stored_;
    std::unordered_set<ChunkPos> written_;
    storage::ReadContext context_;
    Buffer document_;
};

/// What to say of sections for which world files have no place.
std::string sections_left_out(std::uint64_t count);

} // namespace orbis::game

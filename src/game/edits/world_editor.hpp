#pragma once

#include "bytes/self.hpp"
#include "game/chunks/chunk_source.hpp"
#include "game/chunks/disk_watch.hpp"
#include "game/chunks/world_access.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/edits/chunk_loader.hpp"
#include "game/edits/chunk_saver.hpp"
#include "game/edits/chunk_tails.hpp"
#include "game/edits/edit_queue.hpp"

namespace orbis::game {

class ChunkPackets;

/// Is told what happens to the chunks of a world. Called in the thread of the game.
class EditHandler {
public:
    /// Others have written these chunks, or made them, or removed them: what is encoded of them is old.
    virtual void on_disk_changed(std::span<const ChunkPos> chunks) = 0;
    /// Every edit up to `report.saved_up_to` is safe. Chunks that are encoded from now on know these edits:
    /// `tailed` are those that have changes after their frames.
    virtual void on_saved(const SaveReport& report, std::span<const ChunkPos> tailed) = 0;
    /// An edit has changed something. Comes in the order of the numbers, and before it is reported as saved.
    virtual void on_edit(const protocol::Uuid& /*player*/, const EditOutcome& /*outcome*/) {}

protected:
    ~EditHandler() = default;
};

/// The chunks of a world that players change: with all edits, and with what others change on the disk
/// (docs/design/edits.md).
class WorldEditor final : public WorldAccess {
public:
    /// Runs a task in the thread of the game; called by any.
    using Post = std::function<void(std::move_only_function<void()>)>;

    /// Opens the world for writing; `busy` if another program does.
    static Result<std::unique_ptr<WorldEditor>> open(const world::World& world, WireIds& ids,
                                                     const world::Assets& assets, Post post,
                                                     EditorSettings settings, WatchSettings watching,
                                                     EditHandler& handler);
    /// Saves what is left.
    ~WorldEditor() override;
    WorldEditor(const WorldEditor&) = delete;
    WorldEditor& operator=(const WorldEditor&) = delete;

    [[nodiscard]] std::shared_ptr<ChunkSource> source() const override;
    void submit(const EditRequest& request) override;
    BlockNews end_tick(ServerTools& tools) override;
    void note_made(const EncodedChunkPtr& encoded) override { tails_.note_made(encoded); }
    [[nodiscard]] bool has_tail(ChunkPos pos) const override { return tails_.has(pos); }
    std::span<const net::OutgoingFrame> frames_behind(const EncodedChunk& encoded,
                                                      ServerTools& tools) override;
    [[nodiscard]] bool can_edit() const override { return !is_stopped_; }
    [[nodiscard]] EditCounts counts() const override;
    void save_soon() override;
    /// `on_saved` was called for all saves when it returns.
    void stop() override;

private:
    struct Shared;
    class Source;

    WorldEditor(WireIds& ids, Post post, EditorSettings settings, EditHandler& handler);
    Result<void> begin(const world::World& world, const world::Assets& assets, WatchSettings watching);
    std::optional<WireBlock> wire_block(const EditOutcome& outcome);
    void on_outcome(const protocol::Uuid& player, BlockPos pos, const EditOutcome& outcome);
    void hear_reports();
    void on_report(const SaveReport& report);
    void on_changed(const std::vector<ChunkPos>& chunks);
    Result<net::OutgoingFrame> section(SectionPos pos, SectionKind kind, ServerTools& tools);
    [[nodiscard]] std::optional<Error> refusal_of(const EditRequest& request) const;
    /// Runs `act` in the thread of the game, if this is still there then.
    template <typename Act>
    void post(Act act);

    WireIds& ids_;
    Post post_;
    EditorSettings settings_;
    EditHandler& handler_;
    std::shared_ptr<Shared> shared_;
    std::optional<EditQueue> queue_;
    BlockChanges changes_;
    std::uint64_t refused_ = 0;
    bool is_stopped_ = false;
    ChunkTails tails_;
    struct Question {
        protocol::Uuid player;
        BlockPos pos;
        WireBlock block;
    };
    std::vector<Question> questions_; ///< edits that changed nothing
    std::vector<EditResult> results_;
    std::unique_ptr<ChunkPackets> packets_;
    Self<WorldEditor> self_{this};
    std::unique_ptr<ChunkLoader> loader_;
};

} // namespace orbis::game

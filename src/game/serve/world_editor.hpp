#pragma once

#include "bytes/self.hpp"
#include "game/registry.hpp"
#include "game/serve/chunk_loader.hpp"
#include "game/serve/chunk_saver.hpp"
#include "game/serve/column_source.hpp"
#include "game/serve/column_tails.hpp"
#include "game/serve/disk_watch.hpp"
#include "game/serve/edit_queue.hpp"

namespace orbis::game {

class ColumnPackets;

/// What a player wants to be at a place.
struct EditRequest {
    protocol::Uuid player{};
    BlockPos pos{};
    std::int32_t block = 0; ///< number on the wire; 0 breaks what is there
    chunk::Rotation rotation{};
    bool may_edit = false; ///< is in creative mode
    double distance = 0;   ///< from the player, in blocks
};

/// Hears what becomes of the chunks of a world. Called in the thread of the game.
class EditorUser {
public:
    /// Others have written these chunks, or made them, or removed them: their columns are old.
    virtual void on_disk_changed(std::span<const ChunkPos> chunks) = 0;
    /// Every edit up to `report.saved_up_to` is safe.
    virtual void on_saved(const SaveReport& report) = 0;
    /// An edit has changed something. Comes in the order of the numbers, and before it is told as saved.
    virtual void on_edit(const protocol::Uuid& /*player*/, const EditOutcome& /*outcome*/) {}

protected:
    ~EditorUser() = default;
};

/// The chunks of one world while it is served: where columns come from, what players change, what others
/// change on the disk (docs/design/edits.md). All functions are for the thread of the game.
class WorldEditor {
public:
    /// Runs a task in the thread of the game; called by any.
    using Post = std::function<void(std::move_only_function<void()>)>;

    /// With `can_edit` the world is opened for writing; `busy` where somebody else does.
    static Result<std::unique_ptr<WorldEditor>> open(const world::World& world, WireIds& ids,
                                                     const world::Assets& assets, Post post,
                                                     EditorSettings settings, EditorUser& user);
    /// Saves what is left.
    ~WorldEditor();
    WorldEditor(const WorldEditor&) = delete;
    WorldEditor& operator=(const WorldEditor&) = delete;

    /// For the cache of columns: chunks with all edits.
    [[nodiscard]] std::shared_ptr<ColumnSource> source() const;
    /// To be told of every column that is made.
    [[nodiscard]] ColumnTails& tails() { return tails_; }

    /// Changes the block, or decides not to; what comes of it is told by `end_tick`.
    void submit(const EditRequest& request);

    /// For one player: its client thinks that something else is there.
    struct Answer {
        protocol::Uuid player;
        net::OutgoingFrame frame;
    };
    struct News {
        std::vector<BlockChanges::ColumnFrames> columns; ///< for all who have the column
        std::vector<Answer> answers;
    };
    /// What has changed since the last call.
    News end_tick(ServerTools& tools);

    /// Whether anything can be changed; not after `stop`.
    [[nodiscard]] bool can_edit() const { return settings_.can_edit; }
    void save_soon();
    /// Saves what is left and lets the world go: nothing can be changed any more. `on_saved` has told of all
    /// saves when it returns.
    void stop();
    [[nodiscard]] std::uint64_t last_edit() const { return queue_->last_edit(); }
    [[nodiscard]] std::uint64_t saved_up_to() const;
    /// How many edits were not made.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
    struct Shared;
    class Source;

    WorldEditor(WireIds& ids, Post post, EditorSettings settings, EditorUser& user);
    Result<void> begin(const world::World& world, const world::Assets& assets);
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
    EditorUser& user_;
    std::shared_ptr<Shared> shared_;
    std::optional<EditQueue> queue_;
    BlockChanges changes_;
    std::uint64_t refused_ = 0;
    bool is_stopped_ = false;
    ColumnTails tails_;
    struct Question {
        protocol::Uuid player;
        BlockPos pos;
        WireBlock block;
    };
    std::vector<Question> questions_; ///< edits that changed nothing
    std::unique_ptr<ColumnPackets> packets_;
    Self<WorldEditor> self_{this};
    std::unique_ptr<ChunkLoader> loader_;
};

} // namespace orbis::game

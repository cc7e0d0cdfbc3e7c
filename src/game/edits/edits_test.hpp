#pragma once

#include "game/chunks/watched_world_test.hpp"
#include "game/edits/chunk_loader.hpp"
#include "game/edits/chunk_saver.hpp"
#include "game/edits/edit_queue.hpp"
#include "jobs/verify/verify.hpp"
#include "support/wait_for.hpp"
#include "world/made_world_test.hpp"

/// Worlds for tests of edits.
namespace orbis::game::made {

inline bool is_transparent(std::string_view key) { return world::Assets::built_in().is_transparent(key); }

/// A world, and what an editing server has of it, without threads but that of the saver.
class EditTest : public WorldTest {
protected:
    /// The chunk as it is on the disk.
    [[nodiscard]] chunk::Chunk on_disk(ChunkPos pos) const {
        storage::ReadContext context;
        const auto store = world().open({}).value();
        const auto document = store->read(pos, context).value().value();
        return chunk::Chunk::decode(Buffer(document.begin(), document.end())).value();
    }

    /// Edits on chunks that are read at once.
    void begin() {
        edits_.emplace(chunks_, [this](ChunkPos pos) {
            loads_.push_back(pos);
            storage::ReadContext context;
            if (!loads_at_once_) return;
            edits_->loaded(pos, load_chunk(*world().open({}).value(), pos, context));
        });
    }
    EditOutcome edit(BlockPos pos, const chunk::BlockState& block) {
        std::optional<EditOutcome> found;
        edits_->submit({pos, block, {}, [&](const EditOutcome& outcome) { found = outcome; }});
        EXPECT_TRUE(found);
        return found.value_or(EditOutcome{});
    }
    EditOutcome place(BlockPos pos, std::string_view key) { return edit(pos, {key, {}, {}}); }
    EditOutcome dig(BlockPos pos) { return edit(pos, {}); }

    /// A saver that saves when it is told to.
    void begin_saving(std::chrono::milliseconds every = std::chrono::hours(1)) {
        auto started = ChunkSaver::start(world(), chunks_, is_transparent, {every, false},
                                         [this](const SaveReport& report) {
                                             const std::lock_guard lock(mutex_);
                                             reports_.push_back(report);
                                             came_.notify_all();
                                         });
        ASSERT_TRUE(started) << started.error().text();
        saver_ = *std::move(started);
    }
    /// The next report.
    SaveReport save() {
        std::unique_lock lock(mutex_);
        const auto before = reports_.size();
        saver_->save_soon();
        EXPECT_TRUE(came_.wait_for(lock, orbis::test::k_patience, [&] { return reports_.size() > before; }));
        return reports_.empty() ? SaveReport{} : reports_.back();
    }

    EditedChunks chunks_;
    std::vector<ChunkPos> loads_;
    bool loads_at_once_ = true;
    std::optional<EditQueue> edits_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::vector<SaveReport> reports_;
    std::unique_ptr<ChunkSaver> saver_;
};

} // namespace orbis::game::made

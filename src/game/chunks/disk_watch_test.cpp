#include "game/chunks/disk_watch.hpp"
#include "game/chunks/watched_world_test.hpp"
#include "jobs/undo/change.hpp"
#include "support/wait_for.hpp"

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

class DiskWatchTest : public made::WorldTest {
protected:
    DiskWatchTest() {
        // As if they were written long ago: fresh ones are not taken for settled.
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "world/chunks"))
            std::filesystem::last_write_time(entry.path(),
                                             std::filesystem::file_time_type::clock::now() - 1h);
    }
    void begin_watching(DiskWatch::IsOwn is_own = {}) {
        watch_ = DiskWatch::start(
                     world(), {1ms, folder_.path()},
                     [this](std::vector<ChunkPos> chunks) {
                         const std::lock_guard lock(mutex_);
                         news_.insert(chunks.begin(), chunks.end());
                         came_.notify_all();
                     },
                     std::move(is_own))
                     .value();
        ASSERT_TRUE(test::wait_for([&] { return watch_->is_settled(); }));
    }
    std::set<ChunkPos> wait_for_news() {
        std::unique_lock lock(mutex_);
        came_.wait_for(lock, test::k_patience, [&] { return !news_.empty(); });
        return std::exchange(news_, {});
    }
    /// Until it has seen what was on the disk when this was called.
    void wait_for_a_look() {
        const auto before = watch_->looks();
        EXPECT_TRUE(test::wait_for([&] { return watch_->looks() > before + 1; }));
    }

    std::mutex mutex_;
    std::condition_variable came_;
    std::set<ChunkPos> news_;
    std::unique_ptr<DiskWatch> watch_;
};

TEST_F(DiskWatchTest, TellsOfChunksThatOthersChangeAddAndRemove) {
    begin_watching();
    {
        const auto store = open_for_writing();
        ASSERT_TRUE(store->write({1, 1}, world::made::document({1, 1}, 7777)));
    }
    EXPECT_EQ(wait_for_news(), (std::set<ChunkPos>{{1, 1}}));
    storage::ReadContext context;
    const auto document = watch_->store()->read({1, 1}, context).value().value();
    EXPECT_TRUE(std::ranges::equal(document, world::made::document({1, 1}, 7777)));
    ASSERT_TRUE(open_for_writing()->remove({1, 1}).value());
    EXPECT_EQ(wait_for_news(), (std::set<ChunkPos>{{1, 1}}));
    EXPECT_TRUE(test::wait_for([&] { return !watch_->store()->contains({1, 1}).value(); }));
    EXPECT_TRUE(watch_->problems().empty());
}

TEST_F(DiskWatchTest, WhatTheProgramHasWrittenItselfIsNoNews) {
    begin_watching([](ChunkPos pos, const storage::Store& store) {
        return pos == ChunkPos{0, 0} && store.contains(pos).value_or(false);
    });
    ASSERT_TRUE(open_for_writing()->write({0, 0}, world::made::document({0, 0}, 5555)));
    wait_for_a_look();
    ASSERT_TRUE(open_for_writing()->write({1, 1}, world::made::document({1, 1}, 7777)));
    EXPECT_EQ(wait_for_news(), (std::set<ChunkPos>{{1, 1}})) << "and nothing before it";
}

} // namespace
} // namespace orbis::game

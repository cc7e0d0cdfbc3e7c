#include "game/chunks/watched_world_test.hpp"
#include "game/chunks/world_reader.hpp"
#include "game/codec/wire_ids.hpp"
#include "packets/world.hpp"
#include "world/assets.hpp"

#include <set>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

/// A world with all threads of its reader; what they post waits until it is run.
class WorldReaderTest : public made::WorldTest {
protected:
    WorldReaderTest() {
        reader_ =
            WorldReader::open(
                world(), ids_, {1ms, folder_.path()}, [this](auto task) { post(std::move(task)); },
                [this](std::span<const ChunkPos> chunks) { changed_.insert(chunks.begin(), chunks.end()); })
                .value();
    }

    /// The next answers to requests.
    std::vector<BlockAnswer> next_answers() {
        std::vector<BlockAnswer> answers;
        (void)wait_until([&] {
            auto news = reader_->end_tick(tools_);
            EXPECT_TRUE(news.chunks.empty());
            answers = std::move(news.answers);
            return !answers.empty();
        });
        return answers;
    }
    EditRequest request(BlockPos pos) { return {{1}, pos, ids_.blocks.id_of("Rock_Stone"), {}, true, 5}; }
    WireIds ids_{world::Assets::built_in()};
    ServerTools tools_;
    std::set<ChunkPos> changed_;
    std::unique_ptr<WorldReader> reader_;
};

TEST_F(WorldReaderTest, AWorldThatIsOnlyShownIsNeitherLockedNorChanged) {
    EXPECT_FALSE(reader_->can_edit());
    const auto other = open_for_writing();
    // And what others write is seen.
    ASSERT_TRUE(other->write({1, 1}, world::made::document({1, 1}, 7777)));
    EXPECT_TRUE(
        wait_until([&] { return changed_.contains({1, 1}) && is_loaded(reader_->source(), {1, 1}, 7777); }));
}

TEST_F(WorldReaderTest, WhoWantsToChangeABlockIsToldWhatIsThere) {
    const auto expected = [&](BlockPos pos) {
        storage::ReadContext context;
        const auto loaded = reader_->source()->load(pos.chunk(), context).value().value();
        const auto chunk = chunk::Chunk::decode(loaded.document).value();
        const auto found = chunk.block(pos);
        return block_frame(pos, {ids_.blocks.id_of(found.key), found.filler, found.rotation}, tools_).value();
    };
    for (const BlockPos pos : {BlockPos{5, 200, 5}, BlockPos{-3, 0, 40}, BlockPos{31, 319, 0}}) {
        reader_->submit(request(pos));
        const auto answers = next_answers();
        ASSERT_EQ(answers.size(), 1U);
        EXPECT_EQ(answers[0].player, (protocol::Uuid{1}));
        EXPECT_EQ(answers[0].frame.packet(), packets::ServerSetBlock::k_info.id);
        EXPECT_EQ(answers[0].frame.frame(), expected(pos).frame());
    }
    EXPECT_EQ(reader_->counts().refused, 3U);
    EXPECT_EQ(reader_->counts().made, 0U);
}

TEST_F(WorldReaderTest, OfWhatIsOutsideOfTheWorldNobodyIsTold) {
    reader_->submit(request({5, -1, 5}));
    reader_->submit(request({5, 320, 5}));
    EXPECT_EQ(reader_->counts().refused, 0U);
    reader_->submit(request({5000, 10, 5})); // no such chunk
    reader_->submit(request({5, 10, 5}));
    EXPECT_EQ(next_answers().size(), 1U);
    EXPECT_EQ(reader_->counts().refused, 2U);
}

TEST_F(WorldReaderTest, AfterItsEndChunksCanStillBeRead) {
    const auto source = reader_->source();
    reader_->stop();
    reader_->submit(request({5, 10, 5}));
    EXPECT_TRUE(reader_->end_tick(tools_).answers.empty());
    reader_.reset();
    storage::ReadContext context;
    EXPECT_TRUE(source->load({0, 0}, context).value().has_value());
}

TEST_F(WorldReaderTest, WhoWantsToPlaceABlockOfSeveralCellsIsToldWhatAllOfThemHold) {
    auto table = request({5, 200, 5});
    table.extent = {0, 0, 0, 1, 1, 0};
    table.ticket = 7;
    reader_->submit(table);
    std::vector<BlockAnswer> answers;
    std::vector<EditResult> results;
    ASSERT_TRUE(wait_until([&] {
        auto news = reader_->end_tick(tools_);
        std::ranges::move(news.answers, std::back_inserter(answers));
        std::ranges::move(news.results, std::back_inserter(results));
        return answers.size() == 4;
    }));
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].ticket, 7U);
}

} // namespace
} // namespace orbis::game

#include "game/edits/edits_test.hpp"
#include "game/edits/world_editor.hpp"
#include "packets/world.hpp"

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

/// A world with all threads of its editor; what they post waits until it is run.
class WorldEditorTest : public made::EditTest, protected EditHandler {
protected:
    void begin_editing(std::chrono::milliseconds look_every = 1ms) {
        EditorSettings settings;
        settings.saving.every = 1h;
        auto opened = WorldEditor::open(
            world(), ids_, world::Assets::built_in(), [this](auto task) { post(std::move(task)); }, settings,
            {look_every, folder_.path()}, *this);
        ASSERT_TRUE(opened) << opened.error().text();
        editor_ = *std::move(opened);
    }
    void on_disk_changed(std::span<const ChunkPos> chunks) override {
        changed_.insert(chunks.begin(), chunks.end());
    }
    void on_saved(const SaveReport& report, std::span<const ChunkPos> tailed) override {
        saved_ = report;
        tailed_.assign(tailed.begin(), tailed.end());
    }
    void on_edit(const protocol::Uuid& player, const EditOutcome& outcome) override {
        EXPECT_EQ(player, (protocol::Uuid{1}));
        EXPECT_FALSE(saved_ && saved_->saved_up_to >= outcome.number) << "saved before it was told";
        edits_.push_back(outcome);
    }

    /// The news of a tick in which there are some.
    BlockNews next_news() {
        BlockNews news;
        (void)wait_until([&] {
            news = editor_->end_tick(tools_);
            return !news.chunks.empty() || !news.answers.empty();
        });
        return news;
    }
    EditRequest request(BlockPos pos, std::string_view key) {
        return {{1}, pos, ids_.blocks.id_of(key), {}, true, 5};
    }
    /// The block of a cell, and the version, of the chunk as chunks get it.
    std::pair<std::string, std::uint64_t> loaded(BlockPos pos) {
        storage::ReadContext context;
        const auto found = editor_->source()->load(pos.chunk(), context).value().value();
        const auto chunk = chunk::Chunk::decode(found.document).value();
        return {std::string(chunk.block(pos).key), found.version};
    }

    WireIds ids_{world::Assets::built_in()};
    ServerTools tools_;
    std::set<ChunkPos> changed_;
    std::optional<SaveReport> saved_;
    std::vector<ChunkPos> tailed_; ///< at that save
    std::vector<EditOutcome> edits_;
    std::unique_ptr<WorldEditor> editor_;
};

TEST_F(WorldEditorTest, AnEditIsToldIsInNewColumnsAndIsSaved) {
    begin_editing();
    const BlockPos pos{5, 200, 5};
    const auto encoded = std::make_shared<EncodedChunk>(EncodedChunk{.pos = pos.chunk()});
    editor_->note_made(encoded);
    editor_->submit(request(pos, "Rock_Stone"));
    const auto news = next_news();
    ASSERT_EQ(news.chunks.size(), 1U);
    EXPECT_EQ(news.chunks[0].pos, pos.chunk());
    EXPECT_EQ(news.chunks[0].frames.size(), 1U);
    EXPECT_TRUE(news.answers.empty());
    ASSERT_EQ(edits_.size(), 1U);
    EXPECT_EQ(edits_[0].number, 1U);
    ASSERT_EQ(edits_[0].cells.size(), 1U);
    EXPECT_EQ(edits_[0].cells[0].pos, pos);
    EXPECT_EQ(edits_[0].cells[0].block.key, "Rock_Stone");
    EXPECT_EQ(loaded(pos), (std::pair<std::string, std::uint64_t>("Rock_Stone", 1)));
    EXPECT_EQ(editor_->frames_behind(*encoded, tools_).size(), 1U);
    const auto newer = std::make_shared<EncodedChunk>(EncodedChunk{.pos = pos.chunk(), .version = 1});
    editor_->note_made(newer);
    EXPECT_TRUE(editor_->frames_behind(*newer, tools_).empty()) << "it knows the edit";
    EXPECT_EQ(editor_->frames_behind(*encoded, tools_).size(), 1U) << "the older one may still be sent";

    editor_->save_soon();
    ASSERT_TRUE(wait_until([&] { return saved_.has_value(); }));
    EXPECT_EQ(saved_->saved_up_to, 1U);
    EXPECT_EQ(tailed_, (std::vector<ChunkPos>{{0, 0}}));
    EXPECT_TRUE(editor_->has_tail({0, 0})) << "as long as an older one may be sent";
    EXPECT_EQ(on_disk({0, 0}).block(pos).key, "Rock_Stone");
    EXPECT_EQ(loaded(pos).second, 1U) << "now from the disk";
}

TEST_F(WorldEditorTest, ATailEndsWithTheLastColumnThatNeedsIt) {
    ChunkTails tails;
    auto old = std::make_shared<EncodedChunk>(EncodedChunk{.pos = {0, 0}, .version = 3});
    tails.note_made(old);
    tails.set_block({1, 1, 1}, {7, {}, {}}, 4);
    tails.set_block({2, 1, 1}, {7, {}, {}}, 5);
    const auto young = std::make_shared<EncodedChunk>(EncodedChunk{.pos = {0, 0}, .version = 4});
    tails.note_made(young);
    tails.forget(4);
    EXPECT_EQ(tails.frames_behind(*young, tools_).value()[0].packet(), packets::ServerSetBlock::k_info.id)
        << "what it knows may have been changed on the disk since, and is not said again";
    EXPECT_EQ(tails.frames_behind(*old, tools_).value()[0].packet(), packets::ServerSetBlocks::k_info.id);
    old.reset();
    EXPECT_EQ(tails.frames_behind(*young, tools_).value()[0].packet(), packets::ServerSetBlock::k_info.id);
    EXPECT_EQ(tails.chunks(), (std::vector<ChunkPos>{{0, 0}}));
}

TEST_F(WorldEditorTest, ColumnsThatAreGoneAreForgottenAlsoWhereNobodyEdits) {
    ChunkTails tails;
    std::vector<EncodedChunkPtr> kept;
    for (int x = 0; x < 20'000; ++x) {
        const auto encoded = std::make_shared<EncodedChunk>(EncodedChunk{.pos = {x, 0}});
        tails.note_made(encoded);
        if (x < 100) kept.push_back(encoded);
    }
    EXPECT_LT(tails.known(), 2'000U);
    EXPECT_GE(tails.known(), kept.size());
    tails.set_block({1, 1, 1}, {7, {}, {}}, 1);
    EXPECT_EQ(tails.frames_behind(*kept[0], tools_)->size(), 1U);
}

TEST_F(WorldEditorTest, WhoMayNotEditIsToldWhatIsThere) {
    begin_editing();
    const BlockPos pos{5, 200, 5};
    auto adventurer = request(pos, "Rock_Stone");
    adventurer.may_edit = false;
    auto far_away = request(pos, "Rock_Stone");
    far_away.distance = 65;
    auto nonsense = request(pos, "Rock_Stone");
    nonsense.block = 1'000'000;
    auto turned = request(pos, "Rock_Stone");
    turned.rotation = {64};
    auto nowhere = request(pos, "Rock_Stone");
    nowhere.distance = std::numeric_limits<double>::quiet_NaN();
    for (const auto& refused : {adventurer, far_away, nonsense, turned, nowhere}) {
        editor_->submit(refused);
        const auto news = next_news();
        EXPECT_TRUE(news.chunks.empty());
        ASSERT_EQ(news.answers.size(), 1U);
        EXPECT_EQ(news.answers[0].player, refused.player);
        EXPECT_EQ(news.answers[0].frame.packet(), packets::ServerSetBlock::k_info.id);
    }
    EXPECT_EQ(editor_->counts().made, 0U);
    EXPECT_TRUE(edits_.empty());
    EXPECT_EQ(editor_->counts().refused, 5U);
    // As far and as high as it may be.
    auto farthest = request(pos, "Rock_Stone");
    farthest.distance = 64;
    editor_->submit(farthest);
    for (const int y : {-1, 0, 319, 320}) editor_->submit(request({6, y, 6}, "Furniture_Table"));
    ASSERT_TRUE(wait_until([&] { return editor_->counts().made == 3; }));
    EXPECT_EQ(editor_->end_tick(tools_).chunks.size(), 1U);
    EXPECT_EQ(edits_.at(1).cells.at(0).pos.y, 0);
    EXPECT_EQ(edits_.at(2).cells.at(0).pos.y, 319);
    EXPECT_EQ(editor_->counts().refused, 5U) << "of what is outside of the world nobody asks";
}

TEST_F(WorldEditorTest, ColumnsOfChunksThatASaveFoundChangedOrGoneAreOld) {
    begin_editing(1h); // nobody else looks at the disk
    editor_->submit(request({5, 200, 5}, "Rock_Stone"));
    editor_->submit(request({-5, 200, 5}, "Rock_Stone"));
    ASSERT_TRUE(wait_until([&] { return editor_->counts().made == 2; }));
    const auto chunks = folder_ / "world/chunks";
    {
        world::made::MadeWorld other(folder_ / "other");
        other.put({0, 0}, 4444);
    }
    std::filesystem::rename(folder_ / "other/chunks/0.0.region.bin", chunks / "0.0.region.bin");
    std::filesystem::remove(chunks / "-1.0.region.bin");
    for (int i = 0; i < 2; ++i) {
        saved_.reset();
        editor_->save_soon();
        ASSERT_TRUE(wait_until([&] { return saved_.has_value(); }));
    }
    EXPECT_EQ(saved_->lost.size(), 1U);
    EXPECT_EQ(changed_, (std::set<ChunkPos>{{-1, 0}, {0, 0}}));
}

TEST_F(WorldEditorTest, FilesThatOthersReplaceAreReadAlsoWhileTheWorldIsEdited) {
    begin_editing();
    const BlockPos pos{5, 200, 5};
    editor_->submit(request(pos, "Rock_Stone"));
    ASSERT_TRUE(wait_until([&] { return editor_->counts().made == 1; }));
    editor_->save_soon();
    ASSERT_TRUE(wait_until([&] { return saved_.has_value(); }));
    // The same chunks with other content, each in another place of the file.
    const auto file = folder_ / "world" / "chunks" / storage::region_file_name({0, 0});
    const auto beside = folder_ / "beside";
    {
        world::made::MadeWorld other(folder_ / "other");
        other.put({1, 1}, 7777);
        other.put({0, 0}, 4444);
    }
    std::filesystem::copy_file(folder_ / "other" / "chunks" / file.filename(), beside);
    changed_.clear(); // what was saved may have been told
    std::filesystem::rename(beside, file);
    EXPECT_TRUE(
        wait_until([&] { return changed_.contains({1, 1}) && is_loaded(editor_->source(), {1, 1}, 7777); }));
    EXPECT_TRUE(
        wait_until([&] { return changed_.contains({0, 0}) && is_loaded(editor_->source(), {0, 0}, 4444); }));
}

TEST_F(WorldEditorTest, ManyChangesAtOnceAreTheSectionAgain) {
    begin_editing();
    for (int i = 0; i < 1024; ++i) editor_->submit(request({i & 31, 200, i >> 5}, "Rock_Stone"));
    ASSERT_TRUE(wait_until([&] { return editor_->counts().made == 1024; }));
    const auto news = editor_->end_tick(tools_);
    ASSERT_EQ(news.chunks.size(), 1U);
    ASSERT_EQ(news.chunks[0].frames.size(), 1U);
    EXPECT_EQ(news.chunks[0].frames[0].packet(), packets::SetChunk::k_info.id);
}

TEST_F(WorldEditorTest, WhatIsEditedWhenItEndsIsSaved) {
    begin_editing();
    editor_->submit(request({5, 200, 5}, "Rock_Stone"));
    next_news();
    editor_->stop();
    ASSERT_TRUE(saved_);
    EXPECT_EQ(saved_->saved_up_to, 1U);
    EXPECT_FALSE(editor_->can_edit());
    editor_->submit(request({6, 200, 5}, "Rock_Stone"));
    EXPECT_EQ(editor_->counts().made, 1U) << "too late";
    EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Rock_Stone");
    editor_.reset();
}

} // namespace
} // namespace orbis::game

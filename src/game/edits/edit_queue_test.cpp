#include "bson/patch.hpp"
#include "game/edits/edits_test.hpp"

namespace orbis::game {
namespace {

class EditQueueTest : public made::EditTest {
protected:
    EditQueueTest() { begin(); }

    void forget_all() {
        for (int i = 0; i < 25; ++i) chunks_.remove({i % 5 - 2, i / 5 - 2});
    }
    /// A chunk of the world with another block in it, or more.
    template <typename Change>
    void prepare(ChunkPos pos, Change change) {
        auto chunk = on_disk(pos);
        change(chunk);
        Buffer out;
        const auto document = chunk.encode(out).value();
        storage::StoreOptions options;
        options.write = true;
        EXPECT_TRUE(world().open(options).value()->write(pos, document));
    }
};

TEST_F(EditQueueTest, ABlockIsPlacedTurnedAndBroken) {
    const auto placed = edit({5, 60, 5}, {"Rock_Stone", {3}, {}});
    EXPECT_EQ(placed.number, 1U);
    EXPECT_FALSE(placed.refusal);
    ASSERT_EQ(placed.cells.size(), 1U);
    EXPECT_EQ(placed.cells[0].pos, (BlockPos{5, 60, 5}));
    EXPECT_EQ(placed.found, (FoundBlock{"Rock_Stone", {3}, {}}));
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}), (FoundBlock{"Rock_Stone", {3}, {}}));
    EXPECT_EQ(edit({5, 60, 5}, {"Rock_Stone", {5}, {}}).number, 2U) << "turned, it is another one";
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}), (FoundBlock{"Rock_Stone", {5}, {}}));
    EXPECT_EQ(edit({5, 60, 5}, {"Rock_Stone", {5}, {}}).number, 0U);
    EXPECT_EQ(dig({5, 60, 5}).number, 3U);
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}), FoundBlock{});
    const auto again = dig({5, 60, 5});
    EXPECT_EQ(again.number, 0U) << "nothing to do";
    EXPECT_FALSE(again.refusal);
    EXPECT_EQ(again.found, FoundBlock{});
    EXPECT_EQ(loads_, (std::vector<ChunkPos>{{0, 0}}));
}

TEST_F(EditQueueTest, WhatTheWorldDoesNotHaveIsRefused) {
    EXPECT_EQ(place({500, 60, 5}, "Rock_Stone").refusal->code, Errc::not_found);
    for (const int y : {320, -1}) {
        const auto refusal = place({5, y, 5}, "Rock_Stone").refusal;
        EXPECT_EQ(refusal->code, Errc::out_of_range);
        EXPECT_EQ(refusal->problem, fmt::format("y {} is outside of the world", y));
    }
    EXPECT_EQ(edit({5, 60, 5}, {"Rock_Stone", {64}, {}}).refusal->code, Errc::out_of_range);
    EXPECT_TRUE(chunks_.unsaved().empty());
    EXPECT_EQ(edits_->last_edit(), 0U);
}

TEST_F(EditQueueTest, AChunkThatIsMadeLaterIsFound) {
    EXPECT_EQ(place({100, 60, 5}, "Rock_Stone").refusal->code, Errc::not_found);
    storage::StoreOptions options;
    options.write = true;
    EXPECT_TRUE(world().open(options).value()->write({3, 0}, world::made::document({3, 0}, 7)));
    EXPECT_EQ(place({100, 200, 5}, "Rock_Stone").number, 1U) << "it was not there only then";
    EXPECT_EQ(loads_, (std::vector<ChunkPos>{{3, 0}, {3, 0}}));
}

TEST_F(EditQueueTest, AChunkThatWasNotThereIsWaitedForTheNextTime) {
    EXPECT_EQ(place({100, 60, 5}, "Rock_Stone").refusal->code, Errc::not_found);
    storage::StoreOptions options;
    options.write = true;
    EXPECT_TRUE(world().open(options).value()->write({3, 0}, world::made::document({3, 0}, 7)));
    loads_at_once_ = false;
    std::optional<EditOutcome> outcome;
    edits_->submit(
        {{100, 200, 5}, {"Rock_Stone", {}, {}}, {}, [&](const EditOutcome& made) { outcome = made; }});
    EXPECT_FALSE(outcome) << "its chunk is on its way";
    storage::ReadContext context;
    edits_->loaded({3, 0}, load_chunk(*world().open({}).value(), {3, 0}, context));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->number, 1U);
}

TEST_F(EditQueueTest, AChunkThatComesTwiceKeepsItsChanges) {
    place({5, 60, 5}, "Rock_Stone");
    storage::ReadContext context;
    edits_->loaded({0, 0}, load_chunk(*world().open({}).value(), {0, 0}, context));
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}).key, "Rock_Stone");
    EXPECT_EQ(chunks_.unsaved().size(), 1U);
}

TEST_F(EditQueueTest, WhatIsNotSavedIsListedByPosition) {
    storage::ReadContext context;
    const auto document = world().open({}).value()->read({0, 0}, context).value().value();
    std::vector<ChunkPos> expected;
    for (int i = 0; i < 20; ++i) {
        const ChunkPos pos{i * 7 % 20 - 10, 60 - i};
        edits_->loaded(pos, EditedChunk::read(pos, Buffer(document.begin(), document.end()), {}));
        ASSERT_FALSE(place({pos.x * 32 + 5, 200, pos.z * 32 + 5}, "Rock_Stone").refusal);
        expected.push_back(pos);
    }
    std::ranges::sort(expected);
    std::vector<ChunkPos> found;
    for (const auto& chunk : chunks_.unsaved()) found.push_back(chunk->pos());
    EXPECT_EQ(found, expected);
}

TEST_F(EditQueueTest, OnlySoManyChunksHaveUnsavedChanges) {
    storage::ReadContext context;
    const auto store = world().open({}).value();
    const auto document = store->read({0, 0}, context).value().value();
    const auto load = [&](ChunkPos pos, Bytes bytes) {
        edits_->loaded(pos, EditedChunk::read(pos, Buffer(bytes.begin(), bytes.end()), {}));
    };
    // A block of two cells: its base at the edge of chunk 0,50, the other in chunk 1,50.
    const BlockPos base{31, 250, 50 * 32};
    for (int x = 0; x < 2; ++x) {
        auto chunk = chunk::Chunk::decode(Buffer(document.begin(), document.end())).value();
        const BlockPos cell{base.x + x, base.y, base.z};
        ASSERT_TRUE(chunk.set_block(cell, {"Furniture_Table", {}, chunk::Filler::of_offset(x, 0, 0)}));
        Buffer out;
        load({x, 50}, chunk.encode(out).value());
    }
    const auto edit_in = [&](int x) { return place({x * 32 + 5, 200, 50 * 32 + 5}, "Rock_Stone"); };
    const int last = static_cast<int>(EditQueue::k_most_unsaved);
    ASSERT_FALSE(edit_in(1).refusal);
    for (int x = 2; x <= last; ++x) {
        load({x, 50}, document);
        ASSERT_FALSE(edit_in(x).refusal) << x;
    }
    EXPECT_EQ(chunks_.unsaved().size(), EditQueue::k_most_unsaved);
    load({0, 50}, document);
    EXPECT_EQ(edit_in(0).refusal->code, Errc::busy) << "one too many";
    EXPECT_FALSE(place({37, 201, 50 * 32 + 5}, "Rock_Stone").refusal) << "its chunk is one of them";
    chunks_.remove({0, 50});
    auto whole = chunk::Chunk::decode(Buffer(document.begin(), document.end())).value();
    ASSERT_TRUE(whole.set_block(base, {"Furniture_Table", {}, {}}));
    Buffer out;
    load({0, 50}, whole.encode(out).value());
    EXPECT_EQ(dig(base).refusal->code, Errc::busy) << "of its two chunks the first would be one too many";
    EXPECT_EQ(chunks_.find({1, 50})->block({32, 250, 50 * 32}).key, "Furniture_Table") << "nor in part";
    EXPECT_EQ(chunks_.unsaved().size(), EditQueue::k_most_unsaved);
}

TEST_F(EditQueueTest, ARefusedEditAnswersWithTheTrueBlock) {
    place({5, 60, 5}, "Rock_Stone");
    std::optional<EditOutcome> found;
    edits_->submit({{5, 60, 5}, {}, error(Errc::read_only, "not here"), [&](const EditOutcome& outcome) {
                        found = outcome;
                    }});
    ASSERT_TRUE(found && found->refusal);
    EXPECT_EQ(found->refusal->code, Errc::read_only);
    EXPECT_EQ(found->found, (FoundBlock{"Rock_Stone", {}, {}}));
    EXPECT_TRUE(found->cells.empty());
}

TEST_F(EditQueueTest, EditsWaitForTheirChunksInOrder) {
    loads_at_once_ = false;
    std::vector<int> done;
    const auto submit = [&](int number, BlockPos pos, std::string_view key) {
        edits_->submit({pos, {key, {}, {}}, {}, [&done, number](const EditOutcome& outcome) {
                            EXPECT_FALSE(outcome.refusal);
                            done.push_back(number);
                        }});
    };
    submit(1, {5, 60, 5}, "Rock_Stone");
    submit(2, {45, 60, 5}, "Rock_Stone");
    submit(3, {5, 60, 5}, "Soil_Dirt");
    EXPECT_EQ(loads_, (std::vector<ChunkPos>{{0, 0}, {1, 0}})) << "all are asked for at once, and once";
    storage::ReadContext context;
    const auto store = world().open({}).value();
    edits_->loaded({1, 0}, load_chunk(*store, {1, 0}, context));
    EXPECT_TRUE(done.empty()) << "the first one is not there yet";
    edits_->loaded({0, 0}, load_chunk(*store, {0, 0}, context));
    EXPECT_EQ(done, (std::vector{1, 2, 3}));
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}).key, "Soil_Dirt");
}

TEST_F(EditQueueTest, TooManyThatWaitAreRefused) {
    place({40, 60, 1}, "Rock_Stone");
    loads_at_once_ = false;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < EditQueue::k_most_waiting + 5; ++i)
        edits_->submit({{1, 60, 1}, {}, {}, [&](const EditOutcome& outcome) {
                            EXPECT_EQ(outcome.refusal->code, Errc::busy);
                            ++refused;
                        }});
    EXPECT_EQ(refused, 5U);
    EXPECT_EQ(dig({40, 60, 1}).found->key, "Rock_Stone") << "what is in memory is told at once";
}

TEST_F(EditQueueTest, WhoFillsTheQueueTakesNobodyElsesPlace) {
    loads_at_once_ = false;
    std::map<int, std::size_t> refused;
    std::vector<int> made;
    const auto submit = [&](int player, int x) {
        protocol::Uuid uuid{};
        uuid[15] = static_cast<std::uint8_t>(player);
        edits_->submit({{x, 60, player},
                        {"Rock_Stone", {}, {}},
                        {},
                        [&, player](const EditOutcome& outcome) {
                            if (!outcome.refusal) return made.push_back(player);
                            EXPECT_EQ(outcome.refusal->code, Errc::busy);
                            ++refused[player];
                        },
                        uuid});
    };
    constexpr std::size_t k_all = EditQueue::k_most_waiting;
    for (std::size_t i = 0; i < k_all; ++i) submit(1, static_cast<int>(i % 32));
    EXPECT_TRUE(refused.empty()) << "one alone may have all of it";
    for (int i = 0; i < 20; ++i) {
        submit(2, i);
        submit(1, i);
    }
    EXPECT_EQ(refused[1], 40U) << "its newest edits, and those that come";
    EXPECT_EQ(refused[2], 0U);
    EXPECT_EQ(edits_->waiting(), k_all);
    // Two who want everything get the same.
    for (std::size_t i = 0; i < k_all; ++i) submit(2, static_cast<int>(i % 32));
    EXPECT_EQ(edits_->waiting(), k_all);
    EXPECT_EQ(refused[1], 40 + k_all / 2 - 20);
    storage::ReadContext context;
    edits_->loaded({0, 0}, load_chunk(*world().open({}).value(), {0, 0}, context));
    EXPECT_EQ(edits_->waiting(), 0U);
    EXPECT_EQ(std::ranges::count(made, 1), static_cast<std::ptrdiff_t>(k_all / 2));
    EXPECT_EQ(std::ranges::count(made, 2), static_cast<std::ptrdiff_t>(k_all / 2));
    EXPECT_TRUE(std::ranges::is_sorted(made)) << "in the order in which they came";
    submit(1, 3);
    EXPECT_EQ(made.size(), k_all + 1) << "there is room again";
}

TEST_F(EditQueueTest, TheNewestEditGivesWayAndOnlyToWhoHasFewer) {
    loads_at_once_ = false;
    std::vector<std::size_t> refused; // numbers of edits, in the order in which they were refused
    std::size_t number = 0;
    const auto submit = [&](std::uint8_t player, std::size_t count) {
        protocol::Uuid uuid{};
        uuid[15] = player;
        for (; count > 0; --count, ++number)
            edits_->submit({{1, 60, 1},
                            {},
                            {},
                            [&, own = number](const EditOutcome&) { refused.push_back(own); },
                            uuid});
    };
    constexpr std::size_t k_all = EditQueue::k_most_waiting;
    submit(1, k_all / 2);
    submit(2, k_all / 2 - 1);
    submit(3, 1);
    EXPECT_TRUE(refused.empty());
    submit(2, 1);
    EXPECT_EQ(refused, (std::vector{k_all})) << "with one fewer than another it would soon have one more";
    refused.clear();
    submit(3, 3);
    EXPECT_EQ(refused, (std::vector{k_all / 2 - 1, k_all / 2 - 2, k_all - 2}))
        << "the newest of the first, until the second has as many";
    // Once made, edits do not count any more.
    storage::ReadContext context;
    edits_->loaded({0, 0}, load_chunk(*world().open({}).value(), {0, 0}, context));
    EXPECT_EQ(edits_->waiting(), 0U);
    chunks_.remove({0, 0});
    refused.clear();
    const auto before = number;
    submit(2, k_all);
    submit(1, 1);
    EXPECT_EQ(refused, (std::vector{before + k_all - 1}));
}

TEST_F(EditQueueTest, AChestLosesItsContentWithItsBlock) {
    const BlockPos chest{3, 50, 4};
    const BlockPos other{9, 50, 4};
    prepare({0, 0}, [&](chunk::Chunk& chunk) {
        for (const auto pos : {chest, other}) {
            EXPECT_TRUE(chunk.set_block(pos, {"Furniture_Crude_Chest_Small", {}, {}}));
            EXPECT_TRUE(chunk.edit_block_components().value()->set(chunk::BlockIndex(pos),
                                                                   world::made::chest("Food_Bread", 3)));
        }
        EXPECT_TRUE(chunk.set_support(chest, 2));
        EXPECT_TRUE(chunk.set_fluid(chest, {"Water_Source", 1}));
        chunk.edit_health().value()->set({{chest, 0.5F, 1}, {other, 0.5F, 1}}, {});
    });
    EXPECT_EQ(dig(chest).number, 1U);
    chunks_.find({0, 0})->look([&](const chunk::Chunk& chunk) {
        EXPECT_FALSE(chunk.block_components().find(chunk::BlockIndex(chest)));
        EXPECT_TRUE(chunk.block_components().find(chunk::BlockIndex(other)));
        EXPECT_EQ(chunk.health().damaged().size(), 1U);
        EXPECT_EQ(chunk.support(chest), 0);
        EXPECT_EQ(chunk.fluid(chest).key, "Water_Source") << "fluids stay";
        return 0;
    });
}

TEST_F(EditQueueTest, ABlockOfManyCellsGoesAsAWholeAcrossChunks) {
    // Its base is in chunk 0,0 at the corner of four chunks; a stranger of the same kind stands beside it.
    const BlockPos base{31, 40, 31};
    std::vector<BlockPos> cells;
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 2; ++y)
            for (int z = 0; z < 2; ++z) cells.push_back({base.x + x, base.y + y, base.z + z});
    const BlockPos stranger{30, 40, 31};
    const BlockPos upper{30, 41, 31}; // of the stranger, beside cells of the block
    for (const ChunkPos pos : {ChunkPos{0, 0}, {1, 0}, {0, 1}, {1, 1}})
        prepare(pos, [&](chunk::Chunk& chunk) {
            for (const auto cell : cells) {
                const auto offset =
                    chunk::Filler::of_offset(cell.x - base.x, cell.y - base.y, cell.z - base.z);
                if (cell.chunk() != pos) continue;
                EXPECT_TRUE(chunk.set_block(cell, {"Furniture_Table", {}, offset}));
            }
            if (stranger.chunk() != pos) return;
            EXPECT_TRUE(chunk.set_block(stranger, {"Furniture_Table", {}, {}}));
            EXPECT_TRUE(chunk.set_block(upper, {"Furniture_Table", {}, chunk::Filler::of_offset(0, 1, 0)}));
        });
    for (const auto hit : {base, BlockPos{33, 41, 32}}) {
        forget_all(); // as it is on the disk
        const auto broken = dig(hit);
        EXPECT_FALSE(broken.refusal);
        EXPECT_EQ(broken.cells.size(), cells.size());
        for (const auto cell : cells) EXPECT_EQ(chunks_.find(cell.chunk())->block(cell), FoundBlock{});
        for (const auto cell : {stranger, upper})
            EXPECT_EQ(chunks_.find({0, 0})->block(cell).key, "Furniture_Table");
        EXPECT_EQ(chunks_.unsaved().size(), 4U);
        for (const auto& chunk : chunks_.unsaved()) EXPECT_EQ(chunk->first_unsaved(), broken.number);
    }
    // Another block in place of one of its cells.
    forget_all();
    const auto replaced = place({32, 40, 31}, "Rock_Stone");
    EXPECT_EQ(replaced.cells.size(), cells.size());
    EXPECT_EQ(chunks_.find({1, 0})->block({32, 40, 31}).key, "Rock_Stone");
    EXPECT_EQ(chunks_.find({0, 0})->block(base), FoundBlock{});
}

TEST_F(EditQueueTest, APartWhoseBlockIsGoneStandsForItself) {
    prepare({0, 0}, [](chunk::Chunk& chunk) {
        for (const int x : {9, 10, 20}) // 9 is a part, too: it is nobody's base
            EXPECT_TRUE(
                chunk.set_block({x, 40, 10}, {"Furniture_Table", {}, chunk::Filler::of_offset(1, 0, 0)}));
    });
    EXPECT_EQ(dig({20, 40, 10}).cells.size(), 1U);
    EXPECT_EQ(dig({10, 40, 10}).cells.size(), 1U);
    EXPECT_EQ(chunks_.find({0, 0})->block({9, 40, 10}).key, "Furniture_Table");
}

TEST_F(EditQueueTest, ADamagedPartIsNotWrittenOver) {
    prepare({0, 0},
            [](chunk::Chunk& chunk) { EXPECT_TRUE(chunk.set_block({1, 40, 1}, {"Rock_Stone", {}, {}})); });
    auto chunk = on_disk({0, 0});
    // A byte of the palette's type that no palette has.
    const auto sections = chunk.component("ChunkColumn")->find("Sections")->array();
    const auto data =
        sections->document("1")->document("Components")->document("Block")->find("Data")->binary();
    Buffer document(chunk.document().begin(), chunk.document().end());
    document[static_cast<std::size_t>(data->data.data() - chunk.document().data()) + 4] = 77;
    storage::StoreOptions options;
    options.write = true;
    ASSERT_TRUE(world().open(options).value()->write({0, 0}, document));
    const auto refused = place({1, 40, 1}, "Soil_Dirt");
    ASSERT_TRUE(refused.refusal) << "section 1 is damaged";
    EXPECT_EQ(refused.refusal->code, Errc::unsupported);
    EXPECT_EQ(place({1, 100, 1}, "Rock_Stone").number, 1U) << "section 3 is not";
}

TEST_F(EditQueueTest, WhatGoesWithABlockMustBeReadableToo) {
    const auto chunk = on_disk({0, 0});
    storage::StoreOptions options;
    options.write = true;
    for (const auto* part : {"BlockChunk", "BlockComponentChunk"}) {
        Buffer document(chunk.document().begin(), chunk.document().end());
        const auto root = bson::Document::open(document).value();
        if (std::string_view(part) == "BlockChunk") {
            document[root.find_path({"Components", part, "Data"})->value_offset() + 7] = 0x77;
        } else {
            bson::Patch patch(root);
            ASSERT_TRUE(patch.set({"Components", part, "BlockComponents"}, bson::Value::int32(5)));
            Buffer patched;
            ASSERT_TRUE(patch.apply(patched));
            document = std::move(patched);
        }
        ASSERT_TRUE(world().open(options).value()->write({0, 0}, document));
        forget_all();
        const auto refused = place({1, 200, 1}, "Rock_Stone");
        ASSERT_TRUE(refused.refusal) << part;
        EXPECT_EQ(refused.refusal->code, Errc::unsupported) << refused.refusal->text();
        EXPECT_TRUE(chunks_.unsaved().empty()) << part;
    }
}

TEST_F(EditQueueTest, ChunksThatNobodyChangesAreLetGo) {
    for (int i = 0; i < 25; ++i) dig({(i % 5 - 2) * 32 + 5, 300, (i / 5 - 2) * 32 + 5});
    EXPECT_EQ(chunks_.size(), 25U);
    place({5, 300, 5}, "Rock_Stone");
    chunks_.let_go(3);
    EXPECT_EQ(chunks_.size(), 4U) << "three, and the one with changes";
    EXPECT_TRUE(chunks_.find({0, 0}));
    EXPECT_TRUE(chunks_.find({2, 2})) << "the last one that was used";
    const std::vector<ChunkPos> others{{0, 0}, {2, 2}};
    edits_->changed_by_others(others);
    EXPECT_TRUE(chunks_.find({0, 0}));
    EXPECT_FALSE(chunks_.find({2, 2})) << "its copy is of yesterday";
}

TEST_F(EditQueueTest, TheChunkThatWasLookedForLastStaysLongest) {
    for (int x = -2; x <= 2; ++x) dig({x * 32 + 5, 300, 5});
    EXPECT_TRUE(chunks_.find({-1, 0}));
    EXPECT_TRUE(chunks_.find({-2, 0}));
    chunks_.let_go(2);
    EXPECT_EQ(chunks_.size(), 2U);
    EXPECT_TRUE(chunks_.find({-1, 0}));
    EXPECT_TRUE(chunks_.find({-2, 0})) << "the first that came, and the last that was asked for";
}

TEST_F(EditQueueTest, WhoOnlyAsksWhatIsThereKeepsNoChunks) {
    storage::ReadContext context;
    const auto store = world().open({}).value();
    const auto document = store->read({0, 0}, context).value().value();
    for (int x = 0; x < 100; ++x) {
        const ChunkPos pos{x, 50};
        edits_->loaded(pos, EditedChunk::read(pos, Buffer(document.begin(), document.end()), {}));
        EXPECT_TRUE(chunks_.find(pos)) << "the last one is what somebody waits for";
    }
    EXPECT_EQ(chunks_.size(), EditQueue::k_most_idle);
}

TEST_F(EditQueueTest, AChunkThatWasGivenUpTakesNoMoreEdits) {
    place({5, 60, 5}, "Rock_Stone");
    const auto chunk = chunks_.find({0, 0});
    EXPECT_EQ(chunk->give_up(), 1U);
    const std::vector<CellEdit> late = {{{6, 60, 6}, {}, 2}};
    EXPECT_EQ(chunk->set(late).error().code, Errc::not_found);
    EXPECT_FALSE(chunk->first_unsaved());
    EXPECT_EQ(place({6, 60, 6}, "Rock_Stone").number, 2U) << "what is there now is read again";
    EXPECT_EQ(loads_.size(), 2U);
    EXPECT_NE(chunks_.find({0, 0}), chunk);
    EXPECT_EQ(chunks_.find({0, 0})->block({5, 60, 5}).key, "Empty");
}

TEST_F(EditQueueTest, AChunkKnowsTheFirstEditThatIsNotSaved) {
    place({5, 60, 5}, "Rock_Stone");
    place({6, 60, 5}, "Rock_Stone");
    place({7, 60, 5}, "Rock_Stone");
    const auto chunk = chunks_.find({0, 0});
    EXPECT_EQ(chunk->first_unsaved(), 1U);
    const Sha256 one{1};
    chunk->mark_saved(1, one); // two more came while it was written
    EXPECT_EQ(chunk->first_unsaved(), 2U);
    EXPECT_EQ(chunk->stored(), one);
    EXPECT_EQ(chunks_.unsaved().size(), 1U);
    place({5, 60, 5}, "Soil_Dirt"); // again, so that only edits 2 to 4 count
    chunk->mark_saved(3, one);
    EXPECT_EQ(chunk->first_unsaved(), 4U);
    chunk->mark_saved(4, one);
    EXPECT_FALSE(chunk->first_unsaved());
    EXPECT_TRUE(chunks_.unsaved().empty());
    place({5, 60, 5}, "Soil_Sand");
    EXPECT_EQ(chunk->first_unsaved(), 5U);
    // On other content only what is not saved is made again.
    const Sha256 two{2};
    const auto before = on_disk({0, 0});
    ASSERT_TRUE(chunk->rebase(Buffer(before.document().begin(), before.document().end()), two));
    EXPECT_EQ(chunk->stored(), two);
    EXPECT_EQ(chunk->block({5, 60, 5}).key, "Soil_Sand");
    EXPECT_EQ(chunk->block({6, 60, 5}).key, before.block({6, 60, 5}).key);
    EXPECT_EQ(chunk->first_unsaved(), 5U);
}

TEST_F(EditQueueTest, AnEditOfManyCellsIsEncodedAsAWholeOrNotAtAll) {
    place({5, 60, 5}, "Rock_Stone");
    const auto chunk = chunks_.find({0, 0});
    std::atomic<bool> is_over = false;
    std::jthread editing([&] {
        for (std::uint64_t number = 2; !is_over; ++number) {
            std::vector<CellEdit> cells;
            for (int x = 0; x < 32; ++x)
                cells.push_back({{x, 60, 9}, {number % 2 == 0 ? "Rock_Stone" : "Soil_Dirt", {}, {}}, number});
            EXPECT_TRUE(chunk->set(cells));
        }
    });
    for (int round = 0; round < 50; ++round) {
        const auto content = chunk->encode(made::is_transparent).value();
        const auto decoded = chunk::Chunk::decode(Buffer(content.document)).value();
        const std::string first(decoded.block({0, 60, 9}).key);
        for (int x = 1; x < 32; ++x) ASSERT_EQ(decoded.block({x, 60, 9}).key, first) << x;
    }
    is_over = true;
}

/// A table of two cells, from its base to the east.
class BlockOfSeveralCells : public EditQueueTest {
protected:
    static constexpr chunk::BlockExtent k_table{0, 0, 0, 1, 0, 0};

    EditOutcome place_table(BlockPos pos, chunk::Rotation rotation = {}) {
        std::optional<EditOutcome> found;
        edits_->submit({.pos = pos,
                        .block = {"Furniture_Table", rotation, {}},
                        .done = [&](const EditOutcome& outcome) { found = outcome; },
                        .extent = k_table});
        return found.value_or(EditOutcome{});
    }
    FoundBlock there(BlockPos pos) { return chunks_.find(pos.chunk())->block(pos); }
};

TEST_F(BlockOfSeveralCells, IsPlacedWholeAlsoInSeveralChunks) {
    const BlockPos base{31, 250, 5};
    const auto placed = place_table(base);
    ASSERT_FALSE(placed.refusal) << placed.refusal->text();
    ASSERT_EQ(placed.cells.size(), 2U);
    EXPECT_EQ(placed.number, 1U) << "one edit";
    EXPECT_EQ(there(base), (FoundBlock{"Furniture_Table", {}, {}}));
    EXPECT_EQ(there({32, 250, 5}), (FoundBlock{"Furniture_Table", {}, chunk::Filler::of_offset(1, 0, 0)}));
    EXPECT_EQ(dig({32, 250, 5}).cells.size(), 2U);
    EXPECT_EQ(there(base), FoundBlock{});

    ASSERT_FALSE(place_table(base, {1}).refusal);
    EXPECT_EQ(there({31, 250, 4}), (FoundBlock{"Furniture_Table", {1}, chunk::Filler::of_offset(0, 0, -1)}));
    EXPECT_EQ(there({32, 250, 5}), FoundBlock{});
    ASSERT_FALSE(place_table(base, {3}).refusal) << "turned around in its own place";
    EXPECT_EQ(there({31, 250, 4}), FoundBlock{});
    EXPECT_EQ(there({31, 250, 6}), (FoundBlock{"Furniture_Table", {3}, chunk::Filler::of_offset(0, 0, 1)}));
}

TEST_F(BlockOfSeveralCells, IsRefusedWhereACellIsTakenOrMissing) {
    place({6, 250, 5}, "Rock_Stone");
    const auto taken = place_table({5, 250, 5});
    ASSERT_TRUE(taken.refusal);
    EXPECT_EQ(taken.refusal->code, Errc::exists);
    EXPECT_EQ(taken.found, FoundBlock{});
    ASSERT_EQ(taken.others.size(), 1U) << "its client thinks that the block is there too";
    EXPECT_EQ(taken.others[0].first, (BlockPos{6, 250, 5}));
    EXPECT_EQ(taken.others[0].second.key, "Rock_Stone");
    EXPECT_EQ(there({5, 250, 5}), FoundBlock{});
    EXPECT_EQ(place_table({5, 319, 5}, {16}).refusal->code, Errc::out_of_range) << "above the world";
    EXPECT_EQ(place_table({95, 250, 5}).refusal->code, Errc::not_found) << "there is no such chunk";
    EXPECT_EQ(edits_->last_edit(), 1U);

    ASSERT_FALSE(place_table({5, 100, 5}).refusal);
    std::optional<EditOutcome> refused;
    edits_->submit({{6, 100, 5}, {}, error(Errc::read_only, "not here"), [&](const EditOutcome& outcome) {
                        refused = outcome;
                    }});
    ASSERT_EQ(refused->others.size(), 1U) << "of the block that it may not break";
    EXPECT_EQ(refused->others[0].second, (FoundBlock{"Furniture_Table", {}, {}}));
}

TEST_F(BlockOfSeveralCells, WaitsForAllOfItsChunks) {
    loads_at_once_ = false;
    EXPECT_EQ(place_table({31, 250, 5}).number, 0U);
    EXPECT_EQ(loads_, (std::vector<ChunkPos>{{0, 0}}));
    const auto load = [&](ChunkPos pos) {
        storage::ReadContext context;
        edits_->loaded(pos, load_chunk(*world().open({}).value(), pos, context));
    };
    load({0, 0});
    EXPECT_EQ(loads_, (std::vector<ChunkPos>{{0, 0}, {1, 0}}));
    EXPECT_EQ(there({31, 250, 5}), FoundBlock{}) << "not in part";
    EXPECT_EQ(edits_->waiting(), 1U);
}

} // namespace
} // namespace orbis::game

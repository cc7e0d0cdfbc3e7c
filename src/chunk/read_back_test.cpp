#include "chunk/chunk.hpp"
#include "chunk/chunk_documents_test.hpp"
#include "chunk/light_marks.hpp"

#include <gtest/gtest.h>

namespace orbis::chunk {
namespace {

Buffer ten_section_document() { return test_documents::document(test_documents::ten_sections()); }

Bytes encode_into(Buffer& out, const Chunk& chunk) {
    const auto encoded = chunk.encode(out);
    EXPECT_TRUE(encoded) << encoded.error().text();
    return *encoded;
}

TEST(ReadBack, WhatWasEncodedIsReadAgain) {
    const auto stored = ten_section_document();
    auto chunk = *Chunk::decode(stored);
    ASSERT_TRUE(chunk.set_block({3, 40, 3}, {"Rock_Basalt", {}, {}}));
    ASSERT_TRUE(chunk.set_fluid({4, 200, 3}, {"Water_Source", 1}));
    ASSERT_TRUE(chunk.update_heights([](auto) { return false; }));
    Buffer out;
    Chunk room;
    const auto checked = chunk.read_back(encode_into(out, chunk), room);
    EXPECT_TRUE(checked) << checked.error().text();
}

TEST(ReadBack, ADamagedSectionIsNoticedWhereItWasChanged) {
    const auto stored = ten_section_document();
    auto chunk = *Chunk::decode(stored);
    ASSERT_TRUE(chunk.set_block({3, 40, 3}, {"Rock_Basalt", {}, {}}));
    Buffer out;
    const auto encoded = encode_into(out, chunk);
    Chunk room;
    const auto place = [&](std::string_view section) {
        const auto blob =
            bson::Document::open(encoded)
                ->find_path({"Components", "ChunkColumn", "Sections", section, "Components", "Block", "Data"})
                ->binary()
                ->data;
        return static_cast<std::size_t>(blob.data() - encoded.data());
    };
    for (const std::size_t byte :
         {0U, 4U, 5U, 6U, 7U, 8U}) { // migrations, kind, number of entries, id, length
        auto damaged = Buffer(encoded.begin(), encoded.end());
        damaged[place("1") + byte] ^= 0x55;
        EXPECT_FALSE(chunk.read_back(damaged, room)) << byte;
    }
    auto elsewhere = Buffer(encoded.begin(), encoded.end());
    elsewhere[place("7") + 4] ^= 0x55;
    EXPECT_TRUE(chunk.read_back(elsewhere, room)) << "it was not changed, so it is not read";
}

TEST(ReadBack, LightThatIsNotTheOneThatWasReadIsChecked) {
    const auto stored = ten_section_document();
    auto chunk = *Chunk::decode(stored);
    ASSERT_TRUE(chunk.set_block({3, 40, 3}, {"Rock_Basalt", {}, {}}));
    Buffer out;
    const auto encoded = encode_into(out, chunk);
    const auto tree = as_text(chunk.section(1).local_light.tree());
    ASSERT_FALSE(tree.empty());
    const auto at = as_text(encoded).find(tree);
    ASSERT_NE(at, std::string_view::npos);
    Chunk room;
    ASSERT_TRUE(chunk.read_back(encoded, room));
    EXPECT_TRUE(room.section(1).has_checked_rest) << "it was compared with what was read";
    auto damaged = Buffer(encoded.begin(), encoded.end());
    damaged[at] = 0xFF; // more nodes than there are
    EXPECT_FALSE(chunk.read_back(damaged, room));
}

TEST(ReadBack, WhatFollowsTheKeysIsComparedOnlyWhereItWasNotChanged) {
    const auto stored = ten_section_document();
    Chunk room;
    Buffer out;
    auto chunk = *Chunk::decode(stored);
    ASSERT_TRUE(chunk.set_block({3, 40, 3}, {"Rock_Basalt", {9}, {}}));
    ASSERT_TRUE(chunk.read_back(encode_into(out, chunk), room));
    EXPECT_FALSE(room.section(1).has_checked_rest);
    EXPECT_EQ(room.block({3, 40, 3}), (BlockState{"Rock_Basalt", {9}, {}}));
    // A section that becomes empty has no ticking cells any more, so that the rest begins elsewhere.
    chunk = *Chunk::decode(stored);
    (*chunk.edit_section(0))->blocks.fill("Empty");
    ASSERT_TRUE(chunk.read_back(encode_into(out, chunk), room));
    EXPECT_FALSE(room.section(0).has_checked_rest);
    EXPECT_EQ(room.section(0).blocks.kind(), PaletteKind::empty);
}

TEST(ReadBack, WhatFollowsTheKeysIsTheSameInOnePieceAndPartByPart) {
    const auto stored = ten_section_document();
    auto whole = *Chunk::decode(stored);
    auto parts = *Chunk::decode(stored);
    for (auto* chunk : {&whole, &parts}) {
        auto* section = *chunk->edit_section(1);
        ASSERT_EQ(section->blocks.replace("Soil_Grass", "Rock_Basalt"), 1U);
        section->invalidate_light();
    }
    auto* section = *parts.edit_section(1);
    ASSERT_TRUE(section->rotations.set(CellIndex(7), 1));
    ASSERT_TRUE(section->rotations.set(CellIndex(7), 0));
    EXPECT_TRUE(whole.section(1).keeps_rest());
    EXPECT_FALSE(parts.section(1).keeps_rest());
    Buffer out_of_whole;
    Buffer out_of_parts;
    EXPECT_EQ(as_text(encode_into(out_of_whole, whole)), as_text(encode_into(out_of_parts, parts)));
}

TEST(LightMarks, AreWhatTheModelWouldWrite) {
    const auto stored = ten_section_document();
    auto chunk = *Chunk::decode(stored);
    for (const int y : {1, 4, 9}) {
        ASSERT_TRUE(chunk.section(y).global_light_valid());
        (*chunk.edit_section(y))->invalidate_global_light();
    }
    Buffer out;
    const auto expected = encode_into(out, chunk);
    auto marked = stored;
    ASSERT_TRUE(mark_global_light(marked, 1U << 1 | 1U << 4 | 1U << 9));
    EXPECT_EQ(marked, Buffer(expected.begin(), expected.end()));
}

TEST(LightMarks, ASectionThatIsNotThereIsAnError) {
    auto sections = test_documents::ten_sections();
    sections.resize(3);
    auto stored = test_documents::document(sections);
    EXPECT_FALSE(mark_global_light(stored, 1U << 5));
}

} // namespace
} // namespace orbis::chunk

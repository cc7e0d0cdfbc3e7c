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
    EXPECT_EQ(room.section(1).local_light.at(CellIndex(5)), chunk.section(1).local_light.at(CellIndex(5)));
    auto damaged = Buffer(encoded.begin(), encoded.end());
    damaged[at] = 0xFF; // more nodes than there are
    EXPECT_FALSE(chunk.read_back(damaged, room));
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

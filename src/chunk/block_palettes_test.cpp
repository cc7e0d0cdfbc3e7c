#include "chunk/block_palettes.hpp"
#include "chunk/chunk.hpp"
#include "chunk/chunk_documents_test.hpp"
#include "support/real_chunks.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace orbis::chunk {
namespace {

using test_documents::document;
using test_documents::ten_sections;

/// What is taken must be what `Chunk` decodes without a problem. Whether it was taken.
bool agrees(Bytes bytes) {
    static BlockPalettes palettes;
    static Chunk chunk;
    const bool is_taken = palettes.read(bytes);
    if (!is_taken) {
        for (int y = 0; y < k_sections; ++y) EXPECT_EQ(palettes.section(y).kind, PaletteKind::empty);
        return false;
    }
    const auto read = chunk.read(bytes, k_blocks);
    EXPECT_TRUE(read) << read.error().text();
    for (const auto& problem : chunk.problems()) ADD_FAILURE() << problem.text();
    for (int y = 0; y < k_sections; ++y) {
        const auto section = palettes.section(y);
        const auto& expected = chunk.section(y).blocks;
        EXPECT_TRUE(chunk.section(y).old_keys().empty());
        EXPECT_EQ(section.kind, expected.kind());
        EXPECT_TRUE(std::ranges::equal(section.entries, expected.entries(),
                                       [](const auto& a, const auto& b) {
                                           return a.key == b.value && a.id == b.id && a.cells == b.cells;
                                       }))
            << "section " << y;
        EXPECT_TRUE(section.kind == PaletteKind::empty || section.cells == expected.stored_cells().data());
    }
    return true;
}

/// Sections with both kinds of palettes.
std::vector<test::SectionImage> mixed_sections() {
    auto sections = ten_sections();
    sections[2].blocks.assign(test::k_image_cells, "Empty");
    for (std::size_t i = 0; i < 40; ++i) sections[2].blocks[i * 11] = "Key_" + std::to_string(i);
    sections[3].version = 5; // without a migration count
    sections[3].blocks.assign(test::k_image_cells, "Rock_Sl\u00e4te");
    return sections;
}

TEST(BlockPalettes, AreThoseOfTheChunk) {
    const auto bytes = document(mixed_sections());
    EXPECT_TRUE(agrees(bytes));
    BlockPalettes palettes;
    ASSERT_TRUE(palettes.read(bytes));
    EXPECT_EQ(palettes.section(0).entries.front().key, "Rock_Stone");
    EXPECT_EQ(palettes.section(2).kind, PaletteKind::byte);
    EXPECT_EQ(palettes.section(2).entries.size(), 41U);
    EXPECT_EQ(palettes.section(9).kind, PaletteKind::empty);
    EXPECT_TRUE(palettes.read(document({}, false))) << "the next one, with no sections at all";
    EXPECT_EQ(palettes.section(0).kind, PaletteKind::empty);
}

TEST(BlockPalettes, LeaveWhatIsOldOrRareToTheChunk) {
    EXPECT_FALSE(agrees(document(ten_sections(4)))) << "attributes in keys";
    auto wide = ten_sections();
    wide[1].block_type = 3;
    EXPECT_FALSE(agrees(document(wide)));
    auto eleven = ten_sections();
    eleven.push_back(eleven[0]);
    EXPECT_FALSE(agrees(document(eleven)));
}

/// A document with one section, whose `Block` is made by `write`.
Buffer with_block_component(const std::function<void(bson::Writer&)>& write) {
    Buffer out;
    bson::Writer root(out);
    root.document("Components").document("ChunkColumn").array("Sections");
    root.document("0").document("Components");
    write(root);
    root.end().end().end().end().end().finish();
    return out;
}

TEST(BlockPalettes, OtherTypesAndRepeatedNamesAreLeftToTheChunk) {
    const auto data = test::section_image(ten_sections()[1]);
    const auto block = [&](bson::Writer& out) {
        out.document("Block").int32("Version", 6).binary("Data", data).end();
    };
    EXPECT_TRUE(agrees(with_block_component(block)));
    EXPECT_TRUE(agrees(with_block_component([&](bson::Writer& out) {
        out.document("Block").binary("Data", data).int32("Version", 6).end(); // in another order
    })));
    EXPECT_FALSE(agrees(with_block_component([&](bson::Writer& out) {
        block(out);
        block(out);
    })));
    EXPECT_FALSE(agrees(with_block_component([&](bson::Writer& out) {
        out.document("Block").string("Version", "6").binary("Data", data).end();
    })));
    EXPECT_FALSE(agrees(with_block_component(
        [&](bson::Writer& out) { out.document("Block").int32("Version", 6).string("Data", "text").end(); })));
    EXPECT_FALSE(agrees(with_block_component(
        [&](bson::Writer& out) { out.document("Block").int32("Version", 7).binary("Data", data).end(); })));
    EXPECT_FALSE(agrees(with_block_component([](bson::Writer& out) { out.int32("Block", 6); })));
}

TEST(BlockPalettes, EveryCutOfAPaletteIsLeftToTheChunk) {
    auto section = ten_sections()[1];
    const auto whole = test::section_image(section);
    const auto palette = 4 + test::key_palette_image(section.blocks).size();
    for (std::size_t size = 0; size < palette; size += size < 80 || size + 80 > palette ? 1 : 997) {
        const Bytes cut = Bytes(whole).first(size);
        EXPECT_FALSE(agrees(with_block_component([&](bson::Writer& out) {
            out.document("Block").int32("Version", 6).binary("Data", cut).end();
        }))) << size;
    }
}

TEST(BlockPalettes, EveryCutOfADocumentIsLeftToTheChunk) {
    auto bytes = document(mixed_sections());
    const auto whole = bytes;
    for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 1009) {
        bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(agrees(bytes)) << size;
        if (size < 5) continue;
        for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(size >> (i * 8));
        bytes.back() = 0; // so that only what is inside of it is cut
        EXPECT_FALSE(agrees(bytes)) << size;
    }
}

TEST(BlockPalettes, ChangedBytesAreRefusedOrReadAsTheChunkReadsThem) {
    const auto whole = document(mixed_sections());
    SEEDED_RANDOM(random);
    auto bytes = whole;
    const auto try_at = [&](std::size_t at) {
        bytes[at] = static_cast<std::uint8_t>(random());
        (void)agrees(bytes);
        bytes[at] = whole[at];
    };
    for (int i = 0; i < 500; ++i) try_at(random() % whole.size());
    // Around what the path to the blocks consists of.
    for (const std::string_view name : {"Components", "ChunkColumn", "Sections", "Block", "Version", "Data"})
        for (auto found = as_text(whole).find(name); found != std::string_view::npos;
             found = as_text(whole).find(name, found + 1))
            for (std::size_t at = found - 6; at < std::min(found + 60, whole.size()); ++at) try_at(at);
}

TEST(BlockPalettes, OfRealChunksAreThoseOfTheChunk) {
    std::size_t chunks = 0;
    std::size_t taken = 0;
    for (const auto& file : test::real_region_files())
        ASSERT_NO_FATAL_FAILURE(test::for_each_real_chunk(file, [&](Bytes bytes) {
            ++chunks;
            if (agrees(bytes)) ++taken;
        }));
    EXPECT_GE(taken, chunks / 2) << "chunks of today are those that it is made for";
}

} // namespace
} // namespace orbis::chunk

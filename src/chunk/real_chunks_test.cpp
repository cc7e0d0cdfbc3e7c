#include "chunk/chunk.hpp"
#include "support/real_chunks.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::chunk {
namespace {

/// Calls `visit` with the chunks of all real worlds, where they are there.
template <typename Visit>
void for_each_real_chunk(Visit&& visit) {
    for (const auto& file : test::real_region_files())
        ASSERT_NO_FATAL_FAILURE(test::for_each_real_chunk(file, visit));
}

TEST(RealChunks, ReadWithoutAProblemAndPassTheDeepCheck) {
    Chunk chunk;
    for_each_real_chunk([&](Bytes document) {
        const auto read = chunk.read(document);
        ASSERT_TRUE(read) << read.error().text();
        for (const auto& problem : chunk.problems()) ADD_FAILURE() << problem.text();
        for (const auto& problem : chunk.check()) ADD_FAILURE() << problem.text();
    });
}

TEST(RealChunks, EncodeUnchangedToTheVeryBytesThatWereRead) {
    Chunk chunk;
    Buffer out;
    for_each_real_chunk([&](Bytes document) {
        ASSERT_TRUE(chunk.read(document));
        const auto encoded = chunk.encode(out);
        ASSERT_TRUE(encoded) << encoded.error().text();
        ASSERT_EQ(encoded->data(), document.data());
        ASSERT_EQ(encoded->size(), document.size());
    });
}

/// Writes each part again, without the short cut for what did not change.
TEST(RealChunks, EveryPartReencodesToItsStoredBytes) {
    Chunk chunk;
    for_each_real_chunk([&](Bytes document) {
        ASSERT_TRUE(chunk.read(document));
        const auto sections = chunk.components().find_path({"ChunkColumn", "Sections"});
        ASSERT_TRUE(sections);
        int y = 0;
        for (bson::Cursor at(*sections->array()); at.next(); ++y) {
            const auto& section = chunk.section(y);
            const auto data = [&](std::string_view name) {
                return at->document()->find_path({"Components", name, "Data"})->binary()->data;
            };
            Buffer out;
            if (section.version == Section::k_version) {
                section.append_block(out);
                ASSERT_TRUE(std::ranges::equal(out, data("Block"))) << "section " << y;
            }
            if (section.fluid_state == PartState::decoded) {
                out.clear();
                section.append_fluid(out);
                ASSERT_TRUE(std::ranges::equal(out, data("Fluid"))) << "section " << y;
            }
        }
    });
}

TEST(RealChunks, RebuiltLightTreesAreTheStoredOnes) {
    Chunk chunk;
    std::vector<std::uint16_t> values(k_cells);
    for_each_real_chunk([&](Bytes document) {
        ASSERT_TRUE(chunk.read(document));
        for (int y = 0; y < k_sections; ++y) {
            for (const auto* light : {&chunk.section(y).local_light, &chunk.section(y).global_light}) {
                if (!light->present()) continue;
                light->expand(Light::Expanded(values));
                for (int i = 0; i < k_cells; i += 37)
                    ASSERT_EQ(light->at(CellIndex(i)).packed, values[static_cast<std::size_t>(i)]);
                const auto rebuilt = build_light_tree(Light::ConstExpanded(values));
                ASSERT_TRUE(std::ranges::equal(rebuilt, light->tree())) << "section " << y;
            }
        }
    });
}

} // namespace
} // namespace orbis::chunk

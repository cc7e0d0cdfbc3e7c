#include "jobs/inspect/digest.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/gzip_lines.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis::jobs {
namespace {

TEST(Digest, EqualsThatOfAnIndependentDecoderForAllRealChunks) {
    Digester digester;
    for (const auto& file : test::real_region_files()) {
        const auto name = file.filename().string();
        const auto folder = file.parent_path().parent_path().filename().string();
        const auto region = name.substr(0, name.size() - std::string(".region.bin").size());
        const auto expected = test::gzip_lines(*test::shared_folder() / "worlds" / "digests"
                                               / (folder + "." + region + ".jsonl.gz"));
        ASSERT_FALSE(expected.empty()) << file;

        const auto store = storage::open_single_region(file, {});
        ASSERT_TRUE(store) << store.error().text();
        storage::ReadContext context;
        const auto cursor = (*store)->chunks();
        std::size_t i = 0;
        for (; i <= expected.size(); ++i) {
            const auto pos = cursor->next();
            ASSERT_TRUE(pos) << pos.error().text();
            if (!*pos) break;
            ASSERT_LT(i, expected.size());
            if (i % static_cast<std::size_t>(test::step()) != 0) continue;
            const auto document = (*store)->read(**pos, context);
            ASSERT_TRUE(document && *document);
            const auto line = digester.line(**pos, **document);
            ASSERT_TRUE(line) << line.error().text();
            ASSERT_EQ(*line, expected[i]) << file;
        }
        EXPECT_EQ(i, expected.size()) << file;
    }
}

TEST(Digest, OfAChunkThatCannotBeReadSaysSo) {
    EXPECT_EQ(digest_error_line({-3, 4}), R"({"error":true,"x":-3,"z":4})");
    EXPECT_FALSE(Digester().line({-3, 4}, as_bytes("no chunk")));
    // A part that is damaged is enough.
    Buffer out;
    auto chunk = chunk::Chunk::create();
    const Buffer good(chunk.document().begin(), chunk.document().end());
    EXPECT_TRUE(Digester().line({0, 0}, good));
    auto bad = good;
    const auto data = chunk.components().find_path({"EnvironmentChunk", "Data"});
    bad[data->value_offset() + 5] = 0x7F;
    EXPECT_FALSE(Digester().line({0, 0}, bad));
}

} // namespace
} // namespace orbis::jobs

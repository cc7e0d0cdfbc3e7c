#include "chunk/chunk.hpp"
#include "query/containers.hpp"
#include "query/database.hpp"
#include "query/depths.hpp"
#include "query/filter.hpp"
#include "query/find.hpp"
#include "query/query_test.hpp"
#include "query/save_answer.hpp"
#include "query/table.hpp"
#include "support/region_images.hpp"

#include <cstdint>
#include <fstream>
#include <limits>
#include <sqlite3.h>
#include <string>
#include <vector>

/// Filters, damage and sizes at their limits.
namespace orbis::query {
namespace {

using LimitsTest = QueryTest;

TEST_F(LimitsTest, AnAnswerKeepsTheTypesAndSaysWhyItCannotBeSaved) {
    open_world({plain()});
    const auto file = folder_ / "answer.db";
    auto statement =
        database_->prepare("SELECT 9223372036854775807 AS i, -0.5 AS r, 'a' || char(0) || 'b' AS t, "
                           "x'0001' AS b, NULL AS n UNION ALL SELECT 2, 2.5, '', x'', 0");
    ASSERT_TRUE(statement);
    EXPECT_EQ(save_answer(*statement, file).value(), 2U);
    sqlite3* opened = nullptr;
    ASSERT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* read = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(opened,
                                 "SELECT group_concat(typeof(i) || i || typeof(r) || r || typeof(t) || "
                                 "length(CAST(t AS BLOB)) || typeof(b) || hex(b) || typeof(n)) FROM answer",
                                 -1, &read, nullptr),
              SQLITE_OK);
    ASSERT_EQ(sqlite3_step(read), SQLITE_ROW);
    EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(read, 0)),
                 "integer9223372036854775807real-0.5text3blob0001null,integer2real2.5text0blobinteger");
    sqlite3_finalize(read);
    sqlite3_close(opened);
    auto again = database_->prepare("SELECT 1");
    const auto refused = save_answer(*again, folder_ / "no/folder/answer.db");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::io);
    EXPECT_EQ(refused.error().problem, "the file cannot be created");
    EXPECT_EQ(refused.error().file, (folder_ / "no/folder/answer.db").string());
    std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "link.db");
    EXPECT_EQ(save_answer(*again, folder_ / "link.db").error().code, Errc::exists)
        << "what a link leads to is not ours";
}

} // namespace
} // namespace orbis::query

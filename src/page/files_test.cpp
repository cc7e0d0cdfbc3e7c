#include "page/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orbis::page {
namespace {

// Without the web build there is nothing to look at; the browser tests fail then.
class PageFilesOf : public testing::TestWithParam<std::string_view> {};

TEST_P(PageFilesOf, TheIndexNamesOnlyFilesThatAreThere) {
    if (files().empty()) GTEST_SKIP() << "built without the page";
    const File* index = find(GetParam());
    ASSERT_NE(index, nullptr);
    EXPECT_EQ(index->type, "text/html; charset=utf-8");
    const std::string html(as_text(index->bytes));
    EXPECT_EQ(html.find("type=\"module\""), std::string::npos) << "file:// pages cannot load modules";
    std::size_t named = 0;
    for (std::size_t at = html.find("\"./"); at != std::string::npos; at = html.find("\"./", at + 1)) {
        const auto path = html.substr(at + 3, html.find('"', at + 1) - at - 3);
        const auto* file = find(path);
        ASSERT_NE(file, nullptr) << path;
        EXPECT_EQ(file->is_of_inspector(), index->is_of_inspector())
            << path << ": maps are written without it";
        ++named;
    }
    EXPECT_GE(named, 2U);
}

INSTANTIATE_TEST_SUITE_P(Pages, PageFilesOf, testing::Values("index.html", "inspector.html"));

TEST(PageFiles, AreSortedSoThatEachIsFound) {
    EXPECT_TRUE(std::ranges::is_sorted(files(), {}, &File::path));
    for (const File& file : files()) {
        EXPECT_EQ(find(file.path), &file);
        EXPECT_FALSE(file.bytes.empty()) << file.path;
        EXPECT_FALSE(file.type.empty()) << file.path;
    }
}

TEST(PageFiles, TheMapNamesTheScriptForThreeDimensions) {
    if (files().empty()) GTEST_SKIP() << "built without the page";
    std::size_t named = 0;
    for (const File& file : files()) {
        if (!file.path.starts_with("assets/") || !file.path.ends_with(".js")) continue;
        const auto text = as_text(file.bytes);
        const auto at = text.find("viewer/main-");
        ASSERT_NE(at, text.npos) << file.path;
        const auto* viewer = find(text.substr(at, text.find(".js", at) + 3 - at));
        ASSERT_NE(viewer, nullptr);
        EXPECT_TRUE(viewer->is_of_viewer());
        EXPECT_EQ(viewer->type, "text/javascript; charset=utf-8");
        ++named;
    }
    EXPECT_EQ(named, 1U);
}

TEST(PageFiles, NothingIsFoundForOtherPaths) {
    EXPECT_EQ(find(""), nullptr);
    EXPECT_EQ(find("../index.html"), nullptr);
    EXPECT_EQ(find("index.htm"), nullptr);
    EXPECT_EQ(find("zzz"), nullptr);
}

} // namespace
} // namespace orbis::page

#include "bytes/inside.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

namespace fs = std::filesystem;

TEST(Inside, AFolderAndAllBelowItAreInsideAndNeighboursAreNot) {
    const test::TemporaryFolder temporary;
    const auto folder = temporary / "universe";
    fs::create_directories(folder / "worlds");
    EXPECT_TRUE(is_inside(folder, folder));
    EXPECT_TRUE(is_inside(folder / "worlds" / "new" / "map", folder));
    EXPECT_TRUE(is_inside(folder / "worlds" / "map", folder / ""));
    EXPECT_TRUE(is_inside(temporary / "other" / ".." / "universe" / "map", folder));
    EXPECT_FALSE(is_inside(temporary / "universe-map", folder));
    EXPECT_FALSE(is_inside(folder / ".." / "map", folder));
    EXPECT_FALSE(is_inside(temporary / "", folder));
}

TEST(Inside, LinksAreFollowed) {
    const test::TemporaryFolder temporary;
    fs::create_directories(temporary / "universe");
    fs::create_directory_symlink(temporary / "universe", temporary / "link");
    EXPECT_TRUE(is_inside(temporary / "link" / "map", temporary / "universe"));
    EXPECT_TRUE(is_inside(temporary / "universe" / "map", temporary / "link"));
}

TEST(Inside, APathThatCannotBeFollowedIsTakenAsItIsWritten) {
    const test::TemporaryFolder temporary;
    fs::create_symlink("loop", temporary / "loop");
    EXPECT_TRUE(is_inside(temporary / "loop" / "x", temporary / "loop"));
    EXPECT_FALSE(is_inside(temporary / "loop" / ".." / "y", temporary / "loop"));
}

} // namespace
} // namespace orbis

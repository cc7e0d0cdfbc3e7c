#include "bytes/atomic_file.hpp"
#include "library/library_worlds_test.hpp"
#include "orbis/draw.hpp"
#include "support/png_pixels.hpp"

#include <algorithm>

namespace orbis::library_tests {
namespace {

TEST(Draw, GivesThePixelsOfThePngFile) {
    const test::TemporaryFolder folder;
    const auto world =
        opened(folder / "world", {world::made::document({0, 0}, 1), world::made::document({1, 0}, 2)});
    const auto picture = draw(world);
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ(picture->info.width, 64U);
    EXPECT_EQ(picture->info.height, 32U);
    EXPECT_EQ(picture->info.chunks, 2U);
    EXPECT_EQ(picture->pixels.size(), 64U * 32 * 4);
    EXPECT_TRUE(std::ranges::any_of(picture->pixels, [](std::uint8_t byte) { return byte != 0; }));
    const auto file = (folder / "map.png").string();
    ASSERT_TRUE(draw_png(world, file));
    EXPECT_EQ(test::read_png(file).pixels, picture->pixels);
}

TEST(Draw, GivesTheBytesOfAPngFile) {
    const test::TemporaryFolder folder;
    const auto world =
        opened(folder / "world", {world::made::document({0, 0}, 1), world::made::document({1, 0}, 2)});
    const auto picture = draw(world);
    ASSERT_TRUE(picture) << picture.error().text();
    const auto png = to_png(*picture);
    ASSERT_TRUE(png) << png.error().text();
    const auto file = folder / "kept.png";
    ASSERT_TRUE(write_file_atomically(file, *png));
    EXPECT_EQ(test::read_png(file.string()).pixels, picture->pixels);
    EXPECT_LT(png->size(), picture->pixels.size());

    EXPECT_FALSE(to_png({})) << "PNG has no picture without pixels";
    auto short_of_one = *picture;
    short_of_one.pixels.pop_back();
    EXPECT_EQ(to_png(short_of_one).error().code, Errc::bad_value);
}

TEST(Draw, ShowsOnlyAnArea) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), plain(), plain()});
    const auto picture = draw(world, {.layer = "height", .area = Area{{1, 0}, {9, 9}}});
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ(picture->info.width, 64U);
    EXPECT_EQ(picture->info.first, (ChunkPos{1, 0}));
    EXPECT_EQ(draw(world, {.area = Area{{50, 50}, {60, 60}}}).error().code, Errc::not_found);
    EXPECT_FALSE(draw(world, {.layer = "dreams"}));
}

TEST(Draw, RemembersChunksThatCannotBeRead) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), Buffer{1, 2, 3}});
    const auto picture = draw(world);
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ(picture->info.unreadable, 1U);
    EXPECT_EQ(world.problems().size(), 1U);
}

} // namespace
} // namespace orbis::library_tests

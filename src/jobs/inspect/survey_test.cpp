#include "bytes/writer.hpp"
#include "jobs/inspect/chunk_picture.hpp"
#include "jobs/inspect/overlaps.hpp"
#include "jobs/inspect/show_chunk.hpp"
#include "jobs/inspect/survey.hpp"
#include "jobs/test_worlds/old_documents_test.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/zstd_frames.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using Json = nlohmann::json;

TEST(Overlaps, AreThoseThatBeginBeforeTheFurthestOneEnds) {
    const auto found = [](const std::vector<std::array<int, 3>>& blobs) { // slot, first segment, segments
        std::vector<storage::BlobInfo> infos;
        for (const auto& [slot, first, count] : blobs)
            infos.push_back(
                {.slot = {slot}, .first_segment = first, .segments = static_cast<std::uint64_t>(count)});
        std::string text;
        for (const auto& [blob, other] : find_overlaps(infos))
            text += fmt::format("{} in {}; ", blob.slot.value, other.slot.value);
        return text;
    };
    EXPECT_EQ(found({}), "");
    EXPECT_EQ(found({{0, 1, 2}, {1, 3, 1}, {2, 4, 9}}), "");
    EXPECT_EQ(found({{0, 1, 3}, {1, 3, 1}}), "1 in 0; ");
    EXPECT_EQ(found({{1, 3, 1}, {0, 1, 3}}), "1 in 0; ") << "by segment, not by slot";
    EXPECT_EQ(found({{0, 1, 9}, {1, 2, 1}, {2, 5, 3}, {3, 9, 1}, {4, 10, 1}}), "1 in 0; 2 in 0; 3 in 0; ");
    EXPECT_EQ(found({{0, 1, 3}, {1, 2, 5}, {2, 6, 1}, {3, 7, 1}}), "1 in 0; 2 in 1; ");
    EXPECT_EQ(found({{0, 1, 3}, {1, 2, 2}, {2, 3, 1}}), "1 in 0; 2 in 0; ") << "of two that end at once";
}

std::unique_ptr<storage::Region> region_of(Buffer image) {
    return storage::open_region(std::make_unique<test::MemoryFile>(std::move(image), "r.bin"), {1, -1})
        .value();
}

std::string problems_of(const std::vector<Error>& problems) {
    std::string text;
    for (const auto& problem : problems) {
        text += fmt::format("{} {} at {} of {}: {}; {}\n", static_cast<int>(problem.code),
                            problem.chunk ? fmt::format("{:n}", *problem.chunk) : "-",
                            problem.offset.value_or(0), problem.file, problem.problem, problem.advice);
    }
    return text;
}

TEST(RegionSurvey, CountsEveryByteOfAFile) {
    const test::RegionContent content{{0, {Buffer(100, 1), 500}},   // 1 segment
                                      {2, {Buffer(4088, 1), 70}},   // exactly 1
                                      {5, {Buffer(4089, 1), 9000}}, // 2, or of version 0 with links 2
                                      {9, {Buffer(8180, 1), 1}}};
    auto image = test::region_v1_image(content);
    image.resize(image.size() + 2 * 4096); // the last one is cut
    const auto found = survey(*region_of(image));
    EXPECT_EQ(found.pos, (RegionPos{1, -1}));
    EXPECT_EQ(found.file, "r.bin");
    EXPECT_EQ(found.version, 1);
    EXPECT_EQ(found.file_bytes, image.size());
    EXPECT_EQ(found.chunks, 4U);
    EXPECT_EQ(found.raw_bytes, 500U + 70 + 9000 + 1);
    EXPECT_EQ(found.frame_bytes, 100U + 4088 + 4089 + 8180);
    EXPECT_EQ(found.slack_bytes, 3988U + 0 + 4095 + 4);
    EXPECT_EQ(found.free_bytes, 2U * 4096);
    EXPECT_EQ(problems_of(found.problems), "");
    const auto old = survey(*region_of(test::region_v0_image(content)));
    EXPECT_EQ(old.version, 0);
    EXPECT_EQ(old.slack_bytes, 3984U + (2 * 4092 - 8 - 4088) + (2 * 4092 - 8 - 4089) + (3 * 4092 - 8 - 8180));
    EXPECT_EQ(old.free_bytes, 0U);
}

TEST(RegionSurvey, TellsOfEachEntryThatIsWrongAndOfFramesThatSayOtherThings) {
    const std::string text(1000, 'x');
    const auto good = test::compressed_blob(as_bytes(text));
    test::RegionContent content{{0, good}, {1, good}, {2, good}, {3, good}, {4, good}};
    content[3].raw_size = 999;
    content[4] = {test::frame_without_size(as_bytes(text)), 1000};
    auto image = test::region_v1_image(content);
    store_be(image.data() + 32 + 4 * 1, std::int32_t{1});    // the segment of slot 0
    store_be(image.data() + 32 + 4 * 2, std::int32_t{5000}); // outside
    const auto found = survey(*region_of(image));
    EXPECT_EQ(found.chunks, 4U);
    EXPECT_EQ(found.free_bytes, 4096U);
    constexpr auto k_others = "the other chunks are not affected; restore this one from a backup";
    EXPECT_EQ(
        problems_of(found.problems),
        fmt::format("{} 34,-32 at 40 of r.bin: expected an index entry inside the file of {} bytes, found "
                    "5000; {}\n{} 33,-32 at 36 of r.bin: segment 1 is also used by chunk 32,-32; one of "
                    "them was overwritten; restore both from a backup\n",
                    static_cast<int>(Errc::out_of_range), image.size(), k_others,
                    static_cast<int>(Errc::overlap)));
    EXPECT_EQ(
        problems_of(found.frame_problems),
        fmt::format("{0} 35,-32 at 16424 of r.bin: expected a frame with 999 bytes of content, found one "
                    "that states 1000; {1}\n{0} 36,-32 at 20520 of r.bin: the frame does not state its "
                    "size (1000 bytes); it is readable; orbis compact r.bin --level 3 rewrites it as the "
                    "game does\n",
                    static_cast<int>(Errc::bad_frame), k_others));
    // Of version 0 segments are linked: nothing follows from the first.
    auto old = test::region_v0_image(content);
    store_be(old.data() + 32 + 4 * 1, std::int32_t{1});
    EXPECT_EQ(problems_of(survey(*region_of(old)).problems), "");
}

/// Pixels of a picture with a letter for each colour.
class PictureTest : public testing::Test {
protected:
    static constexpr Rgb k_red = 0x804020;
    static constexpr Rgb k_dark = 0x603018; // three quarters of it
    static constexpr Rgb k_green = 0x00FF00;
    static constexpr Rgb k_mark = 0xFFFFFF;

    /// A stretch of pixels from the left.
    std::string row(std::uint32_t x, std::uint32_t z, std::uint32_t length) const {
        std::string text;
        for (std::uint32_t i = x; i < x + length; ++i) text += letter(image_.at(i, z));
        return text;
    }
    /// The same downwards.
    std::string column(std::uint32_t x, std::uint32_t z, std::uint32_t length) const {
        std::string text;
        for (std::uint32_t i = z; i < z + length; ++i) text += letter(image_.at(x, i));
        return text;
    }
    static char letter(Rgb colour) {
        switch (colour) {
        case ChunkPicture::k_nothing: return '.';
        case k_red: return 'r';
        case k_dark: return 'd';
        case k_green: return 'g';
        case k_mark: return 'w';
        case 0: return 'b';
        default: return '?';
        }
    }
    void draw() { image_ = picture_.draw(); }

    ChunkPicture picture_;
    Picture image_;
};

TEST_F(PictureTest, OfAFewChunksHasAPixelForEachColumn) {
    std::bitset<k_columns> columns;
    columns[7 * 32 + 5] = columns[31 * 32 + 31] = columns[0] = true;
    picture_.add({-3, 2}, k_red, 0);
    picture_.add_columns({-3, 2}, columns, k_green);
    draw();
    ASSERT_EQ(image_.width(), 96U);
    ASSERT_EQ(image_.height(), 96U);
    EXPECT_EQ(row(31, 32, 34), "."
                               "g" + std::string(31, 'd')
                                   + ".");
    EXPECT_EQ(row(31, 33, 4), ".drr");
    EXPECT_EQ(column(32, 31, 34), "."
                                  "g" + std::string(31, 'd')
                                      + ".");
    EXPECT_EQ(row(32, 39, 8), "drrrrgrr");
    EXPECT_EQ(row(61, 63, 5), "rrg..");
    EXPECT_EQ(row(31, 64, 3), "...");
    picture_.mark({-3 * 32 + 16, 70, 2 * 32 + 16}, k_mark);
    draw();
    EXPECT_EQ(row(37, 48, 23), "rb" + std::string(19, 'w') + "br");
    EXPECT_EQ(row(37, 47, 23), "r" + std::string(10, 'b') + "w" + std::string(10, 'b') + "r");
    EXPECT_EQ(column(48, 37, 23), "rb" + std::string(19, 'w') + "br");
    EXPECT_EQ(column(49, 37, 23), "r" + std::string(10, 'b') + "w" + std::string(10, 'b') + "r");
    EXPECT_EQ(row(46, 46, 5), "rbwbr");
}

TEST_F(PictureTest, OfMoreChunksHasSmallerOnesAndOfManyOnePixelForSeveral) {
    struct Row {
        std::int32_t last; ///< chunk of the east, beside one at 0
        std::uint32_t width;
        std::uint32_t height;
        std::string first; ///< pixels from the one before the first chunk on, in its second row
        std::string cross; ///< of a mark in the corner of the first chunk, from its left end on
    };
    for (const auto& expected :
         {Row{46, 49 * 16, 48,
              "."
              "d" + std::string(15, 'r')
                  + ".",
              ""},
          Row{97, 100 * 10, 30, ".drrrrrrrrr.", ""}, Row{250, 253 * 4, 12, ".drrr.", ""},
          Row{297, 300 * 3, 9, ".rrr.", ""}, Row{1021, 1024, 3, ".r.", ""}}) {
        SCOPED_TRACE(expected.last);
        picture_ = {};
        picture_.add({0, 0}, k_red, 0);
        picture_.add({expected.last, 0}, k_red, 0);
        draw();
        ASSERT_EQ(image_.width(), expected.width);
        ASSERT_EQ(image_.height(), expected.height);
        const auto pixels = expected.width / (static_cast<std::uint32_t>(expected.last) + 3);
        EXPECT_EQ(
            row(pixels - 1, pixels + (pixels > 1 ? 1 : 0), static_cast<std::uint32_t>(expected.first.size())),
            expected.first);
        EXPECT_EQ(row(expected.width - pixels - 1, pixels + (pixels > 1 ? 1 : 0), 2), "r.");
    }
    picture_ = {};
    picture_.add({0, 0}, k_red, 0);
    picture_.add({1, 0}, k_green, 2);
    picture_.add({2, 0}, k_red, 1);
    picture_.add({5000, 0}, k_red, 0);
    draw();
    EXPECT_EQ(image_.width(), 2502U);
    EXPECT_EQ(image_.height(), 2U);
    EXPECT_EQ(row(0, 0, 4), "rg..") << "the one with the higher rank is seen";
    EXPECT_EQ(row(2499, 0, 3), ".r.");
    EXPECT_EQ(row(0, 1, 3), "...");
    picture_ = {};
    draw();
    EXPECT_EQ(image_.width(), 1U);
    EXPECT_EQ(image_.height(), 1U);
}

TEST_F(PictureTest, HasCrossesThatFitTheSizeOfAChunk) {
    for (const auto& [last, arm] : {std::pair{46, 9U}, {97, 5U}, {297, 3U}, {1021, 3U}}) {
        SCOPED_TRACE(last);
        picture_ = {};
        picture_.add({0, 0}, k_red, 0);
        picture_.add({last, 20}, k_red, 0);
        picture_.mark({20 * 32, 0, 10 * 32}, k_mark);
        draw();
        const auto pixels = image_.width() / (static_cast<std::uint32_t>(last) + 3);
        const auto x = 21 * pixels;
        const auto z = 11 * pixels;
        EXPECT_EQ(row(x - arm - 2, z, 2 * arm + 5), ".b" + std::string(2 * arm + 1, 'w') + "b.");
        EXPECT_EQ(column(x, z - arm - 2, 2 * arm + 5), ".b" + std::string(2 * arm + 1, 'w') + "b.");
        EXPECT_EQ(row(x - 2, z - 2, 5), ".bwb.");
    }
}

TEST(ShowChunkDetails, AreAllThere) {
    const auto document = edited(plain(), [](chunk::Chunk& chunk) {
        chunk.edit_health().value()->set({{{1, 2, 3}, 0.5F, 7}}, {{{4, 5, 6}, 2.5F}});
        chunk.edit_tints().value()->set(ColumnIndex(5), 0x123456);
        chunk.edit_heights().value()->set(ColumnIndex(0), 300);
        chunk.edit_heights().value()->set(ColumnIndex(1023), -1);
        auto* section = chunk.edit_section(1).value();
        section->global_light.clear(8);
        section->global_counter = 9;
        section->rotations.set(CellIndex(3), 5);
    });
    const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    ShowOptions options;
    const auto all = Json::parse(show_chunk({1, 2}, chunk, options).value());
    EXPECT_EQ(all["bytes"], document.size());
    EXPECT_EQ(all["block_chunk_version"], 3);
    EXPECT_EQ(all["health"], Json::parse(R"({"version":2,
        "damaged":[{"x":1,"y":2,"z":3,"health":0.5,"last_damage":7}],
        "fragile":[{"x":4,"y":5,"z":6,"seconds":2.5}]})"));
    EXPECT_EQ(all["tints"], (Json{{"different", 2}, {"most_frequent", "#85ee00"}}));
    EXPECT_EQ(all["heights"], (Json{{"lowest", -1}, {"highest", 300}}));
    EXPECT_EQ(all["sections"][9]["from_y"], 288);
    EXPECT_EQ(all["sections"][9]["to_y"], 319);
    const auto& section = all["sections"][1];
    EXPECT_EQ(section["global_light"],
              (Json{{"stored", false}, {"bytes", 0}, {"change_id", 8}, {"counter", 9}, {"valid", false}}));
    EXPECT_EQ(section["rotations"], Json::parse(R"({"palette":"HalfByte","cells":[[0,32767],[5,1]]})"));
    EXPECT_EQ(section["blocks"]["palette"], "HalfByte");
    EXPECT_EQ(section["fluid"], "decoded");
    EXPECT_EQ(section["physics"], "decoded");
    EXPECT_EQ(all["sections"][2]["fluid"], "absent");
    EXPECT_EQ(all["sections"][2]["physics"], "absent");
    EXPECT_FALSE(all["sections"][2].contains("fluids"));
    options.blocks = true;
    const auto cells = Json::parse(show_chunk({1, 2}, chunk, options).value());
    EXPECT_EQ(cells["tints"]["columns"].size(), 1024U);
    EXPECT_EQ(cells["tints"]["columns"][5], "#123456");
    EXPECT_EQ(cells["tints"]["columns"][6], "#85ee00");
    EXPECT_EQ(cells["heights"]["columns"][0], 300);
    EXPECT_EQ(cells["sections"][1]["rotations"]["runs"], Json::parse("[[0,3],[5,1],[0,32764]]"));
    options.section = 2;
    options.component = "Block";
    options.blocks = false;
    EXPECT_TRUE(show_chunk({1, 2}, chunk, options));
    options.section = 10;
    const auto none = show_chunk({1, 2}, chunk, options);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::not_found);
    EXPECT_EQ(none.error().problem, "this section has no components");
}

} // namespace
} // namespace orbis::jobs

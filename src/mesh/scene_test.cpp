#include "chunk/chunk.hpp"
#include "mesh/scene_file.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

namespace orbis::mesh {
namespace {

/// A world in memory.
class MadeStore final : public storage::Store {
public:
    std::map<ChunkPos, Buffer> documents;

    void put(ChunkPos pos, const chunk::Chunk& chunk) {
        Buffer room;
        const auto bytes = chunk.encode(room).value();
        documents[pos] = Buffer(bytes.begin(), bytes.end());
    }
    [[nodiscard]] std::string_view kind() const override { return "memory"; }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool keeps_compressed() const override { return false; }
    [[nodiscard]] std::unique_ptr<storage::Cursor> chunks() const override { return nullptr; }
    [[nodiscard]] Result<bool> contains(ChunkPos pos) const override { return documents.contains(pos); }
    [[nodiscard]] Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext&) const override {
        const auto found = documents.find(pos);
        if (found == documents.end()) return std::nullopt;
        return Bytes(found->second);
    }
    [[nodiscard]] Result<std::optional<storage::CompressedChunk>>
    read_compressed(ChunkPos, storage::ReadContext&) const override {
        return std::nullopt;
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_compressed(ChunkPos, const storage::CompressedChunk&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }

private:
    std::string name_ = "made";
};

/// Flat ground of stone, three blocks high, with a block of glass, water and a plant on it.
struct Scenes : testing::Test {
    MadeStore store;
    NoProgress progress;

    Scenes() {
        for (const auto pos : {ChunkPos{0, 0}, ChunkPos{1, 0}, ChunkPos{2, 0}, ChunkPos{0, 1}}) {
            auto chunk = chunk::Chunk::create();
            for (int x = 0; x < k_side; ++x)
                for (int z = 0; z < k_side; ++z)
                    for (int y = 0; y < 3; ++y) (void)chunk.set_block({x, y, z}, {"Rock_Stone", {}, {}});
            (void)chunk.set_block({4, 3, 4}, {"Plant_Grass_Sharp", {}, {}});
            (void)chunk.set_fluid({8, 3, 8}, {"Water_Source", 1});
            store.put(pos, chunk);
        }
    }
    Result<BoxScene> take(std::string_view box, Materials::Use use = Materials::Use::picture) {
        return take_scene(store, jobs::BlockBox::parse(box).value(), world::Assets::built_in(), use,
                          progress);
    }
};

double volume_of(const BoxScene& scene) {
    double sum = 0;
    for (const auto& quad : scene.quads) {
        const auto at = corners_of(quad);
        for (const auto& [a, b, c] : {std::tuple{at[0], at[1], at[2]}, std::tuple{at[0], at[2], at[3]}})
            sum += double{a.x} * (double{b.y} * c.z - double{b.z} * c.y)
                   - double{a.y} * (double{b.x} * c.z - double{b.z} * c.x)
                   + double{a.z} * (double{b.x} * c.y - double{b.y} * c.x);
    }
    return sum / 6;
}

TEST_F(Scenes, CrossTheBordersOfChunksAndCloseWhatIsCut) {
    const auto scene = take("20,1,10..80,2,20");
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->chunks, 3U);
    EXPECT_TRUE(scene->missing.empty());
    EXPECT_EQ(scene->quads.size(), 3U * 4 + 2) << "no face where chunks meet";
    EXPECT_DOUBLE_EQ(volume_of(*scene), 61 * 2 * 11);
    for (const auto& quad : scene->quads)
        for (const auto& corner : corners_of(quad))
            EXPECT_TRUE(corner.x >= 0 && corner.x <= 61 && corner.y >= 0 && corner.y <= 2 && corner.z >= 0
                        && corner.z <= 11);
}

TEST_F(Scenes, AreTheSameWhicheverSideIsLonger) {
    for (const auto* box : {"-40,0,0..100,10,31", "0,0,-40..31,10,70"}) {
        const auto scene = take(box);
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_EQ(scene->box_chunks, scene->chunks + scene->missing.size());
        EXPECT_EQ(scene->chunks, std::string_view(box).starts_with("-") ? 3U : 2U) << box;
    }
}

TEST_F(Scenes, ForPrintersAreOneBody) {
    const auto picture = take("0,0,0..31,10,31").value();
    const auto print = take("0,0,0..31,10,31", Materials::Use::print).value();
    EXPECT_EQ(print.quads.size(), 6U) << "without the plant and the water";
    EXPECT_GT(picture.quads.size(), 15U);
    EXPECT_DOUBLE_EQ(volume_of(print), 32 * 3 * 32);
}

TEST_F(Scenes, SayWhatIsMissingAndWhatIsDamaged) {
    auto& broken = store.documents[{1, 0}];
    broken.assign(40, 0xFF);
    const auto scene = take("0,0,0..200,10,31");
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->missing.size(), 4U);
    EXPECT_EQ(scene->problems.size(), 1U);
    EXPECT_FALSE(scene->quads.empty());
    EXPECT_FALSE(take("0,0,0..5000000,10,5000000")) << "too many chunks";
    EXPECT_FALSE(take("-2147483648,0,-2147483648..2147483647,10,2147483647"));
    EXPECT_FALSE(take("0,320,0..5,400,5")) << "above the world";
}

TEST_F(Scenes, KeysOfStrangersAreWordsInFiles) {
    auto chunk = chunk::Chunk::create();
    ASSERT_TRUE(chunk.set_block({0, 0, 0}, {"Bad\nusemtl /etc \"x\"", {}, {}}));
    store.put({9, 9}, chunk);
    const auto scene = take("288,0,288..288,0,288");
    ASSERT_TRUE(scene) << scene.error().text();
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_scene(*scene, folder / "a.obj", 1));
    for (const auto* name : {"a.obj", "a.mtl"}) {
        std::ifstream file(folder / name);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        EXPECT_NE(text.find("Bad_usemtl__etc__x_"), std::string::npos) << text;
    }
    ASSERT_TRUE(write_scene(*scene, folder / "a.glb", 1));
    EXPECT_FALSE(check_scene_file(folder / "a.glb", false));
    EXPECT_TRUE(check_scene_file(folder / "a.glb", true));
    EXPECT_FALSE(check_scene_file(folder / "a.gltf", true));
    EXPECT_FALSE(check_scene_file(folder / "a.obj", false));
}

} // namespace
} // namespace orbis::mesh

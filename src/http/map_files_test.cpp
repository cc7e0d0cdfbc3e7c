#include "http/map_files.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace orbis::http {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

class MapFilesTest : public testing::Test {
protected:
    MapFilesTest() {
        put(folder_ / "map/worlds/a%20b/world.js", "orbis()");
        put(folder_ / "map/worlds/a%20b/tiles/surface/0/-1.2.0123456789abcdef.png", "tile");
        put(folder_ / "map/worlds/a%20b/tiles/slice@64/2/0.0.0123456789abcdef.png", "tile");
        put(folder_ / "map/worlds/a%20b/facts/0123456789abcdef.js", "facts");
        put(folder_ / "map/worlds/a%20b/state/0123456789abcdef.bin", "state");
        put(folder_ / "secret", "secret");
    }

    int status(const Names& path) { return files_->answer(path).status; }

    orbis::test::TemporaryFolder folder_;
    Result<MapFiles> files_ = MapFiles::open(folder_ / "map");
};

TEST_F(MapFilesTest, FilesOfTheFormatAreServed) {
    ASSERT_TRUE(files_);
    const auto tile =
        files_->answer(Names{"worlds", "a%20b", "tiles", "surface", "0", "-1.2.0123456789abcdef.png"});
    EXPECT_EQ(tile.status, 200);
    EXPECT_EQ(tile.type, "image/png");
    EXPECT_EQ(tile.keep, Keep::forever);
    EXPECT_EQ(tile.file_size, 4U);
    EXPECT_EQ(status({"worlds", "a%20b", "tiles", "slice@64", "2", "0.0.0123456789abcdef.png"}), 200);
    EXPECT_EQ(status({"worlds", "a%20b", "facts", "0123456789abcdef.js"}), 200);
    EXPECT_EQ(files_->answer(Names{"worlds", "a%20b", "world.js"}).keep, Keep::revalidate);
}

TEST_F(MapFilesTest, TheTagOfTheIndexChangesWithIt) {
    const Names index{"worlds", "a%20b", "world.js"};
    const auto before = files_->answer(index).etag;
    EXPECT_EQ(files_->answer(index).etag, before);
    put(folder_ / "new", "another");
    fs::rename(folder_ / "new", folder_ / "map/worlds/a%20b/world.js");
    EXPECT_NE(files_->answer(index).etag, before);
}

TEST_F(MapFilesTest, OtherNamesAreNotLookedFor) {
    put(folder_ / "map/worlds/a%20b/tiles/surface/0/0.0.0123456789ABCDEF.png", "no");
    put(folder_ / "map/worlds/a%20b/notes.txt", "no");
    put(folder_ / "map/other/world.js", "no");
    for (const auto& path : std::vector<Names>{
             {},
             {"worlds"},
             {"worlds", "a%20b"},
             {"other", "world.js"},
             {"worlds", "..", "world.js"},
             {"worlds", "a%20b", "notes.txt"},
             {"worlds", "a b", "world.js"},
             {"worlds", "a%20b", "state", "0123456789abcdef.bin"},
             {"worlds", "a%20b", "tiles", "surface", "0", "0.0.0123456789ABCDEF.png"},
             {"worlds", "a%20b", "tiles", "surface", "00", "-1.2.0123456789abcdef.png"},
             {"worlds", "a%20b", "tiles", "surface", "-1", "-1.2.0123456789abcdef.png"},
             {"worlds", "a%20b", "tiles", "..", "0", "-1.2.0123456789abcdef.png"},
             {"worlds", "a%20b", "tiles", "surface", "0", "..", "-1.2.0123456789abcdef.png"},
             {"worlds", "a%20b", "facts", "../../../../secret"},
             {"worlds", std::string(300, 'a'), "world.js"},
         })
        EXPECT_EQ(status(path), 404);
}

TEST_F(MapFilesTest, NamesHaveExactLimits) {
    const std::string tile = "0.0.0123456789abcdef.png";
    const std::string tiles = "map/worlds/a%20b/tiles/";
    for (const auto* place : {"surface/31/", "surface/32/"}) put(folder_ / (tiles + place + tile), "tile");
    EXPECT_EQ(status({"worlds", "a%20b", "tiles", "surface", "31", tile}), 200);
    EXPECT_EQ(status({"worlds", "a%20b", "tiles", "surface", "32", tile}), 404);
    EXPECT_TRUE(is_layer_name(std::string(32, 'a')));
    EXPECT_FALSE(is_layer_name(std::string(33, 'a')));
    EXPECT_TRUE(is_layer_name("slice@-5"));
    for (const auto* name : {"", "@5", "slice@", "slice@05", "Slice", "slice@5@6"})
        EXPECT_FALSE(is_layer_name(name)) << name;
    EXPECT_TRUE(is_world_folder_name(std::string(255, 'a')));
    EXPECT_FALSE(is_world_folder_name(std::string(256, 'a')));
    for (const auto* name : {"", ".", "..", "%", "%4", "%4g", "%4a", "a/b", "a b"})
        EXPECT_FALSE(is_world_folder_name(name)) << name;
    for (const auto* name : {"...", "%4A", "a%20", "Z_-.9"}) EXPECT_TRUE(is_world_folder_name(name)) << name;
    EXPECT_TRUE(is_hash_name("0123456789abcdef"));
    EXPECT_FALSE(is_hash_name("0123456789abcde"));
    EXPECT_FALSE(is_hash_name("0123456789abcdefa"));
    EXPECT_FALSE(is_hash_name("0123456789abcdeg"));
}

TEST_F(MapFilesTest, LinksAreNotFollowed) {
    fs::create_symlink(folder_ / "secret", folder_ / "map/worlds/a%20b/facts/ffffffffffffffff.js");
    fs::create_symlink(folder_ / "map/worlds/a%20b", folder_ / "map/worlds/linked");
    fs::create_directories(folder_ / "map/worlds/a%20b/facts/eeeeeeeeeeeeeeee.js");
    ASSERT_EQ(mkfifo((folder_ / "map/worlds/a%20b/facts/dddddddddddddddd.js").c_str(), 0600), 0);
    EXPECT_EQ(status({"worlds", "a%20b", "facts", "ffffffffffffffff.js"}), 404);
    EXPECT_EQ(status({"worlds", "linked", "world.js"}), 404);
    EXPECT_EQ(status({"worlds", "a%20b", "facts", "eeeeeeeeeeeeeeee.js"}), 404);
    EXPECT_EQ(status({"worlds", "a%20b", "facts", "dddddddddddddddd.js"}), 404)
        << "and a pipe does not block";
}

} // namespace
} // namespace orbis::http

#include "jobs/snapshot/world_identity.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis::jobs {
namespace {

using Kind = world::Location::Kind;

TEST(HomeOf, IsOnePathWhetherTheUniverseTheWorldOrItsChunksWereNamed) {
    const auto home = [](Kind kind, const char* path) { return home_of(kind, path, "w"); };
    const std::string world = "/srv/worlds/w";
    EXPECT_EQ(home(Kind::universe, "/srv"), world);
    EXPECT_EQ(home(Kind::universe, "/srv/universe"), world);
    EXPECT_EQ(home(Kind::world, "/srv/worlds/w"), world);
    EXPECT_EQ(home(Kind::world, "/srv/universe/worlds/w"), world);
    EXPECT_EQ(home(Kind::chunks_folder, "/srv/worlds/w/chunks"), world);
    EXPECT_EQ(home(Kind::region_file, "/srv/universe/worlds/w/chunks/0.0.region.bin"), world);
    EXPECT_EQ(home(Kind::rocksdb, "/srv/worlds/w/db"), world);
    // Only those names, and only of that kind.
    EXPECT_EQ(home(Kind::chunks_folder, "/srv/regions"), "/srv/regions");
    EXPECT_EQ(home(Kind::chunks_folder, "/srv/db"), "/srv/db");
    EXPECT_EQ(home(Kind::region_file, "/srv/regions/0.0.region.bin"), "/srv/regions");
    EXPECT_EQ(home(Kind::rocksdb, "/srv/chunks"), "/srv/chunks");
    EXPECT_EQ(home(Kind::world, "/srv/chunks"), "/srv/chunks");
    EXPECT_EQ(home(Kind::world, "/srv/db"), "/srv/db");
    EXPECT_EQ(home(Kind::world, "/srv/universe/w"), "/srv/universe/w");
}

WorldIdentity identity(std::string uuid, std::string home, bool has_config = true, bool is_snapshot = false) {
    return {"w", std::move(uuid), std::move(home), has_config, is_snapshot};
}

TEST(Kinship, IsDecidedByUuidsThenByPaths) {
    struct Row {
        WorldIdentity a;
        WorldIdentity b;
        Kinship kinship;
    };
    const std::vector<Row> rows{
        {identity("1", "/a"), identity("1", "/b"), Kinship::same},
        {identity("1", "/a"), identity("2", "/a"), Kinship::other},
        {identity("", "/a"), identity("2", "/a"), Kinship::same},
        {identity("", "/a"), identity("", "/a", false), Kinship::same},
        {identity("", "/a"), identity("2", "/b"), Kinship::unknown},
        {identity("", "/a"), identity("2", "/b", true, true), Kinship::other},
        {identity("", "/a", false), identity("2", "/b", true, true), Kinship::unknown},
        {identity("", "/a", true, true), identity("", "/b", true, true), Kinship::unknown},
    };
    for (const auto& [a, b, expected] : rows) {
        EXPECT_EQ(kinship(a, b), expected) << shown(a) << " and " << shown(b);
        EXPECT_EQ(kinship(b, a), expected) << shown(b) << " and " << shown(a);
    }
    EXPECT_EQ(shown(identity("1", "/a")), "/a (UUID 1)");
    EXPECT_EQ(shown(identity("", "/a")), "/a (without a UUID that can be read)");
}

TEST(IdentityOf, TakesWhatIsThereAndAnEmptyUuidForNone) {
    const test::TemporaryFolder folder;
    world::World world;
    world.name = "w";
    world.folder = storage::Folder(storage::open_disk_tree(folder.path()), "");
    world.source = world::World::Source::region_file;
    world.region_file = "/srv/none/universe/worlds/w/chunks/0.0.region.bin";
    auto found = identity_of(world);
    EXPECT_EQ(found.name, "w");
    EXPECT_EQ(found.home, "/srv/none/worlds/w");
    EXPECT_EQ(found.uuid, "");
    EXPECT_FALSE(found.has_config) << "a bare file has none";
    EXPECT_FALSE(found.is_snapshot);
    world.config.uuid = "00000000-0000-0000-0000-000000000000";
    EXPECT_EQ(identity_of(world).uuid, "");
    EXPECT_FALSE(identity_of(world).has_config);
    world.config.uuid = "00000000-0000-0000-0000-000000000001";
    EXPECT_EQ(identity_of(world).uuid, world.config.uuid);
    EXPECT_TRUE(identity_of(world).has_config);
    world.origin = "/where/it/was";
    EXPECT_EQ(identity_of(world).home, "/where/it/was");
    EXPECT_TRUE(identity_of(world).is_snapshot);
}

} // namespace
} // namespace orbis::jobs

#include "jobs/edit/compact.hpp"
#include "jobs/test_worlds/other_program_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"

namespace orbis::jobs {
namespace {

using namespace test_worlds;

TEST(Compact, LeavesAWorldThatTheGameHasOpenAloneUnlessForced) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder.path(), {Buffer{1, 2, 3}, Buffer{4, 5, 6}});
    const OtherProgram game(folder / "chunks" / "0.0.region.bin");
    NoProgress quiet;
    const auto refused = compact(world, {.level = 9}, quiet);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::busy);
    EXPECT_TRUE(compact(world, {.level = 9, .force = true, .keeps_undo = false}, quiet));
}

} // namespace
} // namespace orbis::jobs

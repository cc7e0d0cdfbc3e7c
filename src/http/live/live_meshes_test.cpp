#include "http/live/live_map_fixture_test.hpp"
#include "mesh/mesh_file.hpp"

namespace orbis::http {
namespace {

using namespace std::chrono_literals;
using mesh::MeshFileMaker;

class LiveMeshesTest : public test::LiveMapTest {
protected:
    std::string mesh(std::string_view rest, std::string_view more = "") {
        return request(fmt::format("/api/mesh/a%2520world/{}", rest), more);
    }

    /// As it must be: made here, from the store as it is now.
    std::string expected_mesh(ChunkPos pos, MeshFileMaker::Faces faces, const mesh::Part& part = {}) {
        std::map<ChunkPos, chunk::Chunk> chunks;
        storage::ReadContext context;
        for (int z = -1; z <= 1; ++z)
            for (int x = -1; x <= 1; ++x) {
                const ChunkPos at{pos.x + x, pos.z + z};
                const auto document = world_.store().read(at, context);
                if (document && *document)
                    chunks.emplace(
                        at, chunk::Chunk::decode(Buffer((*document)->begin(), (*document)->end())).value());
            }
        const auto find = [&](int x, int z) -> chunk::Chunk* {
            const auto found = chunks.find({pos.x + x, pos.z + z});
            return found != chunks.end() ? &found->second : nullptr;
        };
        MeshFileMaker maker(world::Assets::built_in());
        const auto file = maker.make(*find(0, 0),
                                     {find(0, -1), find(0, 1), find(-1, 0), find(1, 0), find(-1, -1),
                                      find(1, -1), find(-1, 1), find(1, 1)},
                                     faces, part);
        return std::string(as_text(file));
    }
};

TEST_F(LiveMeshesTest, AChunkIsMadeWithThoseAroundIt) {
    for (int z = -2; z < 3; ++z)
        for (int x = -2; x < 3; ++x) world_.put({x, z}, static_cast<std::uint32_t>(20 + x * 7 + z));
    open();
    for (const auto pos : {ChunkPos{0, 0}, {1, 0}, {-2, 2}}) {
        const auto name = fmt::format("{}.{}", pos.x, pos.z);
        const auto surface = mesh(name);
        EXPECT_EQ(test::status_of(surface), 200);
        EXPECT_EQ(test::header_of(surface, "Content-Type"), "application/octet-stream");
        EXPECT_EQ(test::header_of(surface, "Cache-Control"), "no-cache");
        EXPECT_TRUE(test::body_of(surface) == expected_mesh(pos, MeshFileMaker::Faces::surface)) << name;
        const auto tag = test::header_of(surface, "ETag");
        EXPECT_EQ(test::status_of(mesh(name, "If-None-Match: " + tag + "\r\n")), 304);
        EXPECT_TRUE(test::body_of(mesh(name + "?faces=all"))
                    == expected_mesh(pos, MeshFileMaker::Faces::all));
    }
    const mesh::Part half{{INT16_MIN, INT16_MIN, INT16_MIN}, {INT16_MAX, 9, 15}};
    EXPECT_EQ(test::body_of(mesh("0.0?box=-900,-5,-900,900,9,15")),
              expected_mesh({0, 0}, MeshFileMaker::Faces::surface, half));
    EXPECT_EQ(test::body_of(mesh("0.1?box=-900,-5,-900,900,9,15")).substr(8, 8), std::string(8, '\0'))
        << "nothing is left of it";
}

TEST_F(LiveMeshesTest, WhatIsNotThereOrDamagedIsAnAnswer) {
    for (int x = 0; x < 3; ++x) world_.put({x, 0}, 3);
    ASSERT_TRUE(world_.store().put_bytes({1, 0}, as_bytes("no blob at all")));
    open();
    EXPECT_EQ(test::status_of(mesh("9.9")), 204);
    EXPECT_EQ(test::status_of(mesh("-67108864.67108863")), 204) << "no world reaches so far";
    const auto damaged = mesh("1.0");
    EXPECT_EQ(test::status_of(damaged), 200);
    EXPECT_EQ(test::header_of(damaged, "Content-Type"), "application/json");
    EXPECT_TRUE(test::body_of(damaged).starts_with(R"({"unreadable":{"error":")")) << damaged;
    EXPECT_EQ(test::body_of(mesh("0.0")), expected_mesh({0, 0}, MeshFileMaker::Faces::surface))
        << "beside it is as open as beside nothing";
}

TEST_F(LiveMeshesTest, NonsenseIsRefused) {
    world_.put({0, 0}, 1);
    open();
    for (const auto* rest : {"0", "0.0.0", "00.0", "+1.0", "0.0?faces=some", "0.0?box=", "0.0?box=1,2,3,4,5",
                             "0.0?box=1,2,3,4,5,6,7", "0.0?box=1,2,3,4,5,", "0.0?box=1,2,3,4,5,x",
                             "0.0?box=1,2,3,4,5,99999999999", "0.0/1"})
        EXPECT_EQ(test::status_of(mesh(rest)), 400) << rest;
    EXPECT_EQ(test::status_of(request("/api/mesh/nobody/0.0")), 404);
    EXPECT_EQ(test::body_of(mesh("0.0?box=9,9,9,-9,-9,-9")).substr(8, 8), std::string(8, '\0'))
        << "a box without anything in it";
}

TEST_F(LiveMeshesTest, AChangeIsToldAndShows) {
    for (int x = 0; x < 5; ++x) world_.put({x, 0}, 11);
    open();
    make_map();
    test::RawClient page(server_->address());
    page.send(test::get("/api/events"));
    page.read_until("welcome");
    const auto far = test::header_of(mesh("4.0"), "ETag");
    const auto before = test::body_of(mesh("2.0"));
    page.forget();
    world_.put({2, 0}, 12);
    clock_.pass(2s);
    ASSERT_TRUE(reads(page, "event: chunks\ndata: "
                            R"({"world":"a%20world","chunks":[[2,0]]})"));
    const auto after = test::body_of(mesh("2.0"));
    EXPECT_NE(after, before);
    for (const auto x : {1, 2, 3, 4})
        EXPECT_EQ(test::body_of(mesh(fmt::format("{}.0", x))),
                  expected_mesh({x, 0}, MeshFileMaker::Faces::surface))
            << x;
    EXPECT_EQ(test::header_of(mesh("4.0"), "ETag"), far);
}

TEST_F(LiveMeshesTest, OfVeryManyChangesThereIsNoList) {
    world_.put({0, 0}, 11);
    open();
    make_map();
    test::RawClient page(server_->address());
    page.send(test::get("/api/events"));
    page.read_until("welcome");
    for (int x = 1; x <= 63; ++x)
        for (int z = 0; z < 64; ++z) world_.put({x, z}, 11);
    clock_.pass(2s);
    ASSERT_TRUE(reads(page, "event: chunks\ndata: "
                            R"({"world":"a%20world","chunks":null})"));
}

TEST(LiveMeshes, BoxesThatLeaveTheSameAreTheSame) {
    constexpr int k_far = 1'000'000;
    const auto all = part_in_box({3, -2}, {-k_far, -k_far, -k_far}, {k_far, k_far, k_far});
    EXPECT_EQ(all, mesh::Part{});
    EXPECT_EQ(part_in_box({3, -2}, {INT32_MIN, 0, INT32_MIN}, {INT32_MAX, 319, INT32_MAX}).last[0],
              INT16_MAX);
    const auto cut = part_in_box({3, -2}, {100, -k_far, -k_far}, {k_far, 64, -50});
    EXPECT_EQ(cut.first[0], 100 - 96);
    EXPECT_EQ(cut.last[1], 64);
    EXPECT_EQ(cut.last[2], -50 + 64);
    const auto none = part_in_box({3, -2}, {k_far, 0, 0}, {-k_far, 0, 0});
    EXPECT_EQ(none, part_in_box({3, -2}, {k_far * 2, 0, 0}, {-k_far * 2, 0, 0}));
    EXPECT_LT(none.last[0], none.first[0]);
}

} // namespace
} // namespace orbis::http

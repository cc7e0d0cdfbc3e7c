#include "capture/made_records_test.hpp"
#include "capture/recorder.hpp"
#include "game/bot/test_server_test.hpp"
#include "game/codec/carried_chunk_test.hpp"
#include "game/download/captured_world.hpp"
#include "game/download/downloader.hpp"
#include "game/download/world_writer.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace orbis::game {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A server that captures what it sends, and the worlds that are made of that.
struct CapturedWorlds : testing::Test {
    orbis::test::TemporaryFolder folder;
    std::shared_ptr<net::SimulatedLoop> loop = test_server::make_loop();
    test_server::World world;

    CapturedWorlds() {
        world.radius = 3;
        for (int x = -2; x <= 2; ++x)
            for (int z = -2; z <= 2; ++z) world.add_natural({x, z});
    }

    /// One player after the other looks at the world, each with another build.
    void look(std::initializer_list<const char*> builds) {
        capture::RecorderSettings settings;
        settings.file = folder / "file.pcapng";
        const std::shared_ptr<capture::Recorder> recorder = capture::Recorder::start(settings).value();
        {
            const test_server::Server server(*loop, world, recorder);
            for (const auto* build : builds) {
                DownloadRules rules;
                rules.server = server.place();
                rules.build = net::GameBuild::find(build).value();
                rules.out = folder / fmt::format("downloaded {}", build);
                rules.view_radius = world.radius * 32;
                rules.settle = 40ms;
                rules.least_pace = 10'000;
                rules.is_transparent = [](std::string_view) { return false; };
                const auto report = download(rules, {}, {}, loop);
                ASSERT_TRUE(report) << report.error().text();
                ASSERT_EQ(report->chunks, world.chunks.size());
            }
        }
        ASSERT_TRUE(recorder->finish());
    }
    [[nodiscard]] CapturedWorldRules rules(std::string_view out,
                                           std::optional<std::uint64_t> player = {}) const {
        CapturedWorldRules made;
        made.capture = folder / "file.pcapng";
        made.out = folder / out;
        made.player = player;
        made.is_transparent = [](std::string_view) { return false; };
        return made;
    }
    /// All chunks of the folder are those of the server.
    void expect_chunks(const fs::path& out, std::size_t count) {
        const auto writer = WorldWriter::open(out, true).value();
        std::size_t found = 0;
        for (const auto& [pos, chunk] : world.chunks) {
            const auto there = writer->take_back({pos.first, pos.second});
            if (!there || !*there) continue;
            ++found;
            test_chunks::expect_equal(chunk, **there);
        }
        EXPECT_EQ(found, count);
    }
    void write(Bytes bytes) const {
        std::ofstream(folder / "file.pcapng", std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] Buffer read() const {
        std::ifstream in(folder / "file.pcapng", std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(CapturedWorlds, AreThoseOfTheServerWhateverTheBuild) {
    look({"2026.02.17", "0.5.1", "b242"});
    for (const std::uint64_t player : {1U, 2U, 3U}) {
        const auto made = rules(fmt::format("world {}", player), player);
        const auto report = world_of_capture(made);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_TRUE(report->is_fine()) << player;
        EXPECT_EQ(report->player, player);
        EXPECT_EQ(report->chunks, world.chunks.size());
        EXPECT_FALSE(report->has_more_worlds);
        expect_chunks(made.out, world.chunks.size());
        EXPECT_TRUE(fs::exists(made.out / "config.json"));
    }
    EXPECT_EQ(world_of_capture(rules("any"))->player, 1U) << "the first";
}

TEST_F(CapturedWorlds, OfACutCaptureHaveOnlyWholeChunks) {
    look({"2026.02.17"});
    const auto whole = read();
    write(Bytes(whole).first(whole.size() / 2));
    const auto made = rules("half");
    const auto report = world_of_capture(made);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_FALSE(report->is_fine());
    ASSERT_TRUE(report->damage);
    EXPECT_EQ(report->damage->code, Errc::truncated);
    EXPECT_GT(report->chunks, 0U);
    EXPECT_LT(report->chunks, world.chunks.size());
    expect_chunks(made.out, report->chunks);
}

TEST_F(CapturedWorlds, EndWhereThePlayerGoesIntoAnotherWorld) {
    look({"2026.02.17"});
    auto bytes = read();
    capture::made::Records later;
    later.add(capture::Side::client, "JoinWorld",
              R"({"clearWorld":true,"fadeInOut":false,"worldUuid":"00112233-4455-6677-8899-aabbccddeeff"})");
    later.add(capture::Side::client, "SetChunk",
              R"({"x":100,"y":2,"z":-3,"localLight":null,"globalLight":null,"data":""})");
    for (const auto& record : later.all()) capture::append_record(bytes, record);
    write(bytes);
    const auto report = world_of_capture(rules("first"));
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->has_more_worlds);
    EXPECT_TRUE(report->is_fine());
    EXPECT_EQ(report->chunks, world.chunks.size());
}

TEST_F(CapturedWorlds, NameChunksThatDidNotComeCompletely) {
    capture::made::Records records;
    records.add(
        capture::Side::client, "JoinWorld",
        R"({"clearWorld":true,"fadeInOut":false,"worldUuid":"00112233-4455-6677-8899-aabbccddeeff"})");
    records.add(capture::Side::client, "SetChunk",
                R"({"x":5,"y":2,"z":-3,"localLight":null,"globalLight":null,"data":null})");
    write(records.file());
    const auto report = world_of_capture(rules("part"));
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_FALSE(report->is_fine());
    EXPECT_EQ(report->incomplete, (std::vector<ChunkPos>{{5, -3}}));
    EXPECT_EQ(report->chunks, 0U);
}

TEST_F(CapturedWorlds, NeedSomebodyWhoJoinsOne) {
    write(capture::made::visit().file());
    const auto nobody = world_of_capture(rules("none"));
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, Errc::not_found);
    EXPECT_EQ(nobody.error().problem, "nobody joins a world in this capture");
    EXPECT_EQ(world_of_capture(rules("none", 2)).error().problem, "player 2 joins no world in this capture");
    EXPECT_FALSE(fs::exists(folder / "none"));
    write(Bytes(capture::made::visit().file()).first(500));
    EXPECT_EQ(world_of_capture(rules("none")).error().problem,
              "nobody joins a world in this capture, as far as it can be read");
}

} // namespace
} // namespace orbis::game

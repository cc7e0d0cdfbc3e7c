#include "bytes/writer.hpp"
#include "chunk/chunk_documents_test.hpp"
#include "game/codec/carried_chunk_test.hpp"
#include "game/codec/chunk_packets.hpp"
#include "game/codec/light_codec.hpp"
#include "packets/world.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::game {
namespace {

using chunk::Chunk;

/// A chunk with something of everything: many kinds of blocks in one section, fluids, light, layers.
Chunk made_chunk(std::mt19937_64& random, int kinds) {
    auto chunk = Chunk::create();
    std::vector<std::string> names;
    for (int i = 0; i < kinds; ++i) names.push_back(fmt::format("Block_{}", i));
    const auto place = [&] {
        return BlockPos{static_cast<int>(random() % 32), static_cast<int>(random() % 64),
                        static_cast<int>(random() % 32)};
    };
    for (int i = 0; i < 4 * kinds; ++i)
        EXPECT_TRUE(chunk.set_block(place(), {names[random() % names.size()],
                                              {static_cast<std::uint8_t>(random() % 64)},
                                              {static_cast<std::uint16_t>(random() % 32768)}}));
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(chunk.set_fluid(
            place(), {i % 2 == 0 ? "Water" : "Lava_Source", static_cast<std::uint8_t>(1 + random() % 15)}));
    std::vector<std::uint16_t> light(k_cells, 0x0F00);
    for (int i = 0; i < 50; ++i) light[random() % k_cells] = static_cast<std::uint16_t>(random());
    auto* section = chunk.edit_section(1).value();
    section->local_light.set(chunk::Light::ConstExpanded(light), section->local_counter);
    auto* heights = chunk.edit_heights().value();
    auto* tints = chunk.edit_tints().value();
    auto* environments = chunk.edit_environments().value();
    for (int i = 0; i < k_columns; ++i) {
        heights->set(ColumnIndex(i), static_cast<std::int16_t>(random() % 321) - 1);
        tints->set(ColumnIndex(i), static_cast<std::int32_t>(random()));
        std::vector<chunk::EnvironmentRun> runs;
        for (int y = -1; y < 319; y += 1 + static_cast<int>(random() % 200))
            runs.push_back({y, names[random() % names.size()]});
        runs.push_back({chunk::EnvironmentRun::k_no_end, "Env_Sky"});
        environments->set_runs(ColumnIndex(i), runs);
    }
    return chunk;
}

RC_GTEST_PROP(ChunkPackets, BringBackWhatAChunkHolds, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto source = made_chunk(random, *rc::gen::element(1, 14, 17, 300, 2000));
    WireIds ids;
    Chunk got;
    test_chunks::carry(source, ids, got);
    test_chunks::expect_equal(source, got);
    RC_ASSERT(!testing::Test::HasFailure());
}

TEST(ChunkPackets, AnEmptyChunkHasNoBlockDataAndNoLight) {
    WireIds ids;
    ChunkPackets column;
    ASSERT_TRUE(column.make({7, -8}, Chunk::create(), ids));
    ASSERT_EQ(column.sections().size(), 10U);
    for (int y = 0; const auto& packet : column.sections()) {
        EXPECT_EQ(packet.x, 7);
        EXPECT_EQ(packet.y, y++);
        EXPECT_EQ(packet.z, -8);
        EXPECT_FALSE(packet.data);
        EXPECT_FALSE(packet.global_light);
        ASSERT_TRUE(packet.local_light);
        EXPECT_EQ(Buffer(packet.local_light->begin(), packet.local_light->end()), Buffer{0});
    }
    ASSERT_EQ(column.fluids().size(), 10U); // its sections have fluid data, which is empty
    EXPECT_EQ(Buffer(column.fluids()[0].data->begin(), column.fluids()[0].data->end()), (Buffer{0, 0}));
    Buffer heights = {1, 0, 0, 0, 0, 5, 0, 0};
    heights.resize(heights.size() + 1280);
    EXPECT_EQ(Buffer(column.heightmap().heightmap->begin(), column.heightmap().heightmap->end()), heights);
    ASSERT_EQ(column.environments().environments->size(), 1024U * 6);
    EXPECT_EQ((*column.environments().environments)[0], 1); // one environment from 0 on, which is unknown
}

TEST(ChunkPackets, HaveFluidsOnlyForSectionsWithFluidData) {
    const auto document = chunk::test_documents::document({{}, {}, {}});
    const auto chunk = Chunk::decode(document);
    ASSERT_TRUE(chunk && chunk->problems().empty());
    WireIds ids;
    ChunkPackets column;
    ASSERT_TRUE(column.make({0, 0}, *chunk, ids));
    ASSERT_EQ(column.fluids().size(), 1U);
    EXPECT_EQ(column.fluids()[0].y, 1);
    EXPECT_EQ(ids.fluids.find("water_source"), 2);
    Chunk got;
    test_chunks::carry(*chunk, ids, got);
    test_chunks::expect_equal(*chunk, got);
}

TEST(ChunkPackets, TakeOldKeysApart) {
    for (const int version : {3, 4}) {
        test::SectionImage old;
        old.version = version;
        old.blocks.assign(test::k_image_cells, "Empty");
        old.blocks[5] = "Stairs|Yaw=90";
        old.blocks[6] = "Stairs|Yaw=180";
        old.blocks[7] = "Empty|Fluid=Fluid_Water|FluidLevel=3";
        if (version == 4) {
            old.fillers.assign(test::k_image_cells, 0);
            old.fillers[6] = 33;
        }
        const auto document = chunk::test_documents::document({old, old});
        const auto chunk = Chunk::decode(document);
        ASSERT_TRUE(chunk && chunk->problems().empty());
        ASSERT_EQ(chunk->section(0).block_at(CellIndex(6)).rotation.yaw(), 180);
        ASSERT_EQ(chunk->section(0).fluid_at(CellIndex(7)).key, "Water");
        WireIds ids;
        Chunk got;
        test_chunks::carry(*chunk, ids, got);
        test_chunks::expect_equal(*chunk, got);
        EXPECT_TRUE(ids.blocks.find("Stairs"));
        EXPECT_FALSE(ids.blocks.find("Stairs|Yaw=90"));
    }
}

TEST(ChunkPackets, AStaleLightIsNotSent) {
    auto chunk = Chunk::create();
    ASSERT_TRUE(chunk.set_block({1, 1, 1}, {"Rock_Stone", {}, {}}));
    WireIds ids;
    ChunkPackets column;
    ASSERT_TRUE(column.make({0, 0}, chunk, ids));
    EXPECT_FALSE(column.sections()[0].local_light);
    EXPECT_TRUE(column.sections()[1].local_light);
}

TEST(ChunkPackets, AChunkThatWasNotReadWholeIsRefused) {
    const auto document = chunk::test_documents::document({{}, {}});
    WireIds ids;
    ChunkPackets column;
    for (const auto part : {chunk::k_light, chunk::k_fluids, chunk::k_column_maps, chunk::k_environments}) {
        const auto chunk = Chunk::decode(document, chunk::Parts{k_sent_parts.bits & ~part.bits});
        ASSERT_TRUE(chunk);
        const auto made = column.make({0, 0}, *chunk, ids);
        ASSERT_FALSE(made) << part.bits;
        EXPECT_EQ(made.error().code, Errc::usage);
    }
}

/// The environment runs of one column: `count`, then pairs.
Buffer environment_bytes(const std::vector<std::uint16_t>& first_column) {
    Buffer out;
    Writer writer(out);
    for (const auto number : first_column) writer.le(number);
    for (int i = 1; i < k_columns; ++i)
        for (const int number : {1, 0, 0}) writer.le(static_cast<std::uint16_t>(number));
    return out;
}

TEST(ColumnReader, RefusesBadPacketsAndLeavesTheChunk) {
    WireIds ids;
    auto chunk = Chunk::create();
    const auto says = [](const Result<void>& result) { return result ? "fine" : result.error().text(); };
    const auto environments = [&](const std::vector<std::uint16_t>& column) {
        const auto bytes = environment_bytes(column);
        return says(apply(packets::SetChunkEnvironments{0, 0, Bytes(bytes)}, ids, chunk));
    };
    const std::string part = "SetChunkEnvironments.environments, offset ";
    EXPECT_EQ(environments({0}), part + "0: column 0,0 has 0 environments, expected 1 to 320");
    EXPECT_EQ(environments({1, 3, 0}), part + "2: environment 0 of column 0,0 begins at 3, expected 0");
    EXPECT_EQ(environments({3, 0, 0, 5, 0, 4, 0}),
              part + "10: environment 2 of column 0,0 begins at 4, expected 5 or more");
    EXPECT_EQ(environments({1, 0, 9}), part + "4: the environment 9 has no name");
    EXPECT_EQ(environments({0xFFFF}), part + "0: environments end in column 0,0");
    auto longer = environment_bytes({1, 0, 0});
    longer.push_back(0);
    EXPECT_EQ(says(apply(packets::SetChunkEnvironments{0, 0, Bytes(longer)}, ids, chunk)),
              part + "6144: 1 bytes follow the end");
    EXPECT_FALSE(chunk.changed());

    const auto section = [&](int y, Buffer data) {
        packets::SetChunk packet{0, y, 0, {}, {}, {}};
        packet.data = Bytes(data);
        return says(apply(packet, ids, chunk));
    };
    EXPECT_EQ(section(0, {}), "SetChunk.data, offset 0: the palette has no type");
    EXPECT_EQ(section(0, {0, 0}), "SetChunk.data, offset 2: the palette has no type");
    EXPECT_EQ(section(0, {0, 0, 0, 0}), "SetChunk.data, offset 3: 1 bytes follow the end");
    EXPECT_EQ(section(10, {0, 0, 0}), "there is no section 10; a chunk has 10");
    EXPECT_EQ(section(-1, {0, 0, 0}), "there is no section -1; a chunk has 10");
    const auto with_value = [](std::int32_t value) {
        const std::vector<std::int32_t> cells(k_cells, value);
        PaletteWriter writer;
        writer.load(std::span<const std::int32_t, k_cells>(cells));
        Buffer out;
        writer.append_to(out);
        return out;
    };
    auto data = with_value(5);
    data.insert(data.end(), {0, 0});
    EXPECT_EQ(section(0, data), "SetChunk.data, offset 0: a palette has the id 5, which has no name");
    data = with_value(65536);
    data.insert(data.begin(), 0);
    data.push_back(0);
    EXPECT_EQ(section(0, data),
              "SetChunk.data, offset 1: a palette has the value 65536, expected 0 to 65535");
    data = with_value(-1);
    data.insert(data.begin(), {0, 0});
    EXPECT_EQ(section(0, data), "SetChunk.data, offset 2: a palette has the value -1, expected 0 to 255");
    EXPECT_FALSE(chunk.changed());

    const auto fluids = [&](Buffer bytes) {
        return says(apply(packets::SetFluids{0, 0, 0, Bytes(bytes)}, ids, chunk));
    };
    EXPECT_EQ(fluids({0}), "SetFluids.data, offset 1: the fluid levels end early");
    EXPECT_EQ(fluids({0, 2}), "SetFluids.data, offset 1: the flag of the levels is 2, expected 0 or 1");
    EXPECT_EQ(fluids({0, 1, 9}), "SetFluids.data, offset 2: the fluid levels end early");

    Buffer map = {1, 0, 7, 0, 0, 5, 0, 0};
    map.resize(map.size() + 1280);
    const auto heights = [&] { return says(apply(packets::SetChunkHeightmap{0, 0, Bytes(map)}, chunk)); };
    map[8] = 1;
    EXPECT_EQ(heights(),
              "SetChunkHeightmap.heightmap, offset 8: column 0,0 has the index 1, but there are only 1 keys");
    map[8] = 0;
    map[5] = 4;
    EXPECT_EQ(heights(),
              "SetChunkHeightmap.heightmap, offset 4: the packed indices take 1024 bytes, expected 1280");
    map[5] = 5;
    map[1] = 0x80;
    EXPECT_EQ(heights(), "SetChunkHeightmap.heightmap, offset 0: -32767 keys, expected 0 to 1024");
    EXPECT_FALSE(chunk.changed());
    map[1] = 0;
    EXPECT_EQ(heights(), "fine");
    EXPECT_EQ(chunk.heights().at(ColumnIndex(1000)), 7);
}

TEST(ColumnReader, OfEnvironmentsFromTheSameHeightTheLastOneCounts) {
    WireIds ids;
    for (const auto* name : {"Env_A", "Env_B", "Env_C"}) ids.environments.id_of(name);
    const auto a = static_cast<std::uint16_t>(*ids.environments.find("Env_A"));
    const auto b = static_cast<std::uint16_t>(a + 1);
    const auto c = static_cast<std::uint16_t>(a + 2);
    constexpr auto k_top = chunk::EnvironmentRun::k_no_end;
    using Runs = std::vector<chunk::EnvironmentRun>;
    const std::vector<std::pair<std::vector<std::uint16_t>, Runs>> cases = {
        // As the game sends natural terrain: the lowest run ends below the world.
        {{2, 0, a, 0, b}, {{-1, "Env_A"}, {k_top, "Env_B"}}},
        {{3, 0, a, 0, b, 60, c}, {{-1, "Env_A"}, {59, "Env_B"}, {k_top, "Env_C"}}},
        {{3, 0, a, 0, b, 0, c}, {{-1, "Env_A"}, {k_top, "Env_C"}}},
        {{4, 0, a, 9, b, 9, c, 9, a}, {{8, "Env_A"}, {k_top, "Env_A"}}},
    };
    for (const auto& [column, wanted] : cases) {
        auto chunk = Chunk::create();
        const auto bytes = environment_bytes(column);
        const auto applied = apply(packets::SetChunkEnvironments{0, 0, Bytes(bytes)}, ids, chunk);
        ASSERT_TRUE(applied) << applied.error().text();
        EXPECT_EQ(chunk.environments().runs(ColumnIndex(0)), wanted);
        EXPECT_TRUE(chunk.environments().check());
    }
}

TEST(ColumnReader, APacketReplacesWhatWasThere) {
    std::mt19937_64 random(1);
    auto chunk = made_chunk(random, 20);
    WireIds ids;
    for (int y = 0; y < k_sections; ++y) {
        ASSERT_TRUE(apply(packets::SetChunk{0, y, 0, {}, {}, {}}, ids, chunk));
        ASSERT_TRUE(apply(packets::SetFluids{0, y, 0, {}}, ids, chunk));
        for (int i = 0; i < k_cells; ++i) {
            ASSERT_EQ(chunk.section(y).block_at(CellIndex(i)), chunk::BlockState());
            ASSERT_EQ(chunk.section(y).fluid_at(CellIndex(i)), chunk::FluidState());
        }
        EXPECT_FALSE(chunk.section(y).local_light_valid());
    }
}

} // namespace
} // namespace orbis::game

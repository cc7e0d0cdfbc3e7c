#include "bytes/writer.hpp"
#include "net/column_gatherer.hpp"
#include "net/column_splitter.hpp"
#include "net/interpreter.hpp"
#include "packets/world.hpp"
#include "protocol/catalogue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <random>

namespace orbis::net {
namespace {

const protocol::Dialect& b242() { return *protocol::Dialect::of(*protocol::find_build("b242")); }

std::int32_t id_there(std::string_view packet) { return b242().schema().registry().find(packet)->id; }

bool reads_all(const protocol::PacketInfo&) { return true; }

/// The bytes of a usual map with a number per column.
Buffer height_map(const std::function<int(int column)>& height_at) {
    HeightArray heights;
    for (int i = 0; i < k_columns; ++i) heights[static_cast<std::size_t>(i)] = height_at(i);
    Buffer map;
    append_height_map(heights, map);
    return map;
}

/// The environments of a column with the given runs in each of its columns of blocks: from, environment.
using Runs = std::vector<std::pair<int, int>>;
Buffer environments(const std::function<Runs(int column)>& runs_at) {
    Buffer out;
    Writer writer(out);
    for (int i = 0; i < k_columns; ++i) {
        const auto runs = runs_at(i);
        writer.le(static_cast<std::uint16_t>(runs.size()));
        for (const auto& [from, environment] : runs) {
            writer.le(static_cast<std::uint16_t>(from));
            writer.le(static_cast<std::uint16_t>(environment));
        }
    }
    return out;
}

template <typename P>
Buffer payload_of(const P& packet) {
    Buffer out;
    EXPECT_TRUE(protocol::encode(packet, out));
    return out;
}

/// Both ends: what a server says in the build, and what its client hears of it.
class ColumnTalk : public testing::Test {
protected:
    struct Said {
        std::int32_t id;
        Buffer payload;
    };
    template <typename P>
    std::vector<Said> say(const P& packet) {
        std::vector<Said> said;
        EXPECT_TRUE(splitter_.say(P::k_info.id, payload_of(packet), keep(said)));
        return said;
    }
    std::vector<Said> say_column(ChunkPos pos, Bytes heights, Bytes tints) {
        std::vector<Said> said;
        EXPECT_TRUE(splitter_.say_as_one(payload_of(packets::SetChunkHeightmap{pos.x, pos.z, heights}),
                                         payload_of(packets::SetChunkTintmap{pos.x, pos.z, tints}),
                                         keep(said)));
        return said;
    }
    ColumnSplitter::Take keep(std::vector<Said>& said) {
        return [this, &said](const protocol::PacketInfo& packet,
                             const ColumnSplitter::Payload& payload) -> Result<void> {
            auto bytes = payload.bytes;
            if (payload.unpacked) {
                TRY(bytes, decompressor_.decompress(bytes, *payload.unpacked, packet.largest));
            }
            said.push_back({packet.id, Buffer(bytes.begin(), bytes.end())});
            return {};
        };
    }

    /// The names of what is heard; the payloads are in `heard_`.
    std::vector<std::string> hear(const Said& said) {
        EXPECT_TRUE(gatherer_->hears(said.id));
        const auto heard = gatherer_->hear(said.id, said.payload, reads_all);
        EXPECT_TRUE(heard) << heard.error().text();
        std::vector<std::string> names;
        heard_.clear();
        for (const auto& each : *heard) {
            names.emplace_back(each.packet->name);
            heard_.emplace_back(each.payload.begin(), each.payload.end());
        }
        return names;
    }
    template <typename P>
    P heard(std::size_t number = 0) {
        P packet;
        EXPECT_TRUE(protocol::decode(heard_.at(number), arena_, packet));
        return packet;
    }
    /// A packet of fixed numbers.
    static Said numbers(std::string_view name, std::initializer_list<std::int32_t> fields, Bytes more = {}) {
        Said said{id_there(name), {}};
        Writer out(said.payload);
        for (const auto field : fields) out.le(field);
        out.bytes(more);
        return said;
    }
    void enter(std::int32_t lowest, std::int32_t highest) {
        Buffer join(26);
        join[0] = 3;
        store_le(join.data() + 18, lowest);
        store_le(join.data() + 22, highest);
        gatherer_->enter(join);
    }

    ColumnSplitter splitter_{b242()};
    Decompressor decompressor_;
    std::optional<ColumnGatherer> gatherer_{std::in_place, b242()};
    std::vector<Buffer> heard_;
    protocol::Arena arena_;
};

TEST_F(ColumnTalk, HeightsAndTintsAreOnePacketThereAndTwoHere) {
    const auto map = height_map([](int column) { return column % 7 * 40 - 3; });
    const Buffer tints{1, 2, 3};
    const auto said = say_column({-4, 9}, map, tints);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].id, id_there("SetColumn"));
    EXPECT_EQ(said[0].payload.size(), 8U + 4096 + 1 + 3);
    EXPECT_EQ(hear(said[0]), (std::vector<std::string>{"SetChunkHeightmap", "SetChunkTintmap"}));
    const auto heights = heard<packets::SetChunkHeightmap>();
    EXPECT_EQ(heights.x, -4);
    EXPECT_EQ(heights.z, 9);
    EXPECT_TRUE(std::ranges::equal(*heights.heightmap, map));
    EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkTintmap>(1).tintmap, tints));
}

TEST_F(ColumnTalk, HeightsThatChangeTravelAlone) {
    const auto map = height_map([](int column) { return column; });
    const auto said = say(packets::SetChunkHeightmap{1, 2, Bytes(map)});
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].id, id_there("SetChunkHeightmap"));
    EXPECT_EQ(hear(said[0]), (std::vector<std::string>{"SetChunkHeightmap"}));
    EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkHeightmap>().heightmap, map));

    // One at a place of the world, several of a column.
    EXPECT_EQ(hear(numbers("ServerSetHeight", {32 + 5, 64 + 1, 300})),
              (std::vector<std::string>{"SetChunkHeightmap"}));
    const auto with_one = height_map([](int column) { return column == 32 + 5 ? 300 : column; });
    EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkHeightmap>().heightmap, with_one));
    const Buffer two{2, 0, 0, 7, 0, 0, 0, 0xff, 3, 8, 0, 0, 0}; // columns 0 and 1023
    EXPECT_EQ(hear(numbers("ServerSetHeights", {1, 2}, two)),
              (std::vector<std::string>{"SetChunkHeightmap"}));
    HeightArray heights;
    ASSERT_TRUE(read_height_map(*heard<packets::SetChunkHeightmap>().heightmap, heights));
    EXPECT_EQ(heights[0], 7);
    EXPECT_EQ(heights[1023], 8);
    EXPECT_EQ(heights[32 + 5], 300);
    EXPECT_TRUE(hear(numbers("ServerSetHeight", {900, 900, 1})).empty()) << "of no column that came";
}

TEST_F(ColumnTalk, EnvironmentsOfAColumnAreThoseOfItsSections) {
    std::mt19937 random(5);
    const std::vector<std::function<Runs(int)>> kinds{
        [](int) { return Runs{{0, 0}}; }, [](int) { return Runs{{0, 7}}; },
        [](int) { return Runs{{0, 3}, {31, 4}, {32, 5}, {33, 3}, {319, 9}}; },
        [](int column) { return Runs{{0, column}, {160, column + 1}}; }, // 1,024 in each section
        [&](int) {
            Runs runs{{0, 1}};
            for (int y = 1; y < k_world_height; ++y)
                if (random() % 9 == 0)
                    runs.emplace_back(y, runs.back().second == 1 ? 2 + static_cast<int>(random() % 300) : 1);
            return runs;
        }};
    for (const auto& kind : kinds) {
        const auto runs = environments(kind);
        const auto said = say(packets::SetChunkEnvironments{3, -3, Bytes(runs)});
        ASSERT_EQ(said.size(), 10U);
        for (std::size_t y = 0; y < 9; ++y) EXPECT_TRUE(hear(said[y]).empty());
        EXPECT_EQ(hear(said[9]), (std::vector<std::string>{"SetChunkEnvironments"}));
        const auto heard_all = heard<packets::SetChunkEnvironments>();
        EXPECT_EQ(heard_all.x, 3);
        EXPECT_EQ(heard_all.z, -3);
        EXPECT_TRUE(std::ranges::equal(*heard_all.environments, runs));
        EXPECT_EQ(hear(said[4]).size(), 1U) << "each change is heard when all are known";
        EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkEnvironments>().environments, runs));
        EXPECT_EQ(hear(numbers("UnloadChunk", {3, -3})), (std::vector<std::string>{"UnloadChunk"}));
        EXPECT_EQ(gatherer_->columns(), 0U);
        EXPECT_EQ(gatherer_->bytes(), 0U);
    }
}

TEST_F(ColumnTalk, SectionsThatDoNotExistAreEmpty) {
    const auto runs = environments([](int) { return Runs{{0, 4}, {64, 5}}; });
    const auto said = say(packets::SetChunkEnvironments{0, 0, Bytes(runs)});
    for (std::size_t y = 0; y < 8; ++y) EXPECT_TRUE(hear(said[y]).empty());
    const Buffer last_two{2, 8, 0, 0, 0, 9, 0, 0, 0};
    auto absent = numbers("SetAbsentChunks", {0, 0}, last_two);
    absent.payload.insert(absent.payload.begin(), 1);
    EXPECT_EQ(hear(absent), (std::vector<std::string>{"SetChunk", "SetChunk", "SetChunkEnvironments"}));
    EXPECT_EQ(heard<packets::SetChunk>(1).y, 9);
    EXPECT_FALSE(heard<packets::SetChunk>(1).data);
    EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkEnvironments>(2).environments, runs));
    // A column without any section does not exist.
    auto nothing = numbers("SetAbsentChunks", {7, 7});
    nothing.payload.insert(nothing.payload.begin(), 0);
    EXPECT_EQ(hear(nothing), (std::vector<std::string>{"UnloadChunk"}));
    EXPECT_EQ(heard<packets::UnloadChunk>().chunk_x, 7);
}

TEST_F(ColumnTalk, ManyColumnsAreUnloadedAtOnce) {
    const auto map = height_map([](int) { return 1; });
    for (int x = 0; x < 3; ++x) hear(say_column({x, 5}, map, Bytes())[0]);
    EXPECT_EQ(gatherer_->columns(), 3U);
    // Presence bits, offsets, two columns: 0,5 and 9,9.
    auto unload = numbers("UnloadChunks", {-1, 0}, Buffer{4, 0, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0});
    unload.payload.insert(unload.payload.begin(), 2);
    EXPECT_EQ(hear(unload), (std::vector<std::string>{"UnloadChunk", "UnloadChunk"}));
    EXPECT_EQ(gatherer_->columns(), 2U);
    EXPECT_EQ(hear({id_there("ClearChunks"), {}}), (std::vector<std::string>{"UnloadChunk", "UnloadChunk"}));
    EXPECT_EQ(heard<packets::UnloadChunk>(0).chunk_x, 1);
    EXPECT_EQ(heard<packets::UnloadChunk>(1).chunk_x, 2);
    EXPECT_EQ(gatherer_->columns(), 0U);
}

TEST_F(ColumnTalk, LowWorldsHaveEmptySectionsAboveAndOfHighOnesTheUsualAreHeard) {
    const auto map = height_map([](int) { return 1; });
    const auto runs = environments([](int) { return Runs{{0, 4}}; });
    const auto said = say(packets::SetChunkEnvironments{0, 0, Bytes(runs)});
    EXPECT_FALSE(gatherer_->hears(id_there("SetChunk"))) << "as it is";
    enter(0, 3);
    const auto names = hear(say_column({0, 0}, map, Bytes())[0]);
    EXPECT_EQ(std::ranges::count(names, "SetChunk"), 6);
    EXPECT_EQ(heard<packets::SetChunk>(names.size() - 6).y, 4);
    for (std::size_t y = 0; y < 3; ++y) EXPECT_TRUE(hear(said[y]).empty());
    ASSERT_EQ(hear(said[3]).size(), 1U);
    EXPECT_TRUE(std::ranges::equal(*heard<packets::SetChunkEnvironments>().environments, runs));

    enter(-4, 20);
    EXPECT_EQ(gatherer_->columns(), 0U) << "another world";
    ASSERT_TRUE(gatherer_->hears(id_there("SetChunk")));
    const auto section = [](int y, bool has_blocks = true) {
        packets::SetChunk packet;
        packet.y = y;
        if (has_blocks) packet.data = as_bytes("blocks");
        return Said{id_there("SetChunk"), payload_of(packet)};
    };
    EXPECT_EQ(hear(section(9)), (std::vector<std::string>{"SetChunk"}));
    for (const auto y : {-1, 10, INT32_MAX, INT32_MIN}) EXPECT_TRUE(hear(section(y)).empty()) << y;
    EXPECT_TRUE(hear(section(11, false)).empty());
    EXPECT_EQ(gatherer_->sections_outside(), 4U) << "those with blocks";
    const auto block = [](int y) {
        return Said{id_there("ServerSetBlock"), payload_of(packets::ServerSetBlock{1, y, 2, 3, 0, 0})};
    };
    EXPECT_EQ(hear(block(319)), (std::vector<std::string>{"ServerSetBlock"}));
    EXPECT_TRUE(hear(block(320)).empty());
    EXPECT_TRUE(hear(block(-1)).empty());
}

TEST_F(ColumnTalk, WhatIsRememberedHasALimit) {
    gatherer_.emplace(b242(), ColumnGatherer::Limits{.columns = 5, .bytes = 1 << 20});
    const auto map = height_map([](int column) { return column; });
    const auto wild = environments([](int column) {
        Runs runs;
        for (int y = 0; y < k_world_height; ++y) runs.emplace_back(y, (y + column) % 2);
        return runs;
    });
    for (int x = 0; x < 40; ++x) {
        hear(say_column({x, 0}, map, Bytes())[0]);
        EXPECT_LE(gatherer_->columns(), 5U);
    }
    EXPECT_EQ(hear({id_there("ClearChunks"), {}}).size(), 5U);
    EXPECT_EQ(heard<packets::UnloadChunk>(0).chunk_x, 35) << "those that came first are forgotten";
    for (int x = 0; x < 3; ++x)
        for (const auto& said : say(packets::SetChunkEnvironments{x, 0, Bytes(wild)})) {
            hear(said);
            EXPECT_TRUE(gatherer_->bytes() <= 1 << 20 || gatherer_->columns() == 1);
        }
    EXPECT_EQ(gatherer_->columns(), 1U);
}

TEST_F(ColumnTalk, DamagedPacketsAreRefusedAndNeverACrash) {
    const auto map = height_map([](int column) { return column; });
    const auto runs = environments([](int column) { return Runs{{0, column % 3}, {40, 9}}; });
    auto all = say_column({0, 0}, map, Buffer{1, 2, 3});
    for (auto& said : say(packets::SetChunkEnvironments{0, 0, Bytes(runs)})) all.push_back(std::move(said));
    all.push_back(numbers("ServerSetHeights", {0, 0}, Buffer{1, 0, 0, 7, 0, 0, 0}));
    all.push_back(numbers("UnloadChunk", {0, 0}));
    std::mt19937 random(3);
    for (const auto& said : all) {
        for (int round = 0; round < 60; ++round) {
            auto damaged = said.payload;
            damaged.resize(random() % damaged.size());
            EXPECT_FALSE(gatherer_->hear(said.id, damaged, reads_all)) << said.id << " " << damaged.size();
        }
        for (int round = 0; round < 200; ++round) {
            auto damaged = said.payload;
            damaged[random() % std::min<std::size_t>(damaged.size(), 40)] ^=
                static_cast<std::uint8_t>(1U << random() % 8);
            (void)gatherer_->hear(said.id, damaged, reads_all);
        }
    }
    EXPECT_FALSE(gatherer_->hear(id_there("ServerSetHeights"),
                                 numbers("ServerSetHeights", {0, 0}, Buffer{1, 0, 4, 7, 0, 0, 0}).payload,
                                 reads_all))
        << "column 1024";
}

TEST_F(ColumnTalk, WhatIsNotReadIsNotSaid) {
    const auto map = height_map([](int column) { return column; });
    const auto said = say_column({0, 0}, map, Buffer{1});
    const auto heard = gatherer_->hear(said[0].id, said[0].payload, [](const protocol::PacketInfo& packet) {
        return packet.id == packets::SetChunkTintmap::k_info.id;
    });
    ASSERT_EQ(heard->size(), 1U);
    EXPECT_EQ(heard->front().packet->id, packets::SetChunkTintmap::k_info.id);
}

TEST_F(ColumnTalk, RandomColumnsAreHeardAsTheyWereSaid) {
    EXPECT_TRUE(rc::check([this] {
        std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
        const auto most = *rc::gen::element(1U, 3U, 8U, 12U, 30U);
        const auto runs = environments([&](int) {
            Runs of_column{{0, static_cast<int>(random() % 40)}};
            for (auto left = random() % most; left > 0; --left) {
                const auto from = of_column.back().first + 1 + static_cast<int>(random() % 50);
                const auto environment = (of_column.back().second + 1 + static_cast<int>(random() % 5)) % 40;
                if (from < k_world_height) of_column.emplace_back(from, environment);
            }
            return of_column;
        });
        const auto said = say(packets::SetChunkEnvironments{-7, 8, Bytes(runs)});
        RC_ASSERT(said.size() == 10U);
        for (std::size_t y = 0; y < said.size(); ++y) hear(said[y]);
        RC_ASSERT(heard_.size() == 1U);
        RC_ASSERT(std::ranges::equal(*heard<packets::SetChunkEnvironments>().environments, runs));
        hear(numbers("UnloadChunk", {-7, 8}));
    }));
}

TEST(ColumnFrames, AreMadeOnceForAllClientsOfTheBuild) {
    protocol::PayloadFramer framer;
    Decompressor decompressor;
    const auto interpreter = [&] {
        return Interpreter(b242(), protocol::Side::server, false, framer, decompressor,
                           [](protocol::Channel, Bytes) {});
    };
    auto first = interpreter();
    auto second = interpreter();
    const auto frame = [&](const auto& packet) {
        return OutgoingFrame::make(framer, packet.k_info, payload_of(packet)).value();
    };
    const auto map = height_map([](int column) { return column; });
    const auto heights = frame(packets::SetChunkHeightmap{0, 0, Bytes(map)});
    const auto tints = frame(packets::SetChunkTintmap{0, 0, Bytes()});
    const auto runs = environments([](int) { return Runs{{0, 1}}; });
    const auto column = frame(packets::SetChunkEnvironments{0, 0, Bytes(runs)});
    ASSERT_TRUE(first.says_as_one(heights, tints));
    EXPECT_FALSE(first.says_as_one(tints, heights));
    const auto once = first.render_as_one(heights, tints).value();
    ASSERT_EQ(once.size(), 1U);
    EXPECT_EQ(once[0].first, protocol::Channel::chunks);
    EXPECT_EQ(second.render_as_one(heights, tints).value()[0].second.memory(), once[0].second.memory());
    const auto sections = first.render(column).value();
    EXPECT_EQ(sections.size(), 10U);
    EXPECT_EQ(second.render(column).value()[9].second.memory(), sections[9].second.memory());
    // Other tints make another column, and the heights alone something else again.
    const Buffer green{1, 2, 3};
    const auto painted = second.render_as_one(heights, frame(packets::SetChunkTintmap{0, 0, Bytes(green)}));
    EXPECT_FALSE(painted.value()[0].second == once[0].second);
    EXPECT_FALSE(first.render(heights).value()[0].second == once[0].second);
}

TEST(ColumnFrames, AreTheSameFromAPayloadThatIsKeptAsFromAFrame) {
    protocol::PayloadFramer framer;
    Decompressor decompressor;
    Interpreter interpreter(b242(), protocol::Side::server, false, framer, decompressor,
                            [](protocol::Channel, Bytes) {});
    const auto runs = environments([](int column) { return Runs{{0, 1}, {column % 50 + 9, 2}}; });
    const auto payload = payload_of(packets::SetChunkEnvironments{5, 6, Bytes(runs)});
    const auto& info = packets::SetChunkEnvironments::k_info;
    const auto made = OutgoingFrame::make(framer, info, payload).value();
    const auto kept = OutgoingFrame::keep(info, std::make_shared<const Buffer>(payload)).value();
    EXPECT_EQ(*kept.payload(), payload);
    EXPECT_FALSE(made.payload());
    EXPECT_EQ(kept.bytes(), payload.size());
    EXPECT_EQ(made.bytes(), made.frame().bytes().size());
    const auto said = interpreter.render(kept).value();
    const auto also_said = interpreter.render(made).value();
    ASSERT_EQ(said.size(), 10U);
    std::size_t bytes = 0;
    for (std::size_t y = 0; y < said.size(); ++y) {
        EXPECT_TRUE(said[y].second == also_said[y].second) << y;
        bytes += said[y].second.bytes().size();
    }
    EXPECT_EQ(kept.bytes(), payload.size() + bytes) << "no frame of the usual build was made";
    EXPECT_TRUE(kept == made);
    const auto again = kept;
    EXPECT_TRUE(kept.frame() == made.frame());
    EXPECT_EQ(kept.frame().memory(), again.frame().memory()) << "made once for all copies";
    EXPECT_EQ(kept.bytes(), payload.size() + bytes + made.frame().bytes().size());
    EXPECT_FALSE(OutgoingFrame::keep(info, std::make_shared<const Buffer>(info.largest + 1)));
}

} // namespace
} // namespace orbis::net

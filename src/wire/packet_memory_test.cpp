#include "orbis/wire/protocol.hpp"
#include "support/random_value.hpp"
#include "wire/inside.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace orbis::wire {
namespace {

TEST(PacketMemory, ABlockIsUsedAgain) {
    auto* const first = PacketMemory::take_block();
    PacketMemory::give_block(first);
    EXPECT_EQ(PacketMemory::take_block(), first);
    std::set<void*> blocks{first};
    while (blocks.size() < 100) blocks.insert(PacketMemory::take_block());
    for (auto* const block : blocks) PacketMemory::give_block(block); // most of them are too many to keep
}

TEST(PacketMemory, ListsOfFieldsAreKeptBySize) {
    for (const std::size_t count : {1U, 3U, 20U, 64U}) {
        std::vector<protocol::Value> fields(count);
        const auto* const place = fields.data();
        PacketMemory::give_fields(std::move(fields));
        std::vector<protocol::Value> again;
        PacketMemory::take_fields(again, count);
        EXPECT_EQ(again.data(), place);
        EXPECT_TRUE(again.empty());
    }
    PacketMemory::give_fields(std::vector<protocol::Value>(PacketMemory::k_most_fields + 1));
    std::vector<protocol::Value> none;
    PacketMemory::take_fields(none, PacketMemory::k_most_fields + 1);
    EXPECT_EQ(none.capacity(), 0U);
}

TEST(PacketMemory, NothingOfAnOlderPacketShowsInTheNext) {
    const Protocol protocol;
    test::RandomValue random(7);
    std::vector<std::pair<Packet, Buffer>> packets;
    for (const auto& info : protocol.packets()) {
        const auto& entry = *Inside::state(protocol).find(info.id);
        const auto packet = Inside::packet(entry, random.record(*entry.layout));
        if (const auto payload = packet.payload()) packets.emplace_back(packet, *payload);
    }
    ASSERT_GT(packets.size(), 100U);
    for (int round = 0; round < 3; ++round)
        for (const auto& [packet, payload] : packets) {
            const auto read = protocol.decode(packet.name(), payload);
            ASSERT_TRUE(read) << packet.name() << ": " << read.error().text();
            ASSERT_EQ(read->payload().value(), payload) << packet.name();
            EXPECT_EQ(protocol.decode(packet.name(), Buffer()).has_value(), packet.info().smallest == 0)
                << packet.name() << ", whose memory is kept when it fails too";
        }
}

TEST(PacketMemory, PacketsOutliveTheThreadThatMadeThem) {
    std::optional<Packet> kept;
    std::thread([&kept] {
        const Protocol protocol;
        // Is destroyed after what its thread keeps.
        static thread_local std::optional<Packet> last;
        last = protocol.make("Ping").value();
        for (int i = 0; i < 20; ++i)
            kept = protocol.make("ChatMessage", R"({"message":"still here"})").value();
    }).join();
    EXPECT_EQ((*kept)["message"].text(), "still here");
    kept.reset();
}

} // namespace
} // namespace orbis::wire

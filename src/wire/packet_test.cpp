#include "bytes/hex.hpp"
#include "orbis/wire/protocol.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "support/random_value.hpp"
#include "support/vectors.hpp"
#include "wire/inside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::wire {
namespace {

TEST(Packet, TheVectorsOfEveryBuildComeBackByteForByte) {
    for (const std::string_view build : {"2026.02.17", "2026.03.26", "2026.05.07", "0.5.1", "b242"}) {
        const Protocol protocol = Protocol::of(build).value();
        const auto folder = build == "2026.02.17" ? "vectors" : fmt::format("vectors-{}", build);
        for (const auto& line : test::vector_lines(folder, "")) {
            const auto tree = protocol::JsonTree::parse(line).value();
            const auto name = tree.text("packet");
            const auto payload = from_hex(tree.text("payload_hex")).value();
            const auto packet = protocol.decode(name, payload, Reading::strict);
            ASSERT_TRUE(packet) << build << ": " << packet.error().text();
            EXPECT_EQ(packet->name(), name);
            EXPECT_EQ(packet->id(), tree.integer("id"));
            ASSERT_EQ(packet->payload().value(), payload) << build << " " << name;
            const auto again = protocol.make(name, packet->json());
            ASSERT_TRUE(again) << build << " " << name << ": " << again.error().text();
            ASSERT_EQ(again->payload().value(), payload) << build << " " << name;
        }
    }
}

TEST(Packet, RandomPacketsOfEveryBuildComeBackByteForByte) {
    for (const auto& build : Protocol::builds()) {
        const auto protocol = Protocol::of(build).value();
        test::RandomValue random(20260217);
        for (const auto& info : protocol.packets()) {
            const auto& layout = *Inside::state(protocol).find(info.id)->layout;
            Buffer payload;
            ASSERT_TRUE(protocol::encode(layout, random.record(layout), payload));
            const auto packet = protocol.decode(info.id, payload, Reading::strict);
            ASSERT_TRUE(packet) << build << ": " << packet.error().text();
            ASSERT_EQ(packet->payload().value(), payload) << build << " " << info.name;
            const auto again = protocol.make(info.name, packet->json());
            ASSERT_TRUE(again) << build << " " << info.name << ": " << again.error().text();
            ASSERT_EQ(again->payload().value(), payload) << build << " " << info.name;
            const auto kept = protocol.decode(info.name, payload, Reading::keep);
            ASSERT_EQ(kept->payload().value(), payload) << build << " " << info.name;
        }
    }
}

TEST(Packet, EveryTruncationIsJudgedAndNeverACrash) {
    const Protocol protocol;
    test::RandomValue random(2);
    for (const auto& info : protocol.packets()) {
        const auto& layout = *Inside::state(protocol).find(info.id)->layout;
        Buffer payload;
        ASSERT_TRUE(protocol::encode(layout, random.record(layout), payload));
        for (std::size_t size = 0; size < std::min<std::size_t>(payload.size(), 60); ++size) {
            const auto part = Bytes(payload).first(size);
            EXPECT_FALSE(protocol.decode(info.name, part, Reading::strict)) << info.name;
            const auto kept = protocol.decode(info.name, part, Reading::keep);
            ASSERT_TRUE(kept) << info.name;
            EXPECT_FALSE(kept->json().empty());
        }
    }
}

TEST(Packet, AWrongNameIsAnErrorThatNamesANearOne) {
    const Protocol protocol;
    const auto wrong = protocol.make("ViewRadios");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, Errc::not_found);
    EXPECT_EQ(wrong.error().problem,
              "build 2026.02.17 has no packet \"ViewRadios\"; did you mean ViewRadius?");
    EXPECT_EQ(protocol.find("Nothing_like_it").error().problem,
              "build 2026.02.17 has no packet \"Nothing_like_it\"");
    EXPECT_EQ(protocol.find(-1).error().code, Errc::not_found);
    EXPECT_FALSE(protocol.decode(99'999, {}));
    auto radius = protocol.make("ViewRadius").value();
    EXPECT_EQ(radius.set("valu", 1).error().problem, "ViewRadius has no field \"valu\"; did you mean value?");
}

TEST(Packet, BuildsAreFoundByNameAndCrc) {
    EXPECT_EQ(Protocol().build(), "2026.02.17");
    EXPECT_EQ(Protocol::of("0.5.1")->build(), "0.5.1");
    EXPECT_EQ(Protocol::of("2026.02.17").value(), Protocol());
    EXPECT_EQ(Protocol::of("1.2.3").error().code, Errc::unknown_kind);
    EXPECT_NE(Protocol::of("1.2.3").error().advice.find("2026.02.17"), std::string::npos);
    const auto info = Protocol().find("SetChunk").value();
    EXPECT_EQ(info.receiver, Receiver::client);
    EXPECT_EQ(info.channel, "Chunks");
    EXPECT_TRUE(info.is_compressed);
    EXPECT_EQ(Protocol().find(info.id)->name, "SetChunk");
}

TEST(Packet, FieldsAreSetByTheirPaths) {
    auto movement = Protocol().make("ClientMovement").value();
    EXPECT_FALSE(movement["absolutePosition"]);
    ASSERT_TRUE(movement.set("mountedTo", 7));
    ASSERT_TRUE(movement.set("absolutePosition.y", 64.5)); // an absent record on the way is made
    EXPECT_EQ(movement["mountedTo"].integer(), 7);
    EXPECT_EQ(movement["absolutePosition"]["y"].number(), 64.5);
    EXPECT_EQ(movement["absolutePosition"]["x"].number(-1), 0);
    EXPECT_EQ(movement["absolutePosition"].type(), "Position");
    ASSERT_TRUE(movement.set("absolutePosition", nullptr));
    EXPECT_EQ(movement["absolutePosition"].kind(), Value::Kind::none);
    EXPECT_EQ(movement["absolutePosition"]["y"].number(-1), -1);

    auto chat = Protocol().make("ChatMessage").value();
    ASSERT_TRUE(chat.set("message", "hello"));
    EXPECT_EQ(chat["message"].text(), "hello");
    EXPECT_EQ(chat.json(), R"({"message":"hello"})");
}

TEST(Packet, AValueThatDoesNotSuitIsAnErrorAndChangesNothing) {
    auto movement = Protocol().make("ClientMovement").value();
    const auto before = movement;
    EXPECT_EQ(movement.set("mountedTo", "seven").error().code, Errc::bad_value);
    EXPECT_EQ(movement.set("mountedTo", std::int64_t{1} << 40).error().code, Errc::out_of_range);
    EXPECT_EQ(movement.set("mountedTo", nullptr).error().code, Errc::bad_value);
    EXPECT_EQ(movement.set("mountedTo.x", 1).error().code, Errc::not_found);
    EXPECT_EQ(movement.set("absolutePosition.q", 1).error().code, Errc::not_found);
    EXPECT_EQ(movement.set("", 1).error().code, Errc::not_found);
    EXPECT_FALSE(movement.set_json("absolutePosition", "{"));
    EXPECT_FALSE(movement.set_json("absolutePosition", R"({"w":1})"));
    EXPECT_FALSE(movement.set("mountedTo", Bytes()));
    EXPECT_EQ(movement, before);
    EXPECT_FALSE(Protocol().make("ClientMovement", R"({"mounted":1})"));
    EXPECT_FALSE(Protocol().make("ClientMovement", "[]"));
}

TEST(Packet, ACopyDoesNotSeeLaterChangesNorDoValues) {
    auto packet = Protocol().make("ViewRadius").value();
    ASSERT_TRUE(packet.set("value", 1));
    const auto copy = packet;
    const auto value = packet["value"];
    ASSERT_TRUE(packet.set("value", 2));
    EXPECT_EQ(copy["value"].integer(), 1);
    EXPECT_EQ(value.integer(), 1);
    EXPECT_EQ(packet["value"].integer(), 2);
    EXPECT_NE(packet, copy);
}

TEST(Packet, ValuesOutliveTheirPacket) {
    Value message;
    {
        auto chat = Protocol().make("ChatMessage", R"({"message":"still here"})").value();
        message = chat["message"];
    }
    EXPECT_EQ(message.text(), "still here");
    EXPECT_EQ(message.json(), R"("still here")");
}

TEST(Packet, ListsAndMapsAreGoneThroughByNumber) {
    auto request = Protocol().make("RequestAssets").value();
    ASSERT_TRUE(request.set_json("assets", R"([{"hash":"a","name":"one"},{"hash":"b","name":"two"}])"));
    const auto assets = request["assets"];
    ASSERT_EQ(assets.size(), 2U);
    std::string names;
    for (const auto& asset : assets) names += asset["name"].text() + " ";
    EXPECT_EQ(names, "one two ");
    EXPECT_EQ(assets[1].field_name(0), "hash");
    EXPECT_FALSE(assets[2]);
    ASSERT_TRUE(request.set("assets.1.name", "three"));
    EXPECT_EQ(request["assets"][1]["name"].text(), "three");
    EXPECT_EQ(request.set("assets.2.name", "x").error().code, Errc::out_of_range);
    EXPECT_EQ(request.set("assets.-1.name", "x").error().code, Errc::out_of_range);

    const Protocol protocol;
    test::RandomValue random(5);
    std::size_t maps = 0;
    for (const auto& info : protocol.packets()) {
        const auto& layout = *Inside::state(protocol).find(info.id)->layout;
        const auto packet = Inside::packet(*Inside::state(protocol).find(info.id), random.record(layout));
        for (const auto& field : packet.value())
            for (std::size_t at = 0; field.kind() == Value::Kind::map && at < field.size(); ++at) {
                ++maps;
                const auto key = field.key(at);
                if (key.kind() == Value::Kind::text || key.kind() == Value::Kind::name) {
                    EXPECT_EQ(field[key.text()].json(), field[at].json()) << info.name;
                }
            }
    }
    EXPECT_GT(maps, 0U);
}

} // namespace
} // namespace orbis::wire

#include "bytes/hex.hpp"
#include "protocol/describe.hpp"
#include "protocol/json_lines.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/schema_test_support.hpp"
#include "support/vectors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace orbis::protocol {

TEST(JsonLines, EveryVectorComesBackAsItsOwnBytes) {
    PayloadFramer framer;
    for (const auto& line : test::vector_lines("vectors", "")) {
        const auto vector = JsonTree::parse(line).value();
        const auto decoded = decode_line(usual_schema(), line, {});
        const auto answer = JsonTree::parse(decoded.json).value();
        ASSERT_EQ(answer.text("packet"), vector.text("packet"));
        ASSERT_EQ(answer.integer("id"), vector.integer("id"));
        const auto encoded = encode_line(usual_schema(), decoded.json, false, framer);
        EXPECT_EQ(JsonTree::parse(encoded.json)->text("payload_hex"), vector.text("payload_hex"));
    }
}

TEST(JsonLines, FramesOfTheVectorsAreAnsweredAsTheGameDoes) {
    LineOptions server;
    server.frame = true;
    server.receiver = Side::server;
    for (const auto& line : test::vector_lines("vectors", "frames")) {
        const auto vector = JsonTree::parse(line).value();
        const auto expect = vector.text("expect");
        LineOptions options = server;
        if (expect == "encoded") options.receiver.reset();
        const auto answer = JsonTree::parse(decode_line(usual_schema(), line, options).json).value();
        EXPECT_EQ(answer.text("packet"), vector.text("packet"));
        if (expect == "packet") {
            EXPECT_EQ(answer.integer("consumed"), vector.integer("consumed"));
            EXPECT_EQ(answer.text("then"), vector.text("then"));
        }
        EXPECT_EQ(answer.flag("wait"), expect == "wait");
        EXPECT_EQ(answer.text("error"), vector.text("reason"));
        EXPECT_EQ(answer.text("how"), vector.text("how"));
    }
}

std::vector<std::string> answers_to(std::string_view hex, const LineOptions& options = {}) {
    std::vector<std::string> answers;
    decode_frames(usual_schema(), *from_loose_hex(hex), options,
                  [&](const LineResult& answer) { answers.push_back(answer.json); });
    return answers;
}

TEST(JsonLines, FramesThatFollowEachOtherAreAnsweredOneByOne) {
    const std::string_view first = "04000000 64000000 2a000000";
    const std::string one = R"({"packet":"SetClientId","id":100,"value":{"clientId":42},"consumed":12})";
    EXPECT_EQ(answers_to(""), std::vector<std::string>());
    EXPECT_EQ(answers_to(first), std::vector{one});
    EXPECT_EQ(answers_to(fmt::format("{} {}", first, first)), (std::vector{one, one}));
    EXPECT_EQ(answers_to(fmt::format("{} 0400", first)),
              (std::vector<std::string>{one, R"({"wait":true,"have":2})"}));
}

TEST(JsonLines, TheFirstFrameThatIsRefusedIsTheLast) {
    const auto answers = answers_to("00000000 ff7f0000 04000000 64000000 2a000000");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(JsonTree::parse(answers[0])->text("error"), "packet-unknown");
    LineOptions server;
    server.receiver = Side::server; // SetClientId is for clients
    ASSERT_EQ(answers_to("04000000 64000000 2a000000", server).size(), 1U);
    EXPECT_FALSE(JsonTree::parse(answers_to("04000000 64000000 2a000000", server)[0])->text("error").empty());
}

TEST(JsonLines, AnUnknownPacketIsAnsweredWithTheNearestName) {
    const auto line = R"({"packet":"setclientid","payload_hex":""})";
    const auto answer = JsonTree::parse(decode_line(usual_schema(), line, {}).json).value();
    EXPECT_EQ(answer.text("message"), "no packet has the name setclientid; did you mean SetClientId?");
}

TEST(JsonLines, SayWhichPartOfALineIsWrong) {
    for (const auto& [line, message] :
         {std::pair(R"({"payload_hex":"00"})", "\"packet\" or \"id\" is missing"),
          {R"({"packet":"SetClientId"})", "\"payload_hex\" is missing"},
          {R"({"packet":"SetClientId","payload_hex":"0"})", "\"payload_hex\" is not bytes in hex"},
          {R"({"packet":"SetClientId","payload_hex":"0g"})", "\"payload_hex\" is not bytes in hex"}}) {
        const auto answer = decode_line(usual_schema(), line, {});
        EXPECT_EQ(JsonTree::parse(answer.json)->text("message"), message) << answer.json;
    }
}

TEST(JsonLines, NonsenseIsAnAnswerToo) {
    PayloadFramer framer;
    for (const auto* line :
         {"", "nonsense", "[]", "{}", "{\"packet\":1}", "{\"id\":\"x\",\"payload_hex\":\"00\"}",
          "{\"packet\":\"SetClientId\",\"payload_hex\":\"0\"}", "{\"packet\":\"SetClientId\",\"value\":[]}"})
        for (const bool frame : {false, true}) {
            LineOptions options;
            options.frame = frame;
            EXPECT_FALSE(
                JsonTree::parse(decode_line(usual_schema(), line, options).json)->text("error").empty())
                << line;
            EXPECT_FALSE(
                JsonTree::parse(encode_line(usual_schema(), line, frame, framer).json)->text("error").empty())
                << line;
        }
}

TEST(JsonLines, APayloadIsWrappedIntoAFrameButNotIntoItself) {
    PayloadFramer framer;
    const auto* line = R"({"packet":"SetClientId","payload_hex":"07000000"})";
    EXPECT_FALSE(
        JsonTree::parse(encode_line(usual_schema(), line, true, framer).json)->text("frame_hex").empty());
    const auto plain = JsonTree::parse(encode_line(usual_schema(), line, false, framer).json).value();
    EXPECT_EQ(plain.text("error"), "input-bad");
}

TEST(Describe, EveryNewIdIsNamed) {
    const Schema* before = nullptr;
    std::size_t at = 0;
    std::size_t found = 0;
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        for (const auto& packet : schema.registry().packets()) {
            const auto* old = before != nullptr ? before->registry().find(packet.name) : nullptr;
            if (old == nullptr || old->id == packet.id || found > 5) continue;
            ++found;
            const auto changes = changes_between_builds(packet.name).at(at).changes;
            const auto line = fmt::format("id {} instead of {}", packet.id, old->id);
            EXPECT_NE(std::ranges::find(changes, line), changes.end()) << packet.name;
        }
        before = &schema;
        ++at;
    }
}

TEST(Describe, ChangesBetweenBuildsNameFieldsAndTypes) {
    const auto history = changes_between_builds("ServerInfo");
    ASSERT_EQ(history.size(), 9U);
    EXPECT_TRUE(history[0].present);
    EXPECT_TRUE(history[0].changes.empty());
    const auto& added = history[3]; // 2026.03.26 has a fallback server
    EXPECT_EQ(added.build, "2026.03.26");
    EXPECT_TRUE(std::ranges::any_of(added.changes,
                                    [](const auto& line) { return line.starts_with("+ fallbackServer"); }));
    const auto movement = changes_between_builds("MountMovement");
    EXPECT_TRUE(std::ranges::find(movement[3].changes, "~ MovementStates") != movement[3].changes.end());
}

TEST(Describe, EveryPacketAndTypeOfEveryBuildCanBeShown) {
    for (const auto& build : builds()) {
        const auto& each = schema_of(build);
        for (const auto& [name, layout] : each.layouts()) EXPECT_GE(describe(each, name).size(), 2U) << name;
        for (const auto& [name, choice] : each.unions()) EXPECT_GE(describe(each, name).size(), 2U) << name;
        for (const auto& [name, enumeration] : each.enumerations())
            EXPECT_GE(describe(each, name).size(), 2U) << name;
        EXPECT_TRUE(describe(each, "9999").empty());
    }
}

} // namespace orbis::protocol

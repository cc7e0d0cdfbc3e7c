#include "bytes/hex.hpp"
#include "bytes/writer.hpp"
#include "packets/vwire2/all.hpp"
#include "protocol/dissector.hpp"
#include "protocol/packet_codec.hpp"
#include "protocol/schema.hpp"
#include "protocol/value_json.hpp"
#include "support/both_codecs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <variant>

// What the format hytale-wire/2 adds and what the reader of build 242 refuses, in both codecs, on a schema of
// the tests (tests/protocol/wire2.json).
namespace orbis::protocol {

namespace {

constexpr auto k_rules_of_242 = ReadRules::of_build(242);
constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

const Schema& wire2_schema() {
    static const auto schema = [] {
        std::ifstream file(ORBIS_WIRE2_SCHEMA);
        auto parsed = Schema::parse(std::string(std::istreambuf_iterator<char>(file), {}));
        EXPECT_TRUE(parsed) << parsed.error().text();
        return *std::move(parsed);
    }();
    return *schema;
}

const PacketCode& wire2_code(std::string_view name) {
    const auto codes = vwire2::packet_codes();
    return *std::ranges::find(codes, name, [](const PacketCode& code) { return code.info.name; });
}

Result<Buffer> payload_of(std::string_view packet, std::string_view json) {
    const auto& layout = *wire2_schema().packet(packet);
    TRY(const auto tree, JsonTree::parse(json));
    TRY(const auto value, read_json(layout, tree));
    Buffer payload;
    TRY_DO(encode(layout, value, payload));
    return payload;
}

std::string text_of(const Layout& layout, Bytes payload) {
    const auto read = decode(layout, payload, wire2_schema().read_rules());
    if (!read) return std::string(name(read.error().fault));
    JsonWriter json;
    write_json(json, *read);
    return json.take();
}

/// What both codecs say to a payload; they must say the same.
Fault verdict(std::string_view packet, Bytes payload) {
    const auto& layout = *wire2_schema().packet(packet);
    const auto read = decode(layout, payload, k_rules_of_242);
    const auto generic = read ? Fault::none : read.error().fault;
    EXPECT_EQ(test::read_and_write(wire2_code(packet), payload, k_rules_of_242).fault, generic)
        << packet << " " << to_hex(payload) << ": " << name(generic);
    return generic;
}

bool strict_reader_accepts(std::string_view packet, Bytes payload) {
    return decode(*wire2_schema().packet(packet), payload, wire2_schema().read_rules(true)).has_value();
}

template <typename T>
Buffer with(Buffer payload, std::size_t at, T value) {
    store_le(payload.data() + at, value);
    return payload;
}

constexpr std::string_view k_block_json =
    R"({"a":true,"b":false,"c":false,"d":true,"e":false,"f":false,"g":false,"h":true,"i":false,"j":true,)"
    R"("alone":true,"behavior":"Swap","marks":["Fade","NoSolid"],"three":[1,-2,300],"kinds":["Cancel","Keep"],)"
    R"("points":[{"x":1,"y":0},{"x":0,"y":-2}],"ratio":0.5,"level":9,"bytes":"0102fffe","extra":[7,8],)"
    R"("weight":null})";
constexpr std::string_view k_block_hex = "01"       // extra is there, weight is not
                                         "8902"     // a, d, h and j
                                         "01"       // alone, which has a byte for itself
                                         "02000000" // behavior
                                         "05"       // marks
                                         "0100feff2c01"
                                         "0100"
                                         "0000803f00000000" // the first point
                                         "00000000000000c0"
                                         "0000003f"
                                         "09000000"
                                         "0102fffe"
                                         "0700000008000000"
                                         "0000000000000000";

Buffer block() { return from_hex(k_block_hex).value(); }

/// A node with both optional fields, then two others: three variable fields in a row at each level.
Buffer tree() {
    const auto written = payload_of("Tree", R"({"first":false,"second":true,
        "root":{"id":1,"label":"abc","weights":[0.5],"child":{"id":2,"label":null,"weights":[],"child":null,"named":null},
                "named":[[["Fade"],["Swap"]],[[],[]]]},
        "others":[{"id":3,"label":"x","weights":[1,2],"child":null,"named":null},
                  {"id":4,"label":null,"weights":[],"child":null,"named":null}]})");
    EXPECT_TRUE(written) << written.error().text();
    return written.value_or(Buffer());
}

constexpr std::size_t k_root = 10;            ///< where the root of the tree starts
constexpr std::size_t k_root_block = 10 + 21; ///< and its variable block

} // namespace

TEST(Wire2, EveryFeatureHasItsBytes) {
    const auto& layout = *wire2_schema().packet("Block");
    const auto written = payload_of("Block", k_block_json);
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_EQ(to_hex(*written), k_block_hex);
    EXPECT_EQ(to_hex(test::read_and_write(wire2_code("Block"), block(), k_rules_of_242).again), k_block_hex);
    const auto again = payload_of("Block", text_of(layout, block()));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(to_hex(*again), k_block_hex);
    EXPECT_NE(text_of(layout, block()).find(R"("marks":["Fade","NoSolid"],"three":[1,-2,300])"),
              std::string::npos)
        << text_of(layout, block());
}

TEST(Wire2, GeneratedFieldsHaveTheirNamesAndValues) {
    Arena arena;
    vwire2::Block read;
    ASSERT_TRUE(decode(block(), arena, read, true));
    EXPECT_TRUE(read.a && !read.b && read.d && read.h && !read.i && read.j && read.alone);
    EXPECT_EQ(read.behavior, vwire2::Behavior::swap);
    EXPECT_EQ(read.marks, vwire2::Marks::fade | vwire2::Marks::no_solid);
    EXPECT_EQ(read.three, (std::array<std::int16_t, 3>{1, -2, 300}));
    EXPECT_EQ(read.kinds[0], vwire2::Behavior::cancel);
    EXPECT_EQ(read.points[1].y, -2.0F);
    EXPECT_EQ((*read.extra)[1], 8);
    EXPECT_FALSE(read.weight);
}

TEST(Wire2, RandomValuesAreTheSameAfterBothCodecs) {
    test::RandomValue random(242);
    for (const auto& code : vwire2::packet_codes())
        for (int round = 0; round < 500; ++round) {
            const auto& layout = *wire2_schema().packet(code.info.id);
            const auto value = random.record(layout);
            Buffer payload;
            ASSERT_TRUE(encode(layout, value, payload));
            const auto read = decode(layout, payload, wire2_schema().read_rules(true));
            ASSERT_TRUE(read) << read.error().error().text();
            ASSERT_EQ(*read, value) << code.info.name;
            const auto typed = test::read_and_write(code, payload, k_rules_of_242);
            ASSERT_EQ(typed.fault, Fault::none) << code.info.name;
            ASSERT_EQ(to_hex(typed.again), to_hex(payload)) << code.info.name;
            JsonWriter json;
            write_json(json, value);
            const auto from_json = payload_of(code.info.name, json.text());
            ASSERT_TRUE(from_json) << from_json.error().text();
            ASSERT_EQ(*from_json, payload) << code.info.name;
        }
}

TEST(Wire2, BothCodecsAgreeOnDamagedBytes) {
    test::RandomValue random(243);
    for (const auto& code : vwire2::packet_codes())
        for (int round = 0; round < 200; ++round) {
            const auto& layout = *wire2_schema().packet(code.info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            for (int damage = 0; damage < 20; ++damage)
                ASSERT_NO_FATAL_FAILURE(
                    test::expect_same(code, layout, test::damaged(payload, random), k_rules_of_242));
        }
}

TEST(Wire2, EveryTruncationIsRefused) {
    for (const auto& [packet, payload] : {std::pair("Block", block()), std::pair("Tree", tree())})
        for (std::size_t size = 0; size < payload.size(); ++size) {
            const auto part = Bytes(payload).first(size);
            EXPECT_FALSE(decode(*wire2_schema().packet(packet), part, k_rules_of_242)) << packet << size;
            EXPECT_NE(test::read_and_write(wire2_code(packet), part, k_rules_of_242).fault, Fault::none)
                << packet << size;
        }
}

TEST(Wire2, BytesAfterThePacketAreRefused) {
    for (auto [packet, payload] : {std::pair("Block", block()), std::pair("Tree", tree()),
                                   std::pair("Row", payload_of("Row", R"({"id":1,"items":[1]})").value()),
                                   std::pair("Pair", Buffer(8))}) {
        EXPECT_EQ(verdict(packet, payload), Fault::none) << packet;
        payload.push_back(0);
        EXPECT_EQ(verdict(packet, payload), Fault::not_canonical) << packet;
    }
    Arena arena;
    vwire2::Pair pair;
    EXPECT_TRUE(decode(Buffer(8), arena, pair));
    EXPECT_EQ(decode(Buffer(9), arena, pair).error().fault, Fault::not_canonical);
}

TEST(Wire2, AFieldStartsWhereTheOneBeforeItEnded) {
    const auto good = tree();
    ASSERT_EQ(verdict("Tree", good), Fault::none);
    const auto weights = load_le<std::int32_t>(good.data() + k_root + 9);
    ASSERT_EQ(weights, 4) << "behind the label";

    auto gap = good; // one byte between label and weights, and every later offset one larger
    gap.insert(gap.begin() + k_root_block + 4, 0);
    for (const std::size_t slot : {k_root + 9, k_root + 13, k_root + 17, std::size_t{6}})
        gap = with(gap, slot, load_le<std::int32_t>(gap.data() + slot) + 1);
    EXPECT_EQ(verdict("Tree", gap), Fault::not_canonical);

    const auto overlap = with(good, k_root + 9, std::int32_t{0});
    EXPECT_EQ(verdict("Tree", overlap), Fault::not_canonical);
    const auto backwards = with(good, k_root + 9, std::int32_t{-4});
    EXPECT_NE(verdict("Tree", backwards), Fault::none);
    const auto behind = with(good, k_root + 9, std::int32_t{1'000'000});
    EXPECT_NE(verdict("Tree", behind), Fault::none);

    const auto& layout = *wire2_schema().packet("Tree");
    EXPECT_TRUE(decode(layout, gap, ReadRules::of_build(101))) << "builds before accept gaps";
}

TEST(Wire2, AnAbsentFieldHasTheOffsetMinusOne) {
    auto payload = payload_of("Tree", R"({"first":true,"second":true,"root":null,"others":null})").value();
    EXPECT_EQ(to_hex(payload), "0003ffffffffffffffff");
    EXPECT_EQ(verdict("Tree", payload), Fault::none);
    for (const std::int32_t offset : {0, 1, -2, 1000})
        for (const std::size_t slot : {2U, 6U}) {
            EXPECT_EQ(verdict("Tree", with(payload, slot, offset)), Fault::not_canonical) << offset;
            EXPECT_TRUE(decode(*wire2_schema().packet("Tree"), with(payload, slot, offset),
                               ReadRules::of_build(101)));
        }
}

TEST(Wire2, FloatsThatAreNotFiniteAreRefused) {
    for (const auto bad :
         {k_nan, -k_nan, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        EXPECT_EQ(verdict("Block", with(block(), 33, bad)), Fault::not_finite) << "a field";
        EXPECT_EQ(verdict("Block", with(block(), 29, bad)), Fault::not_finite)
            << "of a struct in a fixed list";
        const auto row = payload_of("Row", R"({"id":1,"items":[1,2,3]})").value();
        EXPECT_EQ(verdict("Row", with(row, 9, bad)), Fault::not_finite) << "an element of a list";
    }
    const auto absent = with(block(), 53, k_infinity);
    EXPECT_EQ(verdict("Block", absent), Fault::none) << "what an absent field holds means nothing";
    auto present = absent;
    present[0] |= 2;
    EXPECT_EQ(verdict("Block", present), Fault::not_finite);
}

TEST(Wire2, NumbersOutsideTheirLimitsAreRefused) {
    for (const float fine : {0.0F, -0.0F, 1.0F})
        EXPECT_EQ(verdict("Block", with(block(), 33, fine)), Fault::none) << fine;
    for (const float bad : {-0.001F, 1.001F, 1e30F})
        EXPECT_EQ(verdict("Block", with(block(), 33, bad)), Fault::value_range) << bad;
    for (const std::int32_t fine : {1, 9}) EXPECT_EQ(verdict("Block", with(block(), 37, fine)), Fault::none);
    for (const std::int32_t bad : {0, 10, -1, INT32_MAX})
        EXPECT_EQ(verdict("Block", with(block(), 37, bad)), Fault::value_range) << bad;
}

TEST(Wire2, EnumsAndFlagsKnowTheirValues) {
    for (const std::int32_t bad : {3, 256, -1, 0x01000000})
        EXPECT_EQ(verdict("Block", with(block(), 4, bad)), Fault::enum_bad) << bad;
    for (int byte = 0; byte < 256; ++byte)
        EXPECT_EQ(verdict("Block", with(block(), 8, static_cast<std::uint8_t>(byte))),
                  byte < 8 ? Fault::none : Fault::enum_bad)
            << byte;
    EXPECT_EQ(verdict("Block", with(block(), 16, std::uint8_t{3})), Fault::enum_bad) << "in a fixed list";
}

TEST(Wire2, BitsWithoutABooleanMeanNothingButToAStrictReader) {
    const auto odd = with(block(), 2, std::uint8_t{0x02 | 0x84});
    EXPECT_EQ(verdict("Block", odd), Fault::none);
    EXPECT_EQ(to_hex(test::read_and_write(wire2_code("Block"), odd, k_rules_of_242).again), k_block_hex);
    EXPECT_TRUE(strict_reader_accepts("Block", block()));
    EXPECT_FALSE(strict_reader_accepts("Block", odd));
}

TEST(Wire2, TheCountOfAnInlineListHasItsShortestForm) {
    auto row = payload_of("Row", R"({"id":1,"items":[1,2]})").value();
    row[4] = 0x82;
    row.insert(row.begin() + 5, 0x00);
    EXPECT_EQ(verdict("Row", row), Fault::length_bad);
}

TEST(Wire2, NestingHasALimit) {
    const auto nested = [](int nodes) {
        Buffer inner;
        for (int node = 0; node < nodes; ++node) {
            Buffer outer;
            Writer out(outer);
            out.u8(node == 0 ? 0 : 2);
            out.le<std::int32_t>(node);
            for (const std::int32_t slot : {-1, 0, node == 0 ? -1 : 1, -1}) out.le(slot);
            out.u8(0);
            out.bytes(inner);
            inner = std::move(outer);
        }
        Buffer payload{1, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
        payload.insert(payload.end(), inner.begin(), inner.end());
        return payload;
    };
    EXPECT_EQ(verdict("Tree", nested(k_depth_limit - 1)), Fault::none);
    EXPECT_EQ(verdict("Tree", nested(k_depth_limit)), Fault::recursion);
}

TEST(Wire2, AUnionCanHoldItself) {
    const auto payload = payload_of("Rules", R"({"rule":{"$type":"NotRule","rule":{"$type":"NotRule",
        "rule":{"$type":"Point","x":1,"y":2}}}})");
    ASSERT_TRUE(payload) << payload.error().text();
    EXPECT_EQ(to_hex(*payload), "010101000000803f00000040");
    EXPECT_EQ(verdict("Rules", *payload), Fault::none);
    EXPECT_EQ(verdict("Rules", Buffer(100, 1)), Fault::recursion);

    Arena arena;
    vwire2::Rules rules;
    ASSERT_TRUE(decode(*payload, arena, rules, true));
    const auto* outer = std::get_if<vwire2::NotRule>(&*rules.rule);
    ASSERT_NE(outer, nullptr);
    EXPECT_TRUE(std::holds_alternative<vwire2::NotRule>(*outer->rule));
    rules.rule = vwire2::Rule(vwire2::NotRule{});
    Buffer again;
    const auto written = encode(rules, again);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().text(), "Rules: a value that cannot be absent is missing");
}

TEST(Wire2, WhatTheReaderRefusesIsNotWritten) {
    const auto refused = [](std::string_view old, std::string_view other) {
        std::string json(k_block_json);
        json.replace(json.find(old), old.size(), other);
        const auto written = payload_of("Block", json);
        return written ? "written" : written.error().text();
    };
    EXPECT_EQ(refused(R"("ratio":0.5)", R"("ratio":"NaN")"),
              "Block.ratio: expected a finite number, found nan");
    EXPECT_EQ(refused(R"("ratio":0.5)", R"("ratio":1.5)"), "Block.ratio: expected at most 1, found 1.5");
    EXPECT_EQ(refused(R"("level":9)", R"("level":0)"), "Block.level: expected at least 1, found 0");
    EXPECT_EQ(refused("[1,-2,300]", "[1,-2]"), "Block.three: expected 3 elements, found 2");
    EXPECT_EQ(refused("0102fffe", "0102fffe00"), "Block.bytes: expected 4 elements, found 5");
    EXPECT_EQ(refused(R"(["Fade","NoSolid"])", R"(["Gone"])"),
              "element 0: expected a name of Marks, found 'Gone'");

    Arena arena;
    const auto code_of_change = [&](auto change) {
        vwire2::Block packet;
        EXPECT_TRUE(decode(block(), arena, packet));
        change(packet);
        Buffer payload;
        const auto written = encode(packet, payload);
        return written ? Errc{} : written.error().code;
    };
    using Packet = vwire2::Block;
    EXPECT_EQ(code_of_change([](Packet&) {}), Errc{});
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.ratio = k_nan; }), Errc::out_of_range);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.ratio = 2; }), Errc::out_of_range);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.level = 10; }), Errc::out_of_range);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.weight = k_infinity; }), Errc::out_of_range);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.points[1].x = k_nan; }), Errc::out_of_range);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.marks = static_cast<vwire2::Marks>(8); }),
              Errc::bad_value);
    EXPECT_EQ(code_of_change([](Packet& packet) { packet.behavior = static_cast<vwire2::Behavior>(3); }),
              Errc::bad_value);
}

TEST(Wire2, AWatcherReadsOnBehindAGap) {
    const auto overlap = with(tree(), k_root + 9, std::int32_t{1});
    const auto& layout = *wire2_schema().packet("Tree");
    ASSERT_FALSE(decode(layout, overlap, k_rules_of_242));
    const auto kept = decode_what_parses(layout, overlap, k_rules_of_242);
    EXPECT_EQ(*kept.find("root")->find("label")->as<std::string>(), "abc");
    EXPECT_EQ(kept.find("others")->as<Value::List>()->size(), 2U);
}

TEST(Wire2, TheDissectorKnowsAllOfIt) {
    const auto script = dissector(wire2_schema());
    for (const std::string_view part :
         {R"(E.Marks={[1]="Fade",[2]="NoWireframe",[4]="NoSolid",})", R"({"j",{k="bool"},at=2,mask=2})",
          R"({"alone",{k="bool"},at=3})", R"({"behavior",{k="wide",name="Behavior"},at=4})",
          R"({"marks",{k="flags",name="Marks"},at=8})",
          R"({"three",{k="array",len=3,width=6,of={k="i16"}},at=9})"})
        EXPECT_NE(script.find(part), std::string::npos) << part;
    // Each table of the generated part ends on its own line or the line before the next.
    const auto tables = script.substr(0, script.find("\n-- What follows"));
    int depth = 0;
    std::size_t lines = 0;
    for (const auto letter : tables) {
        depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
        ASSERT_GE(depth, 0);
        if (letter != '\n') continue;
        ++lines;
        ASSERT_LE(depth, 1) << "line " << lines;
    }
    EXPECT_EQ(depth, 0);
    EXPECT_GT(lines, 10U);
}

TEST(Wire2, ASchemaThatDoesNotHoldTogetherIsRefused) {
    const auto parsed = [](std::string_view fields, std::string_view flags = R"({"wire":"i8","A":1,"B":2})") {
        return Schema::parse(fmt::format(
                                 R"({{"format":"hytale-wire/2","build":"x","unions":{{}},"packets":{{}},
            "enums":{{"E":{{"values":["A","B"]}},"F":{{"values":["A","B"],"flags":{}}}}},
            "structs":{{"S":{{"nullBytes":1,"fixed":9,"varCount":0,"varStart":9,"max":9,"fields":[{}]}}}}}})",
                                 flags, fields))
            .has_value();
    };
    EXPECT_TRUE(parsed(R"({"name":"a","at":1,"bit":7,"type":"bool"})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"bit":8,"type":"bool"})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"bit":0,"null":0,"type":"bool"})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"bit":0,"type":"i8"})"));
    EXPECT_TRUE(parsed(R"({"name":"a","at":5,"type":{"enum":"E","wire":"i32"}})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":6,"type":{"enum":"E","wire":"i32"}})")) << "four bytes wide";
    EXPECT_FALSE(parsed(R"({"name":"a","at":5,"type":{"enum":"E","wire":"i16"}})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":5,"type":{"enum":"F","wire":"i32"}})"));
    EXPECT_TRUE(parsed(R"({"name":"a","at":5,"type":{"enum":"F"}})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":5,"type":{"enum":"F"}})", R"({"wire":"i8","A":1,"B":1})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":5,"type":{"enum":"F"}})", R"({"wire":"i8","A":1,"B":3})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":5,"type":{"enum":"F"}})", R"({"wire":"i8","A":1})"));
    EXPECT_TRUE(parsed(R"({"name":"a","at":1,"type":{"fixedArray":"i32","len":2}})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"type":{"fixedArray":"i32","len":3}})")) << "sticks out";
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"type":{"fixedArray":{"string":"utf8","max":9},"len":2}})"));
    EXPECT_FALSE(parsed(R"({"name":"a","at":1,"type":"bool","minValue":0})"));
}

} // namespace orbis::protocol

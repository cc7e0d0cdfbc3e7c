#include "bytes/hex.hpp"
#include "bytes/writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/schema_test_support.hpp"
#include "protocol/value_json.hpp"
#include "support/random_value.hpp"
#include "support/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::protocol {

namespace {

struct Vector {
    JsonTree tree;
    const Layout* layout;
    Buffer payload;
};

Vector vector_of(const Schema& schema, const std::string& line) {
    auto tree = JsonTree::parse(line);
    EXPECT_TRUE(tree) << line.substr(0, 200);
    Vector made{*std::move(tree), nullptr, {}};
    made.layout = schema.packet(made.tree.text("packet"));
    EXPECT_NE(made.layout, nullptr) << made.tree.text("packet");
    EXPECT_EQ(schema.packet(static_cast<std::int32_t>(made.tree.integer("id"))), made.layout);
    made.payload = from_hex(made.tree.text("payload_hex")).value();
    return made;
}

std::string name_of(const Vector& vector) {
    return fmt::format("{} {} {}", vector.tree.text("packet"), vector.tree.integer("n"),
                       vector.tree.text("case"));
}

void expect_encoded_vectors_agree(std::string_view build, std::string_view folder) {
    const auto& schema = *find_schema(build).value();
    for (const auto& line : test::vector_lines(folder, "")) {
        const auto vector = vector_of(schema, line);
        const auto wanted = read_json(*vector.layout, *vector.tree.find("value"));
        ASSERT_TRUE(wanted) << name_of(vector) << ": " << wanted.error().text();

        const auto read = decode(*vector.layout, vector.payload, schema.read_rules(true));
        ASSERT_TRUE(read) << name_of(vector) << ": " << read.error().error().text();
        EXPECT_EQ(*read, *wanted) << name_of(vector);

        Buffer written;
        const auto done = encode(*vector.layout, *wanted, written);
        ASSERT_TRUE(done) << name_of(vector) << ": " << done.error().text();
        EXPECT_EQ(to_hex(written), vector.tree.text("payload_hex")) << name_of(vector);

        JsonWriter json;
        write_json(json, *read);
        const auto again = read_json(*vector.layout, JsonTree::parse(json.text()).value());
        ASSERT_TRUE(again) << name_of(vector) << ": " << again.error().text();
        EXPECT_EQ(*again, *wanted) << name_of(vector);
    }
}

std::string json_of(const Value& value) {
    JsonWriter json;
    write_json(json, value);
    return json.take();
}

/// A schema with only the given structs.
std::unique_ptr<const Schema> small_schema(std::string_view structs) {
    auto schema = Schema::parse(fmt::format(
        R"({{"format":"hytale-wire/1","build":"x","enums":{{}},"unions":{{}},"packets":{{}},"structs":{{{}}}}})",
        structs));
    EXPECT_TRUE(schema) << schema.error().text();
    return *std::move(schema);
}

} // namespace

TEST(GenericCodec, PacketsOf20260217ReadAsTheGameWroteThem) {
    expect_encoded_vectors_agree("2026.02.17", "vectors");
}
TEST(GenericCodec, PacketsOf20260326ReadAsTheGameWroteThem) {
    expect_encoded_vectors_agree("2026.03.26", "vectors-2026.03.26");
}
TEST(GenericCodec, PacketsOf20260507ReadAsTheGameWroteThem) {
    expect_encoded_vectors_agree("2026.05.07", "vectors-2026.05.07");
}
TEST(GenericCodec, PacketsOf051ReadAsTheGameWroteThem) {
    expect_encoded_vectors_agree("0.5.1", "vectors-0.5.1");
}
TEST(GenericCodec, PacketsOf060ReadAsTheGameWroteThem) {
    expect_encoded_vectors_agree("0.6.0-pre.1", "vectors-0.5.1");
}

TEST(GenericCodec, PacketsOfB242ReadAsTheReferenceCodecWroteThem) {
    expect_encoded_vectors_agree("b242", "vectors-b242");
}

TEST(GenericCodec, PacketsOfB242HaveWhatItsFormatAdds) {
    const auto& schema = *find_schema("b242").value();
    const auto text_of = [&](std::string_view packet, std::string_view hex) {
        const auto read = decode(*schema.packet(packet), from_hex(hex).value(), schema.read_rules(true));
        return read ? json_of(*read) : std::string(name(read.error().fault));
    };
    EXPECT_EQ(text_of("ClientReady", "02"), R"({"readyForChunks":false,"readyForGameplay":true})");
    EXPECT_EQ(text_of("ViewRadius", "ffffffff"), "value-range");
    EXPECT_EQ(text_of("SetMovementStates", "0101"), R"({"movementStates":{"flying":true}})");
    const auto& style = *schema.packet("ShowEventTitle")->find("style");
    EXPECT_EQ(style.type.width(), 4U);
    const auto& heights = *schema.packet("SetColumn")->find("heightmap");
    EXPECT_EQ(heights.type.text(), "fixed list of 1024 i32");
    EXPECT_EQ(schema.layout("MovementStates")->find("sleeping")->packed_bit, 6);
    EXPECT_EQ(schema.layout("DepthOfFieldSettings")->find("farBlurMax")->max_value, 1.0);
    EXPECT_TRUE(schema.enumerations().find("DebugFlags")->second.is_flags());
    for (const auto& [owner, field] :
         {std::pair("BlockType", "support"), std::pair("ItemArmor", "statModifiers")})
        EXPECT_EQ(schema.layout(owner)->find(field)->type.element->limit, 4'096'000U) << owner;
}

TEST(GenericCodec, DamagedPayloadsAreJudgedAsByTheGame) {
    const auto& schema = usual_schema();
    for (const auto& line : test::vector_lines("vectors", "negative-")) {
        const auto vector = vector_of(schema, line);
        const auto verdict = vector.tree.text("decode");
        const auto read = decode(*vector.layout, vector.payload, schema.read_rules());
        EXPECT_EQ(read.has_value(), verdict == "ok") << name_of(vector);
        // Of one string that does not fit the game says overrun instead; only the verdict is binding.
        if (!read && verdict != "overrun") {
            EXPECT_EQ(name(read.error().fault), verdict) << name_of(vector);
        }
        const auto* value = vector.tree.find("value");
        if (!read || value == nullptr) continue;
        const auto wanted = read_json(*vector.layout, *value);
        ASSERT_TRUE(wanted) << name_of(vector) << ": " << wanted.error().text();
        EXPECT_EQ(json_of(*read), json_of(*wanted)) << name_of(vector); // a NaN is not equal to itself
    }
}

TEST(GenericCodec, RandomValuesOfEveryPacketOfEveryBuildSurviveARoundTrip) {
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        test::RandomValue random(20260217);
        for (const auto& info : schema.registry().packets())
            for (int round = 0; round < 8; ++round) {
                const auto& layout = *schema.packet(info.id);
                const auto value = random.record(layout);
                Buffer payload;
                const auto written = encode(layout, value, payload);
                ASSERT_TRUE(written) << build.build << ": " << written.error().text();
                const auto read = decode(layout, payload, schema.read_rules(true));
                ASSERT_TRUE(read) << build.build << ": " << read.error().error().text();
                ASSERT_EQ(*read, value) << build.build << " " << info.name;
                ASSERT_GE(payload.size(), info.smallest) << build.build << " " << info.name;
            }
    }
}

TEST(GenericCodec, AValueThatIsDecodedIntoAgainKeepsNothing) {
    const auto& schema = schema_of(*find_build(k_default_build));
    test::RandomValue random(11);
    Value again;
    for (const auto& packet : schema.registry().packets()) {
        const auto& layout = *schema.packet(packet.id);
        Buffer payload;
        if (!encode(layout, random.record(layout), payload)) continue;
        const auto fresh = decode(layout, payload, {});
        ASSERT_EQ(decode_into(again, layout, payload, {}).has_value(), !fresh.has_value()) << packet.name;
        if (!fresh) continue;
        EXPECT_EQ(json_of(again), json_of(*fresh)) << packet.name;
    }
}

TEST(GenericCodec, EveryTruncationIsJudgedAndNeverACrash) {
    const auto& schema = usual_schema();
    test::RandomValue random(1);
    for (const auto& info : schema.registry().packets()) {
        const auto& layout = *schema.packet(info.id);
        Buffer payload;
        ASSERT_TRUE(encode(layout, random.record(layout), payload));
        const auto most = std::min<std::size_t>(payload.size(), 300);
        for (std::size_t size = 0; size < most; ++size) {
            const Bytes part(payload.data(), size);
            (void)decode(layout, part, schema.read_rules());
            EXPECT_FALSE(decode(layout, part, {true, true})) << info.name;
            (void)decode_what_parses(layout, part, {});
        }
    }
}

TEST(GenericCodec, LaterBuildsRefuseWhatEarlierOnesAccept) {
    const auto schema =
        small_schema(R"("A":{"nullBytes":1,"fixed":1,"varCount":2,"varStart":9,"max":99,"fields":[
        {"name":"a","slot":0,"slotAt":1,"null":0,"type":{"string":"ascii","max":9}},
        {"name":"b","slot":1,"slotAt":5,"null":1,"type":{"string":"utf8","max":9}}]})");
    const auto& layout = *schema->layout("A");
    const auto accepted = [&](Buffer payload) { return decode(layout, payload, {}).has_value(); };
    const auto refused = [&](Buffer payload) {
        const auto read = decode(layout, payload, {true, false});
        return read ? Fault::none : read.error().fault;
    };
    const Buffer cut{0x00};
    EXPECT_TRUE(accepted(cut));
    EXPECT_EQ(refused(cut), Fault::read_range);

    const Buffer backwards{0x01, 0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}; // to its own first byte
    EXPECT_TRUE(accepted(backwards));
    EXPECT_EQ(refused(backwards), Fault::offset_range);

    const Buffer not_ascii{0x01, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x01, 0xc3};
    EXPECT_TRUE(accepted(not_ascii));
    EXPECT_EQ(refused(not_ascii), Fault::text_bad);
}

TEST(GenericCodec, StructsNestedTooDeeplyAreRefused) {
    const auto schema =
        small_schema(R"("A":{"nullBytes":1,"fixed":1,"varCount":1,"varStart":1,"max":999,"fields":[
        {"name":"a","inline":true,"null":0,"type":{"struct":"A"}}]})");
    Buffer payload(k_depth_limit, 1);
    payload.back() = 0;
    const auto read = decode(*schema->layout("A"), payload, {});
    ASSERT_TRUE(read);
    payload.insert(payload.begin(), 1);
    EXPECT_EQ(decode(*schema->layout("A"), payload, {}).error().fault, Fault::recursion);
    Buffer written;
    EXPECT_TRUE(encode(*schema->layout("A"), *read, written));
    const Value deeper{Value::Record{schema->layout("A"), {*read}}};
    EXPECT_EQ(encode(*schema->layout("A"), deeper, written).error().code, Errc::too_deep);
    EXPECT_EQ(written.size(), std::size_t{k_depth_limit}) << "a failed call must not leave bytes behind";
}

TEST(GenericCodec, OverlappingFieldsCannotUnfoldWithoutBound) {
    const auto schema =
        small_schema(R"("A":{"nullBytes":0,"fixed":0,"varCount":2,"varStart":8,"max":999,"fields":[
        {"name":"a","slot":0,"slotAt":0,"type":{"string":"utf8","max":99999}},
        {"name":"b","slot":1,"slotAt":4,"type":{"string":"utf8","max":99999}}]},
      "B":{"nullBytes":0,"fixed":0,"varCount":2,"varStart":8,"max":9999999,"fields":[
        {"name":"text","slot":0,"slotAt":0,"type":{"string":"utf8","max":99999}},
        {"name":"list","slot":1,"slotAt":4,"type":{"array":{"struct":"A"},"max":99999}}]})");
    // One text of 50000 bytes, then structs that all point back at it.
    const auto payload_with = [](std::uint8_t count) {
        Buffer payload;
        Writer out(payload);
        out.le<std::int32_t>(0);
        out.le<std::int32_t>(50003);
        out.bytes(Buffer{0xd0, 0x86, 0x03});
        out.bytes(Buffer(50000, 'x'));
        out.u8(count);
        for (int index = 0; index < count; ++index) {
            const auto back = -static_cast<std::int32_t>(out.position());
            out.le(back);
            out.le(back);
        }
        return payload;
    };
    const auto& layout = *schema->layout("B");
    EXPECT_TRUE(decode(layout, payload_with(2), {}));
    EXPECT_EQ(decode(layout, payload_with(100), {}).error().fault, Fault::work);
}

TEST(GenericCodec, AKeyIsNeverWrittenTwice) {
    const auto& layout = *usual_schema().packet("UpdateTranslations");
    const auto value =
        read_json(layout, JsonTree::parse(R"({"type":"Init","translations":[["a","1"],["a","2"]]})").value());
    ASSERT_TRUE(value) << value.error().text();
    Buffer payload;
    const auto written = encode(layout, *value, payload);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().text(),
              "UpdateTranslations.translations: expected every key once, found one twice");
}

TEST(GenericCodec, ASymbolBehindTheLastOfItsEnumIsNotWritten) {
    const auto& layout = *usual_schema().packet("UpdateTranslations");
    const auto value = read_json(layout, JsonTree::parse(R"({"type":"Init","translations":[]})").value());
    ASSERT_TRUE(value) << value.error().text();
    auto record = *value->as<Value::Record>();
    const auto* symbol = record.fields[0].as<Value::Symbol>();
    ASSERT_NE(symbol, nullptr);
    const auto* enumeration = symbol->enumeration;
    const auto count = static_cast<std::uint8_t>(enumeration->values.size());
    const auto encoded = [&](std::uint8_t index) {
        record.fields[0] = Value(Value::Symbol{enumeration, index});
        Buffer payload;
        return encode(layout, Value(record), payload).has_value();
    };
    EXPECT_TRUE(encoded(static_cast<std::uint8_t>(count - 1)));
    EXPECT_FALSE(encoded(count));
}

TEST(GenericCodec, WhatDoesNotParseIsKeptAsBytes) {
    const auto& schema = usual_schema();
    const auto& layout = *schema.packet("Connect");
    test::RandomValue random(3);
    auto value = random.record(layout);
    for (auto& field : std::get<Value::Record>(value.content).fields)
        EXPECT_FALSE(field.as<Value::Unreadable>());
    Buffer payload;
    ASSERT_TRUE(encode(layout, value, payload));
    const auto& type = *layout.find("clientType");
    payload[static_cast<std::size_t>(type.at)] = 0x55;
    ASSERT_FALSE(decode(layout, payload, {}));

    const auto kept = decode_what_parses(layout, payload, {});
    const auto* bad = kept.find("clientType")->as<Value::Unreadable>();
    ASSERT_NE(bad, nullptr);
    EXPECT_EQ(bad->bytes, Buffer{0x55});
    EXPECT_EQ(bad->fault, Fault::enum_bad);
    EXPECT_EQ(*kept.find("uuid"), *value.find("uuid"));
    EXPECT_EQ(*kept.find("username"), *value.find("username"));
    JsonWriter json;
    write_json(json, kept);
    EXPECT_NE(json.text().find(R"("clientType":{"$bytes":"55","$error":"enum-bad"})"), std::string::npos);
}

} // namespace orbis::protocol

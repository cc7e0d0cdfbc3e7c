#include "bson/extended_json.hpp"
#include "bson/patch.hpp"
#include "bson/view.hpp"
#include "bson/writer.hpp"

#include <bson/bson.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::bson {
namespace {

/// A random document by this library's writer and, in the same calls, by libbson.
void random_members(Writer& ours, bson_t* theirs, int depth) {
    const auto members = *rc::gen::inRange(0, depth > 3 ? 2 : 6);
    for (int i = 0; i < members; ++i) {
        const auto key =
            fmt::format("k{}{}", i, *rc::gen::element<std::string>("", "é", "long key with spaces"));
        switch (*rc::gen::inRange(0, 9)) {
        case 0: {
            const auto value = *rc::gen::arbitrary<double>();
            ours.real(key, value);
            bson_append_double(theirs, key.c_str(), -1, value);
            break;
        }
        case 1: {
            const auto value = *rc::gen::element<std::string>("", "a", "grün", "x\ny", std::string(300, 'z'));
            ours.string(key, value);
            bson_append_utf8(theirs, key.c_str(), -1, value.c_str(), static_cast<int>(value.size()));
            break;
        }
        case 2: {
            const auto value = *rc::gen::arbitrary<Buffer>();
            ours.binary(key, value);
            bson_append_binary(theirs, key.c_str(), -1, BSON_SUBTYPE_BINARY, value.data(),
                               static_cast<std::uint32_t>(value.size()));
            break;
        }
        case 3: {
            const auto value = *rc::gen::arbitrary<bool>();
            ours.boolean(key, value);
            bson_append_bool(theirs, key.c_str(), -1, value);
            break;
        }
        case 4: {
            ours.null(key);
            bson_append_null(theirs, key.c_str(), -1);
            break;
        }
        case 5: {
            const auto value = *rc::gen::arbitrary<std::int32_t>();
            ours.int32(key, value);
            bson_append_int32(theirs, key.c_str(), -1, value);
            break;
        }
        case 6: {
            const auto value = *rc::gen::arbitrary<std::int64_t>();
            ours.int64(key, value);
            bson_append_int64(theirs, key.c_str(), -1, value);
            break;
        }
        case 7: {
            bson_t child;
            ours.document(key);
            bson_append_document_begin(theirs, key.c_str(), -1, &child);
            random_members(ours, &child, depth + 1);
            ours.end();
            bson_append_document_end(theirs, &child);
            break;
        }
        default: {
            bson_t child;
            ours.array(key);
            bson_append_array_begin(theirs, key.c_str(), -1, &child);
            random_members(ours, &child, depth + 1);
            ours.end();
            bson_append_array_end(theirs, &child);
            break;
        }
        }
    }
}

Bytes bytes_of(const bson_t& document) { return {bson_get_data(&document), document.len}; }

Buffer random_document() {
    Buffer ours;
    Writer writer(ours);
    bson_t theirs = BSON_INITIALIZER;
    random_members(writer, &theirs, 0);
    writer.finish();
    RC_ASSERT(std::ranges::equal(ours, bytes_of(theirs)));
    bson_destroy(&theirs);
    return ours;
}

/// Two documents with the same elements in the same order, compared with libbson's iterator.
void expect_same(const Document& ours, bson_iter_t* theirs) {
    Cursor at(ours);
    while (at.next()) {
        RC_ASSERT(bson_iter_next(theirs));
        RC_ASSERT(at->key() == bson_iter_key(theirs));
        RC_ASSERT(static_cast<int>(at->type()) == static_cast<int>(bson_iter_type(theirs)));
        if (const auto nested = at->type() == Type::array ? at->array() : at->document()) {
            bson_iter_t child;
            RC_ASSERT(bson_iter_recurse(theirs, &child));
            expect_same(*nested, &child);
        } else if (const auto text = at->string()) {
            RC_ASSERT(*text == bson_iter_utf8(theirs, nullptr));
        } else if (const auto number = at->int32()) {
            RC_ASSERT(*number == bson_iter_int32(theirs));
        } else if (const auto wide = at->int64()) {
            RC_ASSERT(*wide == bson_iter_int64(theirs));
        } else if (const auto flag = at->boolean()) {
            RC_ASSERT(*flag == bson_iter_bool(theirs));
        } else if (const auto data = at->binary()) {
            bson_subtype_t subtype{};
            std::uint32_t length = 0;
            const std::uint8_t* start = nullptr;
            bson_iter_binary(theirs, &subtype, &length, &start);
            RC_ASSERT(std::ranges::equal(data->data, Bytes(start, length)));
        }
    }
    RC_ASSERT(at.ok());
    RC_ASSERT(!bson_iter_next(theirs));
}

RC_GTEST_PROP(Bson, ReadsAndWritesWhatLibbsonDoes, ()) {
    const auto bytes = random_document();
    const auto document = open_validated(bytes);
    RC_ASSERT(document.has_value());
    bson_t theirs;
    RC_ASSERT(bson_init_static(&theirs, bytes.data(), bytes.size()));
    bson_iter_t at;
    RC_ASSERT(bson_iter_init(&at, &theirs));
    expect_same(*document, &at);
}

RC_GTEST_PROP(Bson, JsonTextReadsBackAsTheSameDocument, ()) {
    const auto bytes = random_document();
    const auto document = open_validated(bytes);
    RC_ASSERT(document.has_value());
    const auto text = to_extended_json(*document, {.indent = *rc::gen::element(0, 2)});
    RC_ASSERT(text.has_value());
    const auto again = from_extended_json(*text);
    RC_ASSERT(again.has_value());
    // A small int64 reads back as int32, hence the comparison of texts.
    const auto text_again = to_extended_json(*open_validated(*again), {.indent = 0});
    RC_ASSERT(*text_again == *to_extended_json(*document));
}

RC_GTEST_PROP(Bson, EveryTruncationAndEveryFlippedByteIsSafe, ()) {
    auto bytes = random_document();
    for (std::size_t cut = 0; cut < bytes.size(); ++cut)
        RC_ASSERT(!open_validated(Bytes(bytes).first(cut)).has_value());
    for (int i = 0; i < 50; ++i) {
        auto changed = bytes;
        changed[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<std::uint8_t>();
        const auto document = open_validated(changed);
        if (document) (void)to_extended_json(*document);
    }
}

RC_GTEST_PROP(Bson, APatchChangesOneElementAndNothingElse, ()) {
    const auto bytes = random_document();
    const auto document = *open_validated(bytes);
    std::vector<std::string_view> keys;
    for (Cursor at(document); at.next();) keys.push_back(at->key());
    RC_PRE(!keys.empty());
    const auto which = *rc::gen::inRange<std::size_t>(0, keys.size());
    const bool removes = *rc::gen::arbitrary<bool>();

    Buffer expected;
    Writer writer(expected);
    std::size_t i = 0;
    for (Cursor at(document); at.next(); ++i) {
        if (i != which)
            writer.element(at.element());
        else if (!removes)
            writer.string(at->key(), "new");
    }
    writer.finish();

    Patch patch(document);
    if (removes)
        RC_ASSERT(patch.remove({keys[which]}).has_value());
    else
        RC_ASSERT(patch.set({keys[which]}, Value::string("new")).has_value());
    Buffer changed;
    RC_ASSERT(patch.apply(changed).has_value());
    RC_ASSERT(changed == expected);
}

TEST(BsonPatch, SetsTheLengthsOfAllDocumentsAround) {
    Buffer bytes;
    Writer writer(bytes);
    writer.int32("before", 1).document("a").document("b").int32("x", 1).string("y", "old").end().end();
    writer.document("c").end().int32("after", 2).finish();
    Patch patch(*Document::open(bytes));
    ASSERT_TRUE(patch.set({"a", "b", "y"}, Value::string("a longer text")));
    ASSERT_TRUE(patch.set({"a", "b", "z"}, Value::int32(7)));
    ASSERT_TRUE(patch.set({"a", "w"}, Value::int32(8)));
    ASSERT_TRUE(patch.remove({"a", "b", "x"}));
    ASSERT_TRUE(patch.set({"c", "d"}, Value::document(empty_document())));
    Buffer changed;
    ASSERT_TRUE(patch.apply(changed));
    const auto document = open_validated(changed);
    ASSERT_TRUE(document) << document.error().text();
    EXPECT_EQ(
        *to_extended_json(*document),
        R"({"before": 1, "a": {"b": {"y": "a longer text", "z": 7}, "w": 8}, "c": {"d": {}}, "after": 2})");
}

TEST(BsonPatch, ABinaryWhosePlaceIsKnownIsReplacedAsOneThatIsLookedFor) {
    const std::vector<std::uint8_t> stored(40, 7);
    Buffer bytes;
    Writer writer(bytes);
    writer.int32("before", 1).document("a").document("b").binary("x", stored).int32("y", 1).end().end();
    writer.document("c").binary("x", stored).end().finish();
    const auto document = *Document::open(bytes);
    const auto place_of = [&](std::initializer_list<std::string_view> path) {
        return document.find_path(path)->value_offset();
    };
    for (const std::size_t size : {0U, 40U, 100U}) {
        const std::vector<std::uint8_t> fresh(size, 9);
        Patch looking(document);
        ASSERT_TRUE(looking.set({"a", "b", "x"}, Value::binary(fresh)));
        ASSERT_TRUE(looking.set({"a", "b", "y"}, Value::string("other")));
        ASSERT_TRUE(looking.set({"c", "x"}, Value::binary(fresh)));
        Patch knowing(document);
        const auto append = [&](Buffer& out) { out.insert(out.end(), fresh.begin(), fresh.end()); };
        const std::array around_b{std::size_t{0}, place_of({"a"}), place_of({"a", "b"})};
        const std::array around_c{std::size_t{0}, place_of({"c"})};
        knowing.set_binary({.value = place_of({"a", "b", "x"}), .size = 45, .around = around_b}, 0, append);
        ASSERT_TRUE(knowing.set({"a", "b", "y"}, Value::string("other")));
        knowing.set_binary({.value = place_of({"c", "x"}), .size = 45, .around = around_c}, size, append);
        Buffer expected;
        Buffer changed;
        ASSERT_TRUE(looking.apply(expected));
        ASSERT_TRUE(knowing.apply(changed));
        EXPECT_EQ(changed, expected);
        EXPECT_TRUE(open_validated(changed));
    }
}

TEST(BsonPatch, RefusesToChangeTheSameElementTwiceAndPathsThatAreNotThere) {
    Buffer bytes;
    Writer writer(bytes);
    writer.document("a").int32("x", 1).end().finish();
    const auto document = *Document::open(bytes);
    Patch patch(document);
    EXPECT_EQ(patch.remove({"nothing"}).error().code, Errc::not_found);
    EXPECT_EQ(patch.set({"nothing", "x"}, Value::int32(1)).error().code, Errc::not_found);
    EXPECT_EQ(patch.set({"a", "x", "y"}, Value::int32(1)).error().code, Errc::bad_value);
    ASSERT_TRUE(patch.set({"a", "x"}, Value::int32(2)));
    ASSERT_TRUE(patch.set({"a"}, Value::int32(3)));
    Buffer out;
    EXPECT_EQ(patch.apply(out).error().code, Errc::overlap);
}

TEST(Bson, TenThousandNestedDocumentsAreAnErrorAndNotAStackOverflow) {
    Buffer bytes = empty_document();
    for (int i = 0; i < 10'000; ++i) {
        Buffer outer;
        Writer writer(outer);
        writer.document("d", bytes).finish();
        bytes = std::move(outer);
    }
    EXPECT_EQ(open_validated(bytes).error().code, Errc::too_deep);
    EXPECT_EQ(to_extended_json(*Document::open(bytes)).error().code, Errc::too_deep);
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += R"({"d":)";
    EXPECT_FALSE(from_extended_json(text));
    text += "1";
    text.append(100'000, '}');
    EXPECT_EQ(from_extended_json(text).error().code, Errc::too_deep);
}

TEST(Bson, ErrorsNameTheOffset) {
    Buffer bytes;
    Writer writer(bytes);
    writer.int32("a", 1).string("text", "ab").finish();
    //       0..3 length, 4 type, 5 'a', 7..10 value, 11 type, 12..16 key, 17..20 length, 21 'a', 22 'b'
    auto bad = bytes;
    bad[22] = 0xFF;
    EXPECT_EQ(open_validated(bad).error().code, Errc::bad_text);
    EXPECT_EQ(open_validated(bad).error().offset, 22U);
    bad = bytes;
    bad[17] = 200;
    EXPECT_EQ(open_validated(bad).error().code, Errc::truncated);
    EXPECT_EQ(open_validated(bad).error().offset, 17U);
    bad = bytes;
    bad[11] = 0x55;
    EXPECT_EQ(open_validated(bad).error().code, Errc::unknown_kind);
    EXPECT_EQ(open_validated(bad).error().offset, 11U);
    bad = bytes;
    bad[4] = 0;
    EXPECT_EQ(open_validated(bad).error().offset, 4U);
}

TEST(ExtendedJson, HasTheFormThatTheGameWrites) {
    Buffer bytes;
    Writer writer(bytes);
    writer.int64("Seed", 1234567890123)
        .real("X", 1)
        .real("Y", 0.5)
        .uuid("UUID", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    writer.array("List").int32("0", 1).null("1").end().finish();
    const auto document = *open_validated(bytes);
    EXPECT_EQ(*to_extended_json(document, {.indent = 2}), R"({
  "Seed": 1234567890123,
  "X": 1.0,
  "Y": 0.5,
  "UUID": {"$binary": "AAECAwQFBgcICQAAAAAAAA==", "$type": "04"},
  "List": [
    1,
    null
  ]
})");
    EXPECT_EQ(*from_extended_json(*to_extended_json(document)), bytes);
}

TEST(ExtendedJson, CanBeWrittenToTheLetterAsTheGameWritesIt) {
    Buffer bytes;
    Writer writer(bytes);
    writer.document("a").binary("id", Buffer{1, 2, 3}, 4).document("none").end().end();
    writer.array("numbers");
    int index = 0;
    for (const double value : {0.0, -0.0, 1.0, -2.5, 0.001, 0.00099, 1e7, 9999999.0, 1e-5, -1.25e100, 0.1})
        writer.real(index_key(static_cast<std::size_t>(index++)), value);
    writer.end().finish();
    EXPECT_EQ(*to_extended_json(*open_validated(bytes), {.indent = 2, .as_the_game = true, .level = 1}), R"({
    "a": {
      "id": {
        "$binary": "AQID",
        "$type": "04"
      },
      "none": {}
    },
    "numbers": [
      0.0,
      -0.0,
      1.0,
      -2.5,
      0.001,
      9.9E-4,
      1.0E7,
      9999999.0,
      1.0E-5,
      -1.25E100,
      0.1
    ]
  })");
}

TEST(ExtendedJson, BadTextIsATypedError) {
    EXPECT_EQ(from_extended_json("{\"a\": }").error().code, Errc::bad_text);
    EXPECT_EQ(from_extended_json("[1]").error().code, Errc::bad_value);
    EXPECT_EQ(from_extended_json(R"({"a":{"$binary":"???","$type":"00"}})").error().code, Errc::bad_value);
    EXPECT_EQ(from_extended_json(R"({"a\u0000b":1})").error().code, Errc::bad_text);
    EXPECT_EQ(from_extended_json(R"({"a":18446744073709551615})").error().code, Errc::out_of_range);
    EXPECT_EQ(from_extended_json(R"({"a":1e1111})").error().code, Errc::out_of_range);
}

TEST(Base64, WhatIsNoneIsRefused) {
    for (const auto* text : {"A", "AA", "AAA", "AAAAA", "A===", "====", "=AAA", "A=AA", "AA=A", "AA==AAAA",
                             "AA A", "AA-_", "AAA\n", "AAAA="})
        EXPECT_FALSE(from_base64(text)) << text;
    EXPECT_EQ(from_base64(""), Buffer());
    EXPECT_EQ(from_base64("QQ=="), Buffer({'A'}));
    EXPECT_EQ(from_base64("QUI="), Buffer({'A', 'B'}));
    EXPECT_EQ(from_base64("+/+/"), Buffer({0xFB, 0xFF, 0xBF}));
}

TEST(ExtendedJson, NumbersThatDoNotFitAreRefusedAndThoseThatDoAreKept) {
    const auto text_of = [](std::string_view json) {
        const auto bytes = from_extended_json(json);
        return bytes ? *to_extended_json(*open_validated(*bytes)) : std::string("refused");
    };
    EXPECT_EQ(text_of(R"({"a":{"$numberInt":"2147483647"}})"), R"({"a": 2147483647})");
    EXPECT_EQ(text_of(R"({"a":{"$numberInt":"-2147483648"}})"), R"({"a": -2147483648})");
    EXPECT_EQ(text_of(R"({"a":{"$numberInt":"2147483648"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$numberInt":"-2147483649"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$numberLong":"9223372036854775807"}})"), R"({"a": 9223372036854775807})");
    EXPECT_EQ(text_of(R"({"a":{"$numberLong":"9223372036854775808"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$numberLong":"1x"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$numberDouble":"1.5"}})"), R"({"a": 1.5})");
    EXPECT_EQ(text_of(R"({"a":{"$numberDouble":"1.5x"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":9223372036854775807})"), R"({"a": 9223372036854775807})");
    EXPECT_EQ(text_of(R"({"a":9223372036854775808})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$oid":"0102030405060708090a0b0c"}})"),
              R"({"a": {"$oid": "0102030405060708090a0b0c"}})");
    EXPECT_EQ(text_of(R"({"a":{"$oid":"0102030405060708090a0b"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$oid":"0102030405060708090a0b0c0d"}})"), "refused");
    EXPECT_EQ(text_of(R"({"a":{"$binary":"QQ==","$type":"8"}})"),
              R"({"a": {"$binary": "QQ==", "$type": "08"}})");
    EXPECT_EQ(text_of(R"({"a":{"$binary":"QQ==","$type":"0080"}})"), "refused");
}

TEST(ExtendedJson, LongBinaryDataIsCountedAboveTheLimitOnly) {
    Buffer bytes;
    Writer writer(bytes);
    writer.binary("a", Buffer(3, 'A')).binary("b", Buffer(4, 'A')).finish();
    EXPECT_EQ(*to_extended_json(*open_validated(bytes), {.longest_binary = 3}),
              R"({"a": {"$binary": "QUFB", "$type": "00"}, "b": {"$binary_bytes": 4}})");
}

TEST(ExtendedJson, TheDepthIsExactInBothDirections) {
    // 200 documents around the innermost one, whose depth is 200 then.
    for (const int around : {k_max_depth, k_max_depth + 1}) {
        Buffer bytes = empty_document();
        std::string text = "{}";
        for (int i = 0; i < around; ++i) {
            Buffer outer;
            Writer writer(outer);
            writer.document("d", bytes).finish();
            bytes = std::move(outer);
            text = R"({"d": )" + text + "}";
        }
        const auto printed = to_extended_json(*Document::open(bytes));
        const auto read = from_extended_json(text);
        EXPECT_EQ(printed.has_value(), around == k_max_depth) << around;
        EXPECT_EQ(read.has_value(), around == k_max_depth) << around;
        if (printed && read) {
            EXPECT_EQ(*printed, text);
            EXPECT_EQ(*read, bytes);
        }
    }
}

RC_GTEST_PROP(Base64, ReadsBackWhatItWrote, (const Buffer& data)) {
    RC_ASSERT(from_base64(to_base64(data)) == data);
}

TEST(ExtendedJson, WideTextsTakeNoLongerThanTheirLength) {
    // Each of these would take minutes where something is looked at again for each element.
    std::string array = "{\"a\":[{}";
    for (int i = 0; i < 300'000; ++i) array += ",{}";
    EXPECT_TRUE(from_extended_json(array + "]}"));
    std::string object = "{\"a\":1";
    for (int i = 0; i < 300'000; ++i) object += fmt::format(",\"{}\":1", i);
    EXPECT_EQ(from_extended_json(object + "}").error().code, Errc::too_large);
    std::string fitting = "{\"a\":{\":\":1}";
    for (int i = 1; i < 20'000; ++i) fitting += fmt::format(",\"{}\":1", i);
    EXPECT_TRUE(from_extended_json(fitting + "}"));
    EXPECT_FALSE(from_extended_json(fitting + ",\"more\":1}"));
}

std::string json_of(Bytes bytes) {
    const auto document = open_validated(bytes);
    return document ? *to_extended_json(*document) : document.error().text();
}

TEST(BsonDocument, PathsLeadThroughDocumentsAndArraysAndNothingElse) {
    const auto bytes =
        from_extended_json(R"({"a": {"b": [{"c": 1}, {"c": 2}], "t": "x"}, "a2": {}, "e": {}})").value();
    const auto document = open_validated(bytes).value();
    EXPECT_EQ(document.find_path({"a", "b", "1", "c"})->int32(), 2);
    EXPECT_EQ(document.find_path({"a", "b", "0", "c"})->int32(), 1);
    EXPECT_FALSE(document.find_path({"a", "b", "2", "c"}));
    EXPECT_FALSE(document.find_path({"a", "t", "x"}));
    EXPECT_FALSE(document.find_path({"a", "b", "c"}));
    EXPECT_FALSE(document.find_path({}));
    EXPECT_TRUE(document.document("a") && !document.array("a") && !document.document("b"));
    EXPECT_TRUE(document.document("a")->array("b") && !document.document("a")->document("b"));
    EXPECT_TRUE(document.document("e")->empty());
    EXPECT_FALSE(document.empty());
    EXPECT_TRUE(Document().empty() && !Document().find("a"));
    EXPECT_EQ(document.document("a")->offset(), document.find("a")->value_offset());
}

/// A nested document is changed by itself: its offsets do not start at 0.
TEST(BsonPatch, APartOfADocumentIsPatchedLikeAWholeOne) {
    const auto bytes =
        from_extended_json(R"({"before": "x", "in": {"a": 1, "b": {"c": 2}, "d": 3}})").value();
    const auto inner = *open_validated(bytes)->document("in");
    Patch patch(inner);
    EXPECT_TRUE(patch.empty());
    ASSERT_TRUE(patch.set({"b", "c"}, Value::string("longer")));
    ASSERT_TRUE(patch.remove({"a"}));
    ASSERT_TRUE(patch.set({"e"}, Value::int32(5)));
    ASSERT_TRUE(patch.set({"f"}, Value::binary(Buffer{1, 2}, 4)));
    ASSERT_TRUE(patch.set({"b", "z"}, Value::int32(6)));
    EXPECT_FALSE(patch.empty());
    Buffer out{9, 9, 9}; // it is appended
    ASSERT_TRUE(patch.apply(out));
    EXPECT_EQ(Buffer(out.begin(), out.begin() + 3), (Buffer{9, 9, 9}));
    EXPECT_EQ(json_of(Bytes(out).subspan(3)), R"({"b": {"c": "longer", "z": 6}, "d": 3, "e": 5, )"
                                              R"("f": {"$binary": "AQI=", "$type": "04"}})");
}

TEST(BsonPatch, ManyAppendedElementsStayInTheirOrder) {
    const auto bytes = from_extended_json(R"({"a": [], "last": 1})").value();
    Patch patch(open_validated(bytes).value());
    for (int i = 0; i < 30; ++i) {
        const auto key = index_key(static_cast<std::size_t>(i));
        ASSERT_TRUE(patch.set({"a", key}, Value::int32(i)));
    }
    Buffer out;
    ASSERT_TRUE(patch.apply(out));
    const auto document = open_validated(out).value();
    int next = 0;
    const auto array = *document.array("a");
    for (Cursor at(array); at.next(); ++next) {
        EXPECT_EQ(at->int32(), next);
        EXPECT_EQ(at->key(), index_key(static_cast<std::size_t>(next)));
    }
    EXPECT_EQ(next, 30);
    EXPECT_EQ(document.find("last")->int32(), 1);
}

TEST(BsonPatch, NeighboursAreNotTheSameElement) {
    const auto bytes = from_extended_json(R"({"a": 1, "b": 2, "c": 3})").value();
    const auto document = open_validated(bytes).value();
    const auto changed = [&](std::initializer_list<std::string_view> set,
                             std::initializer_list<std::string_view> gone) {
        Patch patch(document);
        for (const auto key : set) EXPECT_TRUE(patch.set({key}, Value::string("x")));
        for (const auto key : gone) EXPECT_TRUE(patch.remove({key}));
        Buffer out;
        const auto applied = patch.apply(out);
        return applied ? json_of(out) : std::string(orbis::name(applied.error().code));
    };
    EXPECT_EQ(changed({"b", "a"}, {"c"}), R"({"a": "x", "b": "x"})");
    EXPECT_EQ(changed({}, {"c", "b", "a"}), "{}");
    EXPECT_EQ(changed({"a", "a"}, {}), "overlap");
    EXPECT_EQ(changed({"a"}, {"a"}), "overlap");
    EXPECT_EQ(changed({}, {"b", "b"}), "overlap");
    EXPECT_EQ(changed({}, {}), R"({"a": 1, "b": 2, "c": 3})");
    Patch patch(document);
    EXPECT_FALSE(patch.set(Patch::Path(), Value::int32(1)));
}

TEST(ExtendedJson, EveryWrapperIsRead) {
    for (const auto& [json, text] : std::vector<std::pair<std::string, std::string>>{
             {R"({"a":{"$binary":{"base64":"QQ==","subType":"04"}}})",
              R"({"a": {"$binary": "QQ==", "$type": "04"}})"},
             {R"({"a":{"$binary":"QQ=="}})", R"({"a": {"$binary": "QQ==", "$type": "00"}})"},
             {R"({"a":{"$binary":{"base64":"QQ=="}}})", "refused"},
             {R"({"a":{"$binary":5,"$type":"00"}})", "refused"},
             {R"({"a":{"$numberDouble":"-Infinity"}})", R"({"a": {"$numberDouble": "-Infinity"}})"},
             {R"({"a":{"$numberDouble":"Infinity"}})", R"({"a": {"$numberDouble": "Infinity"}})"},
             {R"({"a":{"$numberDouble":"NaN"}})", R"({"a": {"$numberDouble": "NaN"}})"},
             {R"({"a":{"$date":-5}})", R"({"a": {"$date": -5}})"},
             {R"({"a":{"$undefined":true}})", R"({"a": {"$undefined": true}})"},
             {R"({"a":{"$minKey":1}})", R"({"a": {"$minKey": 1}})"},
             {R"({"a":{"$maxKey":1}})", R"({"a": {"$maxKey": 1}})"},
             {R"({"a":{"$other":1}})", R"({"a": {"$other": 1}})"},
             {R"({"a":{"":1}})", R"({"a": {"": 1}})"},
             {R"({"a":{"b":{"$date":1}}})", R"({"a": {"b": {"$date": 1}}})"},
             {R"({"a":[1.0,1e3,-0.0,2147483648,-2147483649]})",
              R"({"a": [1.0, 1000.0, -0.0, 2147483648, -2147483649]})"},
             {R"({"a":1e300})", R"({"a": 1e+300})"}}) {
        const auto bytes = from_extended_json(json);
        EXPECT_EQ(bytes ? json_of(*bytes) : "refused", text) << json;
    }
    const auto types =
        from_extended_json(R"({"a":2147483647,"b":2147483648,"c":-2147483648,"d":-2147483649,"e":1.0})")
            .value();
    const auto document = open_validated(types).value();
    EXPECT_TRUE(document.find("a")->int32() && document.find("b")->int64() && document.find("c")->int32()
                && document.find("d")->int64() && document.find("e")->real());
}

TEST(BsonWriter, TimesAndPartsOfOthersAreWrittenAsTheyAre) {
    Buffer other;
    Writer(other).int32("x", 1).finish();
    Buffer bytes;
    Writer writer(bytes);
    writer.datetime("t", -2).document("d", other).array("l").value(index_key(0), Type::document, other).end();
    writer.boolean("f", false).finish();
    EXPECT_EQ(json_of(bytes), R"({"t": {"$date": -2}, "d": {"x": 1}, "l": [{"x": 1}], "f": false})");
    EXPECT_EQ(index_key(10), "10");
}

} // namespace
} // namespace orbis::bson

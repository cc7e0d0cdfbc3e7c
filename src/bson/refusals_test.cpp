#include "bson/extended_json.hpp"
#include "bson/view.hpp"
#include "bson/writer.hpp"

#include <bson/bson.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is refused, byte for byte: a reader that lets one of these pass would be read past its end, or would
/// show something that is not there.
namespace orbis::bson {
namespace {

using namespace std::string_literals;

std::string le32(std::int32_t value) {
    std::string out(4, '\0');
    store_le(reinterpret_cast<std::uint8_t*>(out.data()), value);
    return out;
}

/// A whole document around these elements.
std::string around(const std::string& elements) {
    return le32(static_cast<std::int32_t>(elements.size() + 5)) + elements + '\0';
}

/// The value of an element "k" of a type, as the only one of a document: its first byte has the offset 7.
std::string with_value(char type, const std::string& value) { return around(type + "k\0"s + value); }
constexpr std::size_t k_value_at = 7;

struct Refusal {
    std::string what;
    std::string document;
    Errc code;
    std::size_t offset;
};

const std::string k_text = le32(3) + "ab\0"s;
const std::string k_scope = around("\x10n\0"s + le32(1));

std::string code_with_scope(std::int32_t more, const std::string& text, const std::string& scope,
                            const std::string& rest = {}) {
    return le32(static_cast<std::int32_t>(4 + text.size() + scope.size() + rest.size()) + more) + text + scope
           + rest;
}

std::vector<Refusal> refusals() {
    std::vector<Refusal> all;
    const auto add = [&](std::string what, std::string document, Errc code, std::size_t offset) {
        all.push_back({std::move(what), std::move(document), code, offset});
    };
    const auto value = [&](const std::string& what, char type, const std::string& bytes, Errc code,
                           std::size_t offset = k_value_at) {
        add(what, with_value(type, bytes), code, offset);
    };
    // Texts: string, code, symbol.
    for (const char type : {'\x02', '\x0D', '\x0E'}) {
        value("no room for a length", type, "\1\0\0\0"s, Errc::truncated);
        value("a length of zero", type, le32(0) + "\0"s, Errc::bad_value);
        value("a negative length", type, le32(-1) + "ab\0"s, Errc::bad_value);
        value("the least length", type, le32(INT32_MIN) + "ab\0"s, Errc::bad_value);
        value("one byte too long", type, le32(4) + "ab\0"s, Errc::truncated);
        value("the greatest length", type, le32(INT32_MAX) + "ab\0"s, Errc::truncated);
        value("no zero at its end", type, le32(3) + "abc"s, Errc::bad_value);
        value("not UTF-8", type, le32(3) + "a\xFF\0"s, Errc::bad_text, k_value_at + 5);
        value("a surrogate", type, le32(4) + "\xED\xA0\x80\0"s, Errc::bad_text, k_value_at + 4);
        value("a longer form than needed", type, le32(3) + "\xC0\x80\0"s, Errc::bad_text, k_value_at + 4);
    }
    // Documents within documents, and arrays.
    for (const char type : {'\x03', '\x04'}) {
        value("no room for a document", type, "\5\0\0\0"s, Errc::truncated);
        value("a length below five", type, le32(4) + "\0"s, Errc::bad_value);
        value("a negative length", type, le32(-5) + "\0"s, Errc::bad_value);
        value("one byte too long", type, le32(6) + "\0"s, Errc::truncated);
        value("the greatest length", type, le32(INT32_MAX) + "\0"s, Errc::truncated);
        value("no zero at its end", type, le32(5) + "\1"s, Errc::bad_value);
        value("an element that runs out of it", type, le32(8) + "\x10n\0\0"s, Errc::truncated,
              k_value_at + 7);
        value("a zero before its end", type, le32(6) + "\0\0"s, Errc::bad_value, k_value_at + 4);
    }
    // Binary data.
    value("no room for the subtype", '\x05', le32(0), Errc::truncated);
    value("a negative length", '\x05', le32(-1) + "\0ab"s, Errc::bad_value);
    value("one byte too long", '\x05', le32(3) + "\0ab"s, Errc::truncated);
    value("the greatest length", '\x05', le32(INT32_MAX) + "\0ab"s, Errc::truncated);
    // Regular expressions: two texts with a zero each. The zero of the document is none of theirs.
    value("no pattern", '\x0B', "", Errc::truncated);
    value("a pattern without an end", '\x0B', "ab", Errc::truncated);
    value("no options", '\x0B', "ab\0"s, Errc::truncated);
    value("options without an end", '\x0B', "ab\0i"s, Errc::truncated);
    // Pointers: a text and twelve bytes.
    value("eleven bytes of an id", '\x0C', k_text + std::string(11, 'i'), Errc::truncated);
    value("a text that is too long", '\x0C', le32(20) + "ab\0"s + std::string(12, 'i'), Errc::truncated);
    value("a text without a zero", '\x0C', le32(3) + "abc"s + std::string(12, 'i'), Errc::bad_value);
    // Code with scope: a length, a text, a document, and nothing else.
    value("too short for any", '\x0F', le32(13) + std::string(9, '\0'), Errc::truncated);
    value("a length below the least", '\x0F', le32(13) + le32(1) + "\0"s + around(""), Errc::bad_value);
    value("longer than its document", '\x0F', code_with_scope(1, k_text, k_scope), Errc::bad_value);
    value("shorter than its parts", '\x0F', code_with_scope(-1, k_text, k_scope), Errc::truncated);
    value("a byte behind its parts", '\x0F', code_with_scope(0, k_text, k_scope, "x"), Errc::bad_value);
    value("a text over its end", '\x0F', code_with_scope(0, le32(40) + "ab\0"s, k_scope), Errc::truncated);
    value("a text without a zero", '\x0F', code_with_scope(0, le32(3) + "abc"s, k_scope), Errc::bad_value);
    value("a scope below five", '\x0F', code_with_scope(0, k_text, le32(4) + "\0"s), Errc::bad_value);
    value("a scope without a zero", '\x0F', code_with_scope(0, k_text, le32(5) + "\1"s), Errc::bad_value);
    // What has a fixed size, one byte short.
    for (const auto& [type, size] :
         {std::pair('\x01', 8), std::pair('\x07', 12), std::pair('\x08', 1), std::pair('\x09', 8),
          std::pair('\x10', 4), std::pair('\x11', 8), std::pair('\x12', 8), std::pair('\x13', 16)})
        value(fmt::format("type {} with {} bytes", static_cast<int>(type), size - 1), type,
              std::string(static_cast<std::size_t>(size - 1), '\1'), Errc::truncated);
    value("a boolean of two", '\x08', "\2", Errc::bad_value);
    value("a boolean of 255", '\x08', "\xFF", Errc::bad_value);
    // Keys and types.
    add("a key without an end", around("\x10key"), Errc::truncated, 5);
    add("a type without a key", around("\x0A"), Errc::truncated, 5);
    add("a key is not UTF-8",
        around("\x0A"
               "a\x80\0"s),
        Errc::bad_text, 6);
    add("the end before the end", around("\0"s), Errc::bad_value, 4);
    for (const int type : {0x14, 0x15, 0x55, 0x7E, 0x80, 0xFE})
        add(fmt::format("type {}", type), around(static_cast<char>(type) + "k\0"s), Errc::unknown_kind, 4);
    // The whole.
    add("nothing", "", Errc::truncated, 0);
    add("four bytes", le32(4), Errc::truncated, 0);
    add("a length that is one too long", le32(6) + "\0"s, Errc::truncated, 0);
    add("a length that is one too short", le32(5) + "\0\0"s, Errc::bad_value, 0);
    add("a negative length", le32(-5) + "\0"s, Errc::bad_value, 0);
    add("no zero at its end", le32(5) + "\1"s, Errc::bad_value, 4);
    return all;
}

TEST(BsonRefusals, EachHasItsCodeAndItsPlace) {
    for (const auto& refusal : refusals()) {
        SCOPED_TRACE(refusal.what);
        const auto found = open_validated(as_bytes(refusal.document));
        ASSERT_FALSE(found);
        EXPECT_EQ(static_cast<int>(found.error().code), static_cast<int>(refusal.code))
            << found.error().text();
        EXPECT_EQ(found.error().offset, refusal.offset) << found.error().text();
    }
}

TEST(BsonRefusals, WhatIsAtTheLimitIsTaken) {
    for (const auto& [type, value] :
         std::vector<std::pair<char, std::string>>{{'\x02', le32(1) + "\0"s},
                                                   {'\x02', k_text},
                                                   {'\x03', around("")},
                                                   {'\x04', around("")},
                                                   {'\x05', le32(0) + "\0"s},
                                                   {'\x05', le32(2) + "\0ab"s},
                                                   {'\x06', ""},
                                                   {'\x08', "\0"s},
                                                   {'\x08', "\1"},
                                                   {'\x0A', ""},
                                                   {'\x0B', "\0\0"s},
                                                   {'\x0B', "ab\0i\0"s},
                                                   {'\x0C', k_text + std::string(12, 'i')},
                                                   {'\x0D', k_text},
                                                   {'\x0E', k_text},
                                                   {'\x0F', code_with_scope(0, le32(1) + "\0"s, around(""))},
                                                   {'\x0F', code_with_scope(0, k_text, k_scope)},
                                                   {'\x13', std::string(16, '\1')},
                                                   {'\x7F', ""},
                                                   {'\xFF', ""}}) {
        const auto bytes = with_value(type, value);
        const auto found = open_validated(as_bytes(bytes));
        ASSERT_TRUE(found) << static_cast<int>(type) << ": " << found.error().text();
        Cursor at(*found);
        ASSERT_TRUE(at.next());
        EXPECT_EQ(at->value().size(), value.size());
        EXPECT_EQ(at->value_offset(), k_value_at);
        EXPECT_FALSE(at.next());
        EXPECT_TRUE(at.ok());
    }
}

TEST(BsonRefusals, TheDepthThatIsAllowedIsExact) {
    for (const auto type : {Type::document, Type::array}) {
        Buffer bytes = empty_document();
        for (int depth = 2; depth <= k_max_depth + 1; ++depth) {
            Buffer outer;
            Writer writer(outer);
            writer.value("0", type, bytes).finish();
            bytes = std::move(outer);
            const auto found = open_validated(bytes);
            EXPECT_EQ(found.has_value(), depth <= k_max_depth) << depth;
            if (!found) {
                EXPECT_EQ(found.error().code, Errc::too_deep);
            }
        }
    }
}

/// A document with an element of every type, or of those of which libbson knows no more than their bounds.
Buffer one_of_each(bool all_types) {
    std::string all;
    const auto add = [&](char type, const std::string& value) {
        all += type + fmt::format("k{}", static_cast<int>(type) & 255) + '\0' + value;
    };
    add('\x01', std::string(8, '\1'));
    add('\x02', k_text);
    add('\x03', k_scope);
    add('\x04', around("\x0A"
                       "0\0"s));
    add('\x05', le32(3) + "\0abc"s);
    add('\x06', "");
    add('\x07', std::string(12, 'o'));
    add('\x08', "\1");
    add('\x09', std::string(8, '\1'));
    add('\x0A', "");
    if (all_types) {
        add('\x0B', "ab\0i\0"s);
        add('\x0C', k_text + std::string(12, 'i'));
        add('\x0F', code_with_scope(0, k_text, k_scope));
    }
    add('\x0D', k_text);
    add('\x0E', k_text);
    add('\x10', le32(7));
    add('\x11', std::string(8, '\1'));
    add('\x12', std::string(8, '\1'));
    add('\x13', std::string(16, '\1'));
    add('\x7F', "");
    add('\xFF', "");
    const auto whole = around(all);
    return {whole.begin(), whole.end()};
}

bool libbson_takes(Bytes bytes) {
    bson_t document;
    std::size_t offset = 0;
    return bson_init_static(&document, bytes.data(), bytes.size())
           && bson_validate(&document, BSON_VALIDATE_UTF8, &offset);
}

/// Whether an element holds what libbson looks into and this reader does not: texts of expressions and
/// pointers, the inside of scopes, the subtype of binary data that has a second length, and zeros in texts,
/// which BSON allows.
bool holds_what_only_libbson_checks(const Document& document) {
    for (Cursor at(document); at.next();) {
        const auto type = at->type();
        if (type == Type::regex || type == Type::db_pointer || type == Type::code_with_scope) return true;
        if (const auto data = at->binary(); data && data->subtype == 2) return true;
        const bool is_text = type == Type::string || type == Type::code || type == Type::symbol;
        if (is_text
            && as_text(at->value().subspan(4, at->value().size() - 5)).find('\0') != std::string_view::npos)
            return true;
        const auto nested = type == Type::array ? at->array() : at->document();
        if (nested && holds_what_only_libbson_checks(*nested)) return true;
    }
    return false;
}

/// libbson overlooks some of what is refused here, so that the other direction would say little.
TEST(BsonRefusals, NothingIsTakenThatLibbsonRefusesWhateverByteIsChanged) {
    for (const bool all_types : {false, true}) {
        const auto whole = one_of_each(all_types);
        ASSERT_TRUE(open_validated(whole)) << open_validated(whole).error().text();
        ASSERT_TRUE(libbson_takes(whole));
        std::size_t taken = 0;
        for (std::size_t at = 4; at + 1 < whole.size(); ++at)
            for (int value = 0; value < 256; ++value) {
                auto changed = whole;
                changed[at] = static_cast<std::uint8_t>(value);
                const auto ours = open_validated(changed);
                const bool theirs = libbson_takes(changed);
                taken += ours ? 1U : 0U;
                if (ours && !theirs && !holds_what_only_libbson_checks(*ours)) {
                    FAIL() << at << " as " << value << " is taken: " << *to_extended_json(*ours);
                }
            }
        EXPECT_GT(taken, 10000U);
    }
}

TEST(BsonTypes, EachHasTheNameOfMongoDb) {
    const std::vector<std::pair<int, std::string_view>> names{
        {0x01, "double"},     {0x02, "string"},    {0x03, "document"},
        {0x04, "array"},      {0x05, "binary"},    {0x06, "undefined"},
        {0x07, "objectId"},   {0x08, "bool"},      {0x09, "date"},
        {0x0A, "null"},       {0x0B, "regex"},     {0x0C, "dbPointer"},
        {0x0D, "javascript"}, {0x0E, "symbol"},    {0x0F, "javascriptWithScope"},
        {0x10, "int32"},      {0x11, "timestamp"}, {0x12, "int64"},
        {0x13, "decimal128"}, {0x7F, "maxKey"},    {0xFF, "minKey"}};
    for (const auto& [type, text] : names) EXPECT_EQ(name(static_cast<Type>(type)), text);
    EXPECT_EQ(name(static_cast<Type>(0x55)), "unknown");
}

TEST(BsonTypes, EachIsPrintedInItsOwnWay) {
    const auto text_of = [](char type, const std::string& value) {
        const auto bytes = with_value(type, value);
        return *to_extended_json(open_validated(as_bytes(bytes)).value());
    };
    const auto eight = "\1\2\0\0\0\0\0\0"s;
    EXPECT_EQ(text_of('\x06', ""), R"({"k": {"$undefined": true}})");
    EXPECT_EQ(text_of('\x07', "\1\2\3\4\5\6\7\x08\x09\x0A\x0B\xFF"s),
              R"({"k": {"$oid": "0102030405060708090a0bff"}})");
    EXPECT_EQ(text_of('\x08', "\1"), R"({"k": true})");
    EXPECT_EQ(text_of('\x08', "\0"s), R"({"k": false})");
    EXPECT_EQ(text_of('\x09', eight), R"({"k": {"$date": 513}})");
    EXPECT_EQ(text_of('\x09', std::string(8, '\xFF')), R"({"k": {"$date": -1}})");
    EXPECT_EQ(text_of('\x0B', "a\"b\0im\0"s), R"({"k": {"$regex": "a\"b", "$options": "im"}})");
    EXPECT_EQ(text_of('\x0B', "\0\0"s), R"({"k": {"$regex": "", "$options": ""}})");
    EXPECT_EQ(text_of('\x0C', k_text + std::string(12, '\x1A')),
              R"({"k": {"$ref": "ab", "$id": "1a1a1a1a1a1a1a1a1a1a1a1a"}})");
    EXPECT_EQ(text_of('\x0D', k_text), R"({"k": {"$code": "ab"}})");
    EXPECT_EQ(text_of('\x0E', k_text), R"({"k": {"$symbol": "ab"}})");
    EXPECT_EQ(text_of('\x0F', code_with_scope(0, k_text, k_scope)),
              R"({"k": {"$code": "ab", "$scope": {"n": 1}}})");
    EXPECT_EQ(text_of('\x11', le32(7) + le32(-1)), R"({"k": {"$timestamp": {"t": 4294967295, "i": 7}}})");
    EXPECT_EQ(text_of('\x12', eight), R"({"k": 513})");
    EXPECT_EQ(text_of('\x13', "\xAB"s + std::string(15, '\0')),
              R"({"k": {"$decimal128_bytes": "ab000000000000000000000000000000"}})");
    EXPECT_EQ(text_of('\x7F', ""), R"({"k": {"$maxKey": 1}})");
    EXPECT_EQ(text_of('\xFF', ""), R"({"k": {"$minKey": 1}})");
}

TEST(BsonTypes, AnElementIsNothingButWhatItIs) {
    const auto bytes = one_of_each(true);
    const auto all = open_validated(bytes).value();
    for (Cursor at(all); at.next();) {
        const auto type = at->type();
        SCOPED_TRACE(name(type));
        EXPECT_EQ(at->real().has_value(), type == Type::real);
        EXPECT_EQ(at->string().has_value(), type == Type::string);
        EXPECT_EQ(at->document().has_value(), type == Type::document);
        EXPECT_EQ(at->array().has_value(), type == Type::array);
        EXPECT_EQ(at->binary().has_value(), type == Type::binary);
        EXPECT_EQ(at->boolean().has_value(), type == Type::boolean);
        EXPECT_EQ(at->int32().has_value(), type == Type::int32);
        EXPECT_EQ(at->int64().has_value(), type == Type::int64);
        EXPECT_EQ(at->integer().has_value(), type == Type::int32 || type == Type::int64);
        EXPECT_EQ(at->number().has_value(), type == Type::int32 || type == Type::int64 || type == Type::real);
        EXPECT_EQ(at->is_null(), type == Type::null);
        EXPECT_EQ(at->raw().front(), static_cast<std::uint8_t>(type));
        EXPECT_EQ(at->raw().data() - bytes.data(), static_cast<std::ptrdiff_t>(at->offset()));
        EXPECT_EQ(at->raw().size(), 1 + at->key().size() + 1 + at->value().size());
        EXPECT_EQ(at->value().data() - bytes.data(), static_cast<std::ptrdiff_t>(at->value_offset()));
    }
}

} // namespace
} // namespace orbis::bson

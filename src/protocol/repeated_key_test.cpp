#include "protocol/list_elements.hpp"
#include "protocol/repeated_key.hpp"
#include "protocol/replacement.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

namespace orbis::protocol {

namespace {

enum class Colour : std::uint8_t { first = 0, last = 199 };
constexpr std::uint32_t value_count(Colour) { return 200; }

template <typename K>
bool repeats_key_of(const std::vector<K>& keys) {
    std::vector<Entry<K, int>> entries;
    for (const auto& key : keys) entries.push_back({key, 0});
    Arena arena;
    return repeats_key<K, int>(arena, entries);
}

/// Up to 40 of a few values, so that some occur twice and some lists are long.
template <typename Make>
auto some_keys(Make make) {
    std::vector<decltype(make(0))> keys;
    const auto kinds = *rc::gen::inRange(1, 400);
    for (auto left = *rc::gen::inRange(0, 40); left > 0; --left)
        keys.push_back(make(*rc::gen::inRange(0, kinds)));
    return keys;
}

template <typename K>
bool has_twice(const std::vector<K>& keys) {
    return std::set<K>(keys.begin(), keys.end()).size() != keys.size();
}

} // namespace

RC_GTEST_PROP(RepeatedKey, IsFoundAmongUuids, ()) {
    const auto keys = some_keys([](int kind) {
        Uuid key{};
        key[static_cast<std::size_t>(kind) % 16] = static_cast<std::uint8_t>(kind / 16);
        return key;
    });
    RC_ASSERT(repeats_key_of(keys) == has_twice(keys));
}

RC_GTEST_PROP(RepeatedKey, IsFoundAmongNumbersAndEnums, ()) {
    const auto numbers = some_keys([](int kind) { return std::int32_t{kind - 200}; });
    RC_ASSERT(repeats_key_of(numbers) == has_twice(numbers));
    const auto colours = some_keys([](int kind) { return static_cast<Colour>(kind % 200); });
    RC_ASSERT(repeats_key_of(colours) == has_twice(colours));
}

RC_GTEST_PROP(RepeatedKey, IsFoundAmongTextsAfterReplacement, ()) {
    static const std::vector<std::string> pieces{
        "",
        "a",
        "bc",
        "\xc3\xa9",
        "\xff",
        "\xfe",
        "\xe2\x82",
        "\xef\xbf\xbd",
        "long text of more than sixty-one bytes, so that it is cut "};
    const auto made = some_keys([](int kind) {
        return pieces[static_cast<std::size_t>(kind) % 9] + pieces[static_cast<std::size_t>(kind) / 9 % 9]
               + std::to_string(kind / 81);
    });
    std::vector<std::string> replaced;
    for (const auto& key : made) replaced.push_back(with_replacements(key));
    const std::vector<Text> keys(made.begin(), made.end());
    RC_ASSERT(repeats_key_of(keys) == has_twice(replaced));
}

TEST(Replacement, OneStandsForTheLongestStartOfASequence) {
    const std::string one = "\xef\xbf\xbd";
    for (const auto& [text, replacements, rest] :
         std::vector<std::tuple<std::string, int, std::string>>{{"\xf4\x8f\xbf", 1, ""},
                                                                {"\xf4\x90\x80\x80", 4, ""},
                                                                {"\xf0\x90\x80", 1, ""},
                                                                {"\xf0\x8f\x80\x80", 4, ""},
                                                                {"\xf5\x80\x80\x80", 4, ""},
                                                                {"\xf1\x80\x80z", 1, "z"},
                                                                {"\xf1\x80z", 1, "z"},
                                                                {"\xf1z", 1, "z"},
                                                                {"\xed\x9f", 1, ""},
                                                                {"\xed\xa0\x80", 3, ""},
                                                                {"\xe0\xa0", 1, ""},
                                                                {"\xe0\x9f\xbf", 3, ""},
                                                                {"\xe2\x82z", 1, "z"},
                                                                {"\xe2z", 1, "z"},
                                                                {"\xc2z", 1, "z"},
                                                                {"\xc0\x80", 2, ""},
                                                                {"\x80", 1, ""},
                                                                {"\xff", 1, ""},
                                                                {"\xf4\x8f\xbf\xbf", 0, "\xf4\x8f\xbf\xbf"},
                                                                {"\xed\x9f\xbf", 0, "\xed\x9f\xbf"}}) {
        std::string expected;
        for (int i = 0; i < replacements; ++i) expected += one;
        EXPECT_EQ(with_replacements(text), expected + rest);
        EXPECT_EQ(with_replacements("a" + text), "a" + expected + rest);
    }
}

TEST(ListOf, ACountInALongerFormIsReadBehindAListAndBehindAMap) {
    using Texts = ListOf<TextOf<100>, 100>;
    using Names = MapOf<TextOf<100>, TextOf<100>, 100>;
    const Buffer list{1, 1, 'a'};
    const Buffer map{1, 1, 'a', 1, 'b'};
    for (const auto* first : {&list, &map}) {
        auto bytes = *first;
        bytes.insert(bytes.end(), {0x81, 0, 0}); // one text; its length is where a shorter count would end
        Arena arena;
        Decoder in(bytes, arena);
        Texts::Value texts;
        Names::Value names;
        const auto next = first == &list ? Texts::read(in, 0, texts) : Names::read(in, 0, names);
        EXPECT_EQ(next, first->size());
        EXPECT_EQ(in.lists, 0);
        EXPECT_EQ(Texts::read(in, next, texts, true), bytes.size());
        EXPECT_TRUE(in.ok()) << first->size();
        EXPECT_EQ(texts.size(), 1U);
        ++in.lists; // inside of another list nobody could find what follows
        (void)Texts::read(in, next, texts, true);
        EXPECT_FALSE(in.ok());
    }
}

} // namespace orbis::protocol

#include "protocol/list_elements.hpp"
#include "protocol/repeated_key.hpp"
#include "protocol/replacement.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

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

} // namespace orbis::protocol

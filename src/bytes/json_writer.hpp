#pragma once

#include "bytes/bytes.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace orbis {

/// Appends `text` to `out` as a JSON string: raw UTF-8, escapes only where JSON needs them. Bytes that are
/// not UTF-8 become U+FFFD, so that the output is always valid.
void append_json_string(std::string& out, std::string_view text);

/// The same alone: text of any origin, as it can be shown in a message.
std::string json_quoted(std::string_view text);

/// Writes one JSON value into a string, in the order of the calls and without white space; commas are put
/// where they belong. The caller keeps objects and arrays balanced and gives each member a key.
///
///     JsonWriter json;
///     json.object().key("x").number(3).key("names").array().string("a").end().end();
class JsonWriter {
public:
    JsonWriter& object() { return open('{'); }
    JsonWriter& array() { return open('['); }
    /// Closes the innermost object or array.
    JsonWriter& end();

    JsonWriter& key(std::string_view name);
    JsonWriter& string(std::string_view text);
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonWriter& null() { return raw("null"); }
    /// The shortest text that reads back as the same number; not-a-number and infinities become strings.
    JsonWriter& real(double value);
    JsonWriter& number(std::integral auto value) {
        if constexpr (std::signed_integral<decltype(value)>)
            return signed_number(value);
        else
            return unsigned_number(value);
    }
    /// Text that is JSON already.
    JsonWriter& raw(std::string_view json);

    template <typename T>
    JsonWriter& member(std::string_view name, const T& value) {
        key(name);
        if constexpr (std::same_as<T, bool>)
            return boolean(value);
        else if constexpr (std::integral<T>)
            return number(value);
        else if constexpr (std::floating_point<T>)
            return real(value);
        else
            return string(value);
    }

    [[nodiscard]] const std::string& text() const { return out_; }
    [[nodiscard]] std::string take() { return std::exchange(out_, {}); }
    void clear();

private:
    JsonWriter& open(char bracket);
    JsonWriter& signed_number(std::int64_t value);
    JsonWriter& unsigned_number(std::uint64_t value);
    void separate();

    std::string out_;
    std::string closers_;      ///< the brackets that are still to be written
    bool needs_comma_ = false; ///< there is a value before in the same object or array
};

} // namespace orbis

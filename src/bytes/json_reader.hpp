#pragma once

#include "bytes/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orbis {

/// Steps through a JSON text, value by value, and makes no tree: for texts that are large. It remembers the
/// first failure; after it every question is answered with nothing, and loops end. The text must live as
/// long.
///
///     JsonReader in(text);
///     for (in.object(); in.next_member(key);)
///         if (key == "x") x = in.integer(); else in.skip();
///     if (!in.finish()) return fail(in.error());
class JsonReader {
public:
    enum class Kind : std::uint8_t { nothing, object, array, string, number, boolean, null };

    /// Objects and lists within each other beyond this are refused.
    static constexpr int k_max_depth = 250;

    explicit JsonReader(std::string_view text) : text_(text) {}

    /// What comes next; `nothing` where no value can start.
    Kind peek();

    /// Enters an object. False, and a failure, if something else comes.
    bool object();
    /// The key of the next member, behind which its value comes; false at the end of the object.
    bool next_member(std::string& key);
    /// Enters a list.
    bool array();
    /// Whether one more element comes; false at the end of the list.
    bool next_element();

    /// A whole number in that range.
    std::int64_t integer(std::int64_t least, std::int64_t most);
    /// Replaces `out`.
    bool string(std::string& out);
    /// Steps over a value of any kind, and gives its text, which is JSON.
    std::string_view skip();

    /// Whether all of the text was read and was right.
    bool finish();

    [[nodiscard]] bool ok() const { return !failed_; }
    [[nodiscard]] const Error& error() const { return error_; }
    /// Where the next byte is.
    [[nodiscard]] std::size_t offset() const { return at_; }
    /// Fails with what the caller found out, at that offset. Only the first failure counts.
    void reject(Error problem, std::size_t offset);

private:
    [[nodiscard]] bool ended() const { return at_ >= text_.size(); }
    void skip_blanks();
    bool expect(char c);
    bool enter(Kind kind, char bracket);
    void not_json();
    bool wrong_kind(Kind wanted);
    bool skip_word(std::string_view word);
    bool skip_number(bool& is_whole);
    bool skip_string();
    bool append_escape(std::string& out);
    bool skip_scalar();

    std::string_view text_;
    std::size_t at_ = 0;
    bool needs_comma_ = false; ///< there is a value before in the same object or list
    bool failed_ = false;
    Error error_;
};

} // namespace orbis

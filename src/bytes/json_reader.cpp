#include "bytes/json_reader.hpp"

#include "bytes/json_fault.hpp"
#include "bytes/utf8.hpp"

#include <bitset>
#include <charconv>

namespace orbis {

namespace {

using Kind = JsonReader::Kind;

bool is_digit_character(char c) { return c >= '0' && c <= '9'; }

std::string_view text_of_kind(Kind kind) {
    switch (kind) {
    case Kind::object: return "an object";
    case Kind::array: return "a list";
    case Kind::string: return "text";
    case Kind::number: return "a number";
    case Kind::boolean: return "true or false";
    case Kind::null: return "null";
    case Kind::nothing: break;
    }
    return "nothing";
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
        put(0xC0 | point >> 6);
    } else {
        if (point < 0x10000) {
            put(0xE0 | point >> 12);
        } else {
            put(0xF0 | point >> 18);
            put(0x80 | (point >> 12 & 63));
        }
        put(0x80 | (point >> 6 & 63));
    }
    put(0x80 | (point & 63));
}

/// The four digits behind `\u`; nothing where they are not there.
std::optional<std::uint32_t> unicode_escape(std::string_view text) {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
    std::uint32_t value = 0;
    const auto [end, problem] = std::from_chars(text.data() + 2, text.data() + 6, value, 16);
    if (problem != std::errc{} || end != text.data() + 6) return std::nullopt;
    return value;
}

} // namespace

void JsonReader::reject(Error problem, std::size_t offset) {
    if (failed_) return;
    failed_ = true;
    error_ = std::move(problem).at(offset);
}

void JsonReader::not_json() {
    if (!failed_) reject(json_fault(text_, at_ + 1), at_);
}

bool JsonReader::wrong_kind(Kind wanted) {
    const auto found = peek();
    if (found == Kind::nothing)
        not_json();
    else
        reject(
            orbis::error(Errc::bad_value, "expected {}, found {}", text_of_kind(wanted), text_of_kind(found)),
            at_);
    return false;
}

void JsonReader::skip_blanks() {
    while (!ended() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
        ++at_;
}

bool JsonReader::expect(char c) {
    skip_blanks();
    if (failed_) return false;
    if (ended() || text_[at_] != c) {
        not_json();
        return false;
    }
    ++at_;
    return true;
}

Kind JsonReader::peek() {
    skip_blanks();
    if (failed_ || ended()) return Kind::nothing;
    switch (text_[at_]) {
    case '{': return Kind::object;
    case '[': return Kind::array;
    case '"': return Kind::string;
    case 't':
    case 'f': return Kind::boolean;
    case 'n': return Kind::null;
    default: return text_[at_] == '-' || is_digit_character(text_[at_]) ? Kind::number : Kind::nothing;
    }
}

bool JsonReader::enter(Kind kind, char bracket) {
    if (peek() != kind) return wrong_kind(kind);
    needs_comma_ = false;
    return expect(bracket);
}

bool JsonReader::object() { return enter(Kind::object, '{'); }
bool JsonReader::array() { return enter(Kind::array, '['); }

bool JsonReader::next_element() {
    skip_blanks();
    if (failed_) return false;
    if (!ended() && text_[at_] == ']') {
        ++at_;
        needs_comma_ = true;
        return false;
    }
    if (needs_comma_ && !expect(',')) return false;
    if (peek() == Kind::nothing) {
        not_json();
        return false;
    }
    return true;
}

bool JsonReader::next_member(std::string& key) {
    skip_blanks();
    if (failed_) return false;
    if (!ended() && text_[at_] == '}') {
        ++at_;
        needs_comma_ = true;
        return false;
    }
    if (needs_comma_ && !expect(',')) return false;
    if (peek() != Kind::string) {
        not_json();
        return false;
    }
    return string(key) && expect(':');
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) {
    if (peek() != Kind::number) return wrong_kind(Kind::number), 0;
    const auto begin = at_;
    bool is_whole = true;
    if (!skip_number(is_whole)) return 0;
    std::int64_t value = 0;
    const auto problem = std::from_chars(text_.data() + begin, text_.data() + at_, value).ec;
    needs_comma_ = true;
    if (is_whole && problem == std::errc{} && value >= least && value <= most) return value;
    constexpr std::size_t k_most_shown = 30;
    reject(orbis::error(Errc::out_of_range, "expected a whole number from {} to {}, found {}", least, most,
                        text_.substr(begin, std::min(at_ - begin, k_most_shown))),
           begin);
    return 0;
}

bool JsonReader::skip_number(bool& is_whole) {
    const auto digits = [&] {
        const auto begin = at_;
        while (!ended() && is_digit_character(text_[at_])) ++at_;
        return at_ > begin;
    };
    const auto is_next = [&](char a, char b) { return !ended() && (text_[at_] == a || text_[at_] == b); };
    if (is_next('-', '-')) ++at_;
    const bool is_zero = is_next('0', '0');
    bool right = is_zero ? (++at_, true) : digits();
    if (right && is_next('.', '.')) {
        is_whole = false;
        ++at_;
        right = digits();
    }
    if (right && is_next('e', 'E')) {
        is_whole = false;
        ++at_;
        if (is_next('+', '-')) ++at_;
        right = digits();
    }
    if (!right) not_json();
    return right;
}

bool JsonReader::append_escape(std::string& out) {
    const auto rest = text_.substr(at_);
    constexpr std::string_view k_names = "\"\\/bfnrt";
    constexpr std::string_view k_meanings = "\"\\/\b\f\n\r\t";
    if (rest.size() > 1)
        if (const auto known = k_names.find(rest[1]); known != std::string_view::npos) {
            out += k_meanings[known];
            at_ += 2;
            return true;
        }
    auto point = unicode_escape(rest);
    const auto low = point ? unicode_escape(rest.substr(6)) : std::nullopt;
    const bool is_high = point && *point >= 0xD800 && *point < 0xDC00;
    const bool is_pair = is_high && low && *low >= 0xDC00 && *low < 0xE000;
    const bool is_half = point && *point >= 0xD800 && *point < 0xE000;
    if (!point || (is_half && !is_pair)) {
        not_json();
        return false;
    }
    append_utf8(out, is_pair ? 0x10000 + ((*point - 0xD800) << 10) + (*low - 0xDC00) : *point);
    at_ += is_pair ? 12 : 6;
    return true;
}

bool JsonReader::string(std::string& out) {
    if (peek() != Kind::string) return wrong_kind(Kind::string);
    out.clear();
    ++at_;
    while (true) {
        auto end = at_;
        while (end < text_.size() && text_[end] != '"' && text_[end] != '\\'
               && static_cast<unsigned char>(text_[end]) >= 0x20)
            ++end;
        const auto plain = text_.substr(at_, end - at_);
        const auto valid = utf8_valid_prefix(plain);
        at_ += valid;
        if (valid < plain.size() || ended() || static_cast<unsigned char>(text_[at_]) < 0x20) {
            not_json();
            return false;
        }
        out += plain;
        if (text_[at_] == '\\') {
            if (!append_escape(out)) return false;
            continue;
        }
        ++at_;
        needs_comma_ = true;
        return true;
    }
}

bool JsonReader::skip_string() {
    std::string ignored;
    return string(ignored);
}

bool JsonReader::skip_word(std::string_view word) {
    if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return true;
    }
    not_json();
    return false;
}

bool JsonReader::skip_scalar() {
    bool is_whole = true;
    switch (peek()) {
    case Kind::string: return skip_string();
    case Kind::number: return skip_number(is_whole);
    case Kind::boolean: return skip_word(text_[at_] == 't' ? "true" : "false");
    case Kind::null: return skip_word("null");
    default: break;
    }
    not_json();
    return false;
}

std::string_view JsonReader::skip() {
    skip_blanks();
    const auto begin = at_;
    std::bitset<k_max_depth> is_object; // of the objects and lists that are open
    std::string key;
    std::size_t depth = 0;
    bool is_first = true;
    while (!failed_ && (is_first || depth > 0)) {
        is_first = false;
        if (depth > 0) {
            const bool goes_on = is_object[depth - 1] ? next_member(key) : next_element();
            if (!goes_on) {
                --depth;
                continue;
            }
        }
        const auto kind = peek();
        if (kind != Kind::object && kind != Kind::array) {
            if (skip_scalar()) needs_comma_ = true;
            continue;
        }
        if (depth == k_max_depth) {
            reject(orbis::error(Errc::too_deep, "the JSON is nested deeper than {} levels", k_max_depth),
                   at_);
            break;
        }
        is_object[depth++] = kind == Kind::object;
        (void)(kind == Kind::object ? object() : array());
    }
    return failed_ ? std::string_view() : text_.substr(begin, at_ - begin);
}

bool JsonReader::finish() {
    skip_blanks();
    if (!failed_ && !ended()) not_json();
    return !failed_;
}

} // namespace orbis

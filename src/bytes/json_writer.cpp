#include "bytes/json_writer.hpp"

#include "bytes/utf8.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace orbis {

namespace {

constexpr std::string_view k_replacement = "\xEF\xBF\xBD";

void append_escape(std::string& out, unsigned char c) {
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\t': out += "\\t"; return;
    case '\n': out += "\\n"; return;
    case '\f': out += "\\f"; return;
    case '\r': out += "\\r"; return;
    default: break;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[c >> 4];
    out += digits[c & 15];
}

template <typename T>
void append_number(std::string& out, T value) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    out.append(text.data(), end);
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0; // start of the run that needs no change
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\' && c < 0x7F) {
            ++i;
            continue;
        }
        const auto length = c < 0x80 ? 1 : utf8_sequence_length(text.substr(i));
        // U+0080 to U+009F are control characters too: a terminal takes U+009B for ESC [.
        const bool acts = c == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (c >= 0x80 && length > 0 && !acts) {
            i += length;
            continue;
        }
        out.append(text, plain, i - plain);
        if (c < 0x80)
            append_escape(out, c);
        else if (acts)
            append_escape(out, static_cast<unsigned char>(text[++i]));
        else
            out += k_replacement;
        plain = ++i;
    }
    out.append(text, plain);
    out += '"';
}

std::string json_quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    closers_ += bracket == '{' ? '}' : ']';
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end() {
    out_ += closers_.back();
    closers_.pop_back();
    needs_comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
}

JsonWriter& JsonWriter::real(double value) {
    if (!std::isfinite(value))
        return string(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    separate();
    append_number(out_, value);
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

JsonWriter& JsonWriter::signed_number(std::int64_t value) {
    separate();
    append_number(out_, value);
    return *this;
}

JsonWriter& JsonWriter::unsigned_number(std::uint64_t value) {
    separate();
    append_number(out_, value);
    return *this;
}

void JsonWriter::clear() {
    out_.clear();
    closers_.clear();
    needs_comma_ = false;
}

void JsonWriter::separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
}

} // namespace orbis

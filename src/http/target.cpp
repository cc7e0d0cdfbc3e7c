#include "http/target.hpp"

#include "bytes/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace orbis::http {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Percent signs, and in a query `+` for a space.
Result<std::string> decode(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += plus_is_space && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0)
            return fail(error(Errc::bad_text, "a percent sign needs two hexadecimal digits after it"));
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (std::ranges::any_of(out, is_control) || !is_utf8(out))
        return fail(error(Errc::bad_text, "the address must be UTF-8 without control characters"));
    return out;
}

Result<std::string> decode_name(std::string_view text) {
    TRY(auto name, decode(text, false));
    if (name.empty() || name == "." || name == ".." || name.find_first_of("/\\") != std::string::npos)
        return fail(error(Errc::bad_text, "each part of the path must be a plain name"));
    return name;
}

} // namespace

std::optional<std::string_view> Target::value(std::string_view name) const {
    for (const auto& [key, text] : query)
        if (key == name) return text;
    return std::nullopt;
}

Result<Target> parse_target(std::string_view raw) {
    if (raw.size() > k_longest_target)
        return fail(error(Errc::too_large, "the address is longer than {} bytes", k_longest_target));
    if (raw.empty() || raw.front() != '/')
        return fail(error(Errc::bad_text, "the path must begin with a slash"));
    Target target;
    auto path = raw.substr(1);
    std::string_view query;
    if (const auto mark = path.find('?'); mark != std::string_view::npos) {
        query = path.substr(mark + 1);
        path = path.substr(0, mark);
    }
    while (!path.empty()) {
        const auto slash = path.find('/');
        TRY(auto name, decode_name(path.substr(0, slash)));
        target.path.push_back(std::move(name));
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
        if (path.empty()) return fail(error(Errc::bad_text, "the path may not end with a slash"));
    }
    while (!query.empty()) {
        const auto end = query.find('&');
        const auto pair = query.substr(0, end);
        const auto equals = pair.find('=');
        TRY(auto key, decode(pair.substr(0, equals), true));
        std::string value;
        if (equals != std::string_view::npos) {
            TRY(value, decode(pair.substr(equals + 1), true));
        }
        target.query.emplace_back(std::move(key), std::move(value));
        if (end == std::string_view::npos) break;
        query.remove_prefix(end + 1);
    }
    return target;
}

std::optional<std::int32_t> parse_integer(std::string_view text) {
    std::int32_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    // One number has one name, so that a cache keeps it once.
    const auto digits = text.front() == '-' ? text.substr(1) : text;
    if (digits.front() == '0' && text.size() > 1) return std::nullopt;
    return value;
}

std::optional<std::pair<std::int32_t, std::int32_t>> parse_tile_name(std::string_view text) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto x = parse_integer(text.substr(0, dot));
    const auto z = parse_integer(text.substr(dot + 1));
    if (!x || !z) return std::nullopt;
    return std::pair(*x, *z);
}

} // namespace orbis::http

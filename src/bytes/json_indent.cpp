#include "bytes/json_indent.hpp"

#include <cstddef>

namespace orbis {
namespace {

constexpr std::size_t k_widest = 100;

/// Where the string that starts at `at` ends (after its closing quote).
std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
    return at < json.size() ? at + 1 : json.size();
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The length of the list or object that starts at `at`, when it is short enough for one line; else 0.
std::size_t short_length(std::string_view json, std::size_t at, std::size_t room) {
    int depth = 0;
    for (auto i = at; i < json.size() && i - at <= room;) {
        if (json[i] == '"') {
            i = end_of_string(json, i);
            continue;
        }
        if (json[i] == '{' || json[i] == '[') ++depth;
        if ((json[i] == '}' || json[i] == ']') && --depth == 0) return i + 1 - at <= room ? i + 1 - at : 0;
        ++i;
    }
    return 0;
}

/// One line, with a space after each comma and colon.
void append_line(std::string& out, std::string_view json) {
    for (std::size_t i = 0; i < json.size();) {
        if (json[i] == '"') {
            const auto end = end_of_string(json, i);
            out += json.substr(i, end - i);
            i = end;
            continue;
        }
        if (!is_space(json[i])) out += json[i];
        if (json[i] == ',' || json[i] == ':') out += ' ';
        ++i;
    }
}

} // namespace

std::string indent_json(std::string_view json) {
    std::string out;
    std::size_t depth = 0;
    const auto line = [&] {
        out += '\n';
        out.append(depth * 2, ' ');
    };
    for (std::size_t i = 0; i < json.size();) {
        const char c = json[i];
        if (c == '"') {
            const auto end = end_of_string(json, i);
            out += json.substr(i, end - i);
            i = end;
            continue;
        }
        if (is_space(c)) {
            ++i;
            continue;
        }
        if (c == '{' || c == '[') {
            const auto room = k_widest > depth * 2 ? k_widest - depth * 2 : 0;
            if (const auto length = short_length(json, i, room); length != 0 && (depth > 0 || length == 2)) {
                append_line(out, json.substr(i, length));
                i += length;
                continue;
            }
            out += c;
            ++depth;
            line();
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
            line();
            out += c;
        } else if (c == ',') {
            out += c;
            line();
        } else {
            out += c;
            if (c == ':') out += ' ';
        }
        ++i;
    }
    return out;
}

} // namespace orbis

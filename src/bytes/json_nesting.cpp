#include "bytes/json_nesting.hpp"

#include <vector>

namespace orbis {

std::optional<std::size_t> find_deep_nesting(std::string_view json, int most) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > most) return i;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> find_wide_object(std::string_view json, std::size_t most) {
    std::vector<std::size_t> members{0}; // of the objects and arrays that are open
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            members.push_back(0);
        } else if (c == '}' || c == ']') {
            if (members.size() > 1) members.pop_back();
        } else if (c == ':' && ++members.back() > most) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace orbis

#include "bytes/json_nesting.hpp"

#include <vector>

namespace orbis {

namespace {

/// The first character outside strings for which `is_it(c)`, if any.
template <typename IsIt>
std::optional<std::size_t> find_outside_strings(std::string_view json, IsIt&& is_it) {
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && is_it(c))
            return i;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::size_t> find_deep_nesting(std::string_view json, int most) {
    int depth = 0;
    return find_outside_strings(json, [&](char c) {
        if (c == '}' || c == ']') --depth;
        return (c == '{' || c == '[') && ++depth > most;
    });
}

std::optional<std::size_t> find_wide_object(std::string_view json, std::size_t most) {
    std::vector<std::size_t> members{0}; // of the objects and arrays that are open
    return find_outside_strings(json, [&](char c) {
        if (c == '{' || c == '[') members.push_back(0);
        if ((c == '}' || c == ']') && members.size() > 1) members.pop_back();
        return c == ':' && ++members.back() > most;
    });
}

} // namespace orbis

#include "app/help_text.hpp"

#include <algorithm>

namespace orbis::app {

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    while (true) {
        auto line = text.substr(0, text.find('\n'));
        const bool is_last = line.size() == text.size();
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        while (line.size() > width && !line.starts_with(' ')) {
            auto end = line.rfind(' ', width);
            if (end == std::string_view::npos) end = line.find(' ');
            if (end == std::string_view::npos) break;
            out.append(line.substr(0, end)).append("\n").append(indent, ' ');
            line.remove_prefix(end + 1);
        }
        out += line;
        if (is_last) return out;
        out.append("\n").append(indent, ' ');
    }
}

std::string either(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 < words.size() ? ", " : " or ";
        out += words[i];
    }
    return out;
}

} // namespace orbis::app

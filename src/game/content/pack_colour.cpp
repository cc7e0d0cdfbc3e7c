#include "game/content/pack_colour.hpp"

#include "world/colour.hpp"

#include <charconv>

namespace orbis::game {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::uint32_t> read_colour(std::string_view text) {
    double alpha = 1;
    if (text.starts_with("rgba(") && text.ends_with(')')) {
        const auto comma = text.find(',');
        if (comma == std::string_view::npos) return std::nullopt;
        const auto part = trimmed(text.substr(comma + 1, text.size() - comma - 2));
        const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), alpha);
        if (code != std::errc{} || !(alpha >= 0 && alpha <= 1)) return std::nullopt;
        text = trimmed(text.substr(5, comma - 5));
    }
    if (text.size() == 9) {
        const auto last = text.substr(7);
        std::uint32_t value = 0;
        const auto [end, code] = std::from_chars(last.data(), last.data() + 2, value, 16);
        if (code != std::errc{} || end != last.data() + 2) return std::nullopt;
        alpha = value / 255.0;
        text = text.substr(0, 7);
    }
    const auto colour = world::parse_colour(text);
    if (!colour) return std::nullopt;
    const auto opacity = static_cast<std::uint32_t>(alpha * 255 + 0.5);
    return opacity << 24U | static_cast<std::uint32_t>(colour->red) << 16U
           | static_cast<std::uint32_t>(colour->green) << 8U | colour->blue;
}

} // namespace orbis::game

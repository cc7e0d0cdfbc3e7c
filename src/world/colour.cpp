#include "world/colour.hpp"

#include "bytes/hex.hpp"

#include <fmt/format.h>

#include <array>

namespace orbis::world {

std::optional<Colour> parse_colour(std::string_view text) {
    if ((text.size() != 4 && text.size() != 7) || text[0] != '#') return std::nullopt;
    const auto width = text.size() / 3; // digits of one channel
    std::array<std::uint8_t, 3> channels{};
    for (std::size_t i = 0; i < 3; ++i) {
        const int high = hex_digit(text[1 + i * width]);
        const int low = hex_digit(text[i * width + width]);
        if (high < 0 || low < 0) return std::nullopt;
        channels[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return Colour{channels[0], channels[1], channels[2]};
}

std::string to_text(Colour colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

} // namespace orbis::world

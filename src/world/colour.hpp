#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::world {

/// Red, green and blue, 0…255 each.
struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend constexpr bool operator==(Colour, Colour) = default;
};

/// `#rrggbb`, or `#rgb` with each digit doubled; nothing for any other text.
[[nodiscard]] std::optional<Colour> parse_colour(std::string_view text);

/// `#rrggbb` in lower case.
[[nodiscard]] std::string to_text(Colour colour);

} // namespace orbis::world

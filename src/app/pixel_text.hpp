#pragma once

#include "bytes/png.hpp"

#include <cstdint>
#include <string_view>

namespace orbis::app {

/// Letters of 5 x 7 pixels for pictures: capitals, digits and some signs; others are left blank.
inline constexpr std::int64_t k_letter_width = 6; ///< with the gap after it
inline constexpr std::int64_t k_letter_height = 7;

/// Writes a text with its upper left corner at x, y. Small letters are written as capitals.
void draw_text(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text, Rgb colour,
               std::int64_t scale = 1);

/// How wide a text is.
inline std::int64_t text_width(std::string_view text, std::int64_t scale = 1) {
    return static_cast<std::int64_t>(text.size()) * k_letter_width * scale;
}

} // namespace orbis::app

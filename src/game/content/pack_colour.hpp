#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orbis::game {

/// A colour of an asset file: `#rgb`, `#rrggbb`, `#rrggbbaa` or `rgba(#rrggbb, 0.5)`, as `0xAARRGGBB`;
/// nothing for any other text.
std::optional<std::uint32_t> read_colour(std::string_view text);

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

} // namespace orbis::game

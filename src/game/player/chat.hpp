#pragma once

#include "net/rate_limit.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orbis::game {

/// The longest line of chat, in characters.
inline constexpr std::size_t k_longest_chat = 256;

/// What others get to read of a line that a player typed: without control characters, spaces around it, and
/// what is beyond the length of a line. Nothing if nothing is left or the text is not UTF-8.
std::optional<std::string> clean_chat(std::string_view text);

/// Lines that a player may say: a few at once, then one each second.
inline constexpr net::RateLimit k_chat_limit{.burst = 8, .per_second = 1};

} // namespace orbis::game

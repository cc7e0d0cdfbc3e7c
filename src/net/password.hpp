#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <string_view>

namespace orbis::net {

/// What a server with a password asks: random bytes, new ones for each attempt.
using PasswordChallenge = std::array<std::uint8_t, 32>;
/// What a client answers, so that the password itself never crosses the wire.
using PasswordHash = std::array<std::uint8_t, 32>;

/// A client has this many attempts in all.
inline constexpr int k_password_attempts = 3;

/// A challenge from the system's random source.
PasswordChallenge make_password_challenge();

/// SHA-256 over the challenge followed by the password in UTF-8. The challenge may have any length: it is the
/// peer's.
PasswordHash password_hash(Bytes challenge, std::string_view password);

/// Whether `answer` is the hash. Takes the same time wherever the two differ.
bool is_right_answer(Bytes answer, Bytes challenge, std::string_view password);

} // namespace orbis::net

#pragma once

#include <array>
#include <cstdint>

/// The packets by which a client comes in. They have the same ids in all builds that there is a schema of, so
/// that captures of other builds can be played too.
namespace orbis::game::login {

inline constexpr std::int32_t k_connect = 0;
inline constexpr std::int32_t k_goodbye = 1;        ///< of both sides, later of the client alone
inline constexpr std::int32_t k_server_goodbye = 2; ///< of later builds
inline constexpr std::int32_t k_auth_grant = 11;
inline constexpr std::int32_t k_auth_token = 12;
inline constexpr std::int32_t k_server_token = 13;
inline constexpr std::int32_t k_accept = 14;
inline constexpr std::int32_t k_password = 15;
inline constexpr std::int32_t k_password_accepted = 16;
inline constexpr std::int32_t k_password_rejected = 17;
inline constexpr std::int32_t k_referral = 18;
inline constexpr std::int32_t k_request_assets = 23;
inline constexpr std::int32_t k_options = 33;
inline constexpr std::int32_t k_join_world = 104;
inline constexpr std::int32_t k_ready = 105;
inline constexpr std::int32_t k_player_answer = 363; ///< of later builds, where `Connect` has no name

/// `ConnectAccept` without a question for a password, as a frame.
inline constexpr std::array<std::uint8_t, 9> k_accept_frame = {1, 0, 0, 0, k_accept, 0, 0, 0, 0};

} // namespace orbis::game::login

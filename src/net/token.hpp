#pragma once

#include "net/key_set.hpp"
#include "protocol/json_tree.hpp"

#include <array>
#include <string>
#include <string_view>

namespace orbis::net {

/// Limits of the wire in bytes: of identity and access tokens, and of authorization grants.
inline constexpr std::size_t k_largest_token = 8192;
inline constexpr std::size_t k_largest_grant = 4096;

/// A JSON Web Token (RFC 7519) that was taken apart: `header.claims.signature`, each in base64url. Nothing in
/// it is to be believed before `check_signature`.
struct Token {
    std::string key_id;      ///< `kid` of the header, empty if it names none
    std::string signed_text; ///< `header.claims`, what the signature is over
    std::array<std::uint8_t, 64> signature{};
    protocol::JsonTree claims; ///< an object
};

/// Takes a token apart. It must be signed with EdDSA: any other algorithm is refused, and so are header
/// extensions that must be understood (`crit`), for none is. Messages never contain the token.
Result<Token> parse_token(std::string_view text);

/// Whether one of the service's keys signed the token: the one that it names. `not_found` if the set does
/// not have that key, `mismatch` where the signature is wrong.
Result<void> check_signature(const Token& token, const KeySet& keys);

} // namespace orbis::net

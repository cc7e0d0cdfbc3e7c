#include "net/fingerprint.hpp"

#include "net/base64url.hpp"

#include <algorithm>

namespace orbis::net {

std::string Fingerprint::text() const { return to_base64url(sha256); }

Fingerprint fingerprint(Bytes der) { return {sha256(der)}; }

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
    if (text.size() != 43) return std::nullopt;
    const auto bytes = from_base64url(text);
    Fingerprint read;
    if (!bytes || bytes->size() != read.sha256.size()) return std::nullopt;
    std::ranges::copy(*bytes, read.sha256.begin());
    return read;
}

} // namespace orbis::net

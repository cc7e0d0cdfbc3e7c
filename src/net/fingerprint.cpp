#include "net/fingerprint.hpp"

#include "net/base64url.hpp"

#include <algorithm>
#include <nettle/sha2.h>

namespace orbis::net {

std::string Fingerprint::text() const { return to_base64url(sha256); }

Fingerprint fingerprint(Bytes der) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, der.size(), der.data());
    Fingerprint made;
    static_assert(std::tuple_size_v<decltype(made.sha256)> == SHA256_DIGEST_SIZE);
    sha256_digest(&context, made.sha256.size(), made.sha256.data());
    return made;
}

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
    if (text.size() != 43) return std::nullopt;
    const auto bytes = from_base64url(text);
    Fingerprint read;
    if (!bytes || bytes->size() != read.sha256.size()) return std::nullopt;
    std::ranges::copy(*bytes, read.sha256.begin());
    return read;
}

} // namespace orbis::net

#include "bytes/sha256.hpp"

#include "bytes/hex.hpp"

#include <nettle/sha2.h>

namespace orbis {

Sha256 sha256(Bytes bytes) { return sha256(std::initializer_list{bytes}); }

Sha256 sha256(std::initializer_list<Bytes> parts) {
    sha256_ctx context;
    sha256_init(&context);
    for (const auto part : parts) sha256_update(&context, part.size(), part.data());
    Sha256 digest{};
    static_assert(digest.size() == SHA256_DIGEST_SIZE);
    sha256_digest(&context, digest.size(), digest.data());
    return digest;
}

std::string sha256_hex(Bytes bytes) { return to_hex(sha256(bytes)); }

} // namespace orbis

#include "care/sha256.hpp"

#include "bytes/hex.hpp"

#include <nettle/sha2.h>

namespace orbis::care {

Sha256 sha256(Bytes bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes.size(), bytes.data());
    Sha256 digest{};
    static_assert(digest.size() == SHA256_DIGEST_SIZE);
    sha256_digest(&context, digest.size(), digest.data());
    return digest;
}

std::string sha256_hex(Bytes bytes) { return to_hex(sha256(bytes)); }

} // namespace orbis::care

#include "care/sha256.hpp"

#include <array>
#include <nettle/sha2.h>

namespace orbis::care {

std::string sha256_hex(Bytes bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes.size(), bytes.data());
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&context, digest.size(), digest.data());
    std::string out;
    out.reserve(digest.size() * 2);
    for (const auto byte : digest) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

} // namespace orbis::care

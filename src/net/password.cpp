#include "net/password.hpp"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <nettle/sha2.h>
#include <stdexcept>

namespace orbis::net {

PasswordChallenge make_password_challenge() {
    PasswordChallenge challenge{};
    // A server that cannot make random bytes cannot make keys either: nobody recovers from that.
    if (gnutls_rnd(GNUTLS_RND_RANDOM, challenge.data(), challenge.size()) < 0)
        throw std::runtime_error("the system gives no random bytes");
    return challenge;
}

PasswordHash password_hash(Bytes challenge, std::string_view password) {
    const auto bytes = as_bytes(password);
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, challenge.size(), challenge.data());
    sha256_update(&context, bytes.size(), bytes.data());
    PasswordHash hash{};
    static_assert(hash.size() == SHA256_DIGEST_SIZE);
    sha256_digest(&context, hash.size(), hash.data());
    return hash;
}

bool is_right_answer(Bytes answer, Bytes challenge, std::string_view password) {
    const auto hash = password_hash(challenge, password);
    return answer.size() == hash.size() && gnutls_memcmp(answer.data(), hash.data(), hash.size()) == 0;
}

} // namespace orbis::net

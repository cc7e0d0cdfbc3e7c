#include "net/password.hpp"

#include "bytes/sha256.hpp"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdexcept>

namespace orbis::net {

PasswordChallenge make_password_challenge() {
    PasswordChallenge challenge{};
    // A server that cannot make random bytes cannot make keys either: there is no way to recover.
    if (gnutls_rnd(GNUTLS_RND_RANDOM, challenge.data(), challenge.size()) < 0)
        throw std::runtime_error("the system gives no random bytes");
    return challenge;
}

PasswordHash password_hash(Bytes challenge, std::string_view password) {
    return sha256({challenge, as_bytes(password)});
}

bool is_right_answer(Bytes answer, Bytes challenge, std::string_view password) {
    const auto hash = password_hash(challenge, password);
    return answer.size() == hash.size() && gnutls_memcmp(answer.data(), hash.data(), hash.size()) == 0;
}

} // namespace orbis::net

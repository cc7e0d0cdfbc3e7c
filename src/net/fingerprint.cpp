#include "net/fingerprint.hpp"

#include "net/base64url.hpp"

namespace orbis::net {

std::string Fingerprint::text() const { return to_base64url(sha256); }

Fingerprint fingerprint(Bytes der) { return {sha256(der)}; }

} // namespace orbis::net

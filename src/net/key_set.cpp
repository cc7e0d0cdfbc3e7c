#include "net/key_set.hpp"

#include "net/base64url.hpp"
#include "net/gnutls_x509.hpp"
#include "protocol/json_tree.hpp"

#include <algorithm>
#include <gnutls/abstract.h>
#include <memory>
#include <new>
#include <optional>

namespace orbis::net {
namespace {

constexpr std::size_t k_signature_size = 64;

struct FreePublicKey {
    void operator()(gnutls_pubkey_t key) const { gnutls_pubkey_deinit(key); }
};

/// Whether a member is missing or says what we want.
bool is_absent_or(const protocol::JsonTree& key, std::string_view member, std::string_view wanted) {
    return key.find(member) == nullptr || key.text(member) == wanted;
}

std::optional<KeySet::Key> ed25519_key(const protocol::JsonTree& member) {
    if (member.text("kty") != "OKP" || member.text("crv") != "Ed25519") return std::nullopt;
    if (!is_absent_or(member, "use", "sig") || !is_absent_or(member, "alg", "EdDSA")) return std::nullopt;
    KeySet::Key key{std::string(member.text("kid")), {}};
    const auto bytes = from_base64url(member.text("x"));
    if (!bytes || bytes->size() != key.bytes.size()) return std::nullopt;
    std::ranges::copy(*bytes, key.bytes.begin());
    return key;
}

} // namespace

bool is_signed_by(const PublicKey& key, Bytes message, Bytes signature) {
    if (signature.size() != k_signature_size) return false;
    gnutls_pubkey_t made = nullptr;
    if (gnutls_pubkey_init(&made) < 0) throw std::bad_alloc();
    const std::unique_ptr<gnutls_pubkey_st, FreePublicKey> keep(made);
    const auto point = gnutls_view(key);
    if (gnutls_pubkey_import_ecc_raw(made, GNUTLS_ECC_CURVE_ED25519, &point, nullptr) < 0) return false;
    const auto data = gnutls_view(message);
    const auto proof = gnutls_view(signature);
    return gnutls_pubkey_verify_data2(made, GNUTLS_SIGN_EDDSA_ED25519, 0, &data, &proof) >= 0;
}

Result<KeySet> KeySet::parse(std::string_view json) {
    if (json.size() > k_largest)
        return fail(
            error(Errc::too_large, "a key set has at most {} bytes; this one has {}", k_largest, json.size())
                .about("key set"));
    auto tree = protocol::JsonTree::parse(json);
    if (!tree) return fail(std::move(tree.error()).about("key set"));
    const auto* member = tree->find("keys");
    const auto* listed = member != nullptr ? member->as<protocol::JsonTree::Array>() : nullptr;
    if (listed == nullptr)
        return fail(error(Errc::bad_value, "expected an object with an array \"keys\", found {}",
                          member != nullptr ? member->kind() : "none")
                        .about("key set"));
    if (listed->size() > k_most_keys)
        return fail(error(Errc::too_large, "expected at most {} keys, found {}", k_most_keys, listed->size())
                        .about("key set"));
    KeySet set;
    for (const auto& entry : *listed)
        if (auto key = ed25519_key(entry)) set.keys_.push_back(*std::move(key));
    if (set.keys_.empty())
        return fail(error(Errc::bad_value,
                          "expected at least one key for signatures with \"kty\":\"OKP\" and "
                          "\"crv\":\"Ed25519\", found none among {}",
                          listed->size())
                        .about("key set"));
    return set;
}

const PublicKey* KeySet::find(std::string_view id) const {
    if (id.empty()) return keys_.size() == 1 ? &keys_.front().bytes : nullptr;
    const auto found = std::ranges::find(keys_, id, &Key::id);
    return found != keys_.end() ? &found->bytes : nullptr;
}

} // namespace orbis::net

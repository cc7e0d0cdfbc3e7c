#pragma once

#include "net/base64url.hpp"

#include <fmt/format.h>

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace orbis::test {

/// Signs tokens as a session service does.
class TokenSigner {
public:
    /// With a new key.
    explicit TokenSigner(std::string key_id = "key-1") : key_id_(std::move(key_id)) {
        need(gnutls_privkey_init(&key_));
        need(gnutls_privkey_generate(key_, GNUTLS_PK_EDDSA_ED25519,
                                     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED25519), 0));
        gnutls_ecc_curve_t curve{};
        gnutls_datum_t x{};
        gnutls_datum_t y{};
        gnutls_datum_t secret{};
        need(gnutls_privkey_export_ecc_raw2(key_, &curve, &x, &y, &secret, 0));
        public_ = Buffer(x.data, x.data + x.size);
        for (auto* datum : {&x, &y, &secret}) gnutls_free(datum->data);
    }
    /// With the key of RFC 8037, appendix A: the same for every run.
    static TokenSigner fixed(std::string key_id = "key-1") {
        TokenSigner made(std::move(key_id));
        auto secret = net::from_base64url("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").value();
        made.public_ = net::from_base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").value();
        gnutls_privkey_deinit(made.key_);
        need(gnutls_privkey_init(&made.key_));
        const gnutls_datum_t x{made.public_.data(), static_cast<unsigned>(made.public_.size())};
        const gnutls_datum_t k{secret.data(), static_cast<unsigned>(secret.size())};
        need(gnutls_privkey_import_ecc_raw(made.key_, GNUTLS_ECC_CURVE_ED25519, &x, nullptr, &k));
        return made;
    }
    TokenSigner(TokenSigner&& other) noexcept
        : key_(std::exchange(other.key_, nullptr)),
          key_id_(std::move(other.key_id_)),
          public_(std::move(other.public_)) {}
    TokenSigner(const TokenSigner&) = delete;
    TokenSigner& operator=(TokenSigner&& other) noexcept {
        std::swap(key_, other.key_);
        key_id_ = std::move(other.key_id_);
        public_ = std::move(other.public_);
        return *this;
    }
    ~TokenSigner() {
        if (key_ != nullptr) gnutls_privkey_deinit(key_);
    }

    [[nodiscard]] const std::string& key_id() const { return key_id_; }
    [[nodiscard]] const Buffer& public_key() const { return public_; }

    /// The key as a member of a key set.
    [[nodiscard]] std::string key_json() const {
        return fmt::format(R"({{"kty":"OKP","crv":"Ed25519","use":"sig","alg":"EdDSA","kid":"{}","x":"{}"}})",
                           key_id_, net::to_base64url(public_));
    }
    /// A key set with this key alone.
    [[nodiscard]] std::string key_set_json() const { return fmt::format(R"({{"keys":[{}]}})", key_json()); }

    /// A token with these claims, which are JSON.
    [[nodiscard]] std::string sign(std::string_view claims) const {
        return sign(fmt::format(R"({{"alg":"EdDSA","kid":"{}"}})", key_id_), claims);
    }
    [[nodiscard]] std::string sign(std::string_view header, std::string_view claims) const {
        auto text = net::to_base64url(as_bytes(header)) + "." + net::to_base64url(as_bytes(claims));
        const gnutls_datum_t data{reinterpret_cast<unsigned char*>(text.data()),
                                  static_cast<unsigned>(text.size())};
        gnutls_datum_t signature{};
        need(gnutls_privkey_sign_data2(key_, GNUTLS_SIGN_EDDSA_ED25519, 0, &data, &signature));
        text += "." + net::to_base64url({signature.data, signature.size});
        gnutls_free(signature.data);
        return text;
    }

private:
    static void need(int code) {
        if (code < 0) throw std::runtime_error(gnutls_strerror(code));
    }

    gnutls_privkey_t key_ = nullptr;
    std::string key_id_;
    Buffer public_;
};

} // namespace orbis::test

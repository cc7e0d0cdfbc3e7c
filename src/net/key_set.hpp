#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::net {

/// A public key of Ed25519.
using PublicKey = std::array<std::uint8_t, 32>;

/// Whether the signature of 64 bytes over `message` was made with the private half of the key.
bool is_signed_by(const PublicKey& key, Bytes message, Bytes signature);

/// The keys that the session service signs tokens with: a JSON Web Key Set (RFC 7517, RFC 8037).
class KeySet {
public:
    static constexpr std::size_t k_largest = std::size_t{256} * 1024; ///< bytes of JSON
    static constexpr std::size_t k_most_keys = 256;

    struct Key {
        std::string id; ///< `kid`, empty if the document has none
        PublicKey bytes{};
    };

    KeySet() = default;
    explicit KeySet(std::vector<Key> keys) : keys_(std::move(keys)) {}

    /// Reads the document. Keys of other kinds or for other uses are left out, as the standard asks; a set
    /// without any Ed25519 key is an error.
    static Result<KeySet> parse(std::string_view json);

    /// The key of that id, the first one where several have it. A token that names no key (an empty id) gets
    /// the only key of a set of one.
    [[nodiscard]] const PublicKey* find(std::string_view id) const;

    [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

private:
    std::vector<Key> keys_;
};

} // namespace orbis::net

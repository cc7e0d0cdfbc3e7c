#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <compare>
#include <cstring>
#include <functional>
#include <string>

namespace orbis::jobs::snapshot {

/// The name of a content: the first 20 bytes of its SHA-256 (docs/formats/snapshot-store.md). All zeros is
/// the key of nothing.
struct Key {
    static constexpr std::size_t k_size = 20;
    std::array<std::uint8_t, k_size> bytes{};

    [[nodiscard]] bool empty() const { return *this == Key{}; }
    [[nodiscard]] std::string hex() const;
    /// The first eight bytes as a number: spread evenly, so good for tables.
    [[nodiscard]] std::uint64_t prefix() const {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        return number;
    }
    friend auto operator<=>(const Key&, const Key&) = default;

    /// The caller has checked that 20 bytes are there.
    static Key load(const std::uint8_t* at) {
        Key key;
        std::memcpy(key.bytes.data(), at, k_size);
        return key;
    }
};

/// The key of a content.
Key key_of(Bytes content);

/// What compressed bytes are recognised by: the first 16 bytes of their SHA-256.
using FrameMark = std::array<std::uint8_t, 16>;
FrameMark mark_of(Bytes frame);

} // namespace orbis::jobs::snapshot

template <>
struct std::hash<orbis::jobs::snapshot::Key> {
    std::size_t operator()(const orbis::jobs::snapshot::Key& key) const noexcept { return key.prefix(); }
};

#pragma once

#include "bytes/bytes.hpp"
#include "bytes/fnv.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orbis::net {

/// The name of a QUIC connection in its packets, up to 20 bytes; a client may have one of no bytes at all.
struct ConnectionId {
    static constexpr std::size_t k_largest = 20;

    std::uint8_t size = 0;
    std::array<std::uint8_t, k_largest> data{}; ///< zeros after `size`

    ConnectionId() = default;
    explicit ConnectionId(Bytes bytes) : size(static_cast<std::uint8_t>(std::min(bytes.size(), k_largest))) {
        std::copy_n(bytes.begin(), size, data.begin());
    }

    [[nodiscard]] Bytes bytes() const { return Bytes(data).first(size); }
    bool operator==(const ConnectionId&) const = default;

    /// FNV over all bytes, from a start that strangers do not know: clients choose their first ids.
    struct Hash {
        std::uint64_t start = k_fnv1a_64_start;

        std::size_t operator()(const ConnectionId& id) const {
            const auto hash = fnv1a_64(id.bytes(), start);
            return hash ^ (hash >> 29);
        }
    };
};

} // namespace orbis::net

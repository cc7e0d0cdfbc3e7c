#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace orbis::net {

/// The only version of QUIC that the game speaks.
inline constexpr std::uint32_t k_quic_version_1 = 1;

/// A packet of a version that does not exist. A QUIC server answers with the versions that it has, without
/// any key and without beginning a connection (RFC 8999, section 6; RFC 9000, section 6.3).
class VersionQuestion {
public:
    VersionQuestion();

    /// As large as the first packet of a connection: smaller ones are not answered.
    [[nodiscard]] Buffer packet() const;
    /// The versions in the answer to this question; nothing when the datagram is something else.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> read_answer(Bytes datagram) const;

private:
    std::array<std::uint8_t, 8> destination_{};
    std::array<std::uint8_t, 8> source_{};
};

/// `1`, `2`, `draft-29` or the number: `0x51303530`.
std::string quic_version_text(std::uint32_t version);

} // namespace orbis::net

#include "net/quic_packet.hpp"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

namespace orbis::net {
namespace {

/// Bytes before the token that make a reset look like any packet, at least 5 of them random.
constexpr std::size_t k_reset_smallest = NGTCP2_MIN_STATELESS_RESET_RANDLEN + NGTCP2_STATELESS_RESET_TOKENLEN;
constexpr std::size_t k_reset_usual = 41;

} // namespace

std::optional<PacketHead> read_head(Bytes datagram, std::size_t short_id_length) {
    if (datagram.empty()) return {};
    ngtcp2_version_cid found{};
    const auto code =
        ngtcp2_pkt_decode_version_cid(&found, datagram.data(), datagram.size(), short_id_length);
    if (code != 0 && code != NGTCP2_ERR_VERSION_NEGOTIATION) return {};
    PacketHead head;
    head.is_long = (datagram[0] & 0x80) != 0;
    head.version = found.version;
    head.is_known_version = code == 0;
    head.whole_destination = Bytes(found.dcid, found.dcidlen);
    head.source = Bytes(found.scid, found.scidlen);
    if (found.dcidlen > ConnectionId::k_largest) {
        if (head.is_known_version) return {};
        return head;
    }
    head.destination = ConnectionId(head.whole_destination);
    return head;
}

std::optional<FirstPacket> read_first_packet(Bytes datagram) {
    ngtcp2_pkt_hd found;
    if (datagram.size() < k_smallest_first_datagram
        || ngtcp2_accept(&found, datagram.data(), datagram.size()) != 0)
        return {};
    return FirstPacket{ConnectionId(Bytes(found.dcid.data, found.dcid.datalen)),
                       ConnectionId(Bytes(found.scid.data, found.scid.datalen)), found.version};
}

Buffer version_negotiation(const PacketHead& head) {
    Buffer packet(1 + 4 + 2 + 2 * 255 + 4);
    std::uint8_t unused = 0;
    fill_random({&unused, 1});
    const std::uint32_t versions[] = {NGTCP2_PROTO_VER_V1};
    const auto written = ngtcp2_pkt_write_version_negotiation(
        packet.data(), packet.size(), unused, head.source.data(), head.source.size(),
        head.whole_destination.data(), head.whole_destination.size(), versions, 1);
    packet.resize(written > 0 ? static_cast<std::size_t>(written) : 0);
    return packet;
}

Buffer stateless_reset(std::size_t answered, const std::array<std::uint8_t, 16>& token) {
    const auto size = std::min(k_reset_usual, answered > 0 ? answered - 1 : 0);
    if (size < k_reset_smallest) return {};
    Buffer packet(size);
    Buffer noise(size - token.size());
    fill_random(noise);
    const auto written = ngtcp2_pkt_write_stateless_reset(packet.data(), packet.size(), token.data(),
                                                          noise.data(), noise.size());
    packet.resize(written > 0 ? static_cast<std::size_t>(written) : 0);
    return packet;
}

std::array<std::uint8_t, 16> make_reset_token(Bytes secret, const ConnectionId& id) {
    std::array<std::uint8_t, 16> token{};
    ngtcp2_cid library;
    ngtcp2_cid_init(&library, id.data.data(), id.size);
    if (ngtcp2_crypto_generate_stateless_reset_token(token.data(), secret.data(), secret.size(), &library)
        != 0)
        fill_random(token);
    return token;
}

} // namespace orbis::net

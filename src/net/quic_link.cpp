#include "net/quic_link.hpp"

#include "packets/registry.hpp"

namespace orbis::net {
namespace {

std::optional<Channel> channel_of(StreamId stream) {
    switch (stream) {
    case stream_of(Channel::normal): return Channel::normal;
    case stream_of(Channel::chunks): return Channel::chunks;
    case stream_of(Channel::world_map): return Channel::world_map;
    default: return {};
    }
}

static_assert(stream_of(Channel::chunks) == 3 && stream_of(Channel::world_map) == 7);

} // namespace

QuicLink::QuicLink(Side side, QuicConnection& connection, const Clock& clock, const LinkLimits& limits,
                   Decompressor& decompressor)
    : Link(side, clock, limits, decompressor), connection_(connection), registry_(packets::registry()) {}

void QuicLink::on_handshake(QuicConnection& connection) {
    peer_.address = connection.path().remote;
    peer_.protocol = connection.tls()->protocol();
    peer_.server_name = connection.tls()->server_name();
    const auto certificate = connection.tls()->peer_certificate();
    if (!certificate.empty()) peer_.certificate = fingerprint(certificate);
    // TLS has judged it already; a connection without one must not be served whatever happened there.
    if (side_ == Side::server && certificate.empty()) return close(Close::transport(k_protocol_violation));
    if (side_ == Side::server) opened();
}

void QuicLink::on_confirmed(QuicConnection& connection) {
    if (side_ == Side::server) return;
    // A client sends when the server has accepted its certificate: some servers refuse earlier data.
    if (!connection.open_bidi()) return close(Close::transport(k_protocol_violation));
    open_channels_ = 1;
    opened();
}

bool QuicLink::open_play_channels() {
    if (side_ == Side::server && has_one_stream()) return true;
    if (side_ != Side::server || open_channels_ == k_channels) return open_channels_ == k_channels;
    for (const auto channel : {Channel::chunks, Channel::world_map}) {
        const auto stream = connection_.open_uni();
        if (stream != stream_of(channel)) return false;
        connection_.set_priority(*stream, static_cast<int>(channel));
    }
    open_channels_ = k_channels;
    return true;
}

void QuicLink::send_bytes(Channel channel, Bytes bytes) {
    if (!is_open_ || is_closing()) return;
    connection_.write(stream_of(channel), bytes);
    check_held(channel);
}

void QuicLink::send_frame(Channel channel, const protocol::SharedFrame& frame) {
    if (!is_open_ || is_closing()) return;
    connection_.write(stream_of(channel), frame);
    check_held(channel);
}

std::size_t QuicLink::unsent(Channel channel) const { return connection_.unsent(stream_of(way_of(channel))); }
std::size_t QuicLink::held(Channel channel) const { return connection_.held(stream_of(way_of(channel))); }
std::uint64_t QuicLink::sent(Channel channel) const { return connection_.added(stream_of(way_of(channel))); }

void QuicLink::on_data(QuicConnection& connection, StreamId stream, Bytes bytes, bool is_end) {
    const auto channel = channel_of(stream);
    if (!channel) return close(Close::transport(k_protocol_violation));
    auto& incoming = incoming_[static_cast<std::size_t>(*channel)];
    if (incoming.is_ignored || is_closing()) return connection.consume(stream, bytes.size());
    if (!incoming.decoder) {
        // Stream 0 is tied to no channel, as in the game (docs/formats/network.md).
        protocol::FrameRules rules{side_, {}, limits_.largest_payload, false};
        if (*channel != Channel::normal) rules.channel = *channel;
        incoming.decoder.emplace(registry_, rules);
        if (*channel == Channel::normal && !user()->on_first_bytes()) incoming.is_ignored = true;
        if (incoming.is_ignored) return connection.consume(stream, bytes.size());
    }
    incoming.decoder->feed(bytes);
    if (!read_frames(*incoming.decoder, *channel)) incoming.is_ignored = true;
    if (!is_open_) return;
    if (incoming.is_paused)
        incoming.owed += bytes.size();
    else
        connection.consume(stream, bytes.size());
    if (is_end && !is_closing()) user()->on_end();
}

void QuicLink::pause(Channel channel) {
    incoming_[static_cast<std::size_t>(way_of(channel))].is_paused = true;
}

void QuicLink::resume(Channel channel) {
    auto& incoming = incoming_[static_cast<std::size_t>(way_of(channel))];
    incoming.is_paused = false;
    connection_.consume(stream_of(way_of(channel)), std::exchange(incoming.owed, 0));
}

void QuicLink::set_largest_payload(std::uint32_t largest) {
    limits_.largest_payload = largest;
    for (auto& incoming : incoming_)
        if (incoming.decoder) incoming.decoder->set_largest(largest);
}

void QuicLink::set_registry(protocol::Registry registry) {
    registry_ = registry;
    for (auto& incoming : incoming_)
        if (incoming.decoder) incoming.decoder->set_registry(registry);
}

void QuicLink::on_reset(QuicConnection&, StreamId, std::uint64_t) {
    if (is_open_ && !is_closing()) user()->on_end();
}

void QuicLink::on_stop_sending(QuicConnection&, StreamId, std::uint64_t) {
    if (is_open_ && !is_closing()) user()->on_end();
}

void QuicLink::on_acked(QuicConnection&, StreamId stream) {
    if (is_closing()) return tick(); // it may have been what the close waits for
    const auto channel = channel_of(stream);
    if (channel && is_open_) user()->on_delivered(*channel);
}

void QuicLink::close(Close reason) { connection_.close(std::move(reason)); }

void QuicLink::on_closed(QuicConnection&, const Close& reason) { closed(reason); }

} // namespace orbis::net

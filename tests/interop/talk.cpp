#include "interop/talk.hpp"

#include "bytes/json_writer.hpp"
#include "net/fingerprint.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"
#include "packets/registry.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"

#include <cstdio>

namespace orbis::test {
namespace {

using net::Close;
using net::StreamId;
using namespace std::chrono_literals;

constexpr StreamId k_default = 0;
constexpr StreamId k_chunks = 3;
constexpr StreamId k_map = 7;

void tell(const JsonWriter& json) {
    std::puts(json.text().c_str());
    std::fflush(stdout);
}

std::string_view kind_name(Close::Kind kind) {
    switch (kind) {
    case Close::Kind::application: return "application";
    case Close::Kind::transport: return "transport";
    case Close::Kind::idle: return "idle";
    case Close::Kind::handshake_timeout: return "handshake_timeout";
    case Close::Kind::version: return "version";
    case Close::Kind::reset: return "reset";
    case Close::Kind::end: return "end";
    case Close::Kind::failed: break;
    }
    return "failed";
}

std::optional<protocol::Channel> channel_of(StreamId id) {
    if (id == k_chunks) return protocol::Channel::chunks;
    if (id == k_map) return protocol::Channel::world_map;
    return {};
}

} // namespace

class Talk::Handler final : public net::QuicHandler {
public:
    explicit Handler(Talk& talk) : talk_(talk) {}

    void on_handshake(net::QuicConnection& connection) override {
        talk_.connection_ = &connection;
        talk_.tell_handshake();
        if (!talk_.rules_.is_server && talk_.rules_.is_early) talk_.begin();
    }
    void on_confirmed(net::QuicConnection&) override {
        if (!talk_.rules_.is_server && !talk_.rules_.is_early) talk_.begin();
    }
    void on_data(net::QuicConnection& connection, StreamId id, Bytes bytes, bool) override {
        connection.consume(id, bytes.size());
        talk_.take(id, bytes);
    }
    void on_reset(net::QuicConnection&, StreamId, std::uint64_t) override {
        talk_.fault("a stream was reset");
    }
    void on_stop_sending(net::QuicConnection&, StreamId, std::uint64_t) override {
        talk_.fault("a stream was refused");
    }
    void on_closed(net::QuicConnection&, const Close& close) override { talk_.end(close); }

private:
    Talk& talk_;
};

std::unique_ptr<net::QuicHandler> Talk::handler() { return std::make_unique<Handler>(*this); }

void Talk::tell_handshake() const {
    const auto& tls = *connection_->tls();
    JsonWriter json;
    json.object().member("event", "handshake").member("alpn", tls.protocol());
    json.member("fingerprint", net::fingerprint(tls.peer_certificate()).text());
    json.member("server_name", tls.server_name()).member("cipher", tls.cipher()).end();
    tell(json);
}

void Talk::begin() {
    if (connection_->open_bidi() != k_default) return fault("stream 0 could not be opened");
    if (rules_.wants_more_streams) {
        JsonWriter json;
        json.object().member("event", "limits").member("bidi", connection_->open_bidi().has_value());
        json.member("uni", connection_->open_uni().has_value()).end();
        tell(json);
    }
    if (rules_.is_early)
        connection_->write(k_default, frames_.connect);
    else
        write_in_pieces(frames_.connect, 1, 2);
}

/// Pieces of 1, 2, 3, 5, 8 … bytes, each on its way before the next is written.
void Talk::write_in_pieces(Bytes frame, std::size_t size, std::size_t next) {
    if (!connection_ || frame.empty()) return;
    size = std::min(size, frame.size());
    connection_->write(k_default, frame.first(size));
    loop_.after(2ms,
                [this, rest = frame.subspan(size), size, next] { write_in_pieces(rest, next, size + next); });
}

Talk::Received& Talk::received(StreamId id) {
    const auto found = received_.find(id);
    if (found != received_.end()) return found->second;
    const auto side = rules_.is_server ? protocol::Side::server : protocol::Side::client;
    protocol::FrameDecoder decoder(packets::registry(), {side, channel_of(id)});
    return received_.emplace(id, Received{{}, 0, std::move(decoder), {}}).first->second;
}

void Talk::take(StreamId id, Bytes bytes) {
    auto& stream = received(id);
    stream.bytes.insert(stream.bytes.end(), bytes.begin(), bytes.end());
    ++stream.pieces;
    stream.decoder.feed(bytes);
    while (connection_) {
        const auto frame = stream.decoder.next();
        if (!frame) return fault(frame.error().error.text());
        if (!*frame) break;
        ++stream.packets[(*frame)->id];
        take(**frame);
    }
    if (!rules_.is_server) end_if_complete();
}

void Talk::take(const protocol::Frame& frame) {
    const auto read = [&](auto packet) {
        arena_.reset();
        const auto done = protocol::decode(frame.payload, arena_, packet, true);
        if (!done) fault(done.error().error().text());
        return packet;
    };
    switch (frame.id) {
    case packets::Connect::k_info.id: {
        const auto connect = read(packets::Connect{});
        JsonWriter json;
        json.object().member("event", "connect").member("username", connect.username);
        json.member("version", connect.client_version).end();
        tell(json);
        return answer();
    }
    case packets::ClientReady::k_info.id:
        if (rules_.close) connection_->close(*rules_.close);
        return;
    case packets::ConnectAccept::k_info.id: read(packets::ConnectAccept{}); return;
    case packets::SetChunk::k_info.id: read(packets::SetChunk{}); return;
    case packets::UpdateWorldMap::k_info.id: read(packets::UpdateWorldMap{}); return;
    case packets::ClearWorldMap::k_info.id: return;
    default: fault("a packet came that nobody sends here");
    }
}

void Talk::answer() {
    if (!connection_) return;
    connection_->write(k_default, frames_.accept);
    if (connection_->open_uni() != k_chunks || connection_->open_uni() != k_map)
        return fault("streams 3 and 7 could not be opened");
    connection_->write(k_chunks, frames_.chunks);
    connection_->write(k_map, frames_.map);
}

void Talk::end_if_complete() {
    const auto has = [this](StreamId id, const Buffer& expected) {
        return received(id).bytes.size() >= expected.size();
    };
    if (!connection_ || is_complete_ || !has(k_default, frames_.accept) || !has(k_chunks, frames_.chunks)
        || !has(k_map, frames_.map))
        return;
    is_complete_ = true;
    if (rules_.close) return connection_->close(*rules_.close);
    write_in_pieces(frames_.ready, 1, 2);
}

void Talk::fault(std::string_view text) {
    JsonWriter json;
    json.object().member("event", "fault").member("text", text).end();
    tell(json);
    if (connection_) connection_->close(Close::transport(net::k_protocol_violation));
}

void Talk::end(const Close& close) {
    connection_ = nullptr;
    is_over_ = true;
    for (const auto& [id, stream] : received_) {
        JsonWriter json;
        json.object().member("event", "stream").member("id", id).member("bytes", stream.bytes.size());
        json.member("sha256", net::fingerprint(stream.bytes).text());
        json.member("pieces", stream.pieces).key("packets").object();
        for (const auto& [packet, count] : stream.packets) json.member(std::to_string(packet), count);
        json.end().end();
        tell(json);
    }
    JsonWriter json;
    json.object().member("event", "closed").member("kind", kind_name(close.kind)).member("code", close.code);
    json.member("reason", close.reason).member("by_peer", close.by_peer).end();
    tell(json);
}

} // namespace orbis::test

#include "net/quic_endpoint.hpp"

#include "net/quic_packet.hpp"

namespace orbis::net {
namespace {

/// What the kernel takes in one call; it limits a batch to 64 datagrams and 64 KiB.
constexpr std::size_t k_batch = 44 * 1452;
/// Answers to strangers between two flushes. Noise deserves no more.
constexpr std::size_t k_most_loose = 64;

} // namespace

QuicEndpoint::QuicEndpoint(EndpointSettings settings) : settings_(settings), buffer_(k_batch) {
    fill_random(secret_);
    ConnectionId::Hash hash;
    fill_random({reinterpret_cast<std::uint8_t*>(&hash.start), sizeof hash.start});
    ids_ = decltype(ids_)(0, hash);
}

QuicEndpoint::~QuicEndpoint() {
    // Connections give their ids back while they go.
    entries_.clear();
}

void QuicEndpoint::listen(std::shared_ptr<TlsContext> tls, const QuicSettings& settings, Acceptor acceptor) {
    listener_ = {std::move(tls), settings, std::move(acceptor)};
}

ConnectionId QuicEndpoint::make_id() {
    ConnectionId id;
    id.size = static_cast<std::uint8_t>(settings_.id_length);
    fill_random(MutableBytes(id.data).first(id.size));
    if (id.size > 0) id.data[0] = settings_.shard;
    return id;
}

void QuicEndpoint::add_id(const ConnectionId& id, QuicConnection& connection) { ids_[id] = &connection; }
void QuicEndpoint::remove_id(const ConnectionId& id) { ids_.erase(id); }

std::array<std::uint8_t, 16> QuicEndpoint::reset_token(const ConnectionId& id) {
    return make_reset_token(secret_, id);
}

void QuicEndpoint::on_ready(QuicConnection& connection) {
    if (!connection.note_.is_kept || std::exchange(connection.note_.is_ready, true)) return;
    ready_.push_back(&connection);
}

QuicConnection& QuicEndpoint::keep(std::unique_ptr<QuicConnection> connection,
                                   std::unique_ptr<QuicHandler> handler) {
    auto& kept = *connection;
    kept.set_handler(std::move(handler));
    kept.note_.is_kept = true;
    entries_[&kept] = std::move(connection);
    on_ready(kept);
    return kept;
}

Result<QuicConnection*> QuicEndpoint::connect(std::shared_ptr<TlsContext> tls, const QuicSettings& settings,
                                              const std::string& server_name, const Path& path,
                                              std::unique_ptr<QuicHandler> handler, Time now) {
    TRY(auto made, QuicConnection::connect(*this, std::move(tls), settings, server_name, path, now));
    auto& kept = keep(std::move(made), std::move(handler));
    clients_[path.local.family_and_port()] = &kept;
    return &kept;
}

void QuicEndpoint::answer(const Path& path, Buffer datagram) {
    if (datagram.empty() || loose_.size() >= k_most_loose) return;
    loose_.push_back({path, std::move(datagram)});
}

QuicConnection* QuicEndpoint::begin(const Path& path, Bytes datagram, Time now) {
    if (!listener_ || entries_.size() >= settings_.most_connections) return nullptr;
    const auto first = read_first_packet(datagram);
    if (!first) return nullptr;
    auto made = QuicConnection::accept(*this, listener_->tls, listener_->settings, *first, path, now);
    if (!made) return nullptr;
    auto handler = listener_->acceptor(**made);
    if (!handler) return nullptr;
    ++begun_;
    if (handshakes_.size() >= settings_.most_handshakes) forget_oldest();
    auto& kept = keep(*std::move(made), std::move(handler));
    kept.note_.handshake = handshakes_.insert(handshakes_.end(), &kept);
    return &kept;
}

void QuicEndpoint::receive(const Path& path, std::uint8_t ecn, Bytes datagram, Time now) {
    const auto head = read_head(datagram, settings_.id_length);
    if (!head) return;
    if (!head->is_known_version) {
        // Version 0 is a negotiation itself; small packets of strangers are not worth an answer.
        if (listener_ && head->version != 0 && datagram.size() >= k_smallest_first_datagram)
            answer(path, version_negotiation(*head));
        else if (head->version != 0)
            return;
    }
    const auto at = ids_.find(head->destination);
    auto* connection = at != ids_.end() ? at->second : nullptr;
    if (!connection && head->is_long && head->is_known_version) {
        if (begun_ >= settings_.handshakes_per_turn || !firsts_.empty()) {
            if (listener_ && firsts_.size() < settings_.most_waiting
                && datagram.size() >= k_smallest_first_datagram)
                firsts_.push_back({path, ecn, Buffer(datagram.begin(), datagram.end())});
            return;
        }
        connection = begin(path, datagram, now);
    }
    if (connection) {
        connection->receive(path, ecn, datagram, now);
        if (!connection->note_.is_ready) update(*connection);
        return;
    }
    if (head->is_long) return;
    // To a client it may be the word of a server that forgot it, which has no id that we know.
    if (const auto client = clients_.find(path.local.family_and_port()); client != clients_.end())
        client->second->receive(path, ecn, datagram, now);
    else if (listener_)
        answer(path, stateless_reset(datagram.size(), reset_token(head->destination)));
}

void QuicEndpoint::begin_some(Time now) {
    begun_ = 0;
    // Those who asked again are known by then.
    while (!firsts_.empty() && begun_ < settings_.handshakes_per_turn) {
        const auto first = std::move(firsts_.front());
        firsts_.pop_front();
        const auto head = read_head(first.datagram, settings_.id_length);
        const auto at = ids_.find(head->destination);
        auto* connection = at != ids_.end() ? at->second : begin(first.path, first.datagram, now);
        if (connection) connection->receive(first.path, first.ecn, first.datagram, now);
    }
}

void QuicEndpoint::update(QuicConnection& connection) {
    auto& note = connection.note_;
    if (note.handshake && (connection.is_established() || !connection.is_open())) {
        handshakes_.erase(*note.handshake);
        note.handshake.reset();
    }
    // Most moments are put off again and again, such as that of a lost packet: one that comes too early finds
    // nothing to do, which costs less than to keep the order all the time.
    const auto deadline = connection.deadline();
    if (deadline >= note.listed) return;
    if (note.listed != k_never) timers_.erase({note.listed, &connection});
    note.listed = deadline;
    timers_.insert({deadline, &connection});
}

void QuicEndpoint::drop(QuicConnection& connection) {
    auto& note = connection.note_;
    if (note.listed != k_never) timers_.erase({note.listed, &connection});
    if (note.handshake) handshakes_.erase(*note.handshake);
    if (note.is_ready) std::erase(ready_, &connection);
    if (const auto client = clients_.find(connection.path().local.family_and_port());
        client != clients_.end() && client->second == &connection)
        clients_.erase(client);
    note = {}; // nothing that is said from now on is of interest
    entries_.erase(&connection);
}

void QuicEndpoint::forget_oldest() {
    // Some may be done in this very turn.
    const auto oldest =
        std::ranges::find_if(handshakes_, [](const auto* each) { return !each->is_established(); });
    if (oldest == handshakes_.end()) return;
    auto& connection = **oldest;
    connection.forget();
    drop(connection);
}

void QuicEndpoint::close_all(const Close& close) {
    std::vector<QuicConnection*> all;
    for (const auto& [connection, entry] : entries_) all.push_back(connection);
    for (auto* connection : all)
        if (has(connection)) connection->close(close);
}

bool QuicEndpoint::flush(const DatagramSink& sink, Time now) {
    for (const auto& [path, datagram] : loose_) sink({path, datagram, datagram.size(), 0});
    loose_.clear();
    begin_some(now);

    std::vector<QuicConnection*> turn;
    turn.swap(ready_);
    for (auto* connection : turn) connection->note_.is_ready = false;
    for (auto* connection : turn) {
        const bool has_more = connection->send(buffer_, sink, now);
        if (has_more) on_ready(*connection);
        update(*connection);
        if (connection->is_gone()) drop(*connection);
    }
    if (ready_.empty()) {
        turn.clear();
        ready_.swap(turn); // keeps the memory
    }
    return !ready_.empty() || !firsts_.empty();
}

Time QuicEndpoint::deadline() const { return timers_.empty() ? k_never : timers_.begin()->first; }

void QuicEndpoint::expire(Time now) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
        auto& connection = *timers_.begin()->second;
        timers_.erase(timers_.begin());
        connection.note_.listed = k_never;
        if (connection.deadline() > now) {
            update(connection);
            continue;
        }
        connection.expire(now);
        on_ready(connection); // writes what the timer was for, lists its next moment, or forgets it
    }
}

std::optional<std::uint8_t> QuicEndpoint::shard_of(Bytes datagram) const {
    const auto head = read_head(datagram, settings_.id_length);
    if (!head || !head->is_known_version || head->destination.size != settings_.id_length) return {};
    if (head->is_long && (datagram[0] & 0x30) == 0) return {}; // its id may be one that the client made up
    return head->destination.data[0];
}

} // namespace orbis::net

#include "net/quic_connection.hpp"

#include "net/quic_library.hpp"

#include <array>
#include <cstring>
#include <ngtcp2/ngtcp2_crypto.h>

namespace orbis::net {
namespace {

/// A closed connection answers each power of two of late packets, so that two closed ends do not talk
/// forever.
constexpr bool is_answered(std::uint32_t count) { return (count & (count - 1)) == 0; }

ngtcp2_cid library_id(const ConnectionId& id) {
    ngtcp2_cid made;
    ngtcp2_cid_init(&made, id.data.data(), id.size);
    return made;
}

ConnectionId own_id(const ngtcp2_cid& id) { return ConnectionId(Bytes(id.data, id.datalen)); }

/// The library copies addresses; it has no const in its types.
ngtcp2_path library_path(const Path& path) {
    const auto end = [](const Address& address) {
        return ngtcp2_addr{const_cast<sockaddr*>(address.data()), address.size()};
    };
    return {end(path.local), end(path.remote), nullptr};
}

/// BBR sends no more at once than fits into the shortest round trip. Within one machine that is a few
/// microseconds, far less than a thread waits for its turn, and every turn would send next to nothing.
ngtcp2_cc_algo library_congestion(QuicSettings::Congestion congestion, const Path& path) {
    switch (congestion) {
    case QuicSettings::Congestion::cubic: return NGTCP2_CC_ALGO_CUBIC;
    case QuicSettings::Congestion::reno: return NGTCP2_CC_ALGO_RENO;
    case QuicSettings::Congestion::bbr: return NGTCP2_CC_ALGO_BBR;
    case QuicSettings::Congestion::by_path: break;
    }
    return path.remote.is_loopback() ? NGTCP2_CC_ALGO_CUBIC : NGTCP2_CC_ALGO_BBR;
}

/// This many datagrams in a row are acknowledged at once: there is a flow that should not wait.
constexpr std::uint32_t k_answer_at_once = 2;
/// How long one that came alone may wait for its acknowledgement; no longer than `max_ack_delay` says.
constexpr Duration k_answer_within = std::chrono::milliseconds(24);
/// QUIC's default of `max_ack_delay`, which is not changed here.
constexpr Duration k_longest_ack_delay = std::chrono::milliseconds(25);
/// This many bytes are worth a datagram that allows the peer to send as many more. Windows are far larger.
constexpr std::size_t k_worth_telling = 16 << 10;

ngtcp2_settings library_settings(const QuicSettings& from, const Path& path, Time now) {
    ngtcp2_settings to;
    ngtcp2_settings_default(&to);
    to.cc_algo = library_congestion(from.congestion, path);
    to.initial_ts = stamp(now);
    to.max_tx_udp_payload_size = k_largest_datagram;
    to.max_window = from.largest_window;
    to.max_stream_window = from.largest_stream_window;
    to.handshake_timeout = static_cast<ngtcp2_duration>(from.handshake_timeout.count());
    return to;
}

ngtcp2_transport_params library_params(const QuicSettings& from) {
    ngtcp2_transport_params to;
    ngtcp2_transport_params_default(&to);
    to.initial_max_data = from.max_data;
    to.initial_max_stream_data_bidi_local = from.max_stream_data_bidi_local;
    to.initial_max_stream_data_bidi_remote = from.max_stream_data_bidi_remote;
    to.initial_max_stream_data_uni = from.max_stream_data_uni;
    to.initial_max_streams_bidi = from.max_streams_bidi;
    to.initial_max_streams_uni = from.max_streams_uni;
    to.max_idle_timeout = static_cast<ngtcp2_duration>(from.idle_timeout.count());
    to.disable_active_migration = from.disable_migration;
    return to;
}

Close peer_close(ngtcp2_conn* connection) {
    ngtcp2_connection_close_error found;
    ngtcp2_conn_get_connection_close_error(connection, &found);
    const auto kind = found.type == NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION
                          ? Close::Kind::application
                          : Close::Kind::transport;
    std::string reason;
    if (found.reason) reason.assign(reinterpret_cast<const char*>(found.reason), found.reasonlen);
    return {kind, found.error_code, std::move(reason), true};
}

} // namespace

QuicSettings QuicSettings::server() {
    QuicSettings settings;
    // Clients of the game give up after about half a minute of silence, and setup can be silent for longer.
    settings.keep_alive = std::chrono::seconds(10);
    return settings;
}

QuicSettings QuicSettings::client() {
    QuicSettings settings;
    settings.max_data = 16 << 20;
    settings.max_stream_data_bidi_local = 4 << 20;
    settings.max_stream_data_bidi_remote = 0;
    settings.max_stream_data_uni = 8 << 20;
    settings.max_streams_bidi = 0;
    settings.max_streams_uni = 2;
    settings.largest_window = 32 << 20;
    settings.largest_stream_window = 16 << 20;
    settings.disable_migration = false;
    return settings;
}

/// The callbacks of the library. After the connection was closed from inside one, the others do nothing.
struct QuicConnection::Library {
    ngtcp2_crypto_conn_ref reference{};
    ngtcp2_mem memory{};
    bool was_reset = false;
    bool has_news = false; ///< the datagram that is read has data of streams

    static ngtcp2_mem memory_of(LazyPages& pages) {
        return {&pages,
                [](std::size_t size, void* user) { return static_cast<LazyPages*>(user)->allocate(size); },
                [](void* block, void* user) { static_cast<LazyPages*>(user)->release(block); },
                [](std::size_t count, std::size_t size, void* user) {
                    return static_cast<LazyPages*>(user)->allocate_zeros(count * size);
                },
                [](void* block, std::size_t size, void* user) {
                    return static_cast<LazyPages*>(user)->resize(block, size);
                }};
    }

    static QuicConnection& self(void* user) { return *static_cast<QuicConnection*>(user); }

    static ngtcp2_conn* connection_of(ngtcp2_crypto_conn_ref* reference) {
        return self(reference->user_data).connection_.get();
    }

    static void random(std::uint8_t* out, std::size_t size, const ngtcp2_rand_ctx*) {
        fill_random({out, size});
    }

    /// Clients have nothing to say to TLS after the handshake.
    static int crypto_data(ngtcp2_conn* connection, ngtcp2_crypto_level level, std::uint64_t offset,
                           const std::uint8_t* data, std::size_t size, void* user) {
        constexpr std::uint8_t k_unexpected_message = 10;
        if (!self(user).tls_) {
            ngtcp2_conn_set_tls_alert(connection, k_unexpected_message);
            return NGTCP2_ERR_CRYPTO;
        }
        return ngtcp2_crypto_recv_crypto_data_cb(connection, level, offset, data, size, user);
    }

    static int new_id(ngtcp2_conn*, ngtcp2_cid* id, std::uint8_t* token, std::size_t size, void* user) {
        auto& connection = self(user);
        const auto made = connection.ids_.make_id();
        if (made.size != size) return NGTCP2_ERR_CALLBACK_FAILURE;
        *id = library_id(made);
        const auto secret = connection.ids_.reset_token(made);
        std::ranges::copy(secret, token);
        connection.own_ids_.push_back(made);
        connection.ids_.add_id(made, connection);
        return 0;
    }

    static int remove_id(ngtcp2_conn*, const ngtcp2_cid* id, void* user) {
        auto& connection = self(user);
        const auto gone = own_id(*id);
        std::erase(connection.own_ids_, gone);
        connection.ids_.remove_id(gone);
        return 0;
    }

    static int handshake_completed(ngtcp2_conn*, void* user) {
        auto& connection = self(user);
        connection.is_established_ = true;
        if (connection.is_open() && connection.handler_) connection.handler_->on_handshake(connection);
        // A server knows at once; only clients learn it from the library.
        if (connection.is_server_ && connection.is_open() && connection.handler_)
            connection.handler_->on_confirmed(connection);
        return 0;
    }

    static int handshake_confirmed(ngtcp2_conn*, void* user) {
        auto& connection = self(user);
        if (!connection.is_server_ && connection.is_open() && connection.handler_)
            connection.handler_->on_confirmed(connection);
        return 0;
    }

    static int stream_open(ngtcp2_conn*, std::int64_t id, void* user) {
        if (ngtcp2_is_bidi_stream(id)) self(user).add_stream(id);
        return 0;
    }

    static int data(ngtcp2_conn*, std::uint32_t flags, std::int64_t id, std::uint64_t,
                    const std::uint8_t* bytes, std::size_t size, void* user, void*) {
        auto& connection = self(user);
        connection.library_->has_news = true;
        if (connection.is_open() && connection.handler_)
            connection.handler_->on_data(connection, id, Bytes(bytes, size),
                                         (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
        return 0;
    }

    static int acked(ngtcp2_conn*, std::int64_t id, std::uint64_t offset, std::uint64_t size, void* user,
                     void*) {
        auto& connection = self(user);
        if (auto* stream = connection.find(id)) stream->queue.mark_acked(offset + size);
        if (connection.is_open() && connection.handler_) connection.handler_->on_acked(connection, id);
        return 0;
    }

    static int stream_reset(ngtcp2_conn*, std::int64_t id, std::uint64_t, std::uint64_t code, void* user,
                            void*) {
        auto& connection = self(user);
        if (connection.is_open() && connection.handler_) connection.handler_->on_reset(connection, id, code);
        return 0;
    }

    static int more_streams(ngtcp2_conn*, std::uint64_t, void* user) {
        auto& connection = self(user);
        if (connection.is_open() && connection.handler_) connection.handler_->on_more_streams(connection);
        return 0;
    }

    static int stream_close(ngtcp2_conn*, std::uint32_t flags, std::int64_t id, std::uint64_t code,
                            void* user, void*) {
        auto& connection = self(user);
        const auto* stream = connection.find(id);
        // The library answers a peer that does not want a stream by itself, and tells of it only now.
        const bool is_refused = stream != nullptr && !stream->is_reset && !ngtcp2_is_bidi_stream(id)
                                && (flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET) != 0;
        std::erase_if(connection.streams_, [&](const Stream& each) { return each.id == id; });
        if (is_refused && connection.is_open() && connection.handler_)
            connection.handler_->on_stop_sending(connection, id, code);
        return 0;
    }

    static int stateless_reset(ngtcp2_conn*, const ngtcp2_pkt_stateless_reset*, void* user) {
        self(user).library_->was_reset = true;
        return 0;
    }

    static ngtcp2_callbacks callbacks(bool is_server) {
        ngtcp2_callbacks made{};
        if (is_server) {
            made.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
        } else {
            made.client_initial = ngtcp2_crypto_client_initial_cb;
            made.recv_retry = ngtcp2_crypto_recv_retry_cb;
        }
        made.recv_crypto_data = crypto_data;
        made.encrypt = ngtcp2_crypto_encrypt_cb;
        made.decrypt = ngtcp2_crypto_decrypt_cb;
        made.hp_mask = ngtcp2_crypto_hp_mask_cb;
        made.update_key = ngtcp2_crypto_update_key_cb;
        made.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
        made.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
        made.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
        made.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
        made.rand = random;
        made.get_new_connection_id = new_id;
        made.remove_connection_id = remove_id;
        made.handshake_completed = handshake_completed;
        made.handshake_confirmed = handshake_confirmed;
        made.stream_open = stream_open;
        made.recv_stream_data = data;
        made.acked_stream_data_offset = acked;
        made.stream_reset = stream_reset;
        made.extend_max_local_streams_uni = more_streams;
        made.stream_close = stream_close;
        made.recv_stateless_reset = stateless_reset;
        return made;
    }
};

void QuicConnection::Deleter::operator()(ngtcp2_conn* connection) const { ngtcp2_conn_del(connection); }

QuicConnection::QuicConnection(ConnectionIds& ids, bool is_server, const Path& path)
    : ids_(ids), is_server_(is_server), path_(path), library_(std::make_unique<Library>()) {
    library_->memory = Library::memory_of(ids.pages());
}

QuicConnection::~QuicConnection() {
    handler_.reset(); // while all that it may use is still there
    for (const auto& id : own_ids_) ids_.remove_id(id);
}

Result<void> QuicConnection::begin(std::shared_ptr<TlsContext> tls, const std::string& server_name) {
    library_->reference = {Library::connection_of, this};
    TRY(tls_, TlsSession::make(std::move(tls), library_->reference, server_name));
    ngtcp2_conn_set_tls_native_handle(connection_.get(), tls_->handle());
    return {};
}

Result<std::unique_ptr<QuicConnection>>
QuicConnection::connect(ConnectionIds& ids, std::shared_ptr<TlsContext> tls, const QuicSettings& settings,
                        const std::string& server_name, const Path& path, Time now) {
    std::unique_ptr<QuicConnection> made(new QuicConnection(ids, false, path));
    ConnectionId destination;
    destination.size = 18;
    fill_random(MutableBytes(destination.data).first(destination.size));
    const auto source = ids.make_id();
    const auto to = library_id(destination);
    const auto from = library_id(source);
    const auto where = library_path(path);
    const auto callbacks = Library::callbacks(false);
    const auto library = library_settings(settings, path, now);
    const auto params = library_params(settings);
    ngtcp2_conn* connection = nullptr;
    if (const auto code =
            ngtcp2_conn_client_new(&connection, &to, &from, &where, NGTCP2_PROTO_VER_V1, &callbacks, &library,
                                   &params, &made->library_->memory, made.get());
        code != 0)
        return fail(Errc::unsupported, "QUIC cannot start a connection: {}", ngtcp2_strerror(code));
    made->connection_.reset(connection);
    TRY_DO(made->begin(std::move(tls), server_name));
    made->keep_alive(settings);
    made->is_paced_ = library.cc_algo == NGTCP2_CC_ALGO_BBR;
    made->own_ids_.push_back(source);
    ids.add_id(source, *made);
    return made;
}

Result<std::unique_ptr<QuicConnection>>
QuicConnection::accept(ConnectionIds& ids, std::shared_ptr<TlsContext> tls, const QuicSettings& settings,
                       const FirstPacket& first, const Path& path, Time now) {
    std::unique_ptr<QuicConnection> made(new QuicConnection(ids, true, path));
    const auto source = ids.make_id();
    const auto to = library_id(first.source);
    const auto from = library_id(source);
    const auto where = library_path(path);
    const auto callbacks = Library::callbacks(true);
    const auto library = library_settings(settings, path, now);
    auto params = library_params(settings);
    params.original_dcid = library_id(first.destination);
    params.stateless_reset_token_present = 1;
    std::ranges::copy(ids.reset_token(source), params.stateless_reset_token);
    ngtcp2_conn* connection = nullptr;
    if (const auto code = ngtcp2_conn_server_new(&connection, &to, &from, &where, first.version, &callbacks,
                                                 &library, &params, &made->library_->memory, made.get());
        code != 0)
        return fail(Errc::unsupported, "QUIC cannot accept a connection: {}", ngtcp2_strerror(code));
    made->connection_.reset(connection);
    TRY_DO(made->begin(std::move(tls), {}));
    made->is_paced_ = library.cc_algo == NGTCP2_CC_ALGO_BBR;
    made->keep_alive(settings);
    // The client calls us by the id that it made up until it knows ours.
    made->first_id_ = first.destination;
    for (const auto& id : {source, first.destination}) {
        made->own_ids_.push_back(id);
        ids.add_id(id, *made);
    }
    return made;
}

void QuicConnection::keep_alive(const QuicSettings& settings) {
    if (settings.keep_alive > Duration::zero())
        ngtcp2_conn_set_keep_alive_timeout(connection_.get(),
                                           static_cast<ngtcp2_duration>(settings.keep_alive.count()));
}

QuicConnection::Stream* QuicConnection::find(StreamId id) {
    const auto at = std::ranges::find(streams_, id, &Stream::id);
    return at != streams_.end() ? &*at : nullptr;
}

const QuicConnection::Stream* QuicConnection::find(StreamId id) const {
    const auto at = std::ranges::find(streams_, id, &Stream::id);
    return at != streams_.end() ? &*at : nullptr;
}

QuicConnection::Stream& QuicConnection::add_stream(StreamId id) {
    streams_.emplace_back().id = id;
    return streams_.back();
}

std::optional<StreamId> QuicConnection::open_uni() {
    StreamId id = 0;
    if (!is_open() || ngtcp2_conn_open_uni_stream(connection_.get(), &id, nullptr) != 0) return {};
    add_stream(id);
    return id;
}

std::optional<StreamId> QuicConnection::open_bidi() {
    StreamId id = 0;
    if (!is_open() || ngtcp2_conn_open_bidi_stream(connection_.get(), &id, nullptr) != 0) return {};
    add_stream(id);
    return id;
}

void QuicConnection::touch() { ids_.on_ready(*this); }

void QuicConnection::set_priority(StreamId id, int priority) {
    if (auto* stream = find(id)) stream->priority = priority;
}

void QuicConnection::write(StreamId id, const protocol::SharedFrame& frame) {
    auto* stream = find(id);
    if (!is_open() || !stream || stream->is_finished) return;
    stream->queue.add(frame);
    touch();
}

void QuicConnection::write(StreamId id, Bytes bytes) {
    auto* stream = find(id);
    if (!is_open() || !stream || stream->is_finished) return;
    stream->queue.add(bytes);
    touch();
}

void QuicConnection::announce(StreamId id) {
    auto* stream = find(id);
    if (!is_open() || !stream || stream->is_finished || stream->queue.added() > 0) return;
    stream->is_announced = true;
    touch();
}

void QuicConnection::finish(StreamId id) {
    auto* stream = find(id);
    if (!is_open() || !stream) return;
    stream->is_finished = true;
    touch();
}

void QuicConnection::reset(StreamId id, std::uint64_t code) {
    auto* stream = find(id);
    if (!is_open() || !stream || stream->is_reset) return;
    stream->is_reset = true;
    ngtcp2_conn_shutdown_stream_write(connection_.get(), id, code);
    stream->queue.clear();
    stream->is_announced = false;
    stream->is_finished = stream->is_end_sent = true;
    touch();
}

void QuicConnection::stop_sending(StreamId id, std::uint64_t code) {
    if (!is_open()) return;
    ngtcp2_conn_shutdown_stream_read(connection_.get(), id, code);
    touch();
}

std::uint64_t QuicConnection::uni_streams_left() const {
    return is_open() ? ngtcp2_conn_get_streams_uni_left(connection_.get()) : 0;
}

void QuicConnection::allow_uni_streams(std::size_t count) {
    if (!is_open() || count == 0) return;
    ngtcp2_conn_extend_max_streams_uni(connection_.get(), count);
    touch();
}

void QuicConnection::consume(StreamId id, std::size_t count) {
    if (!is_open() || count == 0) return;
    ngtcp2_conn_extend_max_stream_offset(connection_.get(), id, count);
    ngtcp2_conn_extend_max_offset(connection_.get(), count);
    consumed_ += count;
    if (consumed_ >= k_worth_telling) touch();
}

std::size_t QuicConnection::unsent(StreamId id) const {
    const auto* stream = find(id);
    return stream ? stream->queue.unsent() : 0;
}

std::size_t QuicConnection::held(StreamId id) const {
    const auto* stream = find(id);
    return stream ? stream->queue.held() : 0;
}

std::uint64_t QuicConnection::added(StreamId id) const {
    const auto* stream = find(id);
    return stream ? stream->queue.added() : 0;
}

Duration QuicConnection::round_trip() const {
    ngtcp2_conn_stat stat;
    ngtcp2_conn_get_conn_stat(connection_.get(), &stat);
    return stat.first_rtt_sample_ts == UINT64_MAX ? Duration::zero()
                                                  : Duration(static_cast<std::int64_t>(stat.smoothed_rtt));
}

void QuicConnection::end(Close close, State state, Time now) {
    if (state_ != State::open) return;
    state_ = state;
    const auto three_probes = Duration(3 * static_cast<std::int64_t>(ngtcp2_conn_get_pto(connection_.get())));
    if (state != State::gone && now != Time{}) end_ = now + three_probes;
    close_ = std::move(close);
    for (auto& stream : streams_) stream.queue.clear();
    touch();
    if (handler_) handler_->on_closed(*this, *close_);
}

void QuicConnection::forget() { end({Close::Kind::handshake_timeout, 0, {}, false}, State::gone, Time{}); }

void QuicConnection::close(Close close) { end(std::move(close), State::close_pending, Time{}); }

void QuicConnection::fail_with(int code, Time now) {
    switch (code) {
    case NGTCP2_ERR_DRAINING:
        if (library_->was_reset) return end({Close::Kind::reset, 0, {}, true}, State::draining, now);
        return end(peer_close(connection_.get()), State::draining, now);
    case NGTCP2_ERR_IDLE_CLOSE: return end({Close::Kind::idle, 0, {}, false}, State::gone, now);
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
        return end({Close::Kind::handshake_timeout, 0, {}, false}, State::gone, now);
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
        return end({Close::Kind::version, 0, {}, true}, State::gone, now);
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:
        return end({Close::Kind::failed, 0, "not the start of a connection", false}, State::gone, now);
    case NGTCP2_ERR_CRYPTO:
        return end(Close::transport(k_crypto_error + ngtcp2_conn_get_tls_alert(connection_.get())),
                   State::close_pending, now);
    case NGTCP2_ERR_NOMEM:
    case NGTCP2_ERR_CALLBACK_FAILURE:
        return end({Close::Kind::failed, 0, ngtcp2_strerror(code), false}, State::gone, now);
    default:
        return end(Close::transport(ngtcp2_err_infer_quic_transport_error_code(code)), State::close_pending,
                   now);
    }
}

void QuicConnection::receive(const Path& path, std::uint8_t ecn, Bytes datagram, Time now) {
    if (state_ == State::closing) {
        if (is_answered(++late_packets_)) touch();
        return;
    }
    if (state_ != State::open) return;
    const bool was_established = is_established_;
    library_->has_news = false;
    const auto where = library_path(path);
    const ngtcp2_pkt_info info{ecn};
    const auto code =
        ngtcp2_conn_read_pkt(connection_.get(), &where, &info, datagram.data(), datagram.size(), stamp(now));
    if (code != 0) fail_with(code, now);
    if (is_server_ && is_established_ && tls_) release_handshake();
    answer_soon(path, was_established, now);
}

/// A single datagram, such as the movement of a player, is acknowledged together with what is said next, when
/// that is soon. Of all that a crowd costs, most is to visit its connections.
void QuicConnection::answer_soon(const Path& path, bool was_established, Time now) {
    const auto is_any = [this](auto&& holds) {
        return std::ranges::any_of(streams_, [&](const Stream& stream) { return holds(stream.queue); });
    };
    const bool has_unsent = is_any([](const SendQueue& queue) { return queue.unsent() > 0; });
    // Acknowledgements do not count: two who acknowledge each other's would never end.
    if (library_->has_news) ++unanswered_;
    if (state_ != State::open || !was_established || has_unsent || unanswered_ >= k_answer_at_once
        || path != path_)
        return touch();
    // A peer that sends only a ping wants to measure the round trip. While nothing is on its way from here,
    // only an answer that is owed can be due so soon.
    if (!library_->has_news && !is_any([](const SendQueue& queue) { return queue.held() > 0; })
        && library_deadline() <= now + k_longest_ack_delay)
        return touch();
    answer_by_ = std::min(answer_by_, now + k_answer_within);
}

void QuicConnection::release_handshake() {
    // The client knows our own id by now.
    std::erase(own_ids_, first_id_);
    ids_.remove_id(first_id_);
    ngtcp2_conn_set_tls_native_handle(connection_.get(), nullptr);
    tls_.reset();
}

Time QuicConnection::library_deadline() const {
    const auto at = ngtcp2_conn_get_expiry(connection_.get());
    return at >= stamp(k_never) ? k_never : Time(Duration(static_cast<std::int64_t>(at)));
}

Time QuicConnection::deadline() const {
    if (state_ == State::gone) return k_never;
    if (state_ != State::open) return end_;
    // The library would acknowledge after an eighth of a round trip.
    return answer_by_ != k_never ? answer_by_ : library_deadline();
}

void QuicConnection::expire(Time now) {
    if (now < deadline()) return;
    if (state_ != State::open) {
        state_ = State::gone;
        return;
    }
    if (library_deadline() <= now)
        if (const auto code = ngtcp2_conn_handle_expiry(connection_.get(), stamp(now)); code != 0)
            fail_with(code, now);
    touch();
}

} // namespace orbis::net

#include "bare_quic.hpp"

#include "net/identity.hpp"
#include "net/quic_packet.hpp"
#include "net/udp_socket.hpp"

#include <chrono>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <poll.h>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

namespace orbis::bench {

namespace {

using namespace net;

constexpr std::size_t k_datagram = 1452;
constexpr std::size_t k_batch = 44 * k_datagram;

ngtcp2_tstamp now() {
    return static_cast<ngtcp2_tstamp>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void check(bool good, const char* what) {
    if (!good) throw std::runtime_error(what);
}

/// One end of a connection.
struct End {
    ngtcp2_conn* connection = nullptr;
    std::optional<TlsSession> tls;
    ngtcp2_crypto_conn_ref reference{
        [](ngtcp2_crypto_conn_ref* ref) { return static_cast<End*>(ref->user_data)->connection; }, this};
    std::optional<UdpSocket> socket;
    Path path;
    ReceiveBuffers buffers;
    Buffer out = Buffer(k_batch);
    std::int64_t stream = -1;
    std::size_t left = 0; ///< to be sent
    std::size_t next = 0; ///< of the words
    std::size_t received = 0;
    bool is_over = false;

    ~End() { ngtcp2_conn_del(connection); }

    ngtcp2_path library_path() {
        return {{path.local.data(), path.local.size()}, {path.remote.data(), path.remote.size()}, nullptr};
    }

    static ngtcp2_callbacks callbacks() {
        ngtcp2_callbacks made{};
        made.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
        made.client_initial = ngtcp2_crypto_client_initial_cb;
        made.recv_retry = ngtcp2_crypto_recv_retry_cb;
        made.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
        made.encrypt = ngtcp2_crypto_encrypt_cb;
        made.decrypt = ngtcp2_crypto_decrypt_cb;
        made.hp_mask = ngtcp2_crypto_hp_mask_cb;
        made.update_key = ngtcp2_crypto_update_key_cb;
        made.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
        made.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
        made.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
        made.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
        made.rand = [](std::uint8_t* bytes, std::size_t size, const ngtcp2_rand_ctx*) {
            fill_random({bytes, size});
        };
        made.get_new_connection_id = [](ngtcp2_conn*, ngtcp2_cid* id, std::uint8_t* token, std::size_t size,
                                        void*) {
            fill_random({id->data, size});
            id->datalen = size;
            fill_random({token, 16});
            return 0;
        };
        made.recv_stream_data = [](ngtcp2_conn* connection, std::uint32_t flags, std::int64_t id,
                                   std::uint64_t, const std::uint8_t*, std::size_t size, void* user, void*) {
            auto& end = *static_cast<End*>(user);
            end.received += size;
            ngtcp2_conn_extend_max_stream_offset(connection, id, size);
            ngtcp2_conn_extend_max_offset(connection, size);
            if (flags & NGTCP2_STREAM_DATA_FLAG_FIN) end.is_over = true;
            return 0;
        };
        return made;
    }

    static ngtcp2_settings settings() {
        const auto ours = QuicSettings::client();
        ngtcp2_settings made;
        ngtcp2_settings_default(&made);
        made.cc_algo = NGTCP2_CC_ALGO_CUBIC;
        made.initial_ts = now();
        made.max_tx_udp_payload_size = k_datagram;
        made.max_window = ours.largest_window;
        made.max_stream_window = ours.largest_stream_window;
        return made;
    }

    static ngtcp2_transport_params params() {
        const auto ours = QuicSettings::client();
        ngtcp2_transport_params made;
        ngtcp2_transport_params_default(&made);
        made.initial_max_data = ours.max_data;
        made.initial_max_stream_data_uni = ours.max_stream_data_uni;
        made.initial_max_streams_uni = ours.max_streams_uni;
        made.max_idle_timeout = 30 * NGTCP2_SECONDS;
        return made;
    }

    void begin(std::shared_ptr<TlsContext> context) {
        tls = TlsSession::make(std::move(context), reference, "localhost").value();
        ngtcp2_conn_set_tls_native_handle(connection, tls->handle());
    }

    void receive() {
        while (socket->receive(buffers, [&](const ReceivedBatch& batch) {
            const auto where = library_path();
            for (auto rest = batch.bytes; !rest.empty();) {
                const auto size = std::min(batch.segment, rest.size());
                const ngtcp2_pkt_info info{batch.ecn};
                const auto code = ngtcp2_conn_read_pkt(connection, &where, &info, rest.data(), size, now());
                if (code == NGTCP2_ERR_DRAINING)
                    is_over = true;
                else
                    check(code == 0, "a packet could not be read");
                rest = rest.subspan(size);
            }
        })) {
        }
    }

    void flush(std::size_t filled, std::size_t segment) {
        std::size_t done = 0;
        while (filled > 0
               && socket->send({path, Bytes(out).first(filled), segment, 0}, done) == UdpSocket::Sent::full) {
            out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(done));
            out.resize(k_batch);
            filled -= done;
        }
    }

    void send(Bytes words) {
        const auto time = now();
        const auto quantum = ngtcp2_conn_get_send_quantum(connection);
        std::size_t filled = 0;
        std::size_t segment = 0;
        std::size_t total = 0;
        ngtcp2_path_storage storage;
        while (total < std::max<std::size_t>(quantum, 1)) {
            if (filled + k_datagram > out.size()) {
                flush(filled, segment);
                filled = segment = 0;
            }
            ngtcp2_path_storage_zero(&storage);
            ngtcp2_pkt_info info{};
            const auto from = words.subspan(next);
            const auto size = std::min(left, from.size());
            ngtcp2_vec vector{const_cast<std::uint8_t*>(from.data()), size};
            ngtcp2_ssize taken = -1;
            const bool sends = stream >= 0 && left > 0;
            const auto flags =
                sends && size == left ? NGTCP2_WRITE_STREAM_FLAG_FIN : NGTCP2_WRITE_STREAM_FLAG_NONE;
            auto written =
                ngtcp2_conn_writev_stream(connection, &storage.path, &info, out.data() + filled, k_datagram,
                                          &taken, flags, sends ? stream : -1, &vector, sends ? 1 : 0, time);
            if (written == NGTCP2_ERR_STREAM_DATA_BLOCKED)
                written = ngtcp2_conn_writev_stream(connection, &storage.path, &info, out.data() + filled,
                                                    k_datagram, &taken, 0, -1, nullptr, 0, time);
            check(written >= 0, "a packet could not be written");
            if (sends && taken > 0) {
                left -= static_cast<std::size_t>(taken);
                next = (next + static_cast<std::size_t>(taken)) % words.size();
            }
            if (written == 0) break;
            const auto bytes = static_cast<std::size_t>(written);
            total += bytes;
            if (filled > 0 && bytes > segment) {
                const auto start = filled;
                const Buffer last(out.begin() + static_cast<std::ptrdiff_t>(start),
                                  out.begin() + static_cast<std::ptrdiff_t>(start + bytes));
                flush(filled, segment);
                filled = segment = 0;
                std::ranges::copy(last, out.begin());
            }
            if (filled == 0) segment = bytes;
            filled += bytes;
            if (bytes < segment) {
                flush(filled, segment);
                filled = segment = 0;
            }
        }
        flush(filled, segment);
        if (total > 0) ngtcp2_conn_update_pkt_tx_time(connection, time);
    }

    void wait() {
        const auto expiry = ngtcp2_conn_get_expiry(connection);
        const auto time = now();
        const auto left_time = expiry > time ? expiry - time : 0;
        const timespec until{static_cast<time_t>(left_time / 1'000'000'000),
                             static_cast<long>(left_time % 1'000'000'000)};
        pollfd descriptor{socket->descriptor(), POLLIN, 0};
        ppoll(&descriptor, 1, expiry == UINT64_MAX ? nullptr : &until, nullptr);
        if (ngtcp2_conn_get_expiry(connection) <= now())
            check(ngtcp2_conn_handle_expiry(connection, now()) == 0, "a connection expired");
    }
};

ngtcp2_cid random_id() {
    ngtcp2_cid id{};
    id.datalen = 20;
    fill_random({id.data, id.datalen});
    return id;
}

void serve(UdpSocket socket, const Identity& identity, Bytes words, std::size_t bytes) {
    End end;
    end.socket = std::move(socket);
    const auto tls = TlsContext::server(identity).value();
    pollfd descriptor{end.socket->descriptor(), POLLIN, 0};
    while (end.connection == nullptr) {
        ppoll(&descriptor, 1, nullptr, nullptr);
        end.socket->receive(end.buffers, [&](const ReceivedBatch& batch) {
            const auto datagram = batch.bytes.first(std::min(batch.segment, batch.bytes.size()));
            const auto first = read_first_packet(datagram);
            if (!first || end.connection) return;
            end.path = {end.socket->address(), batch.path.remote};
            ngtcp2_cid to;
            ngtcp2_cid_init(&to, first->source.data.data(), first->source.size);
            const auto from = random_id();
            auto params = End::params();
            ngtcp2_cid_init(&params.original_dcid, first->destination.data.data(), first->destination.size);
            const auto callbacks = End::callbacks();
            const auto settings = End::settings();
            const auto where = end.library_path();
            check(ngtcp2_conn_server_new(&end.connection, &to, &from, &where, first->version, &callbacks,
                                         &settings, &params, nullptr, &end)
                      == 0,
                  "no server connection");
            end.begin(tls);
            const ngtcp2_pkt_info info{};
            check(ngtcp2_conn_read_pkt(end.connection, &where, &info, datagram.data(), datagram.size(), now())
                      == 0,
                  "no first packet");
        });
    }
    while (!end.is_over) {
        if (end.stream < 0 && ngtcp2_conn_get_handshake_completed(end.connection)
            && ngtcp2_conn_open_uni_stream(end.connection, &end.stream, nullptr) == 0)
            end.left = bytes;
        end.send(words);
        end.wait();
        end.receive();
    }
}

} // namespace

double process_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Transfer send_bare(Bytes words, std::size_t bytes) {
    static const auto identity =
        make_self_signed(KeyKind::ecdsa_p256, std::chrono::sys_seconds(std::chrono::seconds(1'770'000'000)))
            .value();
    auto listening = UdpSocket::bind(Address::loopback_v4(0)).value();
    const auto server = listening.address();
    std::jthread thread([&] { serve(std::move(listening), identity, words, bytes); });

    End end;
    end.socket = UdpSocket::connect(server).value();
    end.path = {end.socket->address(), server};
    const auto callbacks = End::callbacks();
    const auto settings = End::settings();
    const auto params = End::params();
    const auto to = random_id();
    const auto from = random_id();
    const auto where = end.library_path();
    check(ngtcp2_conn_client_new(&end.connection, &to, &from, &where, NGTCP2_PROTO_VER_V1, &callbacks,
                                 &settings, &params, nullptr, &end)
              == 0,
          "no client connection");
    end.begin(TlsContext::client(&identity).value());
    std::optional<std::chrono::steady_clock::time_point> start;
    double cpu = 0;
    while (!end.is_over) {
        end.send({});
        end.wait();
        end.receive();
        if (!start && end.received > 0) {
            start = std::chrono::steady_clock::now();
            cpu = process_seconds();
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - *start;
    cpu = process_seconds() - cpu;
    check(end.received == bytes, "bytes were lost");
    ngtcp2_connection_close_error reason;
    ngtcp2_connection_close_error_default(&reason);
    ngtcp2_path_storage storage;
    ngtcp2_path_storage_zero(&storage);
    ngtcp2_pkt_info info{};
    const auto written = ngtcp2_conn_write_connection_close(end.connection, &storage.path, &info,
                                                            end.out.data(), k_datagram, &reason, now());
    if (written > 0) end.flush(static_cast<std::size_t>(written), static_cast<std::size_t>(written));
    return {took.count(), cpu};
}

} // namespace orbis::bench

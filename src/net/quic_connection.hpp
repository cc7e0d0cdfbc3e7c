#pragma once

#include "net/address.hpp"
#include "net/close.hpp"
#include "net/connection_id.hpp"
#include "net/lazy_pages.hpp"
#include "net/send_queue.hpp"
#include "net/time.hpp"
#include "net/tls.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>

struct ngtcp2_conn;

namespace orbis::net {

using StreamId = std::int64_t;

/// The two ends of a path that datagrams take.
struct Path {
    Address local;
    Address remote;
    bool operator==(const Path&) const = default;
};

/// One or more datagrams of equal size, the last of which may be shorter, as the kernel can send them at
/// once.
struct DatagramBatch {
    const Path& path;
    Bytes bytes;
    std::size_t segment = 0; ///< bytes of each but the last
    std::uint8_t ecn = 0;    ///< for the IP header
};
using DatagramSink = std::function<void(const DatagramBatch&)>;

/// Limits and timeouts that a side of a connection announces or keeps (docs/formats/network.md).
struct QuicSettings {
    std::uint64_t max_data = 524'288;
    std::uint64_t max_stream_data_bidi_local = 131'072;
    std::uint64_t max_stream_data_bidi_remote = 131'072;
    std::uint64_t max_stream_data_uni = 0;
    std::uint64_t max_streams_bidi = 1;
    std::uint64_t max_streams_uni = 0;
    std::uint64_t largest_window = 4 << 20;        ///< up to which `max_data` grows while data flows
    std::uint64_t largest_stream_window = 1 << 20; ///< the same for one stream
    Duration idle_timeout = std::chrono::seconds(60);
    Duration handshake_timeout = std::chrono::seconds(10);
    Duration keep_alive = Duration::zero(); ///< sends a PING when nothing was sent for so long; zero: never
    bool disable_migration = true;
    enum class Congestion : std::uint8_t {
        by_path, ///< CUBIC within one machine, BBR elsewhere
        bbr,     ///< as the reference server
        cubic,
        reno,
    } congestion = Congestion::by_path;

    /// As the reference server announces them.
    static QuicSettings server();
    /// Large windows for the chunks, two streams for the server to open.
    static QuicSettings client();
};

class QuicConnection;

/// The user of a connection. Called while the connection reads or keeps time; may call it back, but not
/// destroy it.
class QuicHandler {
public:
    virtual ~QuicHandler() = default;

    /// TLS is done: protocol and certificate are known. A client does not know yet whether the server likes
    /// its certificate.
    virtual void on_handshake(QuicConnection&) {}
    /// Both sides know that the handshake is done.
    virtual void on_confirmed(QuicConnection&) {}
    /// Bytes in order; `consume` them to let the peer send more.
    virtual void on_data(QuicConnection&, StreamId, Bytes, bool is_end) = 0;
    /// The peer abandoned what it was sending.
    virtual void on_reset(QuicConnection&, StreamId, std::uint64_t /*code*/) {}
    /// The peer does not want what we are sending. Of a stream for both directions this is known when there
    /// is something to send, and the code is 0: the library keeps it to itself.
    virtual void on_stop_sending(QuicConnection&, StreamId, std::uint64_t /*code*/) {}
    /// The peer lets us open more streams.
    virtual void on_more_streams(QuicConnection&) {}
    /// The peer has acknowledged bytes.
    virtual void on_acked(QuicConnection&, StreamId) {}
    /// The connection is over: nothing is called any more.
    virtual void on_closed(QuicConnection&, const Close&) = 0;
};

/// The ids by which the packets of a connection are found; an endpoint keeps them.
class ConnectionIds {
public:
    virtual ~ConnectionIds() = default;
    virtual ConnectionId make_id() = 0;
    virtual void add_id(const ConnectionId&, QuicConnection&) = 0;
    virtual void remove_id(const ConnectionId&) = 0;
    /// The secret by which this endpoint can reset a connection that it forgot.
    virtual std::array<std::uint8_t, 16> reset_token(const ConnectionId&) = 0;
    /// The connection may have something to send.
    virtual void on_ready(QuicConnection&) = 0;
    /// Where the library takes its memory from; outlives the connections.
    virtual LazyPages& pages() = 0;
};

/// What the first packet of a client says.
struct FirstPacket {
    ConnectionId destination;
    ConnectionId source;
    std::uint32_t version = 0;
};

/// One QUIC connection without sockets, threads or a clock of its own: datagrams and moments go in, datagrams
/// come out. ngtcp2 is behind it (docs/design/wire.md names the files that know it).
class QuicConnection {
public:
    static Result<std::unique_ptr<QuicConnection>>
    connect(ConnectionIds& ids, std::shared_ptr<TlsContext> tls, const QuicSettings& settings,
            const std::string& server_name, const Path& path, Time now);
    static Result<std::unique_ptr<QuicConnection>> accept(ConnectionIds& ids, std::shared_ptr<TlsContext> tls,
                                                          const QuicSettings& settings,
                                                          const FirstPacket& first, const Path& path,
                                                          Time now);
    ~QuicConnection();
    QuicConnection(const QuicConnection&) = delete;
    QuicConnection& operator=(const QuicConnection&) = delete;

    void set_handler(std::unique_ptr<QuicHandler> handler) { handler_ = std::move(handler); }
    [[nodiscard]] QuicHandler* handler() const { return handler_.get(); }

    void receive(const Path& path, std::uint8_t ecn, Bytes datagram, Time now);
    /// Writes what may be sent now; true when more waits for the next call.
    bool send(MutableBytes buffer, const DatagramSink& sink, Time now);
    [[nodiscard]] Time deadline() const;
    void expire(Time now);

    /// A stream that only we send on; nothing when the peer allows no more.
    std::optional<StreamId> open_uni();
    /// A stream for both directions; nothing when the peer allows no more.
    std::optional<StreamId> open_bidi();
    /// Lower numbers are sent first. Streams of one number take turns.
    void set_priority(StreamId stream, int priority);
    void write(StreamId stream, const protocol::SharedFrame& frame);
    void write(StreamId stream, Bytes bytes);
    /// Lets the peer know of a stream before there are bytes for it.
    void announce(StreamId stream);
    /// No more bytes come after those written.
    void finish(StreamId stream);
    /// Gives up a stream that we send on: what has not arrived is lost.
    void reset(StreamId stream, std::uint64_t code);
    /// Asks the peer not to send on a stream any more.
    void stop_sending(StreamId stream, std::uint64_t code);
    /// How many more streams the peer lets us open for one direction.
    [[nodiscard]] std::uint64_t uni_streams_left() const;
    /// Lets the peer open so many more streams for one direction.
    void allow_uni_streams(std::size_t count);
    /// The receiver has dealt with this many bytes: the peer may send as many more.
    void consume(StreamId stream, std::size_t count);
    [[nodiscard]] std::size_t unsent(StreamId stream) const;
    [[nodiscard]] std::size_t held(StreamId stream) const;
    [[nodiscard]] std::uint64_t added(StreamId stream) const;

    /// Ends an unfinished handshake without telling the peer; the handler gets `on_closed`.
    void forget();
    /// Ends the connection; the handler gets `on_closed` at once.
    void close(Close close);
    [[nodiscard]] bool is_open() const { return state_ == State::open; }
    /// Over, and nothing has to be said to late packets any more.
    [[nodiscard]] bool is_gone() const { return state_ == State::gone; }
    [[nodiscard]] bool is_established() const { return is_established_; }

    /// What TLS knows; never null in `on_handshake`. A server has it no longer than that: it is large, and
    /// nothing needs it any more.
    [[nodiscard]] const TlsSession* tls() const { return tls_ ? &*tls_ : nullptr; }
    [[nodiscard]] const Path& path() const { return path_; }
    [[nodiscard]] bool is_server() const { return is_server_; }
    /// The smoothed round trip; zero before the first measurement.
    [[nodiscard]] Duration round_trip() const;

private:
    struct Library; ///< callbacks of ngtcp2
    friend struct Library;
    friend struct StreamReset; // of the tests
    friend class QuicEndpoint;

    /// What the endpoint notes about a connection. It stands here because the endpoint asks for it with every
    /// datagram: a search for it would take longer than what is done with it.
    struct Note {
        Time listed = k_never; ///< where it stands among the timers, never later than its moment
        bool is_kept = false;  ///< by the endpoint
        bool is_ready = false;
        std::optional<std::list<QuicConnection*>::iterator> handshake;
    };
    enum class State : std::uint8_t { open, close_pending, closing, draining, gone };

    struct Stream {
        StreamId id = 0;
        int priority = 0;
        bool is_finished = false;
        bool is_end_sent = false;
        bool is_reset = false;     ///< by us
        bool is_announced = false; ///< to be, when there is a packet
        bool is_blocked = false;   ///< by flow control, for the packets being written now
        SendQueue queue;

        [[nodiscard]] bool wants_to_send() const {
            return !is_blocked && (queue.unsent() > 0 || is_announced || (is_finished && !is_end_sent));
        }
    };

    QuicConnection(ConnectionIds& ids, bool is_server, const Path& path);
    Result<void> begin(std::shared_ptr<TlsContext> tls, const std::string& server_name);
    Stream* find(StreamId id);
    [[nodiscard]] const Stream* find(StreamId id) const;
    Stream& add_stream(StreamId id);
    Stream* next_stream();
    long write_packet(MutableBytes out, Path& path, std::uint8_t& ecn, Time now);
    bool send_close(MutableBytes buffer, const DatagramSink& sink, Time now);
    void fail_with(int library_code, Time now);
    void end(Close close, State state, Time now);
    void touch();
    void answer_soon(const Path& path, bool was_established, Time now);
    [[nodiscard]] Time library_deadline() const;
    void release_handshake();
    void keep_alive(const QuicSettings& settings);

    ConnectionIds& ids_;
    std::unique_ptr<QuicHandler> handler_;
    bool is_server_;
    bool is_established_ = false;
    bool is_paced_ = false;
    State state_ = State::open;
    Path path_;
    struct Deleter {
        void operator()(ngtcp2_conn* connection) const;
    };
    std::unique_ptr<Library> library_;
    std::optional<TlsSession> tls_;
    std::unique_ptr<ngtcp2_conn, Deleter> connection_;
    std::vector<Stream> streams_;   ///< a handful
    std::size_t last_stream_ = 0;   ///< to take turns
    std::vector<StreamId> refused_; ///< by the peer, in the packets being written now
    std::optional<Close> close_;
    Buffer close_packet_;
    Time end_ = k_never; ///< of closing and draining
    std::uint32_t late_packets_ = 0;
    std::vector<ConnectionId> own_ids_;
    ConnectionId first_id_;        ///< that a client made up for us
    Time answer_by_ = k_never;     ///< when what has come must be acknowledged, with data or without
    std::uint32_t unanswered_ = 0; ///< datagrams with data, since we sent something
    std::size_t consumed_ = 0;     ///< bytes, in the same time
    Note note_;
};

} // namespace orbis::net

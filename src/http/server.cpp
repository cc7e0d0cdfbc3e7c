#include "http/server.hpp"

#include "bytes/printable.hpp"
#include "bytes/system_error.hpp"
#include "http/connection_watch.hpp"
#include "http/host_check.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <condition_variable>
#include <cstring>
#include <map>
#include <microhttpd.h>
#include <netinet/in.h>
#include <optional>
#include <set>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>

namespace orbis::http {

namespace {

/// Bounds the head of a request; a browser's takes about 1 KiB.
constexpr std::size_t k_head_bytes = 16 << 10;
constexpr std::size_t k_event_block = 16 << 10;
/// Files that the program needs beside connections.
constexpr std::size_t k_spare_files = 256;
constexpr auto k_heartbeat = std::chrono::seconds(15);

/// Scripts, styles and pictures only from here; no other page may frame this one. `blob:` and `data:` are
/// what map libraries make their pictures and workers from, inline styles what they place things with.
constexpr const char* k_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// How many connections the system allows; each may have a file open too.
std::size_t raise_file_limit(std::size_t connections) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
    const rlim_t wanted = connections * 2 + k_spare_files;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = std::min(wanted, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur <= k_spare_files) return 16;
    return std::min<std::size_t>(connections, (limit.rlim_cur - k_spare_files) / 2);
}

std::string_view header(MHD_Connection* connection, const char* name) {
    const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value == nullptr ? std::string_view() : value;
}

std::size_t count_of(MHD_Connection* connection, std::string_view name) {
    struct Search {
        std::string_view name;
        std::size_t count = 0;
    } search{name};
    const auto count = [](void* context, MHD_ValueKind, const char* key, const char*) {
        auto& target = *static_cast<Search*>(context);
        if (target.name.size() == std::string_view(key).size()
            && strncasecmp(target.name.data(), key, target.name.size()) == 0)
            ++target.count;
        return MHD_YES;
    };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count, &search);
    return search.count;
}

/// Whether one of the tags in `If-None-Match` is this one. A weak tag of the same text counts.
bool names_etag(std::string_view list, std::string_view etag) {
    const auto quoted = fmt::format("\"{}\"", etag);
    return list == "*" || list.find(quoted) != std::string_view::npos;
}

ConnectionWatch::Watched& watched(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return *static_cast<ConnectionWatch::Watched*>(info->socket_context);
}

int socket_of(MHD_Connection* connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

std::string client_of(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == nullptr || info->client_addr == nullptr ? std::string() : client_name(*info->client_addr);
}

bool is_closed_by_peer(int socket) {
    char byte = 0;
    const auto got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

} // namespace

/// A request from its first line to the end of its answer.
class Responder::Exchange {
public:
    explicit Exchange(MHD_Connection* connection, std::string target)
        : connection_(connection), target_(std::move(target)) {}

    [[nodiscard]] const std::string& target() const { return target_; }

    bool is_first_call() { return !std::exchange(begun_, true); }

    void answer(Response response) {
        const std::lock_guard lock(mutex_);
        if (answered_ || connection_ == nullptr) return;
        answered_ = true;
        response_ = std::move(response);
        if (std::exchange(suspended_, false)) MHD_resume_connection(connection_);
    }

    [[nodiscard]] bool is_abandoned() const {
        const std::lock_guard lock(mutex_);
        // Only a connection at rest is sure to stand while this looks at it.
        return connection_ == nullptr || (suspended_ && is_closed_by_peer(socket_of(connection_)));
    }

    std::optional<Response> take_response() {
        const std::lock_guard lock(mutex_);
        return std::exchange(response_, std::nullopt);
    }

    /// The answer when it is there already; else the connection rests until it is.
    std::optional<Response> take_response_or_rest() {
        const std::lock_guard lock(mutex_);
        if (response_) return std::exchange(response_, std::nullopt);
        suspended_ = true;
        MHD_suspend_connection(connection_);
        return std::nullopt;
    }

    void end() {
        const std::lock_guard lock(mutex_);
        connection_ = nullptr;
        if (events) events->detach();
    }

    std::shared_ptr<EventQueue> events; ///< of an answer that is a stream; for the server's thread only

private:
    mutable std::mutex mutex_;
    MHD_Connection* connection_; ///< null when it is over
    std::string target_;
    bool begun_ = false;
    bool suspended_ = false;
    bool answered_ = false;
    std::optional<Response> response_;
};

Responder::Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
Responder::Responder(Responder&&) noexcept = default;

Responder& Responder::operator=(Responder&& other) noexcept {
    std::swap(exchange_, other.exchange_);
    return *this;
}

Responder::~Responder() {
    if (exchange_)
        exchange_->answer(Response::problem(
            500, error(Errc::io, "the request was dropped without an answer").advise("try again")));
}

void Responder::answer(Response response) {
    if (const auto exchange = std::move(exchange_)) exchange->answer(std::move(response));
}

bool Responder::is_abandoned() const { return !exchange_ || exchange_->is_abandoned(); }

class Server::Daemon {
public:
    using Exchange = Responder::Exchange;
    using Held = std::shared_ptr<Exchange>; ///< what libmicrohttpd keeps for us, behind a pointer

    Daemon(Address address, Handler handler, const ServerOptions& options)
        : address_(address),
          handler_(std::move(handler)),
          most_(raise_file_limit(options.connections)),
          hosts_(address, options.hosts),
          sweep_(options.sweep),
          watch_({most_, options.silent, options.head, options.idle, options.send, options.newcomer}) {}

    Result<void> start(Descriptor listener) {
        daemon_ = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0,
                                   nullptr, nullptr, &Daemon::on_request, this,                   //
                                   MHD_OPTION_LISTEN_SOCKET, listener.number(),                   //
                                   MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned int>(most_), //
                                   MHD_OPTION_CONNECTION_MEMORY_LIMIT, k_head_bytes,              //
                                   MHD_OPTION_URI_LOG_CALLBACK, &Daemon::on_target, this,         //
                                   MHD_OPTION_UNESCAPE_CALLBACK, &Daemon::keep_as_it_is, nullptr, //
                                   MHD_OPTION_NOTIFY_COMPLETED, &Daemon::on_completed, this,      //
                                   MHD_OPTION_NOTIFY_CONNECTION, &Daemon::on_connection, this,    //
                                   MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (daemon_ == nullptr) return fail(system_error("start the HTTP server on " + address_.text()));
        listener.release(); // libmicrohttpd closes it
        sweeper_ = std::jthread([this](const std::stop_token& stop) { sweep(stop); });
        return {};
    }

    ~Daemon() {
        sweeper_ = {};
        if (daemon_ == nullptr) return;
        const Descriptor listener(MHD_quiesce_daemon(daemon_)); // no new connections
        std::vector<Held> open;
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
            open.assign(open_.begin(), open_.end());
        }
        for (const auto& exchange : open) {
            exchange->answer(stopping());
            close_stream(*exchange);
        }
        open.clear();
        MHD_stop_daemon(daemon_);
    }

    [[nodiscard]] const Address& address() const { return address_; }
    [[nodiscard]] std::size_t connections() const { return watch_.size(); }

private:
    static Response stopping() {
        return Response::problem(503,
                                 error(Errc::busy, "the server is shutting down").advise("start it again"));
    }

    /// Also keeps streams alive, which is how dead ones are noticed.
    void sweep(const std::stop_token& stop) {
        auto last_beat = std::chrono::steady_clock::now();
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, stop, sweep_, [] { return false; }) && !stop.stop_requested()) {
            const auto now = std::chrono::steady_clock::now();
            watch_.sweep(now);
            if (now - last_beat < k_heartbeat) continue;
            last_beat = now;
            for (const auto& queue : streams()) queue->push_comment("still here");
        }
    }

    std::vector<std::shared_ptr<EventQueue>> streams() {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<EventQueue>> found;
        for (const auto& [exchange, queue] : streams_) found.push_back(queue);
        return found;
    }

    void close_stream(const Exchange& exchange) {
        std::shared_ptr<EventQueue> queue;
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = streams_.find(&exchange); found != streams_.end()) queue = found->second;
        }
        if (queue) queue->close();
    }

    // What libmicrohttpd calls, all on its one thread.

    static std::size_t keep_as_it_is(void*, MHD_Connection*, char* text) { return std::strlen(text); }

    static void* on_target(void* context, const char* target, MHD_Connection* connection) {
        auto& self = *static_cast<Daemon*>(context);
        self.watch_.note_head(watched(connection));
        auto* held = new Held(std::make_shared<Exchange>(connection, target));
        // The library goes on to take the query apart, which is not needed here: a thousand `&` would fill
        // the memory of the connection, and it would never answer. The text is the library's buffer, and ours
        // now.
        auto* query = std::strchr(const_cast<char*>(target), '?');
        if (query != nullptr) std::replace(query, query + std::strlen(query), '&', '_');
        return held;
    }

    static void on_connection(void* context, MHD_Connection* connection, void** kept,
                              MHD_ConnectionNotificationCode code) {
        auto& self = *static_cast<Daemon*>(context);
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
            *kept =
                new ConnectionWatch::Watched(self.watch_.add(socket_of(connection), client_of(connection)));
        } else {
            auto* place = static_cast<ConnectionWatch::Watched*>(*kept);
            self.watch_.remove(*place);
            delete place;
        }
    }

    static void on_completed(void* context, MHD_Connection* connection, void** kept,
                             MHD_RequestTerminationCode) {
        auto& self = *static_cast<Daemon*>(context);
        auto* held = static_cast<Held*>(*kept);
        *kept = nullptr;
        if (held == nullptr) return;
        {
            const std::lock_guard lock(self.mutex_);
            self.open_.erase(*held);
            self.streams_.erase(held->get());
        }
        (*held)->end();
        delete held;
        self.watch_.enter(watched(connection), ConnectionWatch::Phase::idle);
    }

    static MHD_Result on_request(void* context, MHD_Connection* connection, const char*, const char* method,
                                 const char*, const char*, std::size_t* upload_size, void** kept) {
        auto& self = *static_cast<Daemon*>(context);
        if (*kept == nullptr) return MHD_NO;
        const auto exchange = *static_cast<Held*>(*kept);
        if (exchange->is_first_call()) {
            auto refusal = self.refuse(connection, method);
            return refusal ? self.send(connection, *exchange, *std::move(refusal), true) : MHD_YES;
        }
        if (*upload_size != 0) return MHD_NO;
        if (auto response = exchange->take_response())
            return self.send(connection, *exchange, *std::move(response), false);
        self.watch_.enter(watched(connection), ConnectionWatch::Phase::working);
        if (!self.admit(exchange)) return self.send(connection, *exchange, stopping(), true);
        self.ask(exchange, client_of(connection));
        auto response = exchange->take_response_or_rest();
        return response ? self.send(connection, *exchange, *std::move(response), false) : MHD_YES;
    }

    [[nodiscard]] std::string how_to_open() const {
        const auto address = address_.is_any()
                                 ? "this page by an address of the server, such as http://192.0.2.1"
                                 : "http://" + address_.host();
        return fmt::format("open {}:{}/, or allow the name: orbis up --allow-host NAME", address,
                           address_.port);
    }

    /// Why a request is not answered, from its head alone.
    std::optional<Response> refuse(MHD_Connection* connection, std::string_view method) const {
        if (count_of(connection, "Host") != 1 || !hosts_.allows(header(connection, "Host")))
            return Response::problem(
                403, error(Errc::usage, "this server does not answer to the name in the Host header")
                         .advise(how_to_open()));
        // A page of another site may not read the world through its visitor's browser.
        const auto site = header(connection, "Sec-Fetch-Site");
        if ((site == "cross-site" || site == "same-site")
            && header(connection, "Sec-Fetch-Mode") != "navigate")
            return Response::problem(403, error(Errc::usage, "other sites may not read from this server")
                                              .advise("open this server's page directly"));
        if (method != "GET" && method != "HEAD")
            return Response::problem(405, error(Errc::usage, "only GET and HEAD are allowed, not {}", method)
                                              .advise("this server is for reading only"));
        const auto length = header(connection, "Content-Length");
        if ((!length.empty() && length != "0") || !header(connection, "Transfer-Encoding").empty())
            return Response::problem(400, error(Errc::usage, "a request may not have a body"));
        return std::nullopt;
    }

    /// Whether the client is still there.
    bool admit(const Held& exchange) {
        const std::lock_guard lock(mutex_);
        if (!stopping_) open_.insert(exchange);
        return !stopping_;
    }

    void ask(const Held& exchange, std::string client) {
        Responder responder(exchange);
        auto target = parse_target(exchange->target());
        if (!target) {
            responder.answer(
                Response::problem(target.error().code == Errc::too_large ? 414 : 400, target.error()));
            return;
        }
        try {
            handler_({*std::move(target), std::move(client)}, std::move(responder));
        } catch (const std::exception& problem) {
            // The responder went with the call and has answered.
            fmt::print(stderr, "orbis: a request failed: {}\n", printable(problem.what(), true));
        }
    }

    MHD_Result send(MHD_Connection* connection, Exchange& exchange, Response response, bool close_after) {
        const bool is_stream = response.events != nullptr;
        watch_.enter(watched(connection),
                     is_stream ? ConnectionWatch::Phase::stream : ConnectionWatch::Phase::sending);
        const bool unchanged = response.status == 200 && !response.etag.empty()
                               && names_etag(header(connection, "If-None-Match"), response.etag);
        const auto status = static_cast<unsigned int>(unchanged ? 304 : response.status);
        MHD_Response* made = nullptr;
        if (unchanged || (response.bytes.empty() && !response.file && !is_stream))
            made = MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT);
        else if (is_stream)
            made = make_stream(connection, exchange, response.events);
        else if (response.file)
            made = MHD_create_response_from_fd64(response.file_size, response.file.release());
        else
            made = make_body(response);
        if (made == nullptr) return MHD_NO;
        add_headers(made, response, close_after);
        const auto queued = MHD_queue_response(connection, status, made);
        MHD_destroy_response(made);
        return queued;
    }

    static void add_headers(MHD_Response* made, const Response& response, bool close_after) {
        const auto add = [&](const char* name, const std::string& value) {
            MHD_add_response_header(made, name, value.c_str());
        };
        if (!response.type.empty()) add("Content-Type", response.type);
        if (!response.etag.empty()) add("ETag", fmt::format("\"{}\"", response.etag));
        switch (response.keep) {
        case Keep::no: add("Cache-Control", "no-store"); break;
        case Keep::revalidate: add("Cache-Control", "no-cache"); break;
        case Keep::forever: add("Cache-Control", "public, max-age=31536000, immutable"); break;
        }
        add("Accept-Ranges", "none"); // a range is answered with the whole, as the standard allows
        add("Content-Security-Policy", k_policy);
        add("X-Content-Type-Options", "nosniff");
        add("X-Frame-Options", "DENY");
        add("Referrer-Policy", "no-referrer");
        add("Cross-Origin-Resource-Policy", "same-origin");
        add("Cross-Origin-Opener-Policy", "same-origin");
        if (response.status == 405) add("Allow", "GET, HEAD");
        if (close_after) add("Connection", "close");
    }

    static MHD_Response* make_body(const Response& response) {
        auto* bytes = const_cast<std::uint8_t*>(response.bytes.data()); // which it does not change
        auto* owner = new std::shared_ptr<const void>(response.owner);
        const auto forget = [](void* kept) { delete static_cast<std::shared_ptr<const void>*>(kept); };
        auto* made = MHD_create_response_from_buffer_with_free_callback_cls(response.bytes.size(), bytes,
                                                                            forget, owner);
        if (made == nullptr) forget(owner);
        return made;
    }

    struct Stream {
        MHD_Connection* connection;
        std::shared_ptr<EventQueue> events;
    };

    static ssize_t read_stream(void* context, std::uint64_t, char* out, std::size_t room) {
        auto& stream = *static_cast<Stream*>(context);
        const auto count =
            stream.events->take({out, room}, [&] { MHD_suspend_connection(stream.connection); });
        return count ? static_cast<ssize_t>(*count) : MHD_CONTENT_READER_END_OF_STREAM;
    }

    MHD_Response* make_stream(MHD_Connection* connection, Exchange& exchange,
                              const std::shared_ptr<EventQueue>& events) {
        const auto forget = [](void* kept) { delete static_cast<Stream*>(kept); };
        auto* stream = new Stream{connection, events};
        auto* made =
            MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, k_event_block, &read_stream, stream, forget);
        if (made == nullptr) {
            forget(stream);
            return nullptr;
        }
        exchange.events = events;
        const auto place = watched(connection);
        events->attach(
            {[connection] { MHD_resume_connection(connection); }, [this, place] { watch_.cut(place); }});
        const std::lock_guard lock(mutex_);
        if (stopping_) events->close();
        streams_[&exchange] = events;
        return made;
    }

    Address address_;
    Handler handler_;
    std::size_t most_;
    HostCheck hosts_;
    std::chrono::milliseconds sweep_;
    ConnectionWatch watch_;
    MHD_Daemon* daemon_ = nullptr;

    std::mutex mutex_;
    bool stopping_ = false;
    std::set<Held> open_; ///< requests that the handler knows of and that are not over
    std::map<const Exchange*, std::shared_ptr<EventQueue>> streams_;

    std::jthread sweeper_;
};

Server::Server(std::unique_ptr<Daemon> daemon) : daemon_(std::move(daemon)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(Address address, Handler handler, ServerOptions options) {
    TRY(auto listener, listen_at(address));
    auto daemon = std::make_unique<Daemon>(address, std::move(handler), options);
    TRY_DO(daemon->start(std::move(listener)));
    return std::unique_ptr<Server>(new Server(std::move(daemon)));
}

const Address& Server::address() const { return daemon_->address(); }
std::size_t Server::connections() const { return daemon_->connections(); }

} // namespace orbis::http

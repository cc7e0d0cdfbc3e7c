#include "bare_quic.hpp"
#include "harness.hpp"
#include "net/identity.hpp"
#include "net/loop.hpp"
#include "net/udp_driver.hpp"
#include "proxy/proxy.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

/// The same connection with a proxy in between and without one, in turn.
namespace orbis::bench {

namespace {

using namespace net;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const Identity& proxy_identity() {
    static const auto made =
        make_self_signed(KeyKind::ecdsa_p256, std::chrono::sys_seconds(1'770'000'000s)).value();
    return made;
}

std::size_t bulk_size() { return amount<std::size_t>(256 << 20, 2 << 20); }

/// A small frame; one of id 1 asks for bulk data.
std::string small_frame(char id, std::string_view payload) {
    std::string frame(8, '\0');
    frame[0] = static_cast<char>(payload.size());
    frame[4] = id;
    return frame + std::string(payload);
}

/// Echoes what comes on stream 0, and sends bulk data on stream 3.
class Echo final : public QuicHandler {
public:
    void on_data(QuicConnection& connection, StreamId stream, Bytes bytes, bool) override {
        connection.consume(stream, bytes.size());
        if (bytes.size() < 8 || bytes[4] != 1) return connection.write(stream, bytes);
        left_ = bulk_size();
        connection.open_uni();
        fill(connection);
    }
    void on_acked(QuicConnection& connection, StreamId stream) override {
        if (stream == 3) fill(connection);
    }
    void on_closed(QuicConnection&, const Close&) override {}

private:
    void fill(QuicConnection& connection) {
        static const protocol::SharedFrame k_piece(Buffer(2048, 7));
        while (left_ > 0 && connection.unsent(3) < (1 << 20)) {
            connection.write(3, k_piece);
            left_ -= std::min(left_, k_piece.bytes().size());
        }
    }
    std::size_t left_ = 0;
};

struct EchoServer {
    std::unique_ptr<Loop> loop = Loop::make().value();
    UdpDriver driver{*loop, {}};
    Address address;
    std::jthread thread;

    EchoServer() {
        driver.endpoint().listen(TlsContext::server(proxy_identity()).value(), QuicSettings::server(),
                                 [](QuicConnection&) { return std::make_unique<Echo>(); });
        auto socket = loop->bind_udp(Address::loopback_v4(0), false).value();
        address = socket.address();
        driver.add(std::move(socket));
        thread = std::jthread([this] { loop->run(); });
    }
    ~EchoServer() {
        loop->stop();
        thread.join();
    }
    EchoServer(const EchoServer&) = delete;
    EchoServer& operator=(const EchoServer&) = delete;
};

struct Asker {
    struct Handler final : QuicHandler {
        explicit Handler(Asker& asker) : asker_(asker) {}
        void on_confirmed(QuicConnection& connection) override {
            asker_.connection = &connection;
            connection.open_bidi();
        }
        void on_data(QuicConnection& connection, StreamId stream, Bytes bytes, bool) override {
            connection.consume(stream, bytes.size());
            (stream == 0 ? asker_.answers : asker_.bulk) += bytes.size();
        }
        void on_closed(QuicConnection&, const Close&) override { asker_.connection = nullptr; }
        Asker& asker_;
    };

    std::unique_ptr<Loop> loop = Loop::make().value();
    QuicConnection* connection = nullptr;
    std::size_t answers = 0;
    std::size_t bulk = 0;
    UdpDriver driver{*loop, {}};

    explicit Asker(const Address& address) {
        (void)driver.connect(address, TlsContext::client(&proxy_identity()).value(), QuicSettings::client(),
                             "localhost", std::make_unique<Handler>(*this));
        if (!loop->run_until([this] { return connection != nullptr; }, 20s))
            throw std::runtime_error("no connection");
        ask(small_frame(0, "first")); // until the proxy has reached the server
    }
    void ask(std::string_view text) {
        const auto want = answers + text.size();
        connection->write(0, as_bytes(text));
        if (!loop->run_until([&] { return answers == want || connection == nullptr; }, 20s) || !connection)
            throw std::runtime_error("no answer");
    }
};

class Silence final : public proxy::ProxyEvents {
public:
    void on_join(const proxy::PlayerFacts&) override {}
    void on_leave(const proxy::PlayerFacts&, const proxy::Leave&) override {}
    void on_refused(const proxy::PlayerFacts&, const std::string&) override {}
    void on_referral(const proxy::PlayerFacts&, const HostPort&, const std::optional<HostPort>&) override {}
    void on_shown(const proxy::PlayerFacts&, const proxy::ShownFrame&) override {}
    void on_rule_problem(const proxy::PlayerFacts&, const std::string&) override {}
};

struct Ways {
    EchoServer server;
    Silence events;
    std::unique_ptr<proxy::Proxy> between;

    Ways() {
        proxy::ProxySettings settings;
        settings.addresses = {Address::loopback_v4(0)};
        settings.rules.targets = {server.address};
        between = proxy::Proxy::start(std::move(settings), proxy_identity(), events).value();
    }
    [[nodiscard]] const Address& address(bool is_direct) const {
        return is_direct ? server.address : between->addresses().front();
    }
};

/// How long an answer takes that 99 of 100 are faster than, in milliseconds.
double slow_answer(const Address& address) {
    Asker asker(address);
    const auto message =
        small_frame(0, "a message as long as that of a player who moves, or a little longer");
    std::vector<double> times;
    for (int count = 0; count < amount(4'000, 20); ++count) {
        const auto begin = Clock::now();
        asker.ask(message);
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
        asker.loop->run_until([] { return false; }, 200us);
    }
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
    std::ranges::nth_element(times, at);
    return *at;
}

Transfer bulk_transfer(const Address& address) {
    Asker asker(address);
    const auto begin = Clock::now();
    const auto used = process_seconds();
    asker.connection->write(0, as_bytes(small_frame(1, "all")));
    if (!asker.loop->run_until([&] { return asker.bulk >= bulk_size() || !asker.connection; }, 120s)
        || !asker.connection)
        throw std::runtime_error("the data did not come");
    return {std::chrono::duration<double>(Clock::now() - begin).count(), process_seconds() - used};
}

Transfer better(const Transfer& one, const Transfer& other) {
    return {std::min(one.seconds, other.seconds), std::min(one.cpu_seconds, other.cpu_seconds)};
}
double better(double one, double other) { return std::min(one, other); }

/// The best of several turns: direct, then through the proxy.
template <typename Figure>
std::pair<Figure, Figure> best_of(Figure (*measure)(const Address&)) {
    const Ways ways;
    std::pair best(measure(ways.address(true)), measure(ways.address(false)));
    for (int turn = 1; turn < amount(5, 1); ++turn) {
        best.first = better(best.first, measure(ways.address(true)));
        best.second = better(best.second, measure(ways.address(false)));
    }
    return best;
}

void add_rows() {
    add_value({"proxy: added to an answer, 99th percentile, loopback", "ms", 0.3, Better::lower}, [] {
        const auto [direct, through] = best_of(slow_answer);
        return through - direct;
    });
    const auto measured = std::make_shared<std::optional<std::pair<Transfer, Transfer>>>();
    const auto once = [measured] {
        if (!*measured) *measured = best_of(bulk_transfer);
        return **measured;
    };
    add_value({"proxy: bulk data on one stream, loopback", "× direct", 0.7, Better::higher},
              [once] { return once().first.seconds / once().second.seconds; });
    add_value({"proxy: bulk data on one stream, loopback", "MB/s", std::nullopt, Better::higher},
              [once] { return static_cast<double>(bulk_size()) / 1e6 / once().second.seconds; });
    add_value({"proxy: processor time of all for bulk data", "× direct", 2.2, Better::lower},
              [once] { return once().second.cpu_seconds / once().first.cpu_seconds; });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench

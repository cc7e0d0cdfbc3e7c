#include "game/replay/client_side.hpp"

#include "capture/capture_reader.hpp"
#include "capture/no_join.hpp"
#include "capture/record_decoder.hpp"
#include "net/client.hpp"
#include "net/fingerprint.hpp"
#include "net/identity.hpp"
#include "net/time.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

constexpr net::Duration k_replay_tick = 2ms;
constexpr net::Duration k_replay_session_tick = 50ms;
/// So long the server may take to let the player in.
constexpr net::Duration k_replay_join_time = 30s;
/// So long the answers to the last frames may take.
constexpr net::Duration k_last_answers = 500ms;
/// As much may wait for the server when frames are sent at once.
constexpr std::size_t k_most_ahead = 256 * 1024;

/// What the new connection says by itself.
constexpr auto k_of_connections = std::to_array<std::string_view>(
    {"Connect", "AuthToken", "PasswordResponse", "RequestAssets", "PlayerOptions", "SetupFinalize",
     "InsecurePlayerOptions", "ClientReady", "Pong", "Disconnect", "ClientDisconnect"});

/// Who a player of a capture is, and when it came into its world.
struct CapturedVisitor {
    std::uint64_t player = 0;
    const protocol::BuildInfo* build = nullptr;
    std::string name = "orbis";
    protocol::Uuid uuid{};
    std::int64_t ready = 0;   ///< time of the record
    std::uint64_t number = 0; ///< of the record in the file
};

Result<CapturedVisitor> find_visitor(const ClientSideRules& rules) {
    TRY(auto reader, capture::CaptureReader::open(rules.capture));
    reader.set_usual_build(rules.build);
    capture::RecordDecoder decoder;
    std::map<std::uint64_t, CapturedVisitor> visitors;
    constexpr std::size_t k_most_visitors = 100'000;
    bool is_damaged = false;
    for (;;) {
        auto next = reader.next();
        if (!next && reader.facts().bytes == 0) return fail(std::move(next).error());
        is_damaged = !next;
        if (!next || !*next) break;
        const auto& record = **next;
        if ((rules.player && record.session != *rules.player) || record.to != protocol::Side::server)
            continue;
        const auto* packet = capture::packet_of(record);
        if (packet == nullptr) continue;
        if (packet->name == "Connect" || packet->name == "InsecurePlayerOptions") {
            const auto value = decoder.value(record);
            if (!value || visitors.size() >= k_most_visitors) continue;
            auto& visitor = visitors[record.session];
            if (const auto* name = (*value)->find("username");
                name != nullptr && name->as<std::string>() != nullptr)
                visitor.name = *name->as<std::string>();
            if (const auto* uuid = (*value)->find("uuid");
                uuid != nullptr && uuid->as<protocol::Uuid>() != nullptr)
                visitor.uuid = *uuid->as<protocol::Uuid>();
        }
        if (packet->name != "ClientReady") continue;
        auto visitor = visitors[record.session];
        visitor.player = record.session;
        visitor.build = record.build;
        visitor.ready = record.time;
        visitor.number = reader.facts().records;
        if (visitor.uuid == protocol::Uuid{}) net::fill_random(visitor.uuid);
        return visitor;
    }
    return fail(capture::no_join(rules.capture, rules.player, is_damaged));
}

/// What the session tells; it may end before whoever asks.
struct ReplayState {
    net::ClientSession* session = nullptr;
    std::uint64_t received = 0;
    std::optional<std::string> end;
    std::optional<net::HostPort> referral; ///< where the server sends the player
};

class ReplayHandler final : public net::ClientHandler {
public:
    explicit ReplayHandler(std::shared_ptr<ReplayState> state) : state_(std::move(state)) {}

    void on_packet(net::ClientSession&, const protocol::Frame&) override { ++state_->received; }
    [[nodiscard]] bool reads(const protocol::PacketInfo&) const override { return false; }
    void on_referral(net::ClientSession&, const net::HostPort& to, Bytes) override { state_->referral = to; }
    void on_closed(net::ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        state_->session = nullptr;
        state_->end = reason.value_or(close.text());
    }

private:
    std::shared_ptr<ReplayState> state_;
};

class ClientReplay {
public:
    ClientReplay(const ClientSideRules& rules, CapturedVisitor visitor, capture::CaptureReader reader,
                 net::Loop& loop)
        : rules_(rules),
          visitor_(std::move(visitor)),
          reader_(std::move(reader)),
          loop_(loop),
          context_(loop),
          driver_(loop, {}) {
        reader_.set_usual_build(rules.build);
        report_.player = visitor_.player;
        report_.name = rules.name.value_or(visitor_.name);
    }

    Result<ClientSideReport> run(const std::function<bool()>& is_stopped);

private:
    [[nodiscard]] bool is_in_world() const {
        return state_->session != nullptr && state_->session->phase() == net::ClientSession::Phase::play;
    }
    Result<void> join();
    void turn();
    void send_due();
    /// The next frame that is to be said again; false at the end of the capture.
    bool find_next();
    void end(std::optional<std::string> problem) {
        is_over_ = true;
        report_.problem = std::move(problem);
    }

    const ClientSideRules& rules_;
    CapturedVisitor visitor_;
    capture::CaptureReader reader_;
    net::Loop& loop_;
    net::ClientContext context_;
    net::UdpDriver driver_;
    std::shared_ptr<ReplayState> state_ = std::make_shared<ReplayState>();
    net::Address server_;
    net::Time start_{};
    std::optional<net::Time> in_world_;
    std::optional<capture::Record> next_; ///< valid until the reader goes on
    std::optional<net::Time> all_sent_;
    bool is_over_ = false;
    std::optional<Error> failure_;
    ClientSideReport report_;
};

Result<void> ClientReplay::join() {
    TRY(const auto addresses, net::resolve(rules_.server));
    server_ = addresses.front();
    net::ClientRules rules;
    rules.build = net::GameBuild::of(*visitor_.build);
    rules.name = report_.name;
    rules.uuid = visitor_.uuid;
    rules.password = rules_.password;
    const auto wall = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::ecdsa_p256, wall));
    TRY(auto tls, net::TlsContext::client(&identity, {rules.build.protocol}));
    const net::ClientSettings settings{
        .server = server_, .server_name = rules_.server.host, .tls = std::move(tls)};
    TRY(state_->session,
        net::join(driver_, context_, settings, std::move(rules), std::make_unique<ReplayHandler>(state_)));
    return {};
}

bool ClientReplay::find_next() {
    for (;;) {
        auto read = reader_.next();
        if (!read) {
            report_.damage = std::move(read).error();
            return false;
        }
        if (!*read) return false;
        const auto& record = **read;
        if (record.session != visitor_.player || record.to != protocol::Side::server) continue;
        if (reader_.facts().records <= visitor_.number) {
            ++report_.left_out;
            continue;
        }
        const auto* packet = capture::packet_of(record);
        const bool is_of_connection =
            packet != nullptr && std::ranges::find(k_of_connections, packet->name) != k_of_connections.end();
        const bool is_sent =
            record.is_whole() && record.left_out != capture::LeftOut::payload
            && record.channel.value_or(protocol::Channel::normal) == protocol::Channel::normal;
        if (is_of_connection || !is_sent) {
            ++report_.left_out;
            continue;
        }
        next_ = record;
        return true;
    }
}

void ClientReplay::send_due() {
    auto& link = state_->session->link();
    while (state_->session != nullptr) {
        if (!next_ && !find_next()) {
            all_sent_ = loop_.now();
            report_.seconds = net::seconds_of(*all_sent_ - *in_world_);
            return;
        }
        if (link.held(protocol::Channel::normal) > k_most_ahead) return;
        const auto passed = loop_.now() - *in_world_;
        // In unsigned numbers: the times of a damaged file may be anything.
        const auto due = static_cast<std::int64_t>(static_cast<std::uint64_t>(next_->time)
                                                   - static_cast<std::uint64_t>(visitor_.ready));
        if (!rules_.is_at_once && net::Duration(due) > passed) return;
        link.forward(protocol::Channel::normal, next_->frame);
        ++report_.sent;
        next_.reset();
    }
}

void ClientReplay::turn() {
    const auto now = loop_.now();
    if (state_->end) return end(fmt::format("the server ended the connection: {}", *state_->end));
    if (const auto& to = state_->referral)
        return end(fmt::format("the server sends the player to {}:{}; replay it there", to->host, to->port));
    if (driver_.take_failure() == ECONNREFUSED && state_->received == 0) {
        failure_ = error(Errc::not_found, "nothing listens at UDP {}", server_.text())
                       .advise("start the server or check the port; orbis ping says more");
        is_over_ = true;
        return;
    }
    if (!in_world_) {
        if (is_in_world())
            in_world_ = now;
        else if (now - start_ > k_replay_join_time)
            return end("the server did not let the player into a world in time");
    }
    if (in_world_ && !all_sent_) send_due();
    if (all_sent_ && now - *all_sent_ >= k_last_answers) end({});
}

Result<ClientSideReport> ClientReplay::run(const std::function<bool()>& is_stopped) {
    TRY_DO(join());
    start_ = loop_.now();
    std::array<net::Loop::Timer, 2> timers{};
    const std::function<void()> turns = [&] {
        timers[0] = loop_.after(k_replay_tick, turns);
        if (is_over_) return;
        turn();
        if (!is_over_ && is_stopped && is_stopped()) end("it was interrupted");
    };
    const std::function<void()> sessions = [&] {
        timers[1] = loop_.after(k_replay_session_tick, sessions);
        context_.tick();
    };
    turns();
    sessions();
    loop_.run_until([&] { return is_over_; }, std::chrono::hours(24 * 365));
    if (state_->session != nullptr) state_->session->leave();
    loop_.run_until([&] { return state_->session == nullptr; }, 3s);
    for (const auto& timer : timers) loop_.cancel(timer);
    if (failure_) return std::unexpected(*failure_);
    report_.received = state_->received;
    return report_;
}

} // namespace

Result<ClientSideReport> replay_client_side(const ClientSideRules& rules,
                                            const std::function<bool()>& is_stopped,
                                            std::shared_ptr<net::Loop> loop) {
    TRY(auto visitor, find_visitor(rules));
    if (!visitor.build->is_spoken)
        return fail(
            error(Errc::unsupported, "orbis cannot connect as a client of build {}", visitor.build->build)
                .in_file(rules.capture.string())
                .advise("play the server's side to such a client with --listen ADDRESS"));
    TRY(auto reader, capture::CaptureReader::open(rules.capture));
    if (!loop) {
        TRY(loop, net::Loop::make());
    }
    return ClientReplay(rules, std::move(visitor), std::move(reader), *loop).run(is_stopped);
}

} // namespace orbis::game

#include "net/ping.hpp"

#include "bytes/joined.hpp"
#include "bytes/utc_text.hpp"
#include "net/identity.hpp"
#include "net/ping_meaning.hpp"
#include "net/ping_talk.hpp"
#include "net/tcp_link.hpp"
#include "net/udp_driver.hpp"
#include "net/version_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

/// How long addresses have to say which versions they have.
constexpr Duration k_question = 2s;
/// A server waits 15 s for `Connect`; so long may the round trips be measured before it.
constexpr Duration k_longest_measuring = 10s;
constexpr Duration k_between_measurements = 100ms;
constexpr Duration k_ping_tick = 20ms;
constexpr Duration k_farewell = 1500ms;

bool is_number(const std::string& host) {
    std::array<std::uint8_t, 16> address{};
    return inet_pton(AF_INET, host.c_str(), address.data()) == 1 || host.find(':') != std::string::npos;
}

protocol::Uuid random_uuid() {
    protocol::Uuid uuid{};
    fill_random(uuid);
    uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x40);
    uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
    return uuid;
}

std::string milliseconds(Duration time) {
    return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>(time).count());
}

class Ping {
public:
    Ping(Loop& loop, const PingRules& rules, const std::function<void(const PingEntry&)>& tell)
        : loop_(loop), rules_(rules), tell_(tell) {}

    Result<PingReport> run() {
        const auto start = now();
        auto addresses = resolve(rules_.place);
        if (!addresses) {
            stop(PingStep::name, now() - start, "no address", std::move(addresses.error()));
            return std::move(report_);
        }
        std::vector<std::string> hosts;
        for (const auto& address : *addresses) hosts.push_back(address.host());
        add(PingStep::name, now() - start, joined(hosts, ", "));
        if (rules_.is_tcp)
            call_over_tcp(*addresses);
        else
            TRY_DO(call_over_quic(*addresses));
        return std::move(report_);
    }

private:
    /// The time of now, not of the loop's last turn.
    Time now() {
        loop_.run_until([] { return true; }, 0s);
        return loop_.now();
    }

    void add(PingStep step, std::optional<Duration> time, std::string text) {
        report_.entries.push_back({step, time, std::move(text), {}});
        if (tell_) tell_(report_.entries.back());
    }

    void stop(PingStep step, std::optional<Duration> time, std::string text, Error meaning) {
        report_.entries.push_back({step, time, std::move(text), std::move(meaning)});
        if (tell_) tell_(report_.entries.back());
    }

    [[nodiscard]] ClientRules client_rules() const {
        ClientRules rules;
        rules.build = rules_.build;
        rules.uuid = rules_.uuid ? *rules_.uuid : random_uuid();
        rules.name = rules_.name;
        rules.password = rules_.password;
        rules.joins = false;
        return rules;
    }

    [[nodiscard]] std::string addresses_text() const {
        std::vector<std::string> texts;
        for (const auto& reached : report_.addresses) texts.push_back(reached.text());
        return joined(texts, "; ");
    }

    // Over QUIC.

    Result<void> call_over_quic(const std::vector<Address>& addresses) {
        const auto start = now();
        report_.addresses = reach_over_udp(loop_, addresses, std::min(rules_.timeout, k_question));
        const auto first_with = [&](Reached::Answer answer) {
            return std::ranges::find(report_.addresses, answer, &Reached::answer);
        };
        const auto none = report_.addresses.end();
        if (const auto found = first_with(Reached::Answer::versions); found != none)
            return call_server(*found);
        if (const auto found = first_with(Reached::Answer::noise); found != none) {
            add(PingStep::reach, found->time, addresses_text());
            stop(PingStep::quic, {}, "what comes back is not QUIC", meaning::not_quic(rules_));
            return {};
        }
        return call_the_silent(start);
    }

    Result<void> call_server(const Reached& server) {
        add(PingStep::reach, server.time, addresses_text());
        std::vector<std::string> versions;
        for (const auto version : server.versions) versions.push_back(quic_version_text(version));
        const auto text = fmt::format("the server offers version {}", joined(versions, ", "));
        if (std::ranges::find(server.versions, k_quic_version_1) == server.versions.end()) {
            stop(PingStep::quic, {}, versions.empty() ? "the server offers no version" : text,
                 meaning::other_versions());
            return {};
        }
        TRY_DO(shake_hands(server.address));
        if (!watched_.has_begun()) {
            stop_at_handshake();
            return {};
        }
        add(PingStep::quic, {}, text);
        go_on();
        return {};
    }

    void stop_at_handshake() {
        stop(PingStep::quic, now() - watched_.start,
             watched_.close ? watched_.close->text() : "the server does not start a connection",
             meaning::no_handshake(watched_.close));
    }

    /// A server may leave the question for versions unanswered: whether a connection begins is what counts.
    Result<void> call_the_silent(Time start) {
        std::vector<int> families;
        for (auto& reached : report_.addresses) {
            if (reached.is_hopeless() || std::ranges::count(families, reached.address.family()) > 0) continue;
            families.push_back(reached.address.family());
            TRY_DO(shake_hands(reached.address));
            if (const auto failure = driver_->take_failure()) note_failure(reached, failure);
            if (!watched_.has_begun() && !(watched_.close && watched_.close->by_peer)) continue;
            reached.answer = Reached::Answer::versions;
            reached.time = loop_.now() - watched_.start;
            add(PingStep::reach, reached.time, addresses_text());
            if (!watched_.has_begun()) {
                stop_at_handshake();
                return {};
            }
            reached.versions = {k_quic_version_1};
            add(PingStep::quic, {}, "version 1; the server does not say which others it supports");
            go_on();
            return {};
        }
        stop(PingStep::reach, now() - start, addresses_text(),
             meaning::not_reached(rules_, report_.addresses));
        return {};
    }

    /// Begins a connection and waits until it is established, or not.
    Result<void> shake_hands(const Address& server, std::vector<std::string> protocols = {}) {
        if (protocols.empty()) protocols = {rules_.build.protocol};
        if (!identity_) {
            const auto today = std::chrono::floor<std::chrono::seconds>(loop_.wall());
            TRY(identity_, make_self_signed(KeyKind::ecdsa_p256, today));
        }
        TRY(auto tls, TlsContext::client(&*identity_, std::move(protocols)));
        auto settings = QuicSettings::client();
        settings.handshake_timeout = rules_.timeout;
        settings.keep_alive = k_between_measurements;
        driver_.emplace(loop_, EndpointSettings{});
        talk_ = {};
        watched_ = {};
        watched_.start = now();
        report_.address = server;
        TRY(auto* connection,
            driver_->connect(server, std::move(tls), settings,
                             is_number(rules_.place.host) ? "" : rules_.place.host, nullptr));
        connection->set_handler(
            std::make_unique<PingWatch>(context_, watched_, talk_, *connection, client_rules()));
        loop_.run_until([&] { return watched_.confirmed || watched_.close; }, rules_.timeout);
        return {};
    }

    /// From TLS on.
    void go_on() {
        if (!watched_.handshake) return explain_handshake();
        report_.cipher = watched_.cipher;
        report_.protocol = watched_.protocol;
        add(PingStep::tls, *watched_.handshake - watched_.start, watched_.cipher);
        if (watched_.protocol != rules_.build.protocol)
            return stop(PingStep::protocol, {}, "none was agreed on", meaning::other_protocol(rules_, {}));
        add(PingStep::protocol, {}, watched_.protocol);
        if (!look_at_certificate()) return;
        measure();
        if (watched_.connection) watched_.connection->release();
        talk();
    }

    void explain_handshake() {
        const auto time = loop_.now() - watched_.start;
        const auto close = *watched_.close;
        const auto text = close.text();
        if (close.kind == Close::Kind::transport && close.code == k_no_application_protocol) {
            find_protocol();
            return stop(PingStep::protocol, time,
                        report_.protocol.empty()
                            ? fmt::format("the server does not support {}", rules_.build.protocol)
                            : fmt::format("the server uses {}", report_.protocol),
                        meaning::other_protocol(rules_, report_.protocol));
        }
        stop(PingStep::tls, time, text, meaning::no_tls(close));
    }

    /// A server that has not our protocol: which of the game's has it?
    void find_protocol() {
        const auto address = *report_.address;
        std::vector<std::string> others{"hytale/4", "hytale/3", "hytale/2", "hytale/1"};
        std::erase(others, rules_.build.protocol);
        if (shake_hands(address, others) && watched_.handshake) report_.protocol = watched_.protocol;
        if (watched_.connection) watched_.connection->give_up();
        (void)now(); // sends the close
    }

    bool look_at_certificate() {
        const auto time = [&]() -> std::optional<Duration> {
            if (!watched_.confirmed) return {};
            return *watched_.confirmed - *watched_.handshake;
        }();
        std::string text = "the server shows none";
        if (auto facts = read_certificate(watched_.certificate)) {
            text = fmt::format("{}, valid {} to {}, fingerprint {}", meaning::quoted_text(facts->subject),
                               utc_text(facts->valid_from, UtcForm::date),
                               utc_text(facts->valid_until, UtcForm::date), facts->fingerprint.text());
            report_.certificate = *std::move(facts);
        } else if (!watched_.certificate.empty()) {
            text = facts.error().problem;
        }
        if (watched_.confirmed) {
            add(PingStep::certificate, time, text);
            return true;
        }
        stop(PingStep::certificate, time,
             fmt::format("{}; ours: {}", text,
                         watched_.close ? watched_.close->text()
                                        : "the server does not say whether it accepted it"),
             meaning::certificate_not_accepted());
        return false;
    }

    void measure() {
        if (!watched_.connection) return;
        auto& trips = report_.round_trips;
        auto last = watched_.connection->round_trip();
        const auto measured = [&] {
            if (!watched_.connection) return true;
            const auto next = watched_.connection->round_trip();
            // QUIC's mean takes an eighth of each measurement, without what the peer says that it waited. The
            // mean itself would still be that of the slow handshake.
            if (next != last) trips.push_back(std::max(next * 8 - last * 7, Duration::zero()));
            last = next;
            return trips.size() >= static_cast<std::size_t>(rules_.count);
        };
        loop_.run_until(measured, k_longest_measuring);
        if (trips.empty())
            return add(PingStep::round_trip, last, "in the handshake; nothing was measured after it");
        std::ranges::sort(trips);
        add(PingStep::round_trip, trips[trips.size() / 2],
            fmt::format("{} to {}, {} measurement{}", milliseconds(trips.front()), milliseconds(trips.back()),
                        trips.size(), trips.size() == 1 ? "" : "s"));
    }

    // Over TCP.

    void call_over_tcp(const std::vector<Address>& addresses) {
        const auto start = now();
        for (const auto& address : addresses) {
            auto& reached = report_.addresses.emplace_back();
            reached.address = address;
            if (try_tcp(reached)) {
                report_.address = address;
                add(PingStep::reach, reached.time, addresses_text());
                return talk();
            }
        }
        stop(PingStep::reach, now() - start, addresses_text(),
             meaning::not_reached(rules_, report_.addresses));
    }

    bool try_tcp(Reached& reached) {
        const auto start = now();
        talk_ = {};
        tcp_.reset();
        auto socket = connect_tcp(reached.address);
        if (!socket) {
            reached.answer = Reached::Answer::unreachable;
            reached.reason = socket.error().problem;
            return false;
        }
        tcp_ = std::make_unique<TcpLink>(Side::client, *std::move(socket), reached.address, loop_,
                                         LinkLimits{}, context_.tools.decompressor);
        tcp_->set_user(make_ping_session(context_, talk_, client_rules(), *tcp_));
        tcp_->start();
        loop_.run_until([&] { return talk_.asked || talk_.close; }, rules_.timeout);
        if (talk_.asked) {
            reached.answer = Reached::Answer::open;
            reached.time = *talk_.asked - start;
            return true;
        }
        if (!talk_.close) return false;
        reached.time = loop_.now() - start;
        const bool is_refused = talk_.close->reason == std::strerror(ECONNREFUSED);
        reached.answer = is_refused ? Reached::Answer::refused : Reached::Answer::unreachable;
        reached.reason = talk_.close->reason;
        return false;
    }

    // Over both: what the server says to `Connect`.

    void talk() {
        tick();
        loop_.run_until([&] { return talk_.is_done(); }, rules_.timeout);
        explain_talk();
        if (talk_.session) talk_.session->leave("Ping is done");
        loop_.run_until([&] { return talk_.close.has_value(); }, k_farewell);
        (void)now(); // sends the close
        loop_.cancel(ticker_);
    }

    void tick() {
        if (talk_.session) talk_.session->tick();
        ticker_ = loop_.after(k_ping_tick, [this] { tick(); });
    }

    void explain_talk() {
        const auto asked = talk_.asked.value_or(loop_.now());
        const auto time = talk_.answered.value_or(loop_.now()) - asked;
        const auto& close = talk_.close;
        if (!talk_.answered) {
            const bool is_version = close && close->by_peer && close->kind == Close::Kind::application
                                    && (close->code == 5 || close->code == 6);
            if (is_version) {
                if (!close->reason.empty()) report_.server_version = close->reason;
                return stop(PingStep::identity, time, close->text(),
                            meaning::other_build(rules_, close->code == 5, report_.server_version));
            }
            return stop(PingStep::identity, time, close ? close_text() : "no answer to `Connect`",
                        meaning::not_answered(rules_, close));
        }
        add(PingStep::identity, time,
            rules_.build.crc == 0 ? fmt::format("the server accepts version {}", rules_.build.version)
                                  : fmt::format("the server accepts version {} (CRC {})",
                                                rules_.build.version, rules_.build.crc));
        if (talk_.refusal) {
            report_.refusal = talk_.refusal;
            if (!talk_.was_let_in && !talk_.was_asked_for_password)
                return stop(PingStep::account, {},
                            fmt::format("refused: {}", meaning::quoted_text(*talk_.refusal)),
                            meaning::refused(rules_, *talk_.refusal));
        }
        if (talk_.was_asked_for_account)
            return stop(PingStep::account, {}, "asked for", meaning::account_asked());
        if (!talk_.was_let_in && !talk_.was_asked_for_password)
            return stop(PingStep::account, {}, close ? close_text() : "the server does not continue",
                        meaning::not_answered(rules_, close));
        add(PingStep::account, {}, "not asked for: the server accepts any name");
        explain_password();
    }

    void explain_password() {
        using Password = PingReport::Password;
        if (!talk_.was_asked_for_password) {
            report_.password = Password::not_asked;
            return add(PingStep::password, {}, "not asked for");
        }
        if (talk_.was_let_in) {
            report_.password = Password::accepted;
            return add(PingStep::password, {}, "asked for and accepted");
        }
        report_.password = talk_.attempts_left ? Password::refused : Password::asked;
        if (talk_.attempts_left)
            return stop(PingStep::password, {}, "refused", meaning::password_refused(*talk_.attempts_left));
        if (rules_.password.empty())
            return stop(PingStep::password, {}, "asked for", meaning::password_asked());
        stop(PingStep::password, {}, talk_.close ? close_text() : "no answer to the password",
             meaning::not_answered(rules_, talk_.close));
    }

    [[nodiscard]] std::string close_text() const {
        return talk_.problem
                   ? fmt::format("{}: {}", talk_.close->text(), meaning::quoted_text(*talk_.problem))
                   : talk_.close->text();
    }

    Loop& loop_;
    const PingRules& rules_;
    const std::function<void(const PingEntry&)>& tell_;
    PingReport report_;
    ClientContext context_{loop_};
    std::optional<Identity> identity_;
    PingTalk talk_;
    PingWatched watched_;
    Loop::Timer ticker_;
    std::unique_ptr<TcpLink> tcp_;
    std::optional<UdpDriver> driver_; ///< last: what it holds looks at what is above
};

} // namespace

std::string_view name(PingStep step) {
    static constexpr std::array<std::string_view, k_ping_steps> k_names = {
        "name",        "reach",      "quic",     "tls",     "protocol",
        "certificate", "round-trip", "identity", "account", "password"};
    return k_names[static_cast<std::size_t>(step)];
}

std::string_view name(PingReport::Password password) {
    switch (password) {
    case PingReport::Password::unknown: return "unknown";
    case PingReport::Password::not_asked: return "not asked";
    case PingReport::Password::asked: return "asked";
    case PingReport::Password::accepted: return "accepted";
    case PingReport::Password::refused: return "refused";
    }
    return {};
}

Result<PingReport> ping(const PingRules& rules, const std::function<void(const PingEntry&)>& tell) {
    TRY(const auto loop, Loop::make());
    return ping(*loop, rules, tell);
}

Result<PingReport> ping(Loop& loop, const PingRules& rules,
                        const std::function<void(const PingEntry&)>& tell) {
    const bool is_plain = std::ranges::all_of(rules.name, [](char c) { return c > ' ' && c <= '~'; });
    if (rules.name.empty() || rules.name.size() > 16 || !is_plain)
        return fail(error(Errc::usage, "a player name has 1 to 16 plain characters, not {}",
                          meaning::quoted_text(rules.name))
                        .advise("use letters, digits and _"));
    return Ping(loop, rules, tell).run();
}

} // namespace orbis::net

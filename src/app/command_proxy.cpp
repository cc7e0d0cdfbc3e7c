#include "app/capture_option.hpp"
#include "app/command.hpp"
#include "app/command_serve_signals.hpp"
#include "app/game_server.hpp"
#include "app/inspect_page.hpp"
#include "app/key_files.hpp"
#include "app/proxy_events.hpp"
#include "app/server_options.hpp"
#include "bytes/file.hpp"
#include "game/serve/metrics_page.hpp"
#include "http/host_check.hpp"
#include "inspect/proxy_watch.hpp"
#include "page/files.hpp"
#include "proxy/frame_recorder.hpp"
#include "proxy/observer_list.hpp"
#include "proxy/proxy.hpp"
#include "proxy/proxy_metrics.hpp"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <future>

namespace orbis::app {

namespace {

constexpr std::uint64_t k_largest_rules = 1 << 20;
constexpr net::Duration k_longest_delay = std::chrono::seconds(10);

/// `2.5` of an option as a part of 1.
Result<double> parse_percent(std::string_view option, std::string_view text) {
    double value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem == std::errc() && stop == text.data() + text.size() && value >= 0 && value <= 100)
        return value / 100;
    return fail(error(Errc::usage, "{} must be a number of percent from 0 to 100, not {}", option,
                      json_quoted(text)));
}

/// Whether who listens there hears what is sent to the other.
bool leads_to(const net::Address& listener, const net::Address& target) {
    const auto port = target.port();
    const bool is_any = listener == net::Address::any_v4(port) || listener == net::Address::any_v6(port);
    return listener == target || (is_any && target.is_loopback());
}

class CommandProxy final : public Command {
    void declare(Options& options) override {
        options
            .text_argument("LISTEN", listen_,
                           "Address for players: ADDRESS:PORT (port 0 takes any free port)")
            .text_argument("TARGET", target_, "The server: HOST or HOST:PORT (default port: 5520)")
            .file("--identity", identity_,
                  "Certificate and key from `orbis keys make` (default: new ones at each start)")
            .file("--login", login_, "File with the tokens of an account, for a server that asks for one")
            .number("--max-players COUNT", max_players_, 1, 100'000,
                    "Most players at the same time (default: 1000)")
            .number("--per-address COUNT", per_address_, 1, 100'000,
                    "Most players from one address (default: as --max-players)")
            .number("--buffer KILOBYTES", buffer_, 64, 65'536,
                    "Most that is held for each stream of a player who does not read (default: 4096)")
            .number("--rate KILOBYTES", rate_, 1, 1'000'000,
                    "Most kilobytes per second of each player, both directions together (default: no limit)")
            .number("--timeout SECONDS", timeout_, 5, 600,
                    "Seconds of silence after which a connection ends (default: 60)")
            .choice("--referrals", referrals_, {"follow", "pass", "forbid"},
                    "When a server sends a player to another one: follow leads them there through the proxy, "
                    "pass lets them go past it, forbid turns them away (default: follow)")
            .text("--public HOST", public_,
                  "Name or address by which referred players come back (default: as they came)")
            .file("--rules", rules_, "File with rules for single frames: show, drop, delay, change, inject")
            .text("--loss PERCENT", loss_, "Percent of datagrams that are lost on purpose (default: 0)")
            .text("--reorder PERCENT", reorder_,
                  "Percent of datagrams that later ones overtake on purpose (default: 0)")
            .text("--delay TIME", delay_, "Delay of each datagram on purpose: 20ms, 0.5s (default: none)")
            .choice(
                "--rough", rough_, {"server", "client", "both"},
                "Which connections --loss, --reorder and --delay are for: those to the server, those of the "
                "clients, or both (default: server)")
            .integer("--seed SEED", seed_, "Seed for --loss and --reorder (default: 1)")
            .text("--metrics ADDRESS", metrics_,
                  "Address for Prometheus metrics: ADDRESS:PORT (default: off)")
            .text("--inspect ADDRESS", inspect_,
                  "Address of a page that shows all frames: ADDRESS:PORT (default: off)")
            .number("--inspect-memory MEGABYTES", inspect_memory_, 1, 65'536,
                    "Memory for frames that the page can show; older ones are forgotten (default: 128)")
            .flag("--inspect-personal", inspect_personal_,
                  "Show tokens, passwords and referral data on the page too")
            .texts("--allow-host HOST", inspect_hosts_,
                   "Allow this host name for the page of --inspect; can be given several times");
        capture_.declare(options);
        options.footer(
            "Stands between players and a server until you stop it with Ctrl+C. Players connect to LISTEN; "
            "each gets a connection to TARGET. Frames are forwarded as they come, of any build of the game, "
            "whether Orbis knows it or not.\n"
            "The server must accept players without an account (insecure or offline mode), because accounts "
            "are bound to the certificates of both ends; for other servers --login has the account to use.\n"
            "With --json each event is one object per line: ready, join, leave, refused, referral, frame, "
            "rule_problem, stopping, stopped.");
    }

    Result<Outcome> run(Console& console) override {
        proxy::ProxySettings settings;
        TRY(settings.addresses, parse_bind(listen_));
        TRY(const auto place, net::parse_host_port(target_));
        TRY(settings.rules.targets, net::resolve(place));
        settings.rules.target_name = place.host;
        settings.threads = common.threads;
        for (const auto& address : settings.addresses)
            for (const auto& target : settings.rules.targets)
                if (leads_to(address, target))
                    return fail(
                        error(Errc::usage, "LISTEN and TARGET are the same address: {}", target.text())
                            .advise("choose another port for LISTEN"));
        auto& rules = settings.rules;
        if (!login_.empty()) {
            auto login = proxy::Login::load(login_);
            if (!login) {
                if (login.error().code != Errc::not_found) login.error().code = Errc::usage;
                return fail(std::move(login).error());
            }
            rules.login = *std::move(login);
            rules.most_players = 1; // an account is in one place at a time
        }
        if (max_players_) rules.most_players = static_cast<std::size_t>(*max_players_);
        rules.most_per_address = per_address_ ? static_cast<std::size_t>(*per_address_) : rules.most_players;
        if (buffer_) rules.stream_buffer = static_cast<std::size_t>(*buffer_) << 10;
        if (rate_) rules.player_rate = static_cast<std::uint64_t>(*rate_) << 10;
        if (timeout_) rules.idle_timeout = std::chrono::seconds(*timeout_);
        using Referrals = proxy::ProxyRules::Referrals;
        rules.referrals = referrals_ == "pass"     ? Referrals::pass
                          : referrals_ == "forbid" ? Referrals::forbid
                                                   : Referrals::follow;
        rules.public_host = public_;
        TRY_DO(read_rough(rules.rough));
        if (!rules_.empty()) {
            TRY(const auto file, open_file(rules_, FileMode::read));
            TRY(const auto text, read_text(*file, k_largest_rules));
            auto book = proxy::RuleBook::parse(text);
            if (!book) {
                book.error().code = Errc::usage; // what is wrong in a file that was written for this command
                return fail(std::move(book).error().in_file(rules_.string()));
            }
            rules.book = *std::move(book);
        }
        std::optional<http::Address> metrics;
        if (metrics_ && *metrics_ != "off") {
            auto address = http::parse_address(*metrics_);
            if (!address) return fail(std::move(address).error().about("--metrics"));
            metrics = *address;
        }
        if (!inspect_ && (inspect_memory_ || inspect_personal_ || !inspect_hosts_.empty()))
            return fail(error(Errc::usage, "{} needs --inspect",
                              inspect_memory_     ? "--inspect-memory"
                              : inspect_personal_ ? "--inspect-personal"
                                                  : "--allow-host")
                            .advise("--inspect ADDRESS:PORT"));
        if (inspect_ && *inspect_ != "off") {
            auto address = http::parse_address(*inspect_);
            if (!address) return fail(std::move(address).error().about("--inspect"));
            inspect_address_ = *address;
        }
        for (const auto& name : inspect_hosts_) TRY_DO(http::check_host_name(name));
        TRY(const auto identity, load_or_make_identity(identity_));
        return forward(console, std::move(settings), identity, metrics);
    }

    Result<void> read_rough(net::RoughConditions& rough) const {
        if (loss_) {
            TRY(rough.loss, parse_percent("--loss", *loss_));
        }
        if (reorder_) {
            TRY(rough.reorder, parse_percent("--reorder", *reorder_));
        }
        if (delay_) {
            TRY(rough.delay, parse_time("--delay", *delay_));
            if (rough.delay > k_longest_delay)
                return fail(error(Errc::usage, "--delay must be at most 10s, not {}", *delay_)
                                .advise("connections give up after longer ones"));
        }
        rough.seed = static_cast<std::uint64_t>(seed_);
        rough.on_begun = rough_ != "client";
        rough.on_accepted = rough_ != "server";
        return {};
    }

    Result<std::unique_ptr<InspectPage>> start_inspector(Console& console, inspect::Desk& desk) const {
        auto started = InspectPage::start(*inspect_address_, inspect_hosts_, desk);
        if (!started) {
            if (started.error().code == Errc::busy)
                started.error().advice =
                    "stop that program, or choose another port with --inspect ADDRESS:PORT; port 0 takes any "
                    "free port";
            return started;
        }
        if (page::files().empty()) console.note(std::string(page::k_how_to_get_it));
        if (!inspect_address_->is_loopback())
            console.note("anyone who can reach the address of --inspect can see what players say");
        return started;
    }

    Result<Outcome> forward(Console& console, proxy::ProxySettings settings, const net::Identity& identity,
                            const std::optional<http::Address>& metrics) {
        SignalWatch signals({SIGINT, SIGTERM}); // before the threads, which inherit it
        ProxyPrinter events(console);
        std::promise<int> signal;
        bool was_given = false;
        const auto begin = std::chrono::steady_clock::now();
        const auto uptime = [begin] { return std::chrono::steady_clock::now() - begin; };
        ProxyPrinter::Ready ready;
        ready.target = target_;
        for (const auto& address : settings.rules.targets) ready.targets.push_back(address.text());
        TRY(const auto recorder, capture_.start());
        std::optional<proxy::FrameRecorder> recording;
        if (recorder) recording.emplace(recorder);
        std::optional<inspect::Desk> desk;
        std::optional<inspect::ProxyWatch> watch;
        proxy::ObserverList observers;
        if (recording) observers.add(*recording);
        if (inspect_address_) {
            inspect::DeskSettings desk_settings;
            desk_settings.keeps_personal = inspect_personal_;
            if (inspect_memory_) desk_settings.ring_bytes = static_cast<std::size_t>(*inspect_memory_) << 20;
            desk.emplace(desk_settings);
            desk->set_title(target_, "orbis " ORBIS_VERSION);
            observers.add(watch.emplace(desk->inbox()));
        }
        auto* observer = observers.empty() ? nullptr : &observers;
        auto started_proxy =
            proxy::Proxy::start(std::move(settings), identity, events, observer, [&](net::Loop& loop) {
                signals.begin(loop, [&](int number) {
                    if (!std::exchange(was_given, true)) signal.set_value(number);
                    signals.release(); // one more ends the program at once
                });
            });
        if (!started_proxy) {
            if (recorder) recorder->discard();
            return fail(std::move(started_proxy).error());
        }
        const auto proxy = *std::move(started_proxy);
        std::unique_ptr<game::MetricsPage> page;
        if (metrics) {
            auto started = game::MetricsPage::start(*metrics, proxy->loop(), [&proxy = *proxy, uptime] {
                return proxy::proxy_metrics(proxy, std::chrono::duration<double>(uptime()).count());
            });
            if (!started) {
                auto problem = std::move(started).error();
                if (problem.code == Errc::busy)
                    problem.advice = "stop that program, or choose another port with --metrics ADDRESS:PORT; "
                                     "port 0 takes any free port";
                return fail(std::move(problem));
            }
            page = *std::move(started);
            ready.metrics = page->url();
        }
        std::unique_ptr<InspectPage> inspector;
        if (desk) {
            TRY(inspector, start_inspector(console, *desk));
            ready.inspector = inspector->url();
        }
        for (const auto& address : proxy->addresses()) ready.addresses.push_back(address.text());
        ready.certificate = identity.fingerprint().text();
        events.on_ready(ready);

        const auto number = signal.get_future().get();
        const auto& shared = proxy->shared();
        events.on_stopping(fmt::format("signal {}", sigabbrev_np(number)), shared.players);
        page.reset(); // before the proxy that it asks
        inspector.reset();
        proxy->stop("The proxy stops.");
        events.on_stopped(std::chrono::floor<std::chrono::seconds>(uptime()), shared.joined,
                          shared.forwarded[0] + shared.forwarded[1]);
        TRY_DO(CaptureOption::finish(console, recorder));
        return Outcome::fine;
    }

    std::string listen_;
    std::string target_;
    std::filesystem::path identity_;
    std::optional<int> max_players_;
    std::optional<int> per_address_;
    std::optional<int> buffer_;
    std::optional<int> rate_;
    std::optional<int> timeout_;
    std::filesystem::path login_;
    std::filesystem::path rules_;
    CaptureOption capture_;
    std::optional<std::string> loss_;
    std::optional<std::string> reorder_;
    std::optional<std::string> delay_;
    std::string rough_ = "server";
    std::int64_t seed_ = 1;
    std::string referrals_ = "follow";
    std::string public_;
    std::optional<std::string> metrics_;
    std::optional<std::string> inspect_;
    std::optional<int> inspect_memory_;
    bool inspect_personal_ = false;
    std::vector<std::string> inspect_hosts_;
    std::optional<http::Address> inspect_address_; ///< of `inspect_`
};

} // namespace

std::unique_ptr<Command> make_command_proxy() { return std::make_unique<CommandProxy>(); }

} // namespace orbis::app

#include "app/command.hpp"
#include "app/server_options.hpp"
#include "app/table.hpp"
#include "bytes/utc_text.hpp"
#include "net/ping.hpp"
#include "net/version_question.hpp"
#include "protocol/uuid.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

double milliseconds(net::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// To the microsecond: what is after it is noise.
void write_time(JsonWriter& json, std::string_view key, std::optional<net::Duration> time) {
    json.key(key);
    if (time)
        json.raw(fmt::format("{:.3f}", milliseconds(*time)));
    else
        json.null();
}

class CommandPing final : public Command {
    void declare(Options& options) override {
        options.text_argument("HOST", place_, "The server: HOST or HOST:PORT (default port: 5520)")
            .flag("--tcp", tcp_, "Connect over TCP, for a server in TCP mode")
            .number("--count COUNT", count_, 1, 100,
                    "Number of round trips to measure (default: 5; at most 10 s)")
            .number("--timeout SECONDS", timeout_, 1, 60, "Time limit of each step in seconds (default: 5)")
            .text("--name NAME", name_, "Player name to use (default: orbis)")
            .text("--uuid UUID", uuid_,
                  "Player id to use (default: a random one). If that player is online, the server may "
                  "disconnect them")
            .file("--password-file", password_file_, "File whose first line is the server's password")
            .text("--build BUILD", build_,
                  "Build of the game to speak as: its name or CRC (default: 2026.02.17)")
            .footer(
                "Why can I not connect? Connects like a client, step by step, until the server would let a "
                "player in, and leaves. It joins no world and uses no account.\n"
                "Exit codes: 0 the server lets a player in; where it stopped: 10 name, 11 reach, 12 quic, 13 "
                "tls, 14 protocol, 15 certificate, 17 identity, 18 account, 19 password; 2 the command "
                "cannot "
                "be run as it was given.");
    }

    Result<Outcome> run(Console& console) override {
        net::PingRules rules;
        TRY(rules.place, net::parse_host_port(place_));
        if (build_) {
            TRY(rules.build, option_value("--build", net::GameBuild::find(*build_)));
        }
        rules.is_tcp = tcp_;
        if (tcp_ && count_)
            return fail(
                error(Errc::usage, "--count cannot be used with --tcp: only QUIC measures round trips")
                    .advise("orbis ping --help"));
        if (count_) rules.count = *count_;
        if (timeout_) rules.timeout = std::chrono::seconds(*timeout_);
        if (name_) rules.name = *name_;
        if (uuid_) {
            rules.uuid = protocol::parse_uuid(*uuid_);
            if (!rules.uuid)
                return fail(error(Errc::usage, "--uuid must be a player id, not {}", json_quoted(*uuid_))
                                .advise("a player id looks like 00112233-4455-6677-8899-aabbccddeeff"));
        }
        if (!password_file_.empty()) {
            TRY(rules.password, read_password_file(password_file_));
        }

        const auto title =
            fmt::format("{} port {} over {}", rules.place.host, rules.place.port, tcp_ ? "TCP" : "QUIC");
        bool has_title = console.json();
        TRY(const auto report, net::ping(rules, [&](const net::PingEntry& entry) {
                if (!std::exchange(has_title, true)) console.line({{title, Tone::heading}});
                if (!console.json()) print(console, entry);
            }));
        if (console.json()) print_json(console, rules, report);
        const auto stopped = report.stopped_at();
        if (!stopped) return Outcome::fine;
        auto failure = *report.entries.back().failure;
        console.problem(std::move(failure).about(place_text(rules.place)));
        return own_outcome(static_cast<std::uint8_t>(*stopped));
    }

    static std::string place_text(const net::HostPort& place) {
        const auto host = place.host;
        return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, place.port)
                                                   : fmt::format("[{}]:{}", host, place.port);
    }

    static void print(Console& console, const net::PingEntry& entry) {
        const auto time = entry.time ? fmt::format("{:.1f} ms", milliseconds(*entry.time)) : std::string();
        print_cut(console, {{fmt::format("  {:<11}  ", name(entry.step)), Tone::faint},
                            {fmt::format("{:>10}  ", time)},
                            {entry.failure ? "STOPPED: " : "", Tone::bad},
                            {entry.text}});
    }

    static void print_json(Console& console, const net::PingRules& rules, const net::PingReport& report) {
        JsonWriter json;
        json.object()
            .member("host", rules.place.host)
            .member("port", rules.place.port)
            .member("transport", rules.is_tcp ? "tcp" : "quic")
            .key("steps")
            .array();
        for (const auto& entry : report.entries) {
            json.object().member("step", name(entry.step)).member("ok", !entry.failure);
            write_time(json, "ms", entry.time);
            json.member("found", entry.text);
            if (entry.failure) write_error(json.key("error"), *entry.failure);
            json.end();
        }
        json.end().key("stopped_at");
        if (const auto stopped = report.stopped_at())
            json.string(name(*stopped));
        else
            json.null();
        print_facts(json, report);
        json.end();
        console.line(json.text());
    }

    static void print_facts(JsonWriter& json, const net::PingReport& report) {
        json.key("addresses").array();
        for (const auto& reached : report.addresses) {
            json.object().member("address", reached.address.text()).member("answer", name(reached.answer));
            write_time(json, "ms", reached.time);
            json.key("quic_versions").array();
            for (const auto version : reached.versions) json.string(net::quic_version_text(version));
            json.end().end();
        }
        json.end().key("address");
        if (report.address)
            json.string(report.address->text());
        else
            json.null();
        const auto text_or_null = [&](std::string_view key, const std::string& text) {
            json.key(key);
            if (text.empty())
                json.null();
            else
                json.string(text);
        };
        text_or_null("cipher", report.cipher);
        text_or_null("protocol", report.protocol);
        json.key("certificate");
        if (const auto& facts = report.certificate)
            json.object()
                .member("fingerprint", facts->fingerprint.text())
                .member("subject", facts->subject)
                .member("issuer", facts->issuer)
                .member("self_signed", facts->self_signed)
                .member("valid_from", utc_text(facts->valid_from, UtcForm::iso))
                .member("valid_until", utc_text(facts->valid_until, UtcForm::iso))
                .member("key", facts->key)
                .member("key_bits", facts->key_bits)
                .end();
        else
            json.null();
        json.key("round_trip");
        if (const auto& trips = report.round_trips; !trips.empty()) {
            json.object();
            write_time(json, "median_ms", trips[trips.size() / 2]);
            write_time(json, "shortest_ms", trips.front());
            write_time(json, "longest_ms", trips.back());
            json.member("measurements", trips.size()).end();
        } else {
            json.null();
        }
        text_or_null("server_version", report.server_version.value_or(""));
        text_or_null("refusal", report.refusal.value_or(""));
        json.member("password", name(report.password));
    }

    std::string place_;
    bool tcp_ = false;
    std::optional<int> count_;
    std::optional<int> timeout_;
    std::optional<std::string> name_;
    std::optional<std::string> build_;
    std::optional<std::string> uuid_;
    std::filesystem::path password_file_;
};

} // namespace

std::unique_ptr<Command> make_command_ping() { return std::make_unique<CommandPing>(); }

} // namespace orbis::app

#include "app/capture_replay.hpp"

#include "app/key_files.hpp"
#include "app/line_output.hpp"
#include "app/server_options.hpp"
#include "bytes/joined.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

/// Prints each event of a replay as a line for people, or as a JSON object.
class ReplayPrinter final : public game::ServerSideEvents {
public:
    ReplayPrinter(Console& console, const game::ServerSideRules& rules)
        : console_(console), output_(console), rules_(rules) {}

    void on_ready(const game::CapturedConnection& connection,
                  const std::vector<net::Address>& addresses) override {
        std::vector<std::string> texts;
        for (const auto& address : addresses) texts.push_back(address.text());
        JsonWriter json;
        json.object().member("event", "ready").key("addresses").array();
        for (const auto& text : texts) json.string(text);
        json.end().member("player", connection.player);
        if (!connection.name.empty()) json.member("name", connection.name);
        if (!connection.build_name.empty()) json.member("build", connection.build_name);
        if (console_.json()) return print({}, json);
        output_.add(
            fmt::format("Plays what the server said to player {} ({}, {}) to {} at {}", connection.player,
                        connection.name.empty() ? "name unknown" : connection.name,
                        connection.build_name.empty() ? "build unknown" : "build " + connection.build_name,
                        counted(rules_.clients, "client"), joined(texts, ", ")));
        const auto build = connection.build != nullptr && connection.build->is_spoken
                               ? " --build " + std::string(connection.build->build)
                               : std::string();
        output_.add(fmt::format("Ready. Connect a client, for example: orbis bot {}{}. Ctrl+C stops",
                                texts.front(), build));
    }

    void on_refused(const net::Address& client, const std::string& why) override {
        JsonWriter json;
        json.object().member("event", "refused").member("address", client.text()).member("reason", why);
        print(fmt::format("{} was turned away: {}", client.text(), why), json);
    }

    void on_played(const game::PlayedReport& report) override {
        is_fine_ = is_fine_ && report.is_fine();
        if (console_.json()) return print_json(report);
        output_.add(fmt::format("Sent {} ({}) to {} in {:.1f} s, received {}{}",
                                counted(report.sent, "frame"), human_bytes(report.bytes), report.address,
                                report.seconds, counted(report.received, "frame"),
                                report.is_complete ? "; this was all"
                                : report.problem   ? ""
                                                   : "; the client left before the end"));
        if (report.left_out > 0)
            output_.add(fmt::format("  left out {} that cannot be said again, such as those of the login",
                                    counted(report.left_out, "frame")));
        if (report.has_referral) output_.add("  left out: here the server sent the player to another server");
        if (!report.unanswered.empty())
            output_.add(fmt::format("  the client did not send, as the player did: {}",
                                    joined(report.unanswered, ", ")));
        if (report.problem)
            output_.add(fmt::format("  {}{}", *report.problem,
                                    report.advice.empty() ? "" : fmt::format(" ({})", report.advice)));
        if (report.damage) console_.problem(*report.damage);
    }

    [[nodiscard]] bool is_fine() const { return is_fine_; }

private:
    void print(std::string text, JsonWriter& json) {
        output_.add(console_.json() ? json.end().take() : std::move(text));
    }
    void print_json(const game::PlayedReport& report) {
        JsonWriter json;
        json.object().member("event", "played").member("address", report.address);
        json.member("sent", report.sent).member("bytes", report.bytes).member("left_out", report.left_out);
        json.member("received", report.received).member("complete", report.is_complete);
        json.member("referral", report.has_referral).key("unanswered").array();
        for (const auto& packet : report.unanswered) json.string(packet);
        json.end().key("seconds").raw(fmt::format("{:.3f}", report.seconds));
        if (report.problem) json.member("problem", *report.problem);
        if (!report.advice.empty()) json.member("advice", report.advice);
        if (report.damage) {
            json.key("damage");
            write_error(json, *report.damage);
        }
        print({}, json);
    }

    Console& console_;
    LineOutput output_;
    const game::ServerSideRules& rules_;
    bool is_fine_ = true;
};

} // namespace

Result<Outcome> replay_capture_to_clients(Console& console, const game::ServerSideRules& rules) {
    TRY(const auto identity, make_identity());
    const StopSignal signal;
    ReplayPrinter events(console, rules);
    TRY(const auto clients,
        game::replay_server_side(rules, identity, events, [] { return StopSignal::was_given(); }));
    if (clients < rules.clients)
        console.note(clients == 0 ? "stopped before a client came"
                                  : fmt::format("stopped after {} of {}", human_count(clients),
                                                counted(rules.clients, "client")));
    return events.is_fine() && clients == rules.clients ? Outcome::fine : Outcome::damage;
}

} // namespace orbis::app

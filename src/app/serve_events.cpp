#include "app/serve_events.hpp"

#include "bytes/joined.hpp"
#include "game/player/player.hpp"
#include "game/serve/served_world.hpp"
#include "protocol/uuid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

void ServeEvents::print(std::string_view text, JsonWriter& json) {
    print(std::vector{std::string(text)}, json);
}

void ServeEvents::print(std::vector<std::string> lines, JsonWriter& json) {
    if (console_.json()) lines = {std::string(json.end().text())};
    const std::lock_guard lock(mutex_);
    for (auto& line : lines) {
        if (early_)
            early_->push_back(std::move(line));
        else
            output_.add(std::move(line));
    }
}

void ServeEvents::begin(std::vector<std::string> lines) {
    const std::lock_guard lock(mutex_);
    for (auto& line : lines) output_.add(std::move(line));
    if (!early_) return;
    for (auto& early : *early_) output_.add(std::move(early));
    early_.reset();
}

JsonWriter ServeEvents::event(std::string_view name) {
    JsonWriter json;
    json.object().member("event", name);
    return json;
}

JsonWriter ServeEvents::event(std::string_view name, game::Player& player) {
    auto json = event(name);
    json.member("player", player.name()).member("uuid", protocol::uuid_text(player.uuid()));
    return json;
}

void ServeEvents::forget() {
    const std::lock_guard lock(mutex_);
    if (early_) early_->clear();
}

void ServeEvents::on_ready(const Ready& ready) {
    auto json = event("ready");
    json.key("addresses").array();
    for (const auto& address : ready.addresses) json.string(address);
    json.end().member("certificate", ready.certificate).key("worlds").array();
    for (const auto& world : ready.worlds) json.string(world);
    json.end().member("password", ready.has_password).member("read_only", !ready.can_edit);
    json.member("name", ready.facts.name).member("max_players", ready.facts.max_players);
    json.member("view_radius", ready.facts.view_radius).key("metrics");
    if (ready.metrics.empty())
        json.null();
    else
        json.string(ready.metrics);
    if (console_.json()) {
        begin({std::string(json.end().text())});
        return;
    }
    std::vector<std::string> lines{
        fmt::format("Serving {} on {} ({}{})", joined(ready.worlds, ", "), joined(ready.addresses, ", "),
                    ready.can_edit ? "can be edited" : "read-only",
                    ready.has_password ? ", with a password" : ""),
        fmt::format("Certificate {}", ready.certificate),
        fmt::format("{}: at most {} players, view radius {} chunks", ready.facts.name,
                    ready.facts.max_players, ready.facts.view_radius)};
    if (!ready.metrics.empty()) lines.push_back(fmt::format("Metrics: {}", ready.metrics));
    lines.emplace_back("Ready. Type help to list the commands; Ctrl+C stops the server");
    begin(std::move(lines));
}

void ServeEvents::on_stopping(const Stopping& stopping) {
    auto json = event("stopping");
    json.member("why", stopping.why).member("reason", stopping.reason);
    json.member("players", stopping.players).member("notice", stopping.notice.count());
    print(stopping.players == 0
              ? fmt::format("Stopping ({}); no players are online", stopping.why)
              : fmt::format("Stopping in {} ({}); told {}{}{}", game::long_time(stopping.notice),
                            stopping.why, counted(stopping.players, "player"),
                            stopping.reason.empty() ? "" : ": ", stopping.reason),
          json);
}

void ServeEvents::on_stopped(const Stopped& stopped) {
    auto json = event("stopped");
    json.member("seconds", stopped.uptime.count()).member("joined", stopped.joined);
    json.member("chunks_sent", stopped.chunks_sent).member("unsaved", stopped.unsaved);
    auto text = fmt::format("Stopped after {}: {} joined, {} sent", game::long_time(stopped.uptime),
                            counted(stopped.joined, "player"), counted(stopped.chunks_sent, "chunk"));
    if (stopped.unsaved > 0)
        text += fmt::format("; {} could not be saved and {} lost", counted(stopped.unsaved, "edit"),
                            stopped.unsaved == 1 ? "is" : "are");
    print(text, json);
}

void ServeEvents::on_answer(std::string_view command, const game::ConsoleAnswer& answer) {
    auto json = event("answer");
    json.member("command", command).member("done", answer.is_done).key("lines").array();
    for (const auto& line : answer.lines) json.string(line);
    json.end();
    print(answer.lines, json);
}

void ServeEvents::on_join(game::Player& player) {
    const auto address = player.link().peer().address.text();
    const auto& world = player.world()->name();
    auto json = event("join", player);
    json.member("address", address).member("world", world);
    print(fmt::format("{} joined {} from {}", player.name(), world, address), json);
}

void ServeEvents::on_leave(game::Player& player, std::string_view why) {
    auto json = event("leave", player);
    json.member("reason", why);
    const auto name = player.name();
    print(why == "left" ? fmt::format("{} left", name) : fmt::format("{} left: {}", name, why), json);
}

void ServeEvents::on_chat(game::Player& player, std::string_view text) {
    auto json = event("chat", player);
    json.member("text", text);
    print(fmt::format("{}: {}", player.name(), text), json);
}

void ServeEvents::on_world_change(game::Player& player, const game::PlayerWorld& from) {
    const auto& to = player.world()->name();
    auto json = event("world", player);
    json.member("from", from.name()).member("to", to);
    print(fmt::format("{} went from {} to {}", player.name(), from.name(), to), json);
}

void ServeEvents::on_saved(const game::ServedWorld& world, const game::SaveReport& report) {
    const auto name = world.name();
    if (auto& saved = saved_[world.name()]; report.saved_up_to > saved) {
        saved = report.saved_up_to;
        auto json = event("saved");
        json.member("world", world.name()).member("edits", saved);
        print(fmt::format("{}: {} saved", name, counted(saved, "edit")), json);
    }
    for (const auto& lost : report.lost) {
        auto json = event("lost");
        json.member("world", world.name()).key("chunk").array().number(lost.pos.x).number(lost.pos.z).end();
        json.member("blocks", std::uint64_t{lost.cells});
        write_error(json.key("error"), lost.reason);
        print(fmt::format("{}, {}: {} changed blocks are lost: {}", name, lost.pos, lost.cells,
                          lost.reason.text()),
              json);
    }
    const auto problem = report.problems.empty() ? std::string() : report.problems.front().text();
    if (std::exchange(last_problem_, problem) == problem || problem.empty()) return;
    auto json = event("unsaved");
    json.member("world", world.name());
    write_error(json.key("error"), report.problems.front());
    print(fmt::format("{}: edits cannot be saved now and are kept in memory: {}", name, problem), json);
}

void ServeEvents::on_edit(const game::ServedWorld& world, const protocol::Uuid& player,
                          const game::EditOutcome& outcome) {
    if (!tells_edits_) return;
    const auto found =
        std::ranges::find_if(world.players(), [&](const auto* other) { return other->uuid() == player; });
    const auto name = found == world.players().end() ? protocol::uuid_text(player) : (*found)->name();
    auto json = event("edit");
    json.member("world", world.name()).member("number", outcome.number).member("player", name);
    json.key("blocks").array();
    for (const auto& [pos, block, number] : outcome.cells)
        json.array().number(pos.x).number(pos.y).number(pos.z).string(block.key).end();
    json.end();
    const auto& [first, block, number] = outcome.cells.front();
    print(fmt::format("{}: edit {} by {}: {} at {} {} {}{}", world.name(), outcome.number, name, block.key,
                      first.x, first.y, first.z,
                      outcome.cells.size() > 1 ? fmt::format(" and {} more cells", outcome.cells.size() - 1)
                                               : ""),
          json);
}

void ServeEvents::on_password_trouble(const net::Player& player, const net::PeerFacts& peer,
                                      const net::PasswordTrouble& trouble) {
    if (!trouble.is_news) return;
    const auto address = peer.address.text();
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(trouble.wait).count();
    auto json = event("password");
    json.member("player", player.name).member("uuid", protocol::uuid_text(player.uuid));
    json.member("address", address).member("failures", trouble.failures).member("wait", seconds);
    json.member("refused", trouble.was_refused);
    auto text = trouble.was_refused
                    ? fmt::format("{} from {} tried another password too early, after {} wrong ones",
                                  player.name, address, trouble.failures)
                    : fmt::format("{} from {} gave a wrong password ({} so far)", player.name, address,
                                  trouble.failures);
    if (seconds > 0) text += fmt::format("; the next one is accepted in {} s", seconds);
    print(text, json);
}

void ServeEvents::on_unopened(const world::World& world, const Error& error) {
    auto json = event("unopened");
    json.member("world", world.name);
    write_error(json.key("error"), error);
    print(fmt::format("{} cannot be opened and is not served: {}", world.name, error.text()), json);
}

void ServeEvents::on_empty(const game::ServedWorld& world, std::span<const Error> problems) {
    auto json = event("empty");
    json.member("world", world.name()).key("problems").array();
    auto text = fmt::format("{} has no chunks; players see nothing there", world.name());
    if (!problems.empty())
        text =
            fmt::format("{} has no readable chunks; players see nothing there. {} cannot be read; the first "
                        "one: {}",
                        world.name(), counted(problems.size(), "file"), problems.front().text());
    for (const auto& problem : problems) write_error(json, problem);
    json.end();
    print(text, json);
}

void ServeEvents::on_unreadable(const game::ServedWorld& world, ChunkPos pos, const Error& error) {
    // A region file that cannot be read is one thing to do for people, not a thousand.
    auto text = error.text();
    if (!console_.json() && text == last_unreadable_) return;
    last_unreadable_ = std::move(text);
    auto json = event("unreadable");
    json.member("world", world.name()).key("chunk").array().number(pos.x).number(pos.z).end();
    write_error(json.key("error"), error);
    print(fmt::format("{}, {} cannot be sent: {}", world.name(), pos, error.text()), json);
}

} // namespace orbis::app

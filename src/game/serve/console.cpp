#include "game/serve/console.hpp"

#include "game/player/player.hpp"
#include "game/serve/console_command.hpp"
#include "game/serve/served_game.hpp"
#include "game/serve/served_world.hpp"
#include "net/time.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace orbis::game {
namespace {

using Answer = ConsoleAnswer;

template <typename... Args>
Answer done(fmt::format_string<Args...> format, Args&&... args) {
    return {true, {fmt::format(format, std::forward<Args>(args)...)}};
}

template <typename... Args>
Answer not_done(fmt::format_string<Args...> format, Args&&... args) {
    return {false, {fmt::format(format, std::forward<Args>(args)...)}};
}

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string at_most(const Histogram& times, double part) {
    const auto bound = times.bound_of(part);
    if (bound == net::Duration::max())
        return fmt::format("over {} ms", net::milliseconds_of(Histogram::k_bounds.back()));
    return fmt::format("{} ms", net::milliseconds_of(bound));
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::size_t in_worlds(const ServedGame& game) {
    std::size_t sum = 0;
    for (const auto& world : game.worlds()) sum += world->players().size();
    return sum;
}

std::string_view name(Player::Stage stage) {
    switch (stage) {
    case Player::Stage::setup: return "is getting ready";
    case Player::Stage::joining: return "is joining";
    case Player::Stage::waiting: return "is loading";
    case Player::Stage::playing: break;
    }
    return "plays";
}

} // namespace

std::string half_and_most(const Histogram& times) {
    if (times.count() == 0) return "nothing yet";
    return fmt::format("half within {}, 99 % within {}", at_most(times, 0.5), at_most(times, 0.99));
}

std::string long_time(std::chrono::seconds time) {
    struct Unit {
        std::int64_t seconds;
        std::string_view name;
    };
    constexpr std::array k_units = {Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "min"}, Unit{1, "s"}};
    auto left = time.count();
    std::string text;
    int parts = 0;
    for (const auto& unit : k_units) {
        if (left < unit.seconds || parts == 2) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", left / unit.seconds, unit.name);
        left %= unit.seconds;
        ++parts;
    }
    return text.empty() ? "0 s" : text;
}

Answer GameConsole::run(std::string_view line) {
    const auto command = ConsoleCommand::parse(line);
    if (!command) return not_done("{}", command.error().text());
    if (!*command) return {};
    return run(**command);
}

Answer GameConsole::run(const ConsoleCommand& command) {
    switch (command.kind) {
    case ConsoleCommand::Kind::help: {
        Answer answer;
        for (auto text = ConsoleCommand::help_text(); !text.empty();) {
            const auto end = std::min(text.find('\n'), text.size() - 1);
            answer.lines.emplace_back(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        return answer;
    }
    case ConsoleCommand::Kind::status: return status();
    case ConsoleCommand::Kind::players: return players();
    case ConsoleCommand::Kind::worlds: return worlds();
    case ConsoleCommand::Kind::say:
        game_.say(command.text);
        return done("Sent to {}", counted(in_worlds(game_), "player"));
    case ConsoleCommand::Kind::kick:
        return with_player(command.player, [&](Player& player) {
            game_.kick(player, command.text.empty() ? "You were kicked." : command.text);
            return done("Kicked {}", player.name());
        });
    case ConsoleCommand::Kind::move: return move(command);
    case ConsoleCommand::Kind::refer: return refer(command);
    case ConsoleCommand::Kind::teleport: return teleport(command);
    case ConsoleCommand::Kind::save: return save();
    case ConsoleCommand::Kind::reload: return owner_.reload();
    case ConsoleCommand::Kind::stop: return owner_.stop(command.notice, command.text);
    }
    return {};
}

template <typename Act>
Answer GameConsole::with_player(const std::string& name, Act act) {
    if (auto* player = game_.find_player(name)) return act(*player);
    return not_done("No player named {} is online; players lists them", name);
}

Answer GameConsole::status() const {
    const auto& counters = game_.counters();
    const auto wire = owner_.wire();
    EncodedChunkCache::Counters chunks;
    for (const auto& world : game_.worlds()) {
        const auto each = world->chunks().counters();
        chunks.made += each.made;
        chunks.hits += each.hits + each.joined;
        chunks.failed += each.failed;
        chunks.pending += each.pending;
        chunks.bytes += each.bytes;
    }
    Answer answer;
    auto& lines = answer.lines;
    lines.push_back(fmt::format("Up {}, {} of {}, {} joined so far, {} refused because the server was full",
                                long_time(std::chrono::floor<std::chrono::seconds>(game_.uptime())),
                                counted(game_.players().size(), "player"), game_.rules().facts.max_players,
                                counters.joined, counters.refused));
    lines.push_back(fmt::format("Ticks: {}, {} skipped", counters.ticks, counters.skipped_ticks));
    lines.push_back(fmt::format("  duration: {}", half_and_most(counters.duration)));
    lines.push_back(fmt::format("  lateness: {}", half_and_most(counters.lateness)));
    lines.push_back(fmt::format("Chunks: {} encoded, {} reused, {} sent, {} unreadable, {} pending",
                                chunks.made, chunks.hits, counters.chunks_sent, chunks.failed,
                                chunks.pending));
    lines.push_back(fmt::format("  kept: {:.1f} MiB", mebibytes(chunks.bytes)));
    std::uint64_t edits = 0;
    std::uint64_t saved = 0;
    for (const auto& world : game_.worlds()) {
        edits += world->edits().made;
        saved += world->edits().saved;
    }
    lines.push_back(fmt::format("Edits: {}, {} of them saved", edits, saved));
    lines.push_back(fmt::format("Network: {}, {:.1f} MiB sent, {:.1f} MiB received",
                                counted(wire.connections, "connection"), mebibytes(wire.sent_bytes),
                                mebibytes(wire.received_bytes)));
    return answer;
}

Answer GameConsole::players() const {
    if (game_.players().empty()) return done("No players online");
    Answer answer;
    for (auto* player : game_.players()) {
        const auto address = player->link().peer().address.text();
        if (!player->is_in_world()) {
            answer.lines.push_back(fmt::format("{} {}, {}", player->name(), name(player->stage()), address));
            continue;
        }
        const auto at = player->movement().block();
        answer.lines.push_back(fmt::format("{} {} in {} at {} {} {}, ping {:.1f} ms, {}, {}", player->name(),
                                           name(player->stage()), player->world()->name(), at.x, at.y, at.z,
                                           net::milliseconds_of(player->ping()),
                                           counted(player->chunk_stream()->sent_chunks(), "chunk"), address));
    }
    return answer;
}

Answer GameConsole::worlds() const {
    Answer answer;
    for (const auto& world : game_.worlds())
        answer.lines.push_back(fmt::format("{}: {}, {:.1f} MiB of chunks kept", world->name(),
                                           counted(world->players().size(), "player"),
                                           mebibytes(world->chunks().counters().bytes)));
    return answer;
}

Answer GameConsole::move(const ConsoleCommand& command) {
    return with_player(command.player, [&](Player& player) {
        auto* world = game_.find_world(command.text);
        if (world == nullptr) return not_done("No world named {}; worlds lists them", command.text);
        if (player.world() == world) return not_done("{} is already in {}", player.name(), world->name());
        game_.move(player, *world);
        return done("Moved {} to {}", player.name(), world->name());
    });
}

Answer GameConsole::teleport(const ConsoleCommand& command) {
    return with_player(command.player, [&](Player& player) {
        if (!player.is_in_world())
            return not_done("{} has not joined a world yet; try again in a moment", player.name());
        const auto [x, y, z] = command.place;
        player.teleport({x, y, z});
        return done("Teleported {} to {:.0f} {:.0f} {:.0f}", player.name(), std::floor(x), std::floor(y),
                    std::floor(z));
    });
}

Answer GameConsole::refer(const ConsoleCommand& command) {
    const auto to = fmt::format("{}:{}", command.to.host, command.to.port);
    if (command.player != "*")
        return with_player(command.player, [&](Player& player) {
            game_.refer(player, command.to);
            return done("Sent {} to {}", player.name(), to);
        });
    const auto all = game_.players(); // a player who goes may leave the list
    for (auto* player : all) game_.refer(*player, command.to);
    return done("Sent {} to {}", counted(all.size(), "player"), to);
}

Answer GameConsole::save() {
    bool can_edit = false;
    std::size_t unsaved = 0;
    for (const auto& world : game_.worlds()) {
        const auto edits = world->edits();
        can_edit = can_edit || world->can_edit();
        unsaved += edits.made - edits.saved;
        world->save_soon();
    }
    if (!can_edit) return not_done("This server is read-only: nothing to save");
    return done("Saving {}", counted(unsaved, "edit"));
}

} // namespace orbis::game

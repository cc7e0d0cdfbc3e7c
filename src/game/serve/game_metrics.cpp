#include "game/serve/game_metrics.hpp"

#include "game/player/player.hpp"
#include "game/serve/metrics_text.hpp"
#include "game/serve/served_game.hpp"
#include "game/serve/served_world.hpp"
#include "net/time.hpp"

#include <array>
#include <cstdio>
#include <unistd.h>

namespace orbis::game {
namespace {

void put_histogram(MetricsText& out, std::string_view name, std::string_view help, const Histogram& times) {
    constexpr auto k_count = Histogram::k_bounds.size();
    std::array<MetricsText::Bucket, k_count> buckets{};
    for (std::size_t at = 0; at < k_count; ++at)
        buckets[at] = {net::seconds_of(Histogram::k_bounds[at]), times.counts()[at]};
    out.histogram(name, help, buckets, times.counts().back(), net::seconds_of(times.sum()));
}

void put_players(MetricsText& out, const ServedGame& game) {
    const auto& counters = game.counters();
    for (const auto& world : game.worlds())
        out.gauge("orbis_players", "Players in a world or on their way in.",
                  static_cast<double>(world->players().size()), {{"world", world->name()}});
    out.gauge("orbis_players_limit", "Most players at a time.", game.rules().facts.max_players);
    out.counter("orbis_joined_total", "Players who have joined.", static_cast<double>(counters.joined));
    out.counter("orbis_refused_total", "Players who came when the server was full.",
                static_cast<double>(counters.refused));
    constexpr std::array<std::string_view, 4> k_reasons = {"left", "server", "idle", "error"};
    for (std::size_t at = 0; at < k_reasons.size(); ++at)
        out.counter("orbis_left_total", "Players who left, by reason.",
                    static_cast<double>(counters.gone[at]), {{"reason", k_reasons[at]}});
    out.counter("orbis_chat_lines_total", "Chat messages of players.",
                static_cast<double>(counters.chat_lines));
}

void put_ticks(MetricsText& out, const ServedGame::Counters& counters) {
    out.counter("orbis_ticks_total", "Ticks of the game.", static_cast<double>(counters.ticks));
    out.counter("orbis_ticks_skipped_total", "Ticks that were skipped because the server was late.",
                static_cast<double>(counters.skipped_ticks));
    put_histogram(out, "orbis_tick_duration_seconds", "How long ticks took.", counters.duration);
    put_histogram(out, "orbis_tick_lateness_seconds", "How much later than planned ticks began.",
                  counters.lateness);
    put_histogram(out, "orbis_tick_done_seconds", "How long after they were due ticks were done.",
                  counters.done);
}

/// One family after another, as the format wants it, and in each all worlds.
void put_chunks(MetricsText& out, const ServedGame& game) {
    using Counters = EncodedChunkCache::Counters;
    std::vector<std::pair<std::string_view, Counters>> worlds;
    for (const auto& world : game.worlds()) worlds.emplace_back(world->name(), world->chunks().counters());
    const auto put = [&](bool grows, std::string_view name, std::string_view help, auto member) {
        for (const auto& [world, counters] : worlds) {
            const auto value = static_cast<double>(counters.*member);
            if (grows)
                out.counter(name, help, value, {{"world", world}});
            else
                out.gauge(name, help, value, {{"world", world}});
        }
    };
    put(true, "orbis_chunks_encoded_total", "Chunks that were read, decoded and compressed.",
        &Counters::made);
    put(true, "orbis_chunk_hits_total", "Chunks that were needed and already encoded.", &Counters::hits);
    put(true, "orbis_chunk_joins_total", "Chunks that were needed while they were being encoded.",
        &Counters::joined);
    put(true, "orbis_chunks_unreadable_total", "Failed attempts to read a chunk.", &Counters::failed);
    put(true, "orbis_chunks_evicted_total", "Encoded chunks that were dropped to free memory.",
        &Counters::evicted);
    put(false, "orbis_chunks_pending", "Chunks that are being encoded or wait for it.", &Counters::pending);
    put(false, "orbis_chunk_bytes", "Bytes of encoded chunks in memory.", &Counters::bytes);
    out.counter("orbis_chunks_sent_total", "Chunks that were sent to players.",
                static_cast<double>(game.counters().chunks_sent));
    out.counter("orbis_entity_updates_total", "Updates of entities that were sent to players.",
                static_cast<double>(game.counters().entity_updates));
}

void put_edits(MetricsText& out, const ServedGame& game) {
    for (const auto& world : game.worlds())
        out.counter("orbis_edits_total", "Changes of blocks by players.",
                    static_cast<double>(world->edits().made), {{"world", world->name()}});
    for (const auto& world : game.worlds())
        out.counter("orbis_edits_saved_total", "Those of them that are safe on the disk.",
                    static_cast<double>(world->edits().saved), {{"world", world->name()}});
    for (const auto& world : game.worlds())
        out.counter("orbis_edits_refused_total", "Changes of blocks that were refused.",
                    static_cast<double>(world->edits().refused), {{"world", world->name()}});
}

void put_wire(MetricsText& out, const ServedGame& game, const WireFigures& wire) {
    out.gauge("orbis_connections", "Connections, those without a player included.",
              static_cast<double>(wire.connections));
    out.counter("orbis_sent_bytes_total", "Bytes of datagrams that were sent.",
                static_cast<double>(wire.sent_bytes));
    out.counter("orbis_sent_datagrams_total", "Datagrams that were sent.",
                static_cast<double>(wire.sent_datagrams));
    out.counter("orbis_received_bytes_total", "Bytes of datagrams that were received.",
                static_cast<double>(wire.received_bytes));
    out.counter("orbis_received_datagrams_total", "Datagrams that were received.",
                static_cast<double>(wire.received_datagrams));
    std::size_t held = 0;
    for (auto* player : game.players())
        for (const auto channel : {net::Channel::normal, net::Channel::chunks, net::Channel::world_map})
            held += player->link().held(channel);
    out.gauge("orbis_held_bytes", "Bytes that wait to be sent to players or to be acknowledged by them.",
              static_cast<double>(held));
}

} // namespace

double resident_bytes() {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"), std::fclose);
    long total = 0;
    long resident = 0;
    if (!file || std::fscanf(file.get(), "%ld %ld", &total, &resident) != 2) return 0;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string game_metrics(const ServedGame& game, const WireFigures& wire) {
    MetricsText out;
    out.gauge("orbis_uptime_seconds", "Since the server was started.", net::seconds_of(game.uptime()));
    out.gauge("orbis_resident_bytes", "Memory of the process.", resident_bytes());
    put_players(out, game);
    put_ticks(out, game.counters());
    put_chunks(out, game);
    put_edits(out, game);
    put_wire(out, game, wire);
    return out.text();
}

} // namespace orbis::game

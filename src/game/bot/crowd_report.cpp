#include "game/bot/crowd_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orbis::game {

namespace {

std::string summary_line(std::string_view name, const Summary& summary) {
    if (summary.empty()) return fmt::format("  {:<20}  -", name);
    return fmt::format("  {:<20}  p50 {:.1f} ms, p90 {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms ({})", name,
                       summary.percentile(50), summary.percentile(90), summary.percentile(99),
                       summary.sorted.back(), summary.sorted.size());
}

void write_summary(JsonWriter& json, std::string_view key, const Summary& summary) {
    json.key(key);
    if (summary.empty()) {
        json.null();
        return;
    }
    const auto number = [&](std::string_view name, double value) {
        json.key(name).raw(fmt::format("{:.3f}", value));
    };
    json.object().member("count", summary.sorted.size());
    number("p50_ms", summary.percentile(50));
    number("p90_ms", summary.percentile(90));
    number("p99_ms", summary.percentile(99));
    number("longest_ms", summary.sorted.back());
    json.end();
}

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

} // namespace

void Summary::sort() { std::ranges::sort(sorted); }

double Summary::percentile(double percent) const {
    if (sorted.empty()) return 0;
    const auto rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

std::vector<std::string> CrowdReport::lines() const {
    std::vector<std::string> out;
    out.push_back(fmt::format("{} of {} bots joined, {:.1f} s", joined, bots, seconds));
    out.push_back(summary_line("time to join", join));
    out.push_back(summary_line("time to first chunk", first_chunk));
    out.push_back(summary_line("time to last chunk", last_chunk));
    out.push_back(summary_line("ping", ping));
    if (edits > 0) out.push_back(summary_line("edit seen after", edit));
    out.push_back(fmt::format("  {:<20}  {} ({:.1f} per second, {:.0f} in the best second), {} unloaded",
                              "chunks", chunks, per_second(static_cast<double>(chunks), seconds),
                              best_chunks_per_second, unloaded));
    out.push_back(fmt::format("  {:<20}  {} ({:.0f} per second, {:.0f} in the best second) in {} packets",
                              "bytes", bytes, per_second(static_cast<double>(bytes), seconds),
                              best_bytes_per_second, packets));
    out.push_back(fmt::format("  {:<20}  {} moves, {} teleports, {} chat messages heard, {} referrals",
                              "others", moves, teleports, chats, referrals));
    if (edits > 0)
        out.push_back(fmt::format("  {:<20}  {} sent, {} confirmed, {} refused", "edits", edits,
                                  edits_confirmed, edits_refused));
    if (expectations > 0)
        out.push_back(
            fmt::format("  {:<20}  {} of {} met", "expectations", expectations - unmet.size(), expectations));
    for (const auto& [text, count] : errors)
        out.push_back(fmt::format("  {:<20}  {}: {}", "errors", count, text));
    for (const auto& each : unmet) out.push_back(fmt::format("  not met: {}: {}", each.place, each.text));
    return out;
}

void CrowdReport::write(JsonWriter& json) const {
    json.object().member("bots", bots).member("joined", joined);
    json.key("seconds").raw(fmt::format("{:.3f}", seconds));
    write_summary(json, "time_to_join", join);
    write_summary(json, "time_to_first_chunk", first_chunk);
    write_summary(json, "time_to_last_chunk", last_chunk);
    write_summary(json, "ping", ping);
    write_summary(json, "edit", edit);
    json.member("chunks", chunks).member("chunks_unloaded", unloaded);
    json.key("chunks_per_second")
        .raw(fmt::format("{:.3f}", per_second(static_cast<double>(chunks), seconds)));
    json.key("best_chunks_per_second").raw(fmt::format("{:.0f}", best_chunks_per_second));
    json.member("bytes", bytes).member("packets", packets);
    json.key("bytes_per_second").raw(fmt::format("{:.0f}", per_second(static_cast<double>(bytes), seconds)));
    json.key("best_bytes_per_second").raw(fmt::format("{:.0f}", best_bytes_per_second));
    json.member("moves", moves)
        .member("teleports", teleports)
        .member("chats", chats)
        .member("edits", edits)
        .member("edits_confirmed", edits_confirmed)
        .member("edits_refused", edits_refused)
        .member("referrals", referrals)
        .member("bad_packets", bad_packets)
        .key("errors")
        .array();
    for (const auto& [text, count] : errors) json.object().member("error", text).member("count", count).end();
    json.end().member("expectations", expectations).key("unmet").array();
    for (const auto& each : unmet) json.object().member("place", each.place).member("text", each.text).end();
    json.end().end();
}

} // namespace orbis::game

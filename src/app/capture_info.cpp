#include "app/capture_tables.hpp"
#include "app/table.hpp"
#include "protocol/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace orbis::app {

namespace {

constexpr std::size_t k_most_listed_players = 10'000; ///< others are counted only

struct CapturedPlayer {
    std::string name{}; ///< as its Connect or its options say
    std::string build{};
    std::array<std::uint64_t, 2> frames{}; ///< to the client, to the server
    std::array<std::uint64_t, 2> bytes{};
};

struct CaptureSums {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t fields_left_out = 0;
    std::uint64_t payloads_left_out = 0;
    std::uint64_t unlisted = 0; ///< frames of players beyond the limit
    std::map<std::uint64_t, CapturedPlayer> players;

    void add(const capture::Record& record, capture::RecordDecoder& decoder) {
        first = std::min(first, record.time);
        last = std::max(last, record.time);
        ++frames;
        bytes += record.length;
        if (record.left_out == capture::LeftOut::fields) ++fields_left_out;
        if (record.left_out == capture::LeftOut::payload) ++payloads_left_out;
        if (!players.contains(record.session) && players.size() >= k_most_listed_players) {
            ++unlisted;
            return;
        }
        auto& player = players[record.session];
        const auto side = record.to == protocol::Side::server ? 1U : 0U;
        ++player.frames[side];
        player.bytes[side] += record.length;
        if (player.build.empty()) player.build = record.build_name;
        const auto* packet = player.name.empty() && side == 1 ? capture::packet_of(record) : nullptr;
        if (packet == nullptr || (packet->name != "Connect" && packet->name != "InsecurePlayerOptions"))
            return;
        const auto value = decoder.value(record);
        if (!value) return;
        if (const auto* name = (*value)->find("username"))
            if (const auto* text = name->as<std::string>()) player.name = *text;
    }
};

void write_capture_json(Console& console, const CaptureInput& input, const CaptureSums& sums,
                        const CaptureInput::End& end) {
    JsonWriter json;
    json.object().member("file", input.file.string()).member("program", end.facts.program);
    json.member("frames", sums.frames).member("bytes", sums.bytes).member("file_bytes", end.facts.bytes);
    if (sums.frames > 0)
        json.member("first", capture_time_text(sums.first)).member("last", capture_time_text(sums.last));
    json.member("dropped", end.facts.dropped).member("other_records", end.facts.others);
    json.member("fields_left_out", sums.fields_left_out).member("payloads_left_out", sums.payloads_left_out);
    json.key("players").array();
    for (const auto& [number, player] : sums.players) {
        json.object().member("player", number);
        if (!player.name.empty()) json.member("name", player.name);
        if (!player.build.empty()) json.member("build", player.build);
        json.member("frames_to_server", player.frames[1]).member("bytes_to_server", player.bytes[1]);
        json.member("frames_to_client", player.frames[0]).member("bytes_to_client", player.bytes[0]).end();
    }
    json.end();
    if (end.damage) {
        json.key("damage");
        write_error(json, *end.damage);
    }
    json.end();
    console.line(json.text());
}

} // namespace

Result<Outcome> print_capture_info(Console& console, const CaptureInput& input) {
    CaptureSums sums;
    capture::RecordDecoder decoder;
    TRY(const auto end, input.read([&](std::uint64_t, const capture::Record& record) -> Result<void> {
        sums.add(record, decoder);
        return {};
    }));
    if (console.json()) {
        write_capture_json(console, input, sums, end);
        return end.outcome();
    }
    const auto fact = [&](std::string_view label, const std::string& text) {
        print_fact(console, fmt::format("  {:<10} {}", label, text));
    };
    console.line({{input.file.string(), Tone::heading}});
    if (!end.facts.program.empty()) fact("written by", end.facts.program);
    fact("frames", fmt::format("{}, {}", human_count(sums.frames), human_bytes(sums.bytes)));
    if (sums.frames > 0)
        fact("time",
             fmt::format("{} UTC, {} s", capture_time_text(sums.first), since_text(sums.last, sums.first)));
    if (end.facts.others > 0)
        fact("others", fmt::format("{} of other protocols", counted(end.facts.others, "record")));
    if (end.facts.dropped > 0)
        fact("dropped",
             fmt::format("{} that the disk was too slow for", counted(end.facts.dropped, "frame")));
    if (sums.fields_left_out + sums.payloads_left_out > 0)
        fact("left out", fmt::format("personal data of {}",
                                     counted(sums.fields_left_out + sums.payloads_left_out, "frame")));
    for (const auto& [number, player] : sums.players)
        print_fact(console,
                   fmt::format("  player {:<3} {}, build {}: {} to the server ({}), {} to the client ({})",
                               number, player.name.empty() ? "name unknown" : player.name,
                               player.build.empty() ? "unknown" : player.build, human_count(player.frames[1]),
                               human_bytes(player.bytes[1]), human_count(player.frames[0]),
                               human_bytes(player.bytes[0])));
    if (sums.unlisted > 0)
        print_fact(console, fmt::format("  and {} of more players", counted(sums.unlisted, "frame")));
    if (end.damage) console.problem(*end.damage);
    return end.outcome();
}

} // namespace orbis::app

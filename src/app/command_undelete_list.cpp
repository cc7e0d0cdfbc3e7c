#include "app/command_undelete_list.hpp"

#include "app/print_diff.hpp"
#include "app/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orbis::app {

namespace {

void write_chunk(JsonWriter& json, ChunkPos pos) { json.array().number(pos.x).number(pos.z).end(); }

void print_json(Console& console, std::string_view world, const jobs::OlderVersion& version) {
    const auto& orphan = version.orphan;
    JsonWriter json;
    json.object()
        .member("world", world)
        .member("copy", copy_name(orphan))
        .member("region", fmt::format("{:n}", orphan.region))
        .member("segment", orphan.first_segment)
        .member("segments", orphan.segments)
        .member("offset", orphan.offset)
        .member("bytes", orphan.raw_size)
        .member("compressed", orphan.frame_size);
    json.key("chunk");
    if (orphan.chunk)
        write_chunk(json, *orphan.chunk);
    else
        json.null();
    json.member("basis", jobs::name(orphan.basis)).member("sureness", jobs::name(orphan.sureness));
    json.key("candidates").array();
    for (const auto candidate : orphan.candidates) write_chunk(json, candidate);
    json.end();
    if (orphan.basis == jobs::Orphan::Basis::neighbours) json.member("chance", orphan.chance);
    json.member("matching", orphan.matching).member("telling", orphan.telling);
    json.key("game_time");
    if (orphan.game_time.empty())
        json.null();
    else
        json.string(orphan.game_time);
    json.member("sound", orphan.sound())
        .member("overlaps", orphan.overlaps)
        .member("lengths_fixed", orphan.lengths_fixed)
        .member("problems", orphan.problems)
        .member("present", jobs::name(version.present))
        .member("difference", jobs::difference_text(version));
    if (version.present == jobs::PresentState::differs) {
        json.key("changes").object();
        write_parts(json, version.diff);
        json.end();
    }
    json.end();
    console.line(json.text());
}

} // namespace

std::string copy_name(const jobs::Orphan& orphan) {
    return fmt::format("{:n}:{}", orphan.region, orphan.first_segment);
}

std::string owner_text(const jobs::Orphan& orphan) {
    const bool has_chance = orphan.basis == jobs::Orphan::Basis::neighbours && !orphan.chunk;
    const auto sureness = has_chance // never 100 %: then it would not be open
                              ? fmt::format("{:.0f} %", std::floor(orphan.chance * 100))
                              : std::string(jobs::name(orphan.sureness));
    const auto how = fmt::format("({}, {})", jobs::name(orphan.basis), sureness);
    if (orphan.chunk) return fmt::format("{:n} {}", *orphan.chunk, how);
    if (orphan.candidates.empty()) return fmt::format("? {}", how);
    constexpr std::size_t most = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(most, orphan.candidates.size()); ++i)
        names += fmt::format("{}{:n}", i == 0 ? "" : " or ", orphan.candidates[i]);
    if (orphan.candidates.size() > most)
        names += fmt::format(" or {} more", human_count(orphan.candidates.size() - most));
    return fmt::format("{} {}", names, how);
}

void print_older(Console& console, std::string_view world, const jobs::OlderVersion& version) {
    if (console.json()) return print_json(console, world, version);
    const auto& orphan = version.orphan;
    const auto state = orphan.overlaps        ? ", partly overwritten"
                       : orphan.problems > 0  ? ", damaged"
                       : orphan.lengths_fixed ? ", found behind wrong lengths"
                                              : "";
    print_row(console, {{copy_name(orphan), 12},
                        {human_bytes(orphan.raw_size), 10, Tone::plain, true},
                        {owner_text(orphan), 30, Tone::plain, false, 1},
                        {orphan.game_time.empty() ? "-" : orphan.game_time},
                        {jobs::difference_text(version) + state}});
}

void print_undelete_report(Console& console, std::string_view world, const jobs::UndeleteReport& report) {
    if (console.json()) {
        JsonWriter json;
        json.object()
            .member("world", world)
            .member("summary", true)
            .member("files", report.files)
            .member("not_searched", report.not_searched)
            .member("segments", report.segments)
            .member("unused_segments", report.unused_segments)
            .member("versions", report.versions)
            .member("attributed", report.attributed)
            .member("partly_overwritten", report.partly_overwritten)
            .member("no_chunks", report.no_chunks)
            .end();
        console.line(json.text());
        return;
    }
    auto text = fmt::format(
        "{}: {} in {}, {} with a known chunk; {} of {} unused, {} partly overwritten", world,
        counted(report.versions, "older version"), counted(report.files, "file"),
        human_count(report.attributed), human_count(report.unused_segments),
        counted(report.segments, "segment"),
        report.partly_overwritten == 1 ? "1 copy" : human_count(report.partly_overwritten) + " copies");
    if (report.no_chunks > 0) text += fmt::format(", {} without a chunk", counted(report.no_chunks, "frame"));
    if (report.not_searched > 0)
        text += fmt::format("; {} of container version 0 not searched", counted(report.not_searched, "file"));
    console.line(text);
}

} // namespace orbis::app

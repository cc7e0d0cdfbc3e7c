#include "app/edit_summary.hpp"

#include "bytes/joined.hpp"

#include <fmt/format.h>

#include <vector>

namespace orbis::app {
namespace {

std::string some(std::uint64_t count, std::string_view thing) {
    if (thing != "entity") return counted(count, thing);
    return fmt::format("{} {}", human_count(count), count == 1 ? "entity" : "entities");
}

void print_json_summary(Console& console, const std::string& world, const EditSummary& summary) {
    const auto& report = summary.report;
    const auto& counts = report.counts;
    JsonWriter json;
    json.object()
        .member("world", world)
        .member("action", summary.action)
        .member("dry_run", summary.dry_run)
        .member("refused", report.refused)
        .member("cells", counts.cells)
        .member("blocks", counts.blocks)
        .member("fluids", counts.fluids)
        .member("components", counts.components)
        .member("entities_added", counts.entities_added)
        .member("entities_removed", counts.entities_removed)
        .member("chunks", report.chunks)
        .member("light_chunks", report.light_chunks)
        .member("cut_blocks", report.cut_blocks)
        .member("damaged", report.problems.size());
    if (summary.cells_without_chunk) json.member("cells_without_chunk", *summary.cells_without_chunk);
    if (summary.unknown_keys) {
        json.member("sections_lit", counts.sections_lit)
            .member("sections_unknown", counts.sections_unknown)
            .member("sections_waiting", counts.sections_waiting)
            .key("unknown_keys")
            .array();
        for (const auto& key : *summary.unknown_keys) json.string(key);
        json.end();
    }
    json.member("undo_archive", report.change.archive.string()).end();
    console.line(json.text());
}

std::string text_of(const jobs::EditReport& report) {
    const auto& counts = report.counts;
    std::vector<std::string> parts;
    const auto add = [&](std::uint64_t count, std::string_view thing, std::string_view rest = "") {
        if (count != 0) parts.push_back(some(count, thing) + std::string(rest));
    };
    add(counts.blocks, "block");
    add(counts.fluids, "fluid");
    add(counts.components, "component");
    add(counts.entities_added, "entity", " added");
    add(counts.entities_removed, "entity", " removed");
    add(counts.sections_lit, "section", " lit");
    return joined(parts, ", ");
}

void print_unknown_keys(Console& console, const std::set<std::string, std::less<>>& unknown) {
    if (unknown.empty()) return;
    constexpr std::size_t k_shown = 5;
    std::vector<std::string> keys(unknown.begin(), unknown.end());
    const auto more = keys.size() > k_shown ? keys.size() - k_shown : 0;
    keys.resize(keys.size() - more);
    console.line(fmt::format("    light not known of {}{}", joined(keys, ", "),
                             more == 0 ? std::string() : fmt::format(" and {} more", human_count(more))));
}

/// What relight left stale, and what helps.
void print_stale_light(Console& console, const EditSummary& summary) {
    const auto& counts = summary.report.counts;
    if (counts.sections_waiting != 0)
        console.line(fmt::format("  {} left stale: a chunk around is missing or damaged",
                                 counted(counts.sections_waiting, "section")));
    if (counts.sections_unknown != 0)
        console.line(fmt::format("  {} left stale: the tables do not tell the light there",
                                 counted(counts.sections_unknown, "section")));
    print_unknown_keys(console, *summary.unknown_keys);
    if (counts.sections_waiting + counts.sections_unknown == 0) return;
    if (summary.has_keys_of_mods)
        console.line(
            "  Next: give the assets of the mod that has these blocks with --assets, or let the game "
            "compute the rest when it loads the chunks");
    else
        console.line("  Next: nothing, the game computes the rest when it loads the chunks");
}

} // namespace

void print_edit_summary(Console& console, const std::string& world, const EditSummary& summary) {
    if (console.json()) return print_json_summary(console, world, summary);
    const auto& report = summary.report;
    if (report.refused) {
        console.line(fmt::format("{}: nothing was changed, because {} cannot be edited", world,
                                 counted(report.problems.size(), "chunk")));
        console.line("  Next: repair the world with orbis repair, or edit the rest with --skip-damaged");
        return;
    }
    const auto text = text_of(report);
    const auto* const mood = summary.dry_run ? "dry run, " : "";
    if (text.empty())
        console.line(fmt::format("{}: {}nothing to change", world, mood));
    else
        console.line(fmt::format("{}: {}{} in {}", world, mood, text, counted(report.chunks, "chunk")));
    const auto fact = [&](std::uint64_t count, std::string_view thing, std::string_view rest) {
        if (count != 0) console.line(fmt::format("  {} {}", some(count, thing), rest));
    };
    fact(report.cut_blocks, "block", "of several cells reached beyond the area and went as a whole");
    fact(summary.left_out, "block", "of several cells reached out of the box and stayed where they are");
    fact(summary.cells_without_chunk.value_or(0), "cell", "of the area had no chunk");
    fact(summary.entities_without_chunk, "entity", "had no chunk to go to");
    fact(summary.source_chunks_missing, "chunk", "of the box did not exist");
    fact(report.light_chunks, "chunk", "around had light marked as stale");
    if (summary.unknown_keys) print_stale_light(console, summary);
    if (!report.problems.empty())
        console.line(fmt::format("  {} damaged and left alone", counted(report.problems.size(), "chunk")));
    if (summary.cleared) {
        const auto cleared = text_of(*summary.cleared);
        console.line(fmt::format("  in the other world: {}",
                                 summary.cleared->refused
                                     ? std::string("nothing was removed, chunks are damaged")
                                 : cleared.empty() ? std::string("nothing to remove")
                                                   : cleared));
    }
}

} // namespace orbis::app

#include "app/command_prefab_paste.hpp"

#include "app/table.hpp"
#include "bytes/joined.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/prefab/prefab_file.hpp"

#include <fmt/format.h>

namespace orbis::app {

void PrefabPaste::declare(Options& options) {
    options
        .choice("--rotate", rotate_, {"90", "180", "270"},
                "paste: turn it around the anchor; with 90 what is in the east comes to the north")
        .choice("--mirror", mirror_, {"x", "z"},
                "paste: swap east and west (x) or north and south (z), before it is turned")
        .text("--mask KEYS", mask_,
              "paste: change only cells with these blocks now, such as Empty,Plant_* or !Rock_Bedrock")
        .flag("--replace-entities", replace_entities_, "paste: remove the entities that are in its place now")
        .flag("--create-chunks", create_chunks_, "paste: make chunks that the world does not have, of air")
        .dry_run(dry_run_)
        .force(force_);
}

std::vector<const char*> PrefabPaste::given() const {
    std::vector<const char*> out;
    const auto add = [&](bool is_given, const char* name) {
        if (is_given) out.push_back(name);
    };
    add(!rotate_.empty(), "--rotate");
    add(!mirror_.empty(), "--mirror");
    add(!mask_.empty(), "--mask");
    add(replace_entities_, "--replace-entities");
    add(create_chunks_, "--create-chunks");
    add(dry_run_, "--dry-run");
    add(force_, "--force");
    return out;
}

Result<jobs::PutOptions> PrefabPaste::read_options(const Target& target, const CommonOptions& common) const {
    jobs::PutOptions out;
    out.turn = jobs::Turn::of(rotate_ == "270"   ? 270
                              : rotate_ == "180" ? 180
                              : rotate_ == "90"  ? 90
                                                 : 0,
                              mirror_ == "x", mirror_ == "z");
    out.skip_empty = target.skip_empty;
    out.replace_entities = replace_entities_;
    if (!mask_.empty()) {
        TRY(auto patterns, jobs::KeyPatterns::parse(mask_));
        out.mask = [patterns = std::move(patterns)](std::string_view key) { return patterns.match(key); };
    }
    out.edit.dry_run = dry_run_;
    out.edit.force = force_;
    out.edit.create_chunks = create_chunks_;
    out.edit.threads = common.threads;
    out.edit.verb = "prefab";
    out.edit.command = common.command_line;
    return out;
}

Result<Outcome> PrefabPaste::run(Console& console, const WorldArgument& world, const Target& target,
                                 AssetsOption& assets, const CommonOptions& common) const {
    TRY(const auto options, read_options(target, common));
    TRY(const auto prefab, jobs::prefab::read_prefab(target.file));
    TRY(const auto* tables, assets.load(console));
    TRY(const auto chosen, world.choose(console));
    std::vector<std::string> notes;
    auto done = jobs::prefab::paste_prefab(chosen.world, prefab, target.at, options, *tables, console, notes);
    if (!done) {
        if (done.error().file.empty()) done.error().file = target.file.string();
        return fail(std::move(done.error()));
    }
    for (const auto& problem : done->problems) console.problem(problem);
    for (const auto& note : notes) console.note(fmt::format("{}: {}", target.file.string(), note));
    print(console, chosen.world.name, target, *done, world.argument());
    return done->problems.empty() && !chosen.is_unfinished ? Outcome::fine : Outcome::damage;
}

void PrefabPaste::print(Console& console, const std::string& world, const Target& target,
                        const jobs::PutReport& report, const std::string& place) const {
    const auto& counts = report.counts;
    if (console.json()) {
        JsonWriter json;
        json.object().member("world", world).member("file", target.file.string());
        json.member("x", target.at.x).member("y", target.at.y).member("z", target.at.z);
        json.member("blocks", counts.blocks)
            .member("fluids", counts.fluids)
            .member("components", counts.components)
            .member("entities_added", counts.entities_added)
            .member("entities_removed", counts.entities_removed)
            .member("cut_blocks", report.cut_blocks)
            .member("chunks", report.chunks)
            .member("chunks_created", report.created)
            .member("refused", report.refused)
            .member("undo_archive", report.change.archive.string())
            .member("dry_run", dry_run_)
            .end();
        return console.line(json.text());
    }
    if (report.refused)
        return console.line(
            fmt::format("{}: nothing was changed, because chunks in this place are damaged", world));
    std::vector<std::string> parts{counted(counts.blocks, "block"), counted(counts.fluids, "fluid")};
    const auto add = [&](std::uint64_t count, std::string_view what) {
        if (count != 0) parts.push_back(fmt::format("{} {}", human_count(count), what));
    };
    add(counts.components, "with components");
    add(counts.entities_added, "entities added");
    add(counts.entities_removed, "entities removed");
    console.line(fmt::format("{}: {} {} at {:n}: {}; {}", world, dry_run_ ? "would paste" : "pasted",
                             target.file.string(), target.at, joined(parts, ", "),
                             counted(report.chunks, "chunk")));
    if (report.created != 0)
        print_fact(console, fmt::format("  new        {} of air {} made", counted(report.created, "chunk"),
                                        dry_run_ ? "would be" : "had to be"));
    if (report.cut_blocks != 0)
        print_fact(console, fmt::format("  removed    {} that reached into its place",
                                        counted(report.cut_blocks, "larger block")));
    if (!report.change.archive.empty()) print_fact(console, fmt::format("  undo       orbis undo {}", place));
}

} // namespace orbis::app

#include "app/assets_option.hpp"
#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "jobs/edit/merge_worlds.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

using Merged = jobs::MergedChunk::What;

/// The numbers of a merge with their names.
std::vector<std::pair<const char*, std::uint64_t>> numbers(const jobs::ChunkMerge& merge) {
    return {{"blocks", merge.blocks},     {"fluids", merge.fluids},   {"components", merge.components},
            {"entities", merge.entities}, {"columns", merge.columns}, {"other", merge.other}};
}

std::string text_of(const jobs::ChunkMerge& merge) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : numbers(merge))
        if (count != 0) parts.push_back(fmt::format("{} {}", name, human_count(count)));
    return joined(parts, ", ");
}

class CommandMerge final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        from_.declare(options, "The world to copy from: a folder, a backup zip or STORE@SNAPSHOT");
        chunks_.declare(options, "Only these chunks (docs/selections.md)");
        options.text("--blocks BOX", blocks_, "Only the blocks of this box: X1,Y1,Z1..X2,Y2,Z2")
            .text("--only KINDS", only_,
                  "Only these kinds of difference: added, changed, removed (default: added,changed)")
            .text("--parts PARTS", parts_,
                  "Only these parts of chunks: blocks, fluids, components, entities, tints, environments, "
                  "health, other (default: all)")
            .dry_run(dry_run_)
            .force(force_);
        assets_.declare(options);
        options.footer(
            "Makes the chosen part of PATH equal to the other world. Without --blocks and --parts whole "
            "chunks are copied as they are stored. Blocks keep their rotation, support and contents; heights "
            "are recalculated, and the game recalculates the light. `orbis diff PATH OTHER` shows the "
            "differences; `orbis undo PATH` undoes a merge.\n"
            "Examples:\n"
            "  orbis merge world --from test-world --chunks 'blocks:100,100..300,300'\n"
            "  orbis merge world --from backup.zip --blocks -20,60,-20..20,90,20 --parts blocks,fluids\n"
            "  orbis merge world --from other --only added");
    }

    Result<Outcome> run(Console& console) override {
        if (!from_.is_given())
            return fail(error(Errc::usage, "--from is missing").advise("orbis merge --help has examples"));
        jobs::MergeOptions options;
        TRY_DO(read_options(options));
        options.threads = common.threads;
        options.on_chunk = [&](const auto& chunk) { print(console, chunk); };
        TRY(const auto ours, world_.choose(console));
        TRY(const auto theirs, from_.choose(console, ours.world));
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto report, jobs::merge(ours.world, theirs.world, *assets, options, console));
        for (const auto& problem : report.problems) console.problem(problem);
        print_report(console, ours.world.name, report);
        return report.blocked == 0 && report.problems.empty() ? Outcome::fine : Outcome::damage;
    }

    Result<void> read_options(jobs::MergeOptions& options) const {
        if (chunks_.is_given()) {
            TRY(options.selection, chunks_.selection());
        }
        if (!blocks_.empty()) {
            TRY(options.box, jobs::BlockBox::parse(blocks_));
        }
        if (!parts_.empty()) {
            TRY(options.parts, jobs::MergeParts::parse(parts_));
        }
        if (!only_.empty()) TRY_DO(read_kinds(options));
        if (options.removed && !options.whole())
            return fail(
                error(Errc::usage,
                      "--only removed removes whole chunks: it cannot be used with --parts or --blocks")
                    .advise("leave out removed, or leave out --parts and --blocks"));
        options.dry_run = dry_run_;
        options.force = force_;
        options.command = common.command_line;
        return {};
    }

    Result<void> read_kinds(jobs::MergeOptions& options) const {
        options.added = options.changed = options.removed = false;
        std::string_view rest = only_;
        while (true) {
            const auto kind = rest.substr(0, rest.find(','));
            if (kind == "added")
                options.added = true;
            else if (kind == "changed")
                options.changed = true;
            else if (kind == "removed")
                options.removed = true;
            else
                return fail(error(Errc::usage, "--only must be added, changed or removed, not {}",
                                  kind.empty() ? "empty" : kind)
                                .advise("give several with commas between them: added,removed"));
            if (kind.size() == rest.size()) return {};
            rest.remove_prefix(kind.size() + 1);
        }
    }

    void print(Console& console, const jobs::MergedChunk& chunk) const {
        if (chunk.problem) console.problem(*chunk.problem);
        if (console.json()) {
            JsonWriter json;
            json.object().member("x", chunk.pos.x).member("z", chunk.pos.z);
            json.member("result", jobs::name(chunk.what));
            if (chunk.what == Merged::edited)
                for (const auto& [name, count] : numbers(chunk.merge)) json.member(name, count);
            json.member("dry_run", dry_run_).end();
            console.line(json.text());
            return;
        }
        const auto parts = text_of(chunk.merge);
        const auto prefix = chunk.what == Merged::blocked ? "not merged"
                            : dry_run_                    ? fmt::format("would be {}", jobs::name(chunk.what))
                                                          : std::string(jobs::name(chunk.what));
        console.line(fmt::format("{:n}: {}{}{}", chunk.pos, prefix, parts.empty() ? "" : ": ", parts));
    }

    void print_report(Console& console, const std::string& world, const jobs::MergeReport& report) const {
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world).member("summary", true);
            json.member("chunks_added", report.added)
                .member("chunks_replaced", report.replaced)
                .member("chunks_removed", report.removed)
                .member("chunks_edited", report.edited)
                .member("chunks_blocked", report.blocked);
            for (const auto& [name, count] : numbers(report.total)) json.member(name, count);
            json.member("cut_blocks", report.total.cut)
                .member("undo_archive", report.change.archive.string())
                .member("dry_run", dry_run_)
                .end();
            console.line(json.text());
            return;
        }
        std::vector<std::string> parts;
        for (const auto& [count, what] :
             {std::pair{report.added, "added"}, std::pair{report.replaced, "replaced"},
              std::pair{report.removed, "removed"}, std::pair{report.edited, "edited"},
              std::pair{report.blocked, "not merged"}})
            if (count != 0) parts.push_back(fmt::format("{} {}", human_count(count), what));
        const auto inside = text_of(report.total);
        console.line(fmt::format("{}: {}{}{}{}{}", world, dry_run_ ? "dry run, " : "",
                                 parts.empty() ? "nothing to merge" : "", joined(parts, ", "),
                                 inside.empty() ? "" : "; ", inside));
        if (report.total.cut != 0)
            console.line(fmt::format("  {} of larger blocks have their base outside the box: parts of these "
                                     "blocks are missing now",
                                     counted(report.total.cut, "cell")));
    }

    WorldArgument world_{WorldArgument::Use::write};
    FromOption from_;
    ChunksOption chunks_;
    std::string blocks_;
    std::string only_;
    std::string parts_;
    bool dry_run_ = false;
    bool force_ = false;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_merge() { return std::make_unique<CommandMerge>(); }

} // namespace orbis::app

#include "app/command_merge.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "bytes/joined.hpp"
#include "care/edit/merge_worlds.hpp"
#include "care/snapshot/source.hpp"

#include <fmt/format.h>

#include <array>

namespace orbis::app {

namespace {

using Merged = care::MergedChunk::What;

/// The numbers of a merge with their names.
std::vector<std::pair<const char*, std::uint64_t>> numbers(const care::ChunkMerge& merge) {
    return {{"blocks", merge.blocks},     {"fluids", merge.fluids},   {"components", merge.components},
            {"entities", merge.entities}, {"columns", merge.columns}, {"other", merge.other}};
}

std::string text_of(const care::ChunkMerge& merge) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : numbers(merge))
        if (count != 0) parts.push_back(fmt::format("{} {}", name, human_count(count)));
    return joined(parts, ", ");
}

class CommandMerge final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file or RocksDB folder to change")
            .text("--from", from_, "The other world: a folder, a backup zip, STORE@SNAPSHOT …")
            .texts("--chunks", chunks_, "Only these chunks (docs/selections.md)")
            .text("--blocks", blocks_, "Only inside of this cuboid: X1,Y1,Z1..X2,Y2,Z2")
            .text("--only", only_,
                  "Kinds of difference to apply: added, changed, removed (default: added,changed)")
            .text("--parts", parts_,
                  "Parts of chunks to take over: blocks, fluids, components, entities, tints, environments, "
                  "health, other (default: all)")
            .text("--world", world_, "Which world of a universe")
            .text("--from-world", from_world_, "Which world of the other (default: the one of the same name)")
            .flag("--dry-run", dry_run_, "Say what would be done and change nothing")
            .flag("--force", force_, "Also when another process has the files open");
        assets_.declare(options);
        options.footer(
            "Makes PATH like the other world in what was chosen. Without --blocks and --parts whole chunks "
            "move as they are stored. Blocks come with rotation, support and what they hold; heights are "
            "updated, and the game lights the place anew. orbis diff PATH OTHER shows the differences; orbis "
            "undo takes a merge back.\n"
            "Examples:\n"
            "  orbis merge world --from test-world --chunks 'blocks:100,100..300,300'\n"
            "  orbis merge world --from backup.zip --blocks -20,60,-20..20,90,20 --parts blocks,fluids\n"
            "  orbis merge world --from other --only added");
    }

    Result<Outcome> run(Console& console) override {
        if (from_.empty())
            return fail(
                error(Errc::usage, "expected --from, found none").advise("orbis merge --help has examples"));
        care::MergeOptions options;
        TRY_DO(read_options(options));
        options.threads = common.threads;
        options.on_chunk = [&](const auto& chunk) { print(console, chunk); };
        TRY(const auto place, world::find_place(path_));
        TRY(const auto* world, world::choose_world(place, world_));
        TRY(const auto source, care::find_source(from_, std::array{care::identity_of(*world)}));
        TRY(const auto* other, world::choose_counterpart(source, from_world_, *world));
        print_notes(console, *world);
        print_notes(console, *other);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto report, care::merge(*world, *other, *assets, options, console));
        for (const auto& problem : report.problems) console.problem(problem);
        print_report(console, world->name, report);
        return report.blocked == 0 && report.problems.empty() ? Outcome::fine : Outcome::damage;
    }

    Result<void> read_options(care::MergeOptions& options) const {
        if (!chunks_.empty()) {
            TRY(options.selection, care::Selection::parse(chunks_));
        }
        if (!blocks_.empty()) {
            TRY(options.box, care::BlockBox::parse(blocks_));
        }
        if (!parts_.empty()) {
            TRY(options.parts, care::MergeParts::parse(parts_));
        }
        if (!only_.empty()) TRY_DO(read_kinds(options));
        if (options.removed && !options.whole())
            return fail(error(Errc::usage, "chunks can only be removed whole")
                            .advise("leave out --parts and --blocks, or removed"));
        options.dry_run = dry_run_;
        options.force = force_;
        options.command = common.command_line;
        return {};
    }

    Result<void> read_kinds(care::MergeOptions& options) const {
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
                return fail(error(Errc::usage, "expected added, changed or removed, found {}",
                                  kind.empty() ? "nothing" : kind)
                                .advise("several with commas between them"));
            if (kind.size() == rest.size()) return {};
            rest.remove_prefix(kind.size() + 1);
        }
    }

    void print(Console& console, const care::MergedChunk& chunk) const {
        if (chunk.problem) console.problem(*chunk.problem);
        if (console.json()) {
            JsonWriter json;
            json.object().member("x", chunk.pos.x).member("z", chunk.pos.z);
            json.member("result", care::name(chunk.what));
            if (chunk.what == Merged::edited)
                for (const auto& [name, count] : numbers(chunk.merge)) json.member(name, count);
            json.member("dry_run", dry_run_).end();
            console.line(json.text());
            return;
        }
        const auto parts = text_of(chunk.merge);
        const auto prefix = chunk.what == Merged::blocked ? "not merged"
                            : dry_run_                    ? fmt::format("would be {}", care::name(chunk.what))
                                                          : std::string(care::name(chunk.what));
        console.line(
            fmt::format("{},{}: {}{}{}", chunk.pos.x, chunk.pos.z, prefix, parts.empty() ? "" : ": ", parts));
    }

    void print_report(Console& console, const std::string& world, const care::MergeReport& report) const {
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
            console.line(fmt::format("  {} of larger blocks have their base outside of the cuboid: parts of "
                                     "these blocks are missing now",
                                     counted(report.total.cut, "cell")));
    }

    std::filesystem::path path_;
    std::string from_;
    std::vector<std::string> chunks_;
    std::string blocks_;
    std::string only_;
    std::string parts_;
    std::string world_;
    std::string from_world_;
    bool dry_run_ = false;
    bool force_ = false;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_merge() { return std::make_unique<CommandMerge>(); }

} // namespace orbis::app

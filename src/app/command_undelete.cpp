#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/command_undelete_list.hpp"
#include "app/save_file.hpp"
#include "app/world_argument.hpp"
#include "bytes/hex.hpp"
#include "jobs/inspect/show_chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orbis::app {

namespace {

using jobs::Orphan;

/// An older version as it is named: region and first segment.
struct CopyName {
    RegionPos region;
    std::int32_t segment = 0;
};

/// `-1.0:46`
Result<CopyName> parse_copy(const std::string& text, const std::string& list) {
    const auto colon = text.find(':');
    const auto region = storage::parse_region_file_name(text.substr(0, colon) + ".region.bin");
    CopyName copy;
    const auto* end = text.data() + text.size();
    const auto* digits = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto parsed = std::from_chars(digits, end, copy.segment);
    if (!region || parsed.ec != std::errc() || parsed.ptr != end || copy.segment <= 0)
        return fail(error(Errc::usage, "older versions have names such as -1.0:46, not {}", text)
                        .advise(list + " lists them"));
    copy.region = *region;
    return copy;
}

class CommandUndelete final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        chunks_.declare(options, "Only older versions of these chunks (docs/selections.md)");
        options.text("--show VERSION", show_, "Show this older version as JSON, as orbis show does")
            .text("--cat VERSION", cat_, "Print the raw document of this older version")
            .file("--output,-o", output_, "With --cat: write to this new file instead of stdout")
            .text("--restore VERSION", restore_, "Restore this older version")
            .optional_chunk("--as", as_, "With --restore: the chunk to restore it as")
            .flag("--all-removed", all_removed_, "Restore every removed chunk whose position is certain")
            .dry_run(dry_run_)
            .force(force_)
            .footer(
                "What the game overwrites or removes stays in the region file until something else is "
                "written there. `orbis compact` deletes it.\n"
                "Without options the older versions are listed. Columns: name (region and segment), bytes, "
                "chunk (how it was found, how sure that is), newest game time in it, differences from the "
                "present chunk. The newest version of a chunk comes first, as far as game times tell.\n"
                "`orbis undo PATH` undoes a restore.\n"
                "Examples:\n"
                "  orbis undelete universe --chunks 'blocks:-200,300~64'\n"
                "  orbis undelete world --restore -1.0:46 --dry-run\n"
                "  orbis undelete world --restore -1.0:46 --as -3,12");
    }

    Result<Outcome> run(Console& console) override {
        TRY_DO(check_arguments());
        TRY(const auto selection, chunks_.selection()); // empty: everything is listed
        if (!show_.empty() || !cat_.empty() || !restore_.empty()) {
            TRY(const auto chosen, world_.choose(console));
            TRY_DO(run_single(console, chosen.world));
            return chosen.is_unfinished ? Outcome::damage : Outcome::fine;
        }
        TRY(const auto location, world_.find());
        return for_each_world(console, location, [&](const world::World& world) -> Result<Outcome> {
            const auto files = jobs::open_region_files(world);
            if (!files && files.error().code == Errc::usage
                && location.worlds.size() > 1) { // that is no damage
                console.note(fmt::format("{}: {}", world.name, files.error().problem));
                return Outcome::fine;
            }
            return run_world(console, world, selection);
        });
    }

    [[nodiscard]] Result<void> check_arguments() const {
        const auto asked = std::ranges::count(
            std::array{!show_.empty(), !cat_.empty(), !restore_.empty(), all_removed_}, true);
        const bool writes = !restore_.empty() || all_removed_;
        std::string problem;
        if (asked > 1) problem = "--show, --cat, --restore and --all-removed cannot be used together";
        if (as_ && restore_.empty()) problem = "--as needs --restore";
        if (!output_.empty() && cat_.empty()) problem = "--output needs --cat";
        if ((dry_run_ || force_) && !writes)
            problem = "--dry-run and --force need --restore or --all-removed: listing changes nothing";
        if (chunks_.is_given() && asked > 0 && !all_removed_)
            problem = "--chunks cannot be used with --show, --cat and --restore";
        if (!problem.empty()) return fail(error(Errc::usage, "{}", problem).advise("orbis undelete --help"));
        if (!cat_.empty() && output_.empty() && !common.json && Console::data_goes_to_terminal())
            return fail(error(Errc::usage, "the document is binary and stdout is a terminal")
                            .advise("write it to a file with -o FILE"));
        return {};
    }

    /// The list, or everything that is gone.
    Result<Outcome> run_world(Console& console, const world::World& world, const jobs::Selection& selection) {
        const bool noted = print_notes(console, world);
        TRY(const auto store, jobs::open_region_files(world));
        std::vector<jobs::OlderVersion> removed;
        const auto on_version = [&](const jobs::OlderVersion& version) {
            if (!all_removed_) return print_older(console, world.name, version);
            const auto& orphan = version.orphan;
            if (version.present != jobs::PresentState::missing || !orphan.sound()
                || orphan.sureness != Orphan::Sureness::certain)
                return;
            // The newest of a chunk comes first.
            if (removed.empty() || removed.back().orphan.chunk != orphan.chunk) removed.push_back(version);
        };
        TRY(const auto report,
            jobs::list_older_versions(
                world, *store, {.selection = selection, .threads = common.threads, .on_version = on_version},
                console));
        for (const auto& problem : report.problems) console.problem(problem);
        if (!all_removed_) print_undelete_report(console, world.name, report);
        if (all_removed_) TRY_DO(put_back(console, world, removed));
        return noted || !report.problems.empty() ? Outcome::damage : Outcome::fine;
    }

    Result<void> run_single(Console& console, const world::World& world) {
        const auto& text = !show_.empty() ? show_ : !cat_.empty() ? cat_ : restore_;
        const auto list = fmt::format("orbis undelete {}", world_.argument());
        TRY(const auto copy, parse_copy(text, list));
        TRY(const auto store, jobs::open_region_files(world));
        const auto& files = *store->region_files();
        TRY(const auto found, jobs::find_orphans(files, copy.region));
        const auto orphan = std::ranges::find(found.orphans, copy.segment, &Orphan::first_segment);
        if (orphan == found.orphans.end())
            return fail(error(Errc::not_found, "no older version of a chunk here")
                            .in_file(found.file)
                            .about(fmt::format("segment {}", copy.segment))
                            .advise(list + " lists them"));
        if (!show_.empty()) return show(console, files, *orphan);
        if (!cat_.empty()) return cat(console, files, *orphan);
        if (auto reason = jobs::reason_against(*orphan, as_))
            return fail(std::move(*reason).in_file(found.file));
        if (as_ && orphan->chunk && orphan->chunk != as_ && orphan->sureness == Orphan::Sureness::certain)
            console.note(fmt::format("this version is of {}: its entities keep their positions there",
                                     *orphan->chunk));
        auto moved = *orphan;
        if (as_) moved.chunk = as_;
        return put_back(console, world, {jobs::compare_with_present(*store, std::move(moved))});
    }

    Result<void> show(Console& console, const storage::RegionFiles& files, const Orphan& orphan) const {
        storage::ReadContext context;
        TRY(const auto document, jobs::orphan_document(files, orphan, context));
        TRY(const auto chunk, chunk::Chunk::decode(document));
        auto pos = orphan.region.chunk(Slot{});
        if (orphan.chunk)
            pos = *orphan.chunk;
        else
            console.note(fmt::format("chunk position unknown; shown as if it were {:n}", pos));
        TRY(const auto text, jobs::show_chunk(pos, chunk, {}));
        console.json() ? console.line(text) : console.indented_json(text);
        return {};
    }

    Result<void> cat(Console& console, const storage::RegionFiles& files, const Orphan& orphan) const {
        storage::ReadContext context;
        TRY(const auto document, jobs::orphan_document(files, orphan, context));
        if (!output_.empty()) TRY_DO(save_new_file(output_, document));
        if (output_.empty() && !common.json) console.bytes(document);
        if (!common.json) return {};
        JsonWriter json;
        json.object().member("copy", copy_name(orphan)).member("bytes", document.size());
        if (output_.empty())
            json.member("document_hex", to_hex(document));
        else
            json.member("file", output_.string());
        json.end();
        console.line(json.text());
        return {};
    }

    /// Each to the chunk that stands in it.
    Result<void> put_back(Console& console, const world::World& world,
                          const std::vector<jobs::OlderVersion>& versions) const {
        TRY_DO(jobs::undo_folder(world)); // refuses what cannot be written, before a dry run promises it
        std::vector<jobs::Undeletion> undeletions;
        for (const auto& version : versions) undeletions.push_back({version.orphan, *version.orphan.chunk});
        jobs::ChangeReport report;
        if (!dry_run_ && !versions.empty()) {
            TRY(report,
                jobs::undelete(
                    world, std::move(undeletions),
                    {.verb = "undelete", .command = common.command_line, .force = force_, .run = run_}));
        }
        for (const auto& version : versions) print_done(console, version);
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("world", world.name)
                .member("summary", true)
                .member("chunks", versions.size())
                .member("written", report.chunks_written)
                .member("undo_archive", report.archive.string())
                .member("dry_run", dry_run_)
                .end();
            console.line(json.text());
            return {};
        }
        console.line(fmt::format("{}: {} {}", world.name, dry_run_ ? "would restore" : "restored",
                                 counted(versions.size(), "chunk")));
        return {};
    }

    void print_done(Console& console, const jobs::OlderVersion& version) const {
        const auto chunk = *version.orphan.chunk;
        if (!console.json()) {
            console.line(fmt::format("{:n}: {} ({})", chunk, copy_name(version.orphan),
                                     jobs::difference_text(version)));
            return;
        }
        JsonWriter json;
        json.object()
            .member("x", chunk.x)
            .member("z", chunk.z)
            .member("copy", copy_name(version.orphan))
            .member("bytes", version.orphan.raw_size)
            .member("present", jobs::name(version.present))
            .member("difference", jobs::difference_text(version))
            .member("dry_run", dry_run_)
            .end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::write};
    ChunksOption chunks_;
    std::string show_;
    std::string cat_;
    std::filesystem::path output_;
    std::string restore_;
    std::optional<ChunkPos> as_;
    bool all_removed_ = false;
    bool dry_run_ = false;
    bool force_ = false;
    std::string run_ = jobs::new_run();
};

} // namespace

std::unique_ptr<Command> make_command_undelete() { return std::make_unique<CommandUndelete>(); }

} // namespace orbis::app

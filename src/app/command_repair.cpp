#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/grouped_lines.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "bytes/temporary_folder.hpp"
#include "jobs/repair/repair.hpp"
#include "map/image.hpp"
#include "storage/layered_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace orbis::app {

namespace {

class CommandRepair final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options
            .texts("--from BACKUP", options_.from,
                   "Take unreadable chunks and files from this backup: a folder, a zip, a folder of zips, "
                   "STORE@SNAPSHOT, or STORE for all its snapshots of this world. Several can be given; the "
                   "newest good copy is used")
            .flag("--other-world", options_.other_world, "Accept backups of another world")
            .flag("--missing", options_.missing, "Restore chunks that a backup has and the world does not")
            .flag("--from-orphans", options_.from_orphans,
                  "Use older copies in unused segments of the region file")
            .flag("--remove-unreadable", options_.remove_unreadable,
                  "Remove chunks that cannot be read, so that the game generates them again; their bytes are "
                  "set aside")
            .flag("--remove-ambiguous", options_.remove_ambiguous,
                  "Remove index entries that share one content if its chunk is unknown; the content is set "
                  "aside")
            .flag("--damage-only", options_.damage_only,
                  "Repair only what the game cannot load; leave what is merely wrong")
            .flag("--all", all_, "Show every step (default: a few of each kind)")
            .dry_run(options_.dry_run)
            .file(
                "--image", image_,
                "With --dry-run: draw the repaired regions to this PNG file, chunks that would be written in "
                "colour")
            .force(options_.force);
        assets_.declare(options);
        options.footer(
            "Stop the game's server first. Without options only what is certain is repaired: headers, shared "
            "segments, palette counts, heights, stale light, parts of blocks without a base, unreadable "
            "parts "
            "of chunks. A chunk that cannot be read at all is not touched until you choose where to take it "
            "from: --from first, then --from-orphans, then --remove-unreadable.\n"
            "`orbis undo PATH` undoes a repair.");
    }

    Result<Outcome> run(Console& console) override {
        lines_.emplace(all_);
        TRY(const auto* assets, assets_.load(console));
        options_.threads = common.threads;
        options_.command = common.command_line;
        if (options_.missing && options_.from.empty())
            return fail(
                error(Errc::usage, "--missing needs --from")
                    .advise("name the backup that has them: orbis repair PATH --from BACKUP --missing"));
        if (!image_.empty() && !options_.dry_run)
            return fail(error(Errc::usage, "--image needs --dry-run")
                            .advise("to draw a repaired world: orbis map PATH --image FILE.png"));
        TRY(const auto location, world_.find());
        TRY(auto preview, image_.empty() ? Result<Preview>() : Preview::make(location));
        options_.preview = preview.store.get();
        TRY(const auto report, jobs::repair(
                                   location, *assets, options_,
                                   [&](const jobs::RepairStep& step) { take(console, step); }, console));
        for (const auto& note : report.notes) console.note(note);
        print_summary(console, report);
        if (!image_.empty()) TRY_DO(draw(console, *preview.world, preview.store, *assets));
        return report.left > 0 ? Outcome::damage : Outcome::fine;
    }

    /// What a dry run would write, in region files of their own.
    struct Preview {
        TemporaryFolder folder;
        std::shared_ptr<storage::Store> store;
        const world::World* world = nullptr;

        static Result<Preview> make(const world::Location& location) {
            Preview preview;
            TRY(preview.world, world::choose_world(location, {}));
            TRY(preview.folder, TemporaryFolder::make("repair"));
            TRY(preview.store, storage::open_region_store(
                                   storage::Folder(storage::open_disk_tree(preview.folder.path() / "chunks")),
                                   {.write = true, .create = true, .sync = storage::SyncPolicy::none}));
            return preview;
        }
    };

    /// The regions that something would be written to, with a few chunks around them.
    static jobs::ChunkSet surroundings(const jobs::ChunkSet& written) {
        constexpr std::int32_t k_around = 2;
        std::set<RegionPos> regions;
        for (const auto pos : written) regions.insert(pos.region());
        std::vector<ChunkPos> shown;
        for (const auto region : regions) {
            const auto first = region.chunk(Slot{0});
            for (std::int32_t z = -k_around; z < k_side + k_around; ++z)
                for (std::int32_t x = -k_around; x < k_side + k_around; ++x)
                    shown.push_back({first.x + x, first.z + z});
        }
        return jobs::ChunkSet(std::move(shown));
    }

    Result<void> draw(Console& console, const world::World& world,
                      const std::shared_ptr<storage::Store>& preview, const world::Assets& assets) const {
        std::vector<ChunkPos> chunks;
        const auto cursor = preview->chunks();
        while (true) {
            TRY(const auto next, cursor->next());
            if (!next) break;
            chunks.push_back(*next);
        }
        const jobs::ChunkSet written(std::move(chunks));
        if (written.empty()) {
            console.note(fmt::format("{} was not drawn, because no chunk would be written", image_.string()));
            return {};
        }
        TRY(auto store, world.open({}));
        const auto together = storage::make_migration_store({preview, std::move(store)}, preview, world.name);
        const auto shown = surroundings(written);
        TRY(const auto report,
            map::write_image(*together, map::Colours(assets),
                             {.layer = {}, .only = &shown, .bright = &written, .threads = common.threads},
                             image_, console));
        console.note(fmt::format("{}: {} in colour would be written, grey ones would not change; {} × {} "
                                 "pixels; the north-west corner is block {:c}",
                                 image_.string(), counted(written.size(), "chunk"), report.width,
                                 report.height, report.first));
        return {};
    }

    /// Text waits for the verdict, which comes first.
    void take(Console& console, const jobs::RepairStep& step) {
        if (console.json()) {
            print_json(console, step);
            return;
        }
        if (step.outcome == jobs::RepairStep::Outcome::left) {
            const auto where = std::pair(step.file, step.chunk);
            if (!step.chunk)
                ++left_others_;
            else if (where != last_left_) // all steps of a chunk come together
                ++left_chunks_;
            last_left_ = where;
            if (advice_.size() < k_most_advice && !step.advice.empty()
                && std::ranges::find(advice_, step.advice) == advice_.end())
                advice_.push_back(step.advice);
        }
        const auto what = fmt::format("{}: {}", jobs::place_text(step), step.text);
        const auto line = all_ ? fmt::format("{} {}", word_for(step.outcome), what) : what;
        lines_->add(console, fmt::format("{} {}", jobs::name(step.outcome), without_numbers(step.text)),
                    fmt::format("{:<{}}  {}", word_for(step.outcome), k_word, step.text), line,
                    k_most_examples);
    }

    static void print_json(Console& console, const jobs::RepairStep& step) {
        JsonWriter json;
        json.object().member("outcome", jobs::name(step.outcome));
        json.member("world", step.world).member("file", step.file);
        if (step.chunk) json.key("chunk").array().number(step.chunk->x).number(step.chunk->z).end();
        if (!step.part.empty()) json.member("part", step.part);
        json.member("message", jobs::message_of(step)).end();
        console.line(json.text());
    }

    static std::string_view word_for(jobs::RepairStep::Outcome outcome) {
        return outcome == jobs::RepairStep::Outcome::left ? "unrepaired" : jobs::name(outcome);
    }

    /// Steps that differ in numbers alone are of one kind.
    static std::string without_numbers(std::string_view text) {
        std::string out;
        for (const char c : text) {
            const bool is_digit = c >= '0' && c <= '9';
            if (!is_digit)
                out += c;
            else if (!out.ends_with('N'))
                out += 'N';
        }
        return out;
    }

    void print_json_summary(Console& console, const jobs::RepairReport& report) const {
        JsonWriter json;
        json.object().member("summary", true).member("dry_run", options_.dry_run);
        json.member("chunks", report.chunks).member("repaired", report.chunks_repaired);
        json.member("restored", report.chunks_restored).member("removed", report.chunks_removed);
        json.member("missing", report.chunks_missing);
        json.member("files", report.files).member("left", report.left).key("undo").array();
        for (const auto& archive : report.archives) json.string(archive);
        json.end().end();
        console.line(json.text());
    }

    [[nodiscard]] std::string verdict(const jobs::RepairReport& report) const {
        std::vector<std::string> parts;
        const auto add = [&](std::uint64_t count, std::string_view thing, std::string_view what) {
            if (count > 0) parts.push_back(fmt::format("{} {}", counted(count, thing), what));
        };
        const auto be = [](std::uint64_t count) { return count == 1 ? "is" : "are"; };
        add(left_chunks_, "chunk", fmt::format("{} not repaired", be(left_chunks_)));
        add(left_others_, left_chunks_ > 0 ? "other problem" : "problem",
            fmt::format("{} not repaired", be(left_others_)));
        add(report.chunks_repaired, "chunk", "repaired");
        add(report.chunks_restored, "chunk", "restored");
        add(report.chunks_removed, "chunk", "removed");
        add(report.files, "file", "repaired");
        if (parts.empty()) parts.emplace_back("nothing to repair");
        return fmt::format("{}: {}; {} checked{}", world_.path().string(), joined(parts, ", "),
                           counted(report.chunks, "chunk"),
                           options_.dry_run ? " (dry run: nothing was changed)" : "");
    }

    void print_summary(Console& console, const jobs::RepairReport& report) {
        if (console.json()) return print_json_summary(console, report);
        print_sentence(console, verdict(report), left_chunks_ + left_others_ > 0 ? Tone::bad : Tone::good);
        for (const auto& advice : advice_) console.line({{"Next:", Tone::heading}, {" " + advice}});
        for (const auto& group : lines_->groups()) {
            print_row(console, {{human_count(group.count), 9, Tone::plain, true},
                                {group.is_mixed ? without_numbers(group.title) : group.title}});
            const auto text_size = group.title.size() - std::min(group.title.size(), k_word + 2) + 2;
            for (const auto& line : group.examples) // whose text is that of the group, unless they differ
                print_sentence(console, group.is_mixed ? line : line.substr(0, line.size() - text_size),
                               Tone::plain, 11);
        }
        lines_->print_all(console);
        if (lines_->left_out() > 0)
            console.note(
                fmt::format("{}; use --all to show everything", counted(lines_->left_out(), "more step")));
        if (report.chunks_missing > 0 && !options_.missing)
            console.note(fmt::format("{} of the backup {} missing from the world. If that is not on purpose, "
                                     "--missing restores {}",
                                     counted(report.chunks_missing, "chunk"),
                                     report.chunks_missing == 1 ? "is" : "are",
                                     report.chunks_missing == 1 ? "it" : "them"));
        if (!report.archives.empty())
            console.note(fmt::format("to undo this: orbis undo {}", world_.argument()));
    }

    static constexpr std::size_t k_most_examples = 5;
    static constexpr std::size_t k_word = 10; ///< characters of the longest `word_for`
    static constexpr std::size_t k_most_advice = 5;

    WorldArgument world_{WorldArgument::Use::write};
    jobs::RepairOptions options_;
    AssetsOption assets_;
    std::filesystem::path image_;
    bool all_ = false;
    std::optional<GroupedLines> lines_;
    std::vector<std::string> advice_;
    std::uint64_t left_chunks_ = 0;
    std::uint64_t left_others_ = 0;
    std::pair<std::string, std::optional<ChunkPos>> last_left_;
};

} // namespace

std::unique_ptr<Command> make_command_repair() { return std::make_unique<CommandRepair>(); }

} // namespace orbis::app

#include "app/command_prune.hpp"

#include "app/describe_place.hpp"
#include "care/edit/compact.hpp"
#include "care/edit/prune.hpp"
#include "care/inspect/chunk_picture.hpp"
#include "care/missing/lost_entries.hpp"
#include "world/spots.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

constexpr Rgb k_kept_colour = 0x3FB950;
constexpr Rgb k_cut_colour = 0xF0A020;
constexpr Rgb k_removed_colour = 0x6E2A2D;
constexpr Rgb k_unreadable_colour = 0xD63FD6;
constexpr Rgb k_spawn_colour = 0xFFFFFF;
constexpr Rgb k_player_colour = 0x4FC3F7;

class CommandPrune final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file or RocksDB folder")
            .texts("--keep", keep_, "Keep these chunks and remove all others (docs/selections.md)")
            .texts("--remove", remove_, "Remove only these chunks, and of these not what --keep names")
            .text("--world", world_, "Which world of a universe")
            .flag("--dry-run", dry_run_, "Only say what would be removed")
            .file("--image", image_, "Draw a map of what stays into this PNG file")
            .flag("--compact", compact_, "Also make the files smaller at once, as orbis compact does")
            .flag("--all", all_, "Also when no chunk would be left")
            .flag("--force", force_, "Also when another process has the files open")
            .footer("The game generates removed chunks anew when somebody comes near. Chunks that cannot be "
                    "judged because they are damaged are kept. orbis undo takes it back, also after "
                    "--compact.\n"
                    "Examples:\n"
                    "  everything outside of 500 blocks around spawn goes:\n"
                    "    orbis prune world --keep spawn~500 --dry-run --image map.png\n"
                    "  every base stays, with three chunks around it:\n"
                    "    orbis prune universe --world default --keep 'inhabited+3' --keep spawn~200\n"
                    "  a mined-out area is reset, but not the chests in it:\n"
                    "    orbis prune world --remove 'blocks:0,0..1000,1000' --keep containers");
    }

    Result<Outcome> run(Console& console) override {
        care::PruneOptions options;
        if (!keep_.empty()) {
            TRY(options.keep, care::Selection::parse(keep_));
        }
        if (!remove_.empty()) {
            TRY(options.remove, care::Selection::parse(remove_));
        }
        options.all = all_;
        options.force = force_;
        options.threads = common.threads;
        options.command = common.command_line;
        TRY(const auto place, world::find_place(path_));
        TRY(const auto* world, world::choose_world(place, world_));
        print_notes(console, *world);
        TRY(auto store, world->open({}));
        TRY(const auto plan, care::plan_prune(*world, *store, options, console));
        for (const auto& problem : plan.problems) console.problem(problem);
        if (!image_.empty()) TRY_DO(draw(console, *world, *store, plan));
        const bool is_complete = care::refuse_lost_entries(*store).has_value();
        store.reset(); // a database cannot be opened twice
        care::PruneReport report;
        if (!dry_run_) {
            TRY(report, care::prune(*world, plan, options, console));
            for (const auto& problem : report.problems) console.problem(problem);
        }
        print(console, world->name, plan, report);
        auto outcome = plan.problems.empty() && report.problems.empty() ? Outcome::fine : Outcome::damage;
        if (compact_ && !dry_run_ && !plan.removed.empty())
            TRY_DO(compact(console, *world, is_complete, outcome));
        return outcome;
    }

    Result<void> draw(Console& console, const world::World& world, const storage::Store& store,
                      const care::PrunePlan& plan) const {
        care::ChunkPicture picture;
        const auto cursor = store.chunks();
        for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
            if (!next) continue; // told already
            const auto pos = **next;
            if (plan.removes(pos))
                picture.add(pos, k_removed_colour, 0);
            else if (plan.unreadable.contains(pos))
                picture.add(pos, k_unreadable_colour, 3);
            else if (plan.cut.contains(pos))
                picture.add(pos, k_cut_colour, 2);
            else
                picture.add(pos, k_kept_colour, 1);
        }
        for (const auto& spot : world::spawn_points(world).spots) picture.mark(spot.block(), k_spawn_colour);
        for (const auto& spot : world::player_positions(world).spots)
            picture.mark(spot.block(), k_player_colour);
        TRY_DO(write_png(image_, picture.draw()));
        console.note(fmt::format("{}: green stays, orange stays at a cut edge, purple stays unread, dark red "
                                 "goes; white crosses are spawn points, blue ones players; {}",
                                 image_.string(), picture.scale_text()));
        return {};
    }

    void print(Console& console, const std::string& world, const care::PrunePlan& plan,
               const care::PruneReport& report) const {
        const auto removed = plan.removed.size() - report.problems.size();
        std::error_code ignored;
        const auto archived =
            report.change.archive.empty() ? 0 : std::filesystem::file_size(report.change.archive, ignored);
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world).member("kept", plan.kept + report.problems.size());
            json.member("removed", removed)
                .member("unreadable_kept", plan.unreadable.size())
                .member("cut_edges", plan.cut.size())
                .member("compressed_bytes", plan.frame_bytes)
                .member("bytes_for_compact", plan.segment_bytes)
                .member("undo_archive", report.change.archive.string())
                .member("undo_archive_bytes", archived)
                .member("dry_run", dry_run_)
                .end();
            console.line(json.text());
            return;
        }
        const auto place = place_argument(path_, world_);
        console.line(fmt::format(
            "{}: {} {}, {} stay{}", world, dry_run_ ? "would remove" : "removed", counted(removed, "chunk"),
            human_count(plan.kept + report.problems.size()),
            plan.unreadable.empty() ? "" : fmt::format(" ({} of them unreadable)", plan.unreadable.size())));
        if (!plan.cut.empty())
            console.line(fmt::format("  cut edges  {} will border on terrain that the game generates anew; "
                                     "with another version of the generator there will be seams",
                                     counted(plan.cut.size(), "kept chunk")));
        if (plan.segment_bytes != 0)
            console.line(
                fmt::format("  space      about {} in the region files {} unused{}",
                            human_bytes(plan.segment_bytes), dry_run_ ? "would become" : "became",
                            compact_ ? "" : fmt::format("; orbis compact {} gives them back", place)));
        if (archived != 0)
            console.line(fmt::format("  undo       {} takes {}; orbis undo {} takes it back, orbis undo {} "
                                     "--forget frees the space",
                                     report.change.archive.string(), human_bytes(archived), place, place));
    }

    /// What was just removed lies in the file without an entry; so may what was lost before, which stays.
    Result<void> compact(Console& console, const world::World& world, bool was_complete,
                         Outcome& outcome) const {
        TRY(const auto report,
            care::compact(
                world,
                {.force = force_, .threads = common.threads, .drops_lost = was_complete, .keeps_undo = false},
                console));
        std::uint64_t before = 0;
        std::uint64_t after = 0;
        for (const auto& file : report.files) {
            before += file.bytes_before;
            after += file.bytes_after;
        }
        for (const auto& problem : report.problems) console.problem(problem);
        if (!report.problems.empty()) outcome = Outcome::damage;
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world.name).member("compacted", true);
            json.member("bytes_before", before).member("bytes_after", after).end();
            console.line(json.text());
        } else {
            console.line(
                fmt::format("  compacted  {} before, {} after", human_bytes(before), human_bytes(after)));
        }
        return {};
    }

    std::filesystem::path path_;
    std::vector<std::string> keep_;
    std::vector<std::string> remove_;
    std::string world_;
    std::filesystem::path image_;
    bool dry_run_ = false;
    bool compact_ = false;
    bool all_ = false;
    bool force_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_prune() { return std::make_unique<CommandPrune>(); }

} // namespace orbis::app

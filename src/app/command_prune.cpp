#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "jobs/edit/compact.hpp"
#include "jobs/edit/prune.hpp"
#include "jobs/inspect/chunk_picture.hpp"
#include "jobs/missing/lost_entries.hpp"
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
        world_.declare_one(options);
        keep_.declare(options, "Keep these chunks and remove all others (docs/selections.md)", "--keep");
        remove_.declare(options, "Remove only these chunks, except those that --keep names", "--remove");
        options.dry_run(dry_run_)
            .file("--image", image_, "Draw a map of what is kept and removed to this PNG file")
            .flag("--compact", compact_, "Make the files smaller too, as orbis compact does")
            .flag("--all", all_, "Allow all chunks to be removed")
            .force(force_)
            .footer("The game generates removed chunks again when a player comes near. Damaged chunks whose "
                    "content decides are kept. `orbis undo PATH` undoes it, also after --compact.\n"
                    "Examples:\n"
                    "  Remove everything more than 500 blocks from spawn:\n"
                    "    orbis prune world --keep spawn~500 --dry-run --image map.png\n"
                    "  Keep every base with three chunks around it:\n"
                    "    orbis prune universe --world default --keep 'inhabited+3' --keep spawn~200\n"
                    "  Reset a mined-out area, except its chests:\n"
                    "    orbis prune world --remove 'blocks:0,0..1000,1000' --keep containers");
    }

    Result<Outcome> run(Console& console) override {
        jobs::PruneOptions options;
        if (keep_.is_given()) {
            TRY(options.keep, keep_.selection());
        }
        if (remove_.is_given()) {
            TRY(options.remove, remove_.selection());
        }
        options.all = all_;
        options.force = force_;
        options.threads = common.threads;
        options.command = common.command_line;
        TRY(auto opened, world_.open(console));
        const auto& world = opened.world;
        TRY(const auto plan, jobs::plan_prune(world, *opened.store, options, console));
        for (const auto& problem : plan.problems) console.problem(problem);
        if (!image_.empty()) TRY_DO(draw(console, world, *opened.store, plan));
        const bool is_complete = jobs::refuse_lost_entries(*opened.store).has_value();
        opened.store.reset(); // a database cannot be opened twice
        jobs::PruneReport report;
        if (!dry_run_) {
            TRY(report, jobs::prune(world, plan, options, console));
            for (const auto& problem : report.problems) console.problem(problem);
        }
        print(console, world.name, plan, report);
        auto outcome = plan.problems.empty() && report.problems.empty() ? Outcome::fine : Outcome::damage;
        if (compact_ && !dry_run_ && !plan.removed.empty())
            TRY_DO(compact(console, world, is_complete, outcome));
        return outcome;
    }

    Result<void> draw(Console& console, const world::World& world, const storage::Store& store,
                      const jobs::PrunePlan& plan) const {
        jobs::ChunkPicture picture;
        const auto cursor = store.chunks();
        for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
            if (!next) continue; // reported already
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
        console.note(fmt::format("{}: green is kept, orange is kept at a cut edge, purple is kept unread, "
                                 "dark red is removed; white crosses are spawn points, blue ones players; {}",
                                 image_.string(), picture.scale_text()));
        return {};
    }

    void print(Console& console, const std::string& world, const jobs::PrunePlan& plan,
               const jobs::PruneReport& report) const {
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
        const auto place = world_.argument();
        console.line(fmt::format(
            "{}: {} {}, {} {}{}", world, dry_run_ ? "would remove" : "removed", counted(removed, "chunk"),
            dry_run_ ? "keep" : "kept", human_count(plan.kept + report.problems.size()),
            plan.unreadable.empty() ? "" : fmt::format(" ({} of them unreadable)", plan.unreadable.size())));
        if (!plan.cut.empty())
            print_fact(console,
                       fmt::format("  cut edges  {} will border on newly generated terrain; if the generator "
                                   "has changed, there will be seams",
                                   counted(plan.cut.size(), "kept chunk")));
        if (plan.segment_bytes != 0)
            print_fact(console,
                       fmt::format("  space      about {} of the region files {} unused{}",
                                   human_bytes(plan.segment_bytes), dry_run_ ? "would become" : "became",
                                   compact_ ? "" : fmt::format("; orbis compact {} frees it", place)));
        if (archived != 0)
            print_fact(console,
                       fmt::format("  undo       orbis undo {0}; {1} has the removed chunks ({2}), orbis "
                                   "undo {0} --forget deletes it",
                                   place, report.change.archive.string(), human_bytes(archived)));
    }

    /// What was just removed is in the file without an entry; so may be what was lost before, which is kept.
    Result<void> compact(Console& console, const world::World& world, bool was_complete,
                         Outcome& outcome) const {
        TRY(const auto report,
            jobs::compact(
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
            print_fact(console, fmt::format("  compacted  {} before, {} after", human_bytes(before),
                                            human_bytes(after)));
        }
        return {};
    }

    WorldArgument world_{WorldArgument::Use::write};
    ChunksOption keep_;
    ChunksOption remove_;
    std::filesystem::path image_;
    bool dry_run_ = false;
    bool compact_ = false;
    bool all_ = false;
    bool force_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_prune() { return std::make_unique<CommandPrune>(); }

} // namespace orbis::app

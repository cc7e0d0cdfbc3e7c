#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/print_diff.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "jobs/inspect/chunk_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

using State = jobs::ComparedChunk::State;

constexpr Rgb k_diff_equal = 0x4A4F57;
constexpr Rgb k_diff_added = 0x3FB950;
constexpr Rgb k_diff_removed = 0xE5484D;
constexpr Rgb k_diff_changed = 0x8A6A12;
constexpr Rgb k_diff_changed_columns = 0xFFD33D;
constexpr Rgb k_diff_unreadable = 0xD63FD6;

Rgb colour_of(State state) {
    switch (state) {
    case State::equal: return k_diff_equal;
    case State::added: return k_diff_added;
    case State::removed: return k_diff_removed;
    case State::changed: return k_diff_changed;
    case State::unreadable: return k_diff_unreadable;
    }
    return k_diff_unreadable;
}

class CommandDiff final : public Command {
    void declare(Options& options) override {
        before_.declare(
            options, "A",
            "Before: universe, world folder, region file, RocksDB folder, backup zip or STORE@SNAPSHOT");
        after_.declare_all(options, "B", "After: the same kinds of path");
        chunks_.declare(options, "Only these chunks, such as 'blocks:0,0~500' (docs/selections.md)");
        options
            .flag("--terrain", terrain_,
                  "Compare only blocks, fillers, rotations, fluids, heights, tints and environments")
            .flag("--summary", summary_, "Print only the totals")
            .number("--limit COUNT", limit_, 0, 1'000'000'000,
                    "Show at most N chunks; 0 for all (default: 50, with --json all)")
            .number("--details COUNT", details_, 0, 1'000'000,
                    "Show at most N single changes of each kind per chunk (default: 5, with --json 100)")
            .file("--image", image_, "Draw a map of the differences to this PNG file")
            .footer(
                "Compares content: the order of palettes, ids and the kind of storage do not matter. "
                "Chunks that cannot be read count as different unless their bytes are equal.\n"
                "Examples:\n"
                "  orbis diff universe backup/2026-06-01_12-00-00.zip --world default --summary\n"
                "  orbis diff old new --terrain --image changes.png\n"
                "  orbis diff old new --chunks 3,-4 --details 1000\n"
                "Exit codes: 0 no differences; 1 differences, damage or errors in the data; 2 the command "
                "cannot be run as it was given.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto both, WorldArgument::find_both(before_, after_));
        const auto& [before, after] = both;
        TRY(const auto pairs, pair_worlds(console, before, after));
        if (!image_.empty() && pairs.size() != 1)
            return fail(error(Errc::usage, "--image draws one world, and there are {}", pairs.size())
                            .advise("choose one with --world NAME"));
        TRY(selection_, chunks_.selection());
        auto outcome = lonely_ ? Outcome::damage : Outcome::fine;
        for (const auto& [a, b] : pairs) {
            const auto done = compare(console, *a, *b);
            if (!done && pairs.size() == 1) return std::unexpected(done.error());
            if (!done) console.problem(done.error());
            if (!done || *done == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    using Pairs = std::vector<std::pair<const world::World*, const world::World*>>;

    /// Worlds of the same name; two single worlds whatever their names are.
    Result<Pairs> pair_worlds(Console& console, const world::Location& before, const world::Location& after) {
        Pairs pairs;
        const bool single = before.worlds.size() == 1 && after.worlds.size() == 1;
        if (single || !after_.name().empty()) {
            // If there is only one, its name does not matter.
            const auto choose = [&](const world::Location& location) {
                return world::choose_world(location, location.worlds.size() == 1 ? "" : after_.name());
            };
            TRY(const auto* a, choose(before));
            TRY(const auto* b, choose(after));
            pairs.emplace_back(a, b);
            return pairs;
        }
        const auto find = [](const world::Location& location, std::string_view name) -> const world::World* {
            const auto found = std::ranges::find(location.worlds, name, &world::World::name);
            return found == location.worlds.end() ? nullptr : &*found;
        };
        // A world on its own and a universe without a world of that name.
        for (const auto* lone : {&before, &after}) {
            const auto& other = lone == &before ? after : before;
            if (lone->worlds.size() == 1 && find(other, lone->worlds[0].name) == nullptr) {
                TRY_DO(world::choose_world(other, {}));
            }
        }
        for (const auto& world : before.worlds) {
            if (const auto* other = find(after, world.name))
                pairs.emplace_back(&world, other);
            else
                print_lonely(console, world.name, "removed");
        }
        for (const auto& world : after.worlds)
            if (find(before, world.name) == nullptr) print_lonely(console, world.name, "added");
        return pairs;
    }

    void print_lonely(Console& console, const std::string& world, std::string_view change) {
        lonely_ = true;
        if (!console.json()) {
            console.line(fmt::format("{}: the whole world was {}", world, change));
            return;
        }
        JsonWriter json;
        json.object().member("world", world).member("change", change).end();
        console.line(json.text());
    }

    Result<Outcome> compare(Console& console, const world::World& a, const world::World& b) {
        print_notes(console, a);
        print_notes(console, b);
        TRY(const auto before, a.open({}));
        TRY(const auto after, b.open({}));
        TRY(auto wanted, make_filter(console, a, *before, b, *after));
        const auto limit = static_cast<std::uint64_t>(limit_.value_or(console.json() ? 0 : 50));
        const auto details = static_cast<std::size_t>(details_.value_or(console.json() ? 100 : 5));
        jobs::ChunkPicture picture;
        std::uint64_t shown = 0;
        std::uint64_t hidden = 0;
        const auto on_chunk = [&](jobs::ComparedChunk& chunk) {
            if (!image_.empty()) draw(picture, chunk);
            if (chunk.state == State::equal || summary_) return true;
            if (limit != 0 && shown == limit) {
                ++hidden;
                return true;
            }
            ++shown;
            for (const auto& problem : chunk.problems) console.problem(problem);
            print_compared(console, b.name, chunk);
            return true;
        };
        const auto sums =
            jobs::diff_worlds({.before = *before,
                               .after = *after,
                               .options = {.terrain = terrain_, .most_details = summary_ ? 0 : details},
                               .threads = common.threads,
                               .wanted = std::move(wanted),
                               .on_chunk = on_chunk,
                               .on_error = [&](const Error& error) { console.problem(error); }},
                              console);
        if (hidden != 0)
            console.note(fmt::format("{}; use --limit 0 to show all", counted(hidden, "more changed chunk")));
        print_sums(console, b.name, sums);
        if (!image_.empty()) {
            TRY_DO(write_png(image_, picture.draw()));
            console.note(
                fmt::format("{}: green added, red removed, yellow changed, purple unreadable, grey equal; "
                            "{}",
                            image_.string(), picture.scale_text()));
        }
        return sums.is_equal() ? Outcome::fine : Outcome::damage;
    }

    /// A chunk is wanted when it is selected in one of the worlds.
    Result<std::function<bool(ChunkPos)>> make_filter(Console& console, const world::World& a,
                                                      const storage::Store& before, const world::World& b,
                                                      const storage::Store& after) const {
        if (!chunks_.is_given()) return std::function<bool(ChunkPos)>();
        TRY(auto left, jobs::make_selector(selection_, a, before, common.threads, console));
        TRY(auto right, jobs::make_selector(selection_, b, after, common.threads, console));
        for (const auto* selector : {&left, &right})
            for (const auto& problem : selector->problems()) console.problem(problem);
        const auto both =
            std::make_shared<std::pair<jobs::Selector, jobs::Selector>>(std::move(left), std::move(right));
        return [both](ChunkPos pos) { return both->first.contains(pos) || both->second.contains(pos); };
    }

    static void draw(jobs::ChunkPicture& picture, const jobs::ComparedChunk& chunk) {
        picture.add(chunk.pos, colour_of(chunk.state), static_cast<int>(chunk.state));
        if (chunk.state == State::changed)
            picture.add_columns(chunk.pos, chunk.diff.columns, k_diff_changed_columns);
    }

    static void print_sums(Console& console, const std::string& world, const jobs::WorldDiff& sums) {
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world).member("summary", true).member("equal", sums.is_equal());
            json.member("chunks_equal", sums.equal)
                .member("chunks_added", sums.added)
                .member("chunks_removed", sums.removed)
                .member("chunks_changed", sums.changed)
                .member("chunks_unreadable", sums.unreadable)
                .member("regions_unreadable", sums.unreadable_regions);
            write_parts(json, sums.total);
            json.end();
            console.line(json.text());
            return;
        }
        if (sums.is_equal()) {
            print_sentence(console, fmt::format("{}: equal, {}", world, counted(sums.equal, "chunk")),
                           Tone::good);
            return;
        }
        std::vector<std::string> parts;
        for (const auto& [count, what] : {std::pair{sums.added, "added"},
                                          {sums.removed, "removed"},
                                          {sums.changed, "changed"},
                                          {sums.unreadable, "unreadable"}})
            if (count != 0) parts.push_back(fmt::format("{} {}", human_count(count), what));
        if (sums.unreadable_regions != 0)
            parts.push_back(counted(sums.unreadable_regions, "unreadable region"));
        parts.push_back(fmt::format("{} equal", human_count(sums.equal)));
        const auto inside = parts_text(sums.total);
        print_sentence(console, fmt::format("{}: {}{}{}", world, joined(parts, ", "),
                                            inside.empty() ? "" : "; in changed chunks: ", inside));
    }

    WorldArgument before_{WorldArgument::Use::read};
    WorldArgument after_{WorldArgument::Use::read};
    ChunksOption chunks_;
    jobs::Selection selection_;
    bool terrain_ = false;
    bool summary_ = false;
    bool lonely_ = false; ///< a world is in one of the universes only
    std::optional<int> limit_;
    std::optional<int> details_;
    std::filesystem::path image_;
};

} // namespace

std::unique_ptr<Command> make_command_diff() { return std::make_unique<CommandDiff>(); }

} // namespace orbis::app

#include "app/command_repair.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "app/grouped_lines.hpp"
#include "bytes/joined.hpp"
#include "care/repair/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace orbis::app {

namespace {

class CommandRepair final : public Command {
    void declare(Options& options) override {
        options
            .path("PATH", path_,
                  "Universe, world folder, folder of region files, region file or RocksDB folder")
            .text("--world", world_, "Only this world of a universe")
            .texts("--from", options_.from,
                   "A backup to take unreadable chunks and files from: folder, zip, a folder of zips, "
                   "STORE@SNAPSHOT, or STORE for all its snapshots of this world; several may be given, the "
                   "newest good copy is taken")
            .flag("--other-world", options_.other_world,
                  "Also take from backups of another world than this one")
            .flag("--missing", options_.missing, "Bring back chunks that a backup has and the world has not")
            .flag("--from-orphans", options_.from_orphans,
                  "Take older copies that still lie in unused segments of the region file")
            .flag("--remove-unreadable", options_.remove_unreadable,
                  "Remove what cannot be read, so that the game generates it anew; the bytes are set aside")
            .flag("--damage-only", options_.damage_only,
                  "Leave alone what the game can load though it contradicts itself")
            .flag("--all", all_, "Print every step; without it a few of each kind")
            .flag("--dry-run", options_.dry_run, "Say what would be done and do nothing")
            .flag("--force", options_.force, "Also when another process has the files open");
        assets_.declare(options);
        options.footer(
            "Without choices only what is certain is mended: headers, shared segments, palette counts, "
            "heights, "
            "stale light, parts of blocks whose base is gone, parts of chunks that cannot be read. A chunk "
            "that "
            "cannot be read at all stays until you choose where to take it from: --from first, then "
            "--from-orphans, then --remove-unreadable.\n"
            "Everything can be taken back with orbis undo PATH. Stop the game's server first.");
    }

    Result<Outcome> run(Console& console) override {
        lines_.emplace(all_);
        TRY(const auto* assets, assets_.load(console));
        options_.threads = common.threads;
        options_.command = common.command_line;
        if (options_.missing && options_.from.empty())
            return fail(
                error(Errc::usage, "--missing needs --from")
                    .advise("give the backup that has them: orbis repair PATH --from BACKUP --missing"));
        TRY(auto place, world::find_place(path_));
        TRY(place, world::narrow_to_world(std::move(place), world_));
        TRY(const auto report, care::repair(
                                   place, *assets, options_,
                                   [&](const care::RepairStep& step) { take(console, step); }, console));
        for (const auto& note : report.notes) console.note(note);
        print_summary(console, report);
        return report.left > 0 ? Outcome::damage : Outcome::fine;
    }

    /// Text waits for the verdict, which comes first.
    void take(Console& console, const care::RepairStep& step) {
        if (console.json()) {
            console.line(care::to_json(step));
            return;
        }
        if (step.outcome == care::RepairStep::Outcome::left) {
            const auto place = std::pair(step.file, step.chunk);
            if (!step.chunk)
                ++left_others_;
            else if (place != last_left_) // all steps of a chunk come together
                ++left_chunks_;
            last_left_ = place;
            if (advice_.size() < k_most_advice && !step.advice.empty()
                && std::ranges::find(advice_, step.advice) == advice_.end())
                advice_.push_back(step.advice);
        }
        const auto what = fmt::format("{}: {}", care::place_text(step), step.text);
        const auto line = all_ ? fmt::format("{} {}", word_for(step.outcome), what) : what;
        lines_->add(console, fmt::format("{} {}", care::name(step.outcome), without_numbers(step.text)),
                    fmt::format("{:<8}  {}", word_for(step.outcome), step.text), line, k_most_examples);
    }

    static std::string_view word_for(care::RepairStep::Outcome outcome) {
        return outcome == care::RepairStep::Outcome::mended ? "repaired" : care::name(outcome);
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

    void print_json_summary(Console& console, const care::RepairReport& report) const {
        JsonWriter json;
        json.object().member("summary", true).member("dry_run", options_.dry_run);
        json.member("chunks", report.chunks).member("mended", report.chunks_mended);
        json.member("restored", report.chunks_restored).member("removed", report.chunks_removed);
        json.member("missing", report.chunks_missing);
        json.member("files", report.files).member("left", report.left).key("undo").array();
        for (const auto& archive : report.archives) json.string(archive);
        json.end().end();
        console.line(json.text());
    }

    [[nodiscard]] std::string verdict(const care::RepairReport& report) const {
        std::vector<std::string> parts;
        const auto add = [&](std::uint64_t count, std::string_view thing, std::string_view what) {
            if (count > 0) parts.push_back(fmt::format("{} {}", counted(count, thing), what));
        };
        const auto be = [](std::uint64_t count) { return count == 1 ? "is" : "are"; };
        add(left_chunks_, "chunk", fmt::format("{} not repaired", be(left_chunks_)));
        add(left_others_, left_chunks_ > 0 ? "other problem" : "problem",
            fmt::format("{} left", be(left_others_)));
        add(report.chunks_mended, "chunk", "repaired");
        add(report.chunks_restored, "chunk", "restored");
        add(report.chunks_removed, "chunk", "removed");
        add(report.files, "file", "repaired");
        if (parts.empty()) parts.emplace_back("nothing to repair");
        return fmt::format("{}: {}; {} looked at{}", path_.string(), joined(parts, ", "),
                           counted(report.chunks, "chunk"),
                           options_.dry_run ? " (dry run: nothing was changed)" : "");
    }

    void print_summary(Console& console, const care::RepairReport& report) {
        if (console.json()) return print_json_summary(console, report);
        console.line(verdict(report));
        for (const auto& advice : advice_) console.line("Next: " + advice);
        for (const auto& group : lines_->groups()) {
            console.line(fmt::format("{:>9}  {}", human_count(group.count),
                                     group.is_mixed ? without_numbers(group.title) : group.title));
            const auto text_size = group.title.size() - std::min<std::size_t>(group.title.size(), 10) + 2;
            for (const auto& line : group.examples) // whose text is that of the group, unless they differ
                console.line("           "
                             + (group.is_mixed ? line : line.substr(0, line.size() - text_size)));
        }
        lines_->print_all(console);
        if (lines_->left_out() > 0)
            console.note(
                fmt::format("{}; use --all to show everything", counted(lines_->left_out(), "more step")));
        if (report.chunks_missing > 0 && !options_.missing)
            console.note(fmt::format("{} that a backup has {} not in the world: --missing brings {} back; "
                                     "nothing needs to be done where that is on purpose",
                                     counted(report.chunks_missing, "chunk"),
                                     report.chunks_missing == 1 ? "is" : "are",
                                     report.chunks_missing == 1 ? "it" : "them"));
        if (!report.archives.empty())
            console.note(fmt::format("undo it with: orbis undo {}", place_argument(path_, world_)));
    }

    static constexpr std::size_t k_most_examples = 5;
    static constexpr std::size_t k_most_advice = 5;

    std::filesystem::path path_;
    std::string world_;
    care::RepairOptions options_;
    AssetsOption assets_;
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

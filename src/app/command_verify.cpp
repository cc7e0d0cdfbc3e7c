#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/grouped_lines.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/repair/donors.hpp"
#include "jobs/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace orbis::app {

namespace {

class CommandVerify final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options
            .text("--against BACKUP", against_,
                  "Check too that nothing of this backup is missing: a folder, a zip, a folder of zips (the "
                  "newest is used), STORE@SNAPSHOT, or STORE for the newest snapshot of this world")
            .flag("--accept", accept_, "Accept that chunks are gone: do not report them any more")
            .flag("--no-memory", no_memory_, "Do not remember how many chunks there are")
            .flag("--quick", quick_, "Check only indexes, headers and files; decompress no chunk")
            .flag("--all", all_, "Show every finding (default: a few of each kind)")
            .flag("--strict", strict_, "Exit with 1 for wrong data too, not only for damage")
            .lone_flag("--codes", codes_, "Explain all codes of findings and exit");
        assets_.declare(options);
        options.footer(
            "Damage is what the game cannot load. Wrong is what it loads although it contradicts itself. "
            "Notes are harmless. The verdict comes first, then the findings in groups, the worst first. With "
            "--json each finding is a line, and the last line is a summary.\n"
            "The world is not changed. How many chunks each region has is remembered in "
            "orbis-chunk-counts.txt in the world's folder, so that missing chunks are noticed next time.\n"
            "Exit codes: 0 no damage; 1 damage; 2 the command cannot be run as it was given.");
    }

    Result<Outcome> run(Console& console) override {
        if (codes_) {
            print_codes(console);
            return Outcome::fine;
        }
        lines_.emplace(all_);
        TRY(const auto* assets, assets_.load(console));
        TRY(auto location, world_.find_all());
        help_target_ = jobs::help_target(location, world_.name());
        TRY(location, world_.narrow(std::move(location)));
        jobs::VerifyOptions options{.quick = quick_, .threads = common.threads, .accepts = accept_};
        std::vector<jobs::Donor> backups;
        if (!against_.empty()) {
            std::vector<std::string> ignored;
            TRY(backups, jobs::open_donors({against_}, location, {.other_world = true}, ignored));
            const auto* const backup = &backups.front().location; // the newest
            TRY(options.against, pair_with(console, location, *backup));
            if (backup->kind == world::Location::Kind::universe
                && std::ranges::any_of(options.against, [](const auto* world) { return world != nullptr; }))
                options.against_universe = backup->root;
        }
        const auto report = jobs::verify(
            location, *assets, options, [&](const jobs::Finding& finding) { print(console, finding); },
            console);
        print_summary(console, report);
        if (!no_memory_) remember(location, report);
        return report.damage > 0 || (strict_ && report.wrong > 0) ? Outcome::damage : Outcome::fine;
    }

    /// The worlds of the backup that belong to those of the location.
    Result<std::vector<const world::World*>> pair_with(Console& console, const world::Location& location,
                                                       const world::Location& backup) const {
        std::vector<const world::World*> pairs;
        std::vector<std::string> alone;
        for (const auto& world : location.worlds) {
            const auto ours = jobs::identity_of(world);
            const auto found = jobs::counterpart_of(ours, location.worlds.size() == 1, backup, {});
            pairs.push_back(found.is_other ? nullptr : found.world);
            if (found.is_other)
                alone.push_back(fmt::format("its world {} is {}; this one is {}", found.world->name,
                                            shown(jobs::identity_of(*found.world)), shown(ours)));
            else if (found.world == nullptr)
                alone.push_back(fmt::format("it has no world {}", world.name));
        }
        if (!alone.empty() && alone.size() == pairs.size())
            return fail(error(Errc::usage, "this backup is of another world: {}", alone.front())
                            .in_file(backup.path)
                            .advise("give a backup of this world"));
        for (const auto& text : alone) console.note(fmt::format("{}: {}; not compared", backup.path, text));
        return pairs;
    }

    void remember(const world::Location& location, const jobs::VerifyReport& report) const {
        const auto now = utc_now().time_since_epoch().count();
        for (std::size_t i = 0; i < location.worlds.size(); ++i)
            if (report.counted[i].is_counted)
                jobs::remember_counts(location.worlds[i], report.counted[i].regions, now, accept_);
    }

    /// Text waits for the verdict, which comes first.
    void print(Console& console, const jobs::Finding& finding) {
        if (console.json()) {
            console.line(jobs::to_json(finding, help_target_));
            return;
        }
        const auto& info = jobs::code_info(finding.code);
        auto line = jobs::to_text(finding);
        if (!all_)
            line.erase(0, jobs::name(info.severity).size() + info.name.size() + 2); // its group says it
        lines_->add(console, info.name, info.name, line, most_examples(finding.code));
        if (info.severity != jobs::Severity::damage) return;
        if (!finding.chunk && finding.code != jobs::Code::chunk_missing) ++damaged_files_;
        if (!finding.help.empty() && own_help_.size() < k_most_own_help
            && std::ranges::find(own_help_, finding.help) == own_help_.end())
            own_help_.push_back(finding.help);
    }

    static Tone tone_of(jobs::Severity severity) {
        switch (severity) {
        case jobs::Severity::damage: return Tone::bad;
        case jobs::Severity::wrong: return Tone::warning;
        case jobs::Severity::note: return Tone::faint;
        }
        return Tone::plain;
    }

    static std::size_t most_examples(jobs::Code code) {
        if (code == jobs::Code::chunk_fewer) return 1; // no other verb looks for it
        switch (jobs::code_info(code).severity) {
        case jobs::Severity::damage: return 5;
        case jobs::Severity::wrong: return 3;
        case jobs::Severity::note: return 0;
        }
        return 0;
    }

    void print_json_summary(Console& console, const jobs::VerifyReport& report) const {
        JsonWriter json;
        json.object().member("summary", true).member("quick", quick_);
        json.member("worlds", report.worlds).member("unreadable_worlds", report.unreadable_worlds);
        json.member("region_files", report.files);
        json.member("chunks", report.chunks).member("damaged_chunks", report.damaged_chunks);
        if (!against_.empty()) json.member("missing_chunks", report.missing_chunks);
        if (report.fewer_chunks > 0) json.member("fewer_chunks", report.fewer_chunks);
        json.member("damage", report.damage).member("wrong", report.wrong).member("notes", report.notes);
        json.key("codes").object();
        for (std::size_t i = 0; i < report.by_code.size(); ++i)
            if (report.by_code[i] > 0) json.member(jobs::all_codes()[i].name, report.by_code[i]);
        json.end().end();
        console.line(json.text());
    }

    [[nodiscard]] std::string verdict(const jobs::VerifyReport& report) const {
        std::vector<std::string> parts;
        const auto be = [](std::uint64_t count) { return count == 1 ? "is" : "are"; };
        if (report.unreadable_worlds > 0)
            parts.push_back(fmt::format("{} of {} cannot be read at all",
                                        human_count(report.unreadable_worlds),
                                        counted(report.worlds, "world")));
        if (report.damaged_chunks > 0)
            parts.push_back(fmt::format("{} of {} {} damaged", human_count(report.damaged_chunks),
                                        counted(report.chunks, "chunk"), be(report.damaged_chunks)));
        if (report.missing_chunks > 0)
            parts.push_back(fmt::format("{} {} missing", counted(report.missing_chunks, "chunk"),
                                        be(report.missing_chunks)));
        const auto files = damaged_files_ - std::min(damaged_files_, report.unreadable_worlds);
        if (files > 0) parts.push_back(fmt::format("{} {} damaged", counted(files, "file"), be(files)));
        if (parts.empty())
            parts.push_back(fmt::format("no damage in {} of {}", counted(report.chunks, "chunk"),
                                        counted(report.worlds, "world")));
        return fmt::format("{}: {}; {} wrong, {}", world_.path().string(), joined(parts, ", "),
                           human_count(report.wrong), counted(report.notes, "note"));
    }

    /// The one command that helps against most of the damage; empty if there is none.
    [[nodiscard]] std::string next_step(const jobs::VerifyReport& report) const {
        std::string best;
        for (std::size_t i = 0; i < report.by_code.size(); ++i) {
            if (report.by_code[i] == 0 || jobs::all_codes()[i].severity != jobs::Severity::damage) continue;
            const auto help = jobs::help_for(static_cast<jobs::Code>(i), help_target_);
            if (help.size() > best.size()) best = help; // with a backup it does the rest too
        }
        return best;
    }

    void print_summary(Console& console, const jobs::VerifyReport& report) {
        if (console.json()) return print_json_summary(console, report);
        print_sentence(console, verdict(report), report.damage > 0 ? Tone::bad : Tone::good);
        std::set<std::string> given{next_step(report)};
        if (!given.begin()->empty()) console.line({{"Next:", Tone::heading}, {" " + *given.begin()}});
        for (const auto& help : own_help_) console.line({{"Next:", Tone::heading}, {" " + help}});
        for (const auto severity : {jobs::Severity::damage, jobs::Severity::wrong, jobs::Severity::note})
            for (std::size_t i = 0; i < report.by_code.size(); ++i) {
                if (report.by_code[i] == 0 || jobs::all_codes()[i].severity != severity) continue;
                const auto help = jobs::help_for(static_cast<jobs::Code>(i), help_target_);
                print_group(console, i, report.by_code[i], given.insert(help).second ? help : "");
            }
        lines_->print_all(console);
        if (lines_->left_out() > 0)
            console.note(
                fmt::format("{}; use --all to show everything", counted(lines_->left_out(), "more finding")));
        if (report.fewer_chunks > 0 && !accept_ && !no_memory_)
            console.note(fmt::format("if the chunks were removed on purpose: orbis verify {} --accept",
                                     help_target_.argument));
        if (quick_)
            console.note(
                "--quick checks only indexes, headers and files; run it without --quick to check the chunks");
    }

    void print_group(Console& console, std::size_t code, std::uint64_t count, std::string_view help) const {
        const auto& info = jobs::all_codes()[code];
        print_row(console, {{human_count(count), 9, Tone::plain, true},
                            {std::string(jobs::name(info.severity)), 6, tone_of(info.severity)},
                            {fmt::format("{}: {}{}", info.name, info.meaning,
                                         help.empty() ? "" : fmt::format(" ({})", help))}});
        for (const auto& group : lines_->groups())
            if (group.key == info.name)
                for (const auto& line : group.examples) print_sentence(console, line, Tone::plain, 11);
    }

    static void print_codes(Console& console) {
        for (const auto& info : jobs::all_codes()) {
            if (console.json()) {
                JsonWriter json;
                json.object()
                    .member("code", info.name)
                    .member("severity", jobs::name(info.severity))
                    .member("meaning", info.meaning)
                    .member("help", info.help)
                    .end();
                console.line(json.text());
            } else {
                print_row(console, {{std::string(info.name), 24},
                                    {std::string(jobs::name(info.severity)), 6, tone_of(info.severity)},
                                    {fmt::format("{}{}", info.meaning,
                                                 info.help.empty() ? "" : fmt::format(" ({})", info.help))}});
            }
        }
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::string against_;
    bool accept_ = false;
    bool no_memory_ = false;
    bool quick_ = false;
    bool all_ = false;
    bool strict_ = false;
    bool codes_ = false;
    AssetsOption assets_;
    jobs::HelpTarget help_target_;
    std::optional<GroupedLines> lines_;
    static constexpr std::size_t k_most_own_help = 5;
    std::vector<std::string> own_help_; ///< of damage whose code has none
    std::uint64_t damaged_files_ = 0;   ///< findings with damage that name no chunk
};

} // namespace

std::unique_ptr<Command> make_command_verify() { return std::make_unique<CommandVerify>(); }

} // namespace orbis::app

#include "app/command_verify.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "care/source.hpp"
#include "care/verify/verify.hpp"

#include <fmt/format.h>

#include <map>

namespace orbis::app {

namespace {

class CommandVerify final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file, RocksDB folder or backup zip")
            .text("--world", world_, "Only this world of a universe")
            .flag("--quick", quick_, "Indexes, headers and files only; no chunk is decompressed")
            .flag("--all", all_, "Print every finding; without it some of each kind and file")
            .flag("--strict", strict_, "Exit with 1 also for what is wrong but no damage")
            .flag("--codes", codes_, "Explain all codes of findings and end");
        assets_.declare(options);
        options.footer(
            "Nothing is changed. Damage is what the game cannot load; `wrong` is what it loads though "
            "it contradicts itself; notes are harmless. Exit 0 without damage, 1 with damage.\n"
            "With --json one finding per line, all of them, and a summary as the last line.");
    }

    Result<Outcome> run(Console& console) override {
        if (codes_) {
            print_codes(console);
            return Outcome::fine;
        }
        TRY(const auto* assets, assets_.load(console));
        TRY(auto place, care::find_source(path_.string()));
        help_place_ = care::help_place(place, world_);
        TRY(place, world::narrow_to_world(std::move(place), world_));
        const auto report = care::verify(
            place, *assets, {quick_, common.threads},
            [&](const care::Finding& finding) { print(console, finding); }, console);
        print_summary(console, report);
        return report.damage > 0 || (strict_ && report.wrong > 0) ? Outcome::damage : Outcome::fine;
    }

    /// Some lines of each kind say enough, and the summary counts the rest.
    void print(Console& console, const care::Finding& finding) {
        if (console.json()) {
            console.line(care::to_json(finding, help_place_));
            return;
        }
        auto& printed = printed_[{finding.code, finding.file}];
        if (!all_ && printed >= most_lines(finding.severity())) {
            ++left_out_;
            return;
        }
        ++printed;
        console.line(care::to_text(finding));
    }

    /// For one kind of finding in one file: a file that was cut has the same damage in every chunk.
    static std::size_t most_lines(care::Severity severity) {
        switch (severity) {
        case care::Severity::damage: return 10;
        case care::Severity::wrong: return 3;
        case care::Severity::note: return 0;
        }
        return 0;
    }

    void print_summary(Console& console, const care::VerifyReport& report) const {
        if (console.json()) {
            JsonWriter json;
            json.object().member("summary", true).member("quick", quick_);
            json.member("worlds", report.worlds).member("region_files", report.files);
            json.member("chunks", report.chunks).member("damaged_chunks", report.damaged_chunks);
            json.member("damage", report.damage).member("wrong", report.wrong).member("notes", report.notes);
            json.key("codes").object();
            for (std::size_t i = 0; i < report.by_code.size(); ++i)
                if (report.by_code[i] > 0) json.member(care::all_codes()[i].name, report.by_code[i]);
            json.end().end();
            console.line(json.text());
            return;
        }
        console.line(fmt::format("{}: {} in {}: {}, {} wrong, {}", path_.string(),
                                 counted(report.chunks, "chunk"), counted(report.worlds, "world"),
                                 report.damage == 0
                                     ? "no damage"
                                     : fmt::format("{} with damage in {}", counted(report.damage, "finding"),
                                                   counted(report.damaged_chunks, "chunk")),
                                 human_count(report.wrong), counted(report.notes, "note")));
        for (std::size_t i = 0; i < report.by_code.size(); ++i) {
            if (report.by_code[i] == 0) continue;
            const auto& info = care::all_codes()[i];
            const auto help = care::help_for(static_cast<care::Code>(i), help_place_);
            console.line(fmt::format("{:>9}  {:<6}  {}: {}{}", human_count(report.by_code[i]),
                                     care::name(info.severity), info.name, info.meaning,
                                     help.empty() ? "" : fmt::format(" ({})", help)));
        }
        if (left_out_ > 0)
            console.note(fmt::format("{} not printed: --all prints them", counted(left_out_, "finding")));
        if (quick_)
            console.note(
                "only indexes, headers and files were looked at: whether chunks decompress, and what is "
                "in them, is checked without --quick");
    }

    static void print_codes(Console& console) {
        for (const auto& info : care::all_codes()) {
            if (console.json()) {
                JsonWriter json;
                json.object()
                    .member("code", info.name)
                    .member("severity", care::name(info.severity))
                    .member("meaning", info.meaning)
                    .member("help", info.help)
                    .end();
                console.line(json.text());
            } else {
                console.line(fmt::format("{:<24} {:<7} {}{}", info.name, care::name(info.severity),
                                         info.meaning,
                                         info.help.empty() ? "" : fmt::format(" ({})", info.help)));
            }
        }
    }

    std::filesystem::path path_;
    std::string world_;
    bool quick_ = false;
    bool all_ = false;
    bool strict_ = false;
    bool codes_ = false;
    AssetsOption assets_;
    care::HelpPlace help_place_;
    std::map<std::pair<care::Code, std::string>, std::size_t> printed_;
    std::uint64_t left_out_ = 0;
};

} // namespace

std::unique_ptr<Command> make_command_verify() { return std::make_unique<CommandVerify>(); }

} // namespace orbis::app

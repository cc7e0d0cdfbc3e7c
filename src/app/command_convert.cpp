#include "app/command_convert.hpp"

#include "app/describe_place.hpp"
#include "care/convert/convert.hpp"
#include "care/snapshot/source.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandConvert final : public Command {
    void declare(Options& options) override {
        options
            .path("SRC", source_,
                  "Universe, world folder, region file, RocksDB folder or backup zip; only read")
            .path("DST", target_, "New folder, or a new NAME.region.bin for the chunks of one region")
            .choice("--to", format_, {"region", "rocksdb"}, "Storage to write: region (default) or rocksdb")
            .text("--world", world_, "Only this world of a universe")
            .footer("A universe becomes a universe and a world a world, with configuration, players and all "
                    "other "
                    "files. Every chunk is read back and compared. After an interruption the same command "
                    "goes on "
                    "where it stopped. Nothing that exists is overwritten.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(auto found, care::find_source(source_.string()));
        TRY(const auto place, world::narrow_to_world(std::move(found), world_));
        bool noted = false;
        for (const auto& world : place.worlds) noted = print_notes(console, world) || noted;
        const auto format =
            format_ == "rocksdb" ? care::StorageFormat::rocksdb : care::StorageFormat::region_files;
        TRY(const auto report,
            care::convert_place(place, target_, format, common.threads, console, common.command_line));
        for (const auto& problem : report.problems) console.problem(problem);
        for (const auto& folder : report.left_out)
            console.note(fmt::format("{} was left out: the world does not keep its chunks there", folder));
        if (console.json())
            print_json(console, report);
        else
            console.line(fmt::format("{} written, {} there already, {} read back and equal, {} copied to {}",
                                     counted(report.written, "chunk"), human_count(report.already_there),
                                     human_count(report.verified), counted(report.files_copied, "other file"),
                                     target_.string()));
        if (report.missing > 0)
            console.note(
                fmt::format("{} is unfinished: mend what is named above and run the same command again",
                            target_.string()));
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    static void print_json(Console& console, const care::ConvertReport& report) {
        JsonWriter json;
        json.object();
        describe(json, report);
        json.end();
        console.line(json.text());
    }

    std::filesystem::path source_;
    std::filesystem::path target_;
    std::string format_ = "region";
    std::string world_;
};

} // namespace

std::unique_ptr<Command> make_command_convert() { return std::make_unique<CommandConvert>(); }

} // namespace orbis::app

#include "app/command.hpp"
#include "app/print_converted.hpp"
#include "app/world_argument.hpp"
#include "jobs/convert/convert.hpp"

namespace orbis::app {

namespace {

class CommandConvert final : public Command {
    void declare(Options& options) override {
        source_.declare_all(options, "SRC");
        options.path("DST", target_, "New folder, or a new X.Z.region.bin for the chunks of one region")
            .choice("--to", format_, {"region", "rocksdb"}, "Storage to write: region (default) or rocksdb")
            .footer(
                "The copy has everything: configuration, players and all other files. Every chunk is read "
                "back and compared. SRC is not changed, and nothing that exists is overwritten. If it is "
                "interrupted, run the same command again to continue.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto location, source_.find());
        const bool is_unfinished = print_notes(console, location);
        const auto format =
            format_ == "rocksdb" ? jobs::StorageFormat::rocksdb : jobs::StorageFormat::region_files;
        TRY(const auto report,
            jobs::convert_location(location, target_, format, common.threads, console, common.command_line));
        print_converted(console, report, target_);
        return report.problems.empty() && !is_unfinished ? Outcome::fine : Outcome::damage;
    }

    WorldArgument source_{WorldArgument::Use::read};
    std::filesystem::path target_;
    std::string format_ = "region";
};

} // namespace

std::unique_ptr<Command> make_command_convert() { return std::make_unique<CommandConvert>(); }

} // namespace orbis::app

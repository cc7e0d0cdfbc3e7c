#include "app/command.hpp"
#include "app/help_text.hpp"
#include "app/manual.hpp"
#include "bytes/atomic_file.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandHelp final : public Command {
    void declare(Options& options) override {
        options.text_argument("VERB", verb_, "The verb to explain (default: list all verbs)", false)
            .file("--man FOLDER", folder_, "Write the manual pages of all verbs to this folder")
            .footer("The same as orbis VERB --help. With a manual page installed: man orbis-VERB.");
    }

    Result<Outcome> run(Console& console) override {
        if (!folder_.empty()) return write_manual(console);
        if (verb_.empty()) {
            console.page(help_of_program());
            return Outcome::fine;
        }
        const auto* const verb = find_verb(verb_);
        if (verb == nullptr) return fail(unknown_verb(verb_));
        console.page(help_of(text_of(*verb)));
        return Outcome::fine;
    }

    Result<Outcome> write_manual(Console& console) const {
        if (!verb_.empty())
            return fail(error(Errc::usage, "VERB and --man cannot be used together")
                            .advise("--man writes the pages of all verbs"));
        TRY_DO(create_folders(folder_));
        TRY_DO(write_file_atomically(folder_ / "orbis.1", as_bytes(manual_of_program())));
        for (const auto& verb : verbs())
            TRY_DO(write_file_atomically(folder_ / fmt::format("orbis-{}.1", verb.name),
                                         as_bytes(manual_of(text_of(verb)))));
        console.note(
            fmt::format("{} written to {}", counted(verbs().size() + 1, "manual page"), folder_.string()));
        return Outcome::fine;
    }

    std::string verb_;
    std::filesystem::path folder_;
};

} // namespace

std::unique_ptr<Command> make_command_help() { return std::make_unique<CommandHelp>(); }

} // namespace orbis::app

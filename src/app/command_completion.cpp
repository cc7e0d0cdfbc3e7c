#include "app/command.hpp"
#include "app/completion.hpp"

namespace orbis::app {

namespace {

class CommandCompletion final : public Command {
    void declare(Options& options) override {
        options.choice("SHELL", shell_, {"bash", "zsh", "fish"}, "The shell")
            .footer("Prints a script for the shell: after it, the Tab key completes verbs, options, worlds, "
                    "snapshots, block keys, packets and paths. Packages install it; to do so by hand:\n"
                    "  orbis completion bash > ~/.local/share/bash-completion/completions/orbis\n"
                    "  orbis completion zsh > FOLDER/_orbis    (a folder of $fpath)\n"
                    "  orbis completion fish > ~/.config/fish/completions/orbis.fish");
    }

    Result<Outcome> run(Console& console) override {
        console.bytes(as_bytes(completion_script(shell_)));
        return Outcome::fine;
    }

    std::string shell_;
};

} // namespace

std::unique_ptr<Command> make_command_completion() { return std::make_unique<CommandCompletion>(); }

} // namespace orbis::app

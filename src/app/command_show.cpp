#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "orbis/world.hpp"

namespace orbis::app {

namespace {

class CommandShow final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.chunk("CHUNK", pos_, "Chunk coordinates: block coordinates divided by 32, rounded down")
            .number("--section NUMBER", show_.section, 0, k_sections - 1,
                    "Only this section: 0 (lowest) to 9")
            .text("--component NAME", show_.component,
                  "Only this component of the chunk or section, as stored")
            .flag("--blocks", show_.blocks, "Show every cell too, as runs of [value, number of cells]")
            .footer("With --json everything is on one line. Of long binary data only the length is shown.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto world, world_.open_world(console));
        const auto chunk = world.chunk(pos_);
        if (!chunk) return fail(world_.with_advice(Error(chunk.error())));
        TRY(const auto text, chunk->json(show_));
        console.json() ? console.line(text) : console.indented_json(text);
        const auto problems = chunk->problems();
        for (const auto& problem : problems) console.problem(problem);
        return problems.empty() && !world.is_unfinished() ? Outcome::fine : Outcome::damage;
    }

    WorldArgument world_{WorldArgument::Use::read};
    ChunkPos pos_;
    ChunkJsonOptions show_;
};

} // namespace

std::unique_ptr<Command> make_command_show() { return std::make_unique<CommandShow>(); }

} // namespace orbis::app

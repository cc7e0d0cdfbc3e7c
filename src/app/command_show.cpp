#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/inspect/show_chunk.hpp"
#include "storage/store.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandShow final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.chunk("CHUNK", pos_, "Chunk coordinates: block coordinates divided by 32, rounded down")
            .number("--section", show_.section, 0, k_sections - 1, "Only this section: 0 (lowest) to 9")
            .text("--component", show_.component, "Only this component of the chunk or section, as stored")
            .flag("--blocks", show_.blocks, "Show every cell too, as runs of [value, number of cells]")
            .footer("With --json everything is on one line. Of long binary data only the length is shown.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto opened, world_.open(console));
        const auto& store = *opened.store;
        chunk::ChunkReader reader;
        TRY(const auto* chunk, reader.read(store, pos_));
        if (chunk == nullptr) return fail(world_.no_such_chunk(store, pos_));
        auto text = jobs::show_chunk(pos_, *chunk, show_);
        if (!text) return fail(std::move(text).error().in_file(store.name()));
        console.json() ? console.line(*text) : console.indented_json(*text);
        for (const auto& problem : reader.problems()) console.problem(problem);
        return chunk->problems().empty() && !opened.is_unfinished ? Outcome::fine : Outcome::damage;
    }

    WorldArgument world_{WorldArgument::Use::read};
    ChunkPos pos_;
    jobs::ShowOptions show_;
};

} // namespace

std::unique_ptr<Command> make_command_show() { return std::make_unique<CommandShow>(); }

} // namespace orbis::app

#include "app/command_show.hpp"

#include "app/describe_place.hpp"
#include "care/inspect/show_chunk.hpp"
#include "care/snapshot/source.hpp"
#include "chunk/chunk_reader.hpp"
#include "storage/store.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandShow final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file, RocksDB folder or backup zip")
            .chunk("CHUNK", pos_, "Chunk coordinates: block coordinates divided by 32, rounded down")
            .text("--world", world_, "Which world of a universe")
            .number("--section", show_.section, 0, k_sections - 1, "Only this section, 0 is the lowest")
            .text("--component", show_.component,
                  "Only this component as it is stored, of the chunk or of the section")
            .flag("--blocks", show_.blocks, "Every cell too, as [value, number of cells] in their order")
            .footer("With --json everything is on one line. Long binary data is shown by its length.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* world, world::choose_world(place, world_));
        const bool noted = print_notes(console, *world);
        TRY(const auto store, world->open({}));
        chunk::ChunkReader reader;
        TRY(const auto* chunk, reader.read(*store, pos_));
        if (chunk == nullptr) return fail(no_such_chunk(*store, pos_, place_argument(path_, world_)));
        auto text = care::show_chunk(pos_, *chunk, show_);
        if (!text) return fail(std::move(text).error().in_file(store->name()));
        common.json ? console.line(*text) : console.indented_json(*text);
        for (const auto& problem : reader.problems()) console.problem(problem);
        return chunk->problems().empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    std::filesystem::path path_;
    ChunkPos pos_;
    std::string world_;
    care::ShowOptions show_;
};

} // namespace

std::unique_ptr<Command> make_command_show() { return std::make_unique<CommandShow>(); }

} // namespace orbis::app

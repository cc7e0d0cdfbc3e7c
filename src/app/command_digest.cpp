#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "jobs/inspect/digest.hpp"
#include "storage/walk.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

/// The line of a chunk, and why it is only the error line.
struct Digested {
    std::string line;
    std::optional<Error> problem;
};

Digested digest(const storage::Store& store, ChunkPos pos, storage::ReadContext& context) {
    thread_local jobs::Digester digester; // its memory is worth keeping from chunk to chunk
    const auto make = [&]() -> Result<std::string> {
        TRY(const auto document, store.read(pos, context));
        if (!document) return fail(Errc::not_found, "the chunk is gone");
        return digester.line(pos, *document);
    };
    auto line = make();
    if (line) return {*std::move(line), std::nullopt};
    return {jobs::digest_error_line(pos), std::move(line).error()};
}

class CommandDigest final : public Command {
    void declare(Options& options) override {
        worlds_.declare(options, "FILE", "Region files or worlds, in the order of the output");
        options.footer(
            "Prints one JSON object per chunk, in the order of the slots. If two programs print the "
            "same bytes, they decode the same world. For a chunk that cannot be read the line says "
            "error; the reason goes to stderr.");
    }

    Result<Outcome> run(Console& console) override {
        auto outcome = Outcome::fine;
        TRY_DO(worlds_.for_each_store([&](const storage::Store& store) {
            if (print(console, store) == Outcome::damage) outcome = Outcome::damage;
        }));
        return outcome;
    }

    Outcome print(Console& console, const storage::Store& store) const {
        auto outcome = Outcome::fine;
        storage::walk<Digested>(
            store, common.threads,
            {.work = [&](ChunkPos pos, storage::ReadContext& context) { return digest(store, pos, context); },
             .emit =
                 [&](ChunkPos pos, Digested& made) {
                     console.line(made.line);
                     if (!made.problem) return true;
                     outcome = Outcome::damage;
                     console.problem(std::move(*made.problem).in_file(store.name()).at(pos));
                     return true;
                 },
             .on_error =
                 [&](const Error& error) {
                     outcome = Outcome::damage;
                     console.problem(error);
                 }});
        return outcome;
    }

    WorldArguments worlds_;
};

} // namespace

std::unique_ptr<Command> make_command_digest() { return std::make_unique<CommandDigest>(); }

} // namespace orbis::app

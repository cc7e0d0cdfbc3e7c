#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "orbis/world.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandLs final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.footer(
            "Columns: world (only for a universe), chunk x,z, uncompressed bytes, compressed bytes, "
            "segments, offset in the file, region file. A RocksDB world has only chunk and "
            "uncompressed bytes.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto worlds, find_worlds(world_.path().string(), world_.name()));
        auto outcome = Outcome::fine;
        for (const auto& world : worlds) {
            auto listed = list(console, world);
            if (!listed && !world_.name().empty()) return listed;
            if (!listed) console.problem(listed.error());
            if (!listed || *listed == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    Result<Outcome> list(Console& console, const FoundWorld& found) const {
        for (const auto& note : found.notes()) console.problem(note);
        auto outcome = found.is_unfinished() ? Outcome::damage : Outcome::fine;
        TRY(const auto world, found.open());
        world.on_problem([&](const Error& error) {
            outcome = Outcome::damage;
            console.problem(error);
        });
        const auto name = found.is_in_universe() ? std::string_view(world.name()) : std::string_view();
        world.for_each_stored(
            [&](ChunkPos pos, const Result<StoredChunk>& stored) {
                if (!stored) outcome = Outcome::damage;
                print(console, name, pos, stored);
            },
            {common.threads, std::nullopt});
        return outcome;
    }

    static void print(Console& console, std::string_view world, ChunkPos pos,
                      const Result<StoredChunk>& stored) {
        if (console.json()) return print_json(console, world, pos, stored);
        if (!stored) return console.problem(stored.error());
        const auto name = world.empty() ? std::string() : fmt::format("{}\t", world);
        const auto line = fmt::format("{}{},{}\t{}", name, pos.x, pos.z, stored->bytes);
        const auto& place = stored->place;
        if (!place) return console.line(line);
        console.line(fmt::format("{}\t{}\t{}\t{}\t{}", line, place->compressed, place->segments,
                                 place->offset, place->file));
    }

    static void print_json(Console& console, std::string_view world, ChunkPos pos,
                           const Result<StoredChunk>& stored) {
        JsonWriter json;
        json.object();
        if (!world.empty()) json.member("world", world);
        json.member("x", pos.x).member("z", pos.z);
        if (!stored) {
            json.key("error");
            write_error(json, stored.error());
        } else {
            json.member("bytes", stored->bytes);
            if (const auto& place = stored->place)
                json.member("compressed", place->compressed)
                    .member("segments", place->segments)
                    .member("offset", place->offset)
                    .member("file", place->file);
        }
        json.end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::read};
};

} // namespace

std::unique_ptr<Command> make_command_ls() { return std::make_unique<CommandLs>(); }

} // namespace orbis::app

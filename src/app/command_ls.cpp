#include "app/command.hpp"
#include "app/problem_lines.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "orbis/world.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

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
            ProblemLines problems(console);
            auto listed = list(console, world, problems);
            problems.print();
            if (!listed && !world_.name().empty()) return listed;
            if (!listed) console.problem(listed.error());
            if (!listed || *listed == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    Result<Outcome> list(Console& console, const FoundWorld& found, ProblemLines& problems) {
        for (const auto& note : found.notes()) console.problem(note);
        auto outcome = found.is_unfinished() ? Outcome::damage : Outcome::fine;
        TRY(const auto world, found.open());
        world.on_problem([&](const Error& error) {
            outcome = Outcome::damage;
            problems.add(error);
        });
        const auto name = found.is_in_universe() ? std::string_view(world.name()) : std::string_view();
        world.for_each_stored(
            [&](ChunkPos pos, const Result<StoredChunk>& stored) {
                if (!stored) outcome = Outcome::damage;
                if (!stored && !console.json())
                    problems.add(stored.error());
                else
                    print(console, name, pos, stored);
            },
            {common.threads, std::nullopt});
        return outcome;
    }

    void print(Console& console, std::string_view world, ChunkPos pos, const Result<StoredChunk>& stored) {
        if (console.json()) return print_json(console, world, pos, stored);
        const auto number = [](std::uint64_t value, std::size_t width, int rank) {
            return Cell{fmt::format("{}", value), width, Tone::plain, true, rank};
        };
        std::vector<std::string> titles;
        std::vector<Cell> cells;
        const auto add = [&](std::string_view title, Cell cell) {
            titles.emplace_back(title);
            cells.push_back(std::move(cell));
        };
        if (!world.empty()) add("world", {std::string(world), 16, Tone::plain, false, 1});
        add("chunk", {fmt::format("{:n}", pos), 11});
        add("bytes", number(stored->bytes, 8, 0));
        if (const auto& place = stored->place) {
            add("compressed", number(place->compressed, 10, 1));
            add("segments", number(place->segments, 8, 2));
            add("offset", number(place->offset, 10, 3));
            add("file", {place->file, 0, Tone::faint});
        }
        if (!std::exchange(has_titles_, true)) {
            auto heads = cells;
            for (std::size_t i = 0; i < heads.size(); ++i) heads[i].text = titles[i];
            print_titles(console, std::move(heads));
        }
        print_row(console, std::move(cells), Gap::tab);
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
    bool has_titles_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_ls() { return std::make_unique<CommandLs>(); }

} // namespace orbis::app

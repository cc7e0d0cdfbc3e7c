#include "app/world_argument.hpp"

#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/source.hpp"
#include "jobs/snapshot/world_identity.hpp"

#include <fmt/format.h>

#include <array>

namespace orbis::app {

namespace {

const char* path_help(WorldArgument::Use use) {
    return use == WorldArgument::Use::read
               ? "Universe, world folder, region file, RocksDB folder, backup zip or STORE@SNAPSHOT"
               : "Universe, world folder, folder of region files, region file or RocksDB folder";
}

Result<ChosenWorld> chosen(Console& console, const world::World& world) {
    return ChosenWorld{world, print_notes(console, world)};
}

} // namespace

void WorldArgument::declare_one(Options& options, const char* name) {
    options.path(name, path_, path_help(use_))
        .text("--world", name_, "World of the universe; needed where it has several");
}

void WorldArgument::declare_all(Options& options, const char* name) {
    options.path(name, path_, path_help(use_))
        .text("--world", name_, "Only this world of the universe (default: all)");
}

Result<world::Location> WorldArgument::find_all() const {
    return use_ == Use::read ? jobs::find_source(path_.string()) : world::find_location(path_);
}

Result<ChosenWorld> WorldArgument::choose(Console& console) const {
    TRY(const auto place, find_all());
    TRY(const auto* world, world::choose_world(place, name_));
    return chosen(console, *world);
}

Result<OpenedWorld> WorldArgument::open(Console& console) const {
    TRY(auto world, choose(console));
    TRY(auto store, world.world.open({}));
    return OpenedWorld{std::move(world), std::move(store)};
}

Result<World> WorldArgument::open_world(Console& console) const {
    TRY(auto world, orbis::open_world(path_.string(), name_));
    for (const auto& note : world.notes()) console.problem(note);
    return world;
}

Result<world::Location> WorldArgument::find() const {
    TRY(auto place, find_all());
    return world::narrow_to_world(std::move(place), name_);
}

std::string WorldArgument::argument() const { return location_argument(path_, name_); }

Error WorldArgument::with_advice(Error error) const {
    if (error.code != Errc::not_found) return error;
    return std::move(error).advise(fmt::format("orbis ls {} lists the chunks", argument()));
}

Error WorldArgument::no_such_chunk(const storage::Store& store, ChunkPos pos) const {
    return error(Errc::not_found, "this chunk does not exist: it was never generated, or it was removed")
        .in_file(store.name())
        .at(pos)
        .advise(fmt::format("orbis ls {} lists the chunks", argument()));
}

void FromOption::declare(Options& options, const char* help) {
    options.text("--from", from_, help)
        .text("--from-world", name_, "World of --from (default: the one of the same name)");
}

Result<ChosenWorld> FromOption::choose(Console& console, const world::World& world) const {
    TRY(const auto source, jobs::find_source(from_, std::array{jobs::identity_of(world)}));
    TRY(const auto* other, world::choose_counterpart(source, name_, world));
    return chosen(console, *other);
}

Result<Outcome> for_each_world(Console& console, const world::Location& place,
                               const std::function<Result<Outcome>(const world::World& world)>& job) {
    if (place.worlds.size() == 1) return job(place.worlds.front());
    auto outcome = Outcome::fine;
    for (const auto& world : place.worlds) {
        const auto done = job(world);
        if (!done) console.problem(done.error());
        if (!done || *done == Outcome::damage) outcome = Outcome::damage;
    }
    return outcome;
}

std::string location_argument(const std::filesystem::path& path, std::string_view world) {
    return shell_quoted(path.string()) + (world.empty() ? "" : " --world " + shell_quoted(world));
}

std::string kind_text(const world::Location& place) {
    return fmt::format("{}{}", world::name(place.kind), place.is_zip ? " in a zip" : "");
}

bool print_notes(Console& console, const world::World& world) {
    for (const auto& note : world.notes) console.problem(note);
    return world.unfinished.has_value();
}

bool print_notes(Console& console, const world::Location& place) {
    bool is_unfinished = false;
    for (const auto& world : place.worlds) is_unfinished = print_notes(console, world) || is_unfinished;
    return is_unfinished;
}

} // namespace orbis::app

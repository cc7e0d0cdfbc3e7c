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
        .text("--world WORLD", name_, "World of the universe; needed where it has several");
}

void WorldArgument::declare_all(Options& options, const char* name, const char* help) {
    declare(options, name, help);
    declare_name(options);
}

void WorldArgument::declare(Options& options, const char* name, const char* help, bool is_required) {
    options.path(name, path_, help != nullptr ? help : path_help(use_), is_required);
}

void WorldArgument::declare_name(Options& options, const char* help) {
    options.text("--world WORLD", name_,
                 help != nullptr ? help : "Only this world of the universe (default: all)");
}

Result<world::Location> WorldArgument::find_all() const {
    return use_ == Use::read ? jobs::find_source(path_.string()) : world::find_location(path_);
}

Result<ChosenWorld> WorldArgument::choose(Console& console) const {
    TRY(const auto location, find_all());
    TRY(const auto* world, world::choose_world(location, name_));
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

Result<world::Location> WorldArgument::find() const { return find(name_); }

Result<world::Location> WorldArgument::narrow(world::Location location) const {
    return world::narrow_to_world(std::move(location), name_);
}

Result<world::Location> WorldArgument::find(std::string_view name) const {
    TRY(auto location, find_all());
    return world::narrow_to_world(std::move(location), name);
}

Result<std::pair<world::Location, world::Location>> WorldArgument::find_both(const WorldArgument& first,
                                                                             const WorldArgument& second) {
    // The one that says what it is comes first.
    if (jobs::store_of_latest(first.path_.string()) && !jobs::store_of_latest(second.path_.string())) {
        TRY(auto swapped, find_both(second, first));
        return std::pair(std::move(swapped.second), std::move(swapped.first));
    }
    TRY(auto found, first.find_all());
    TRY(auto other, jobs::find_source(second.path_.string(), jobs::identities_of(found)));
    return std::pair(std::move(found), std::move(other));
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

Result<void>
WorldArguments::for_each_store(const std::function<void(const storage::Store& store)>& job) const {
    for (const auto& path : paths_) {
        TRY(const auto location, jobs::find_source(path.string()));
        for (const auto& world : location.worlds) {
            TRY(const auto store, world.open({}));
            job(*store);
        }
    }
    return {};
}

void FromOption::declare(Options& options, const char* help) {
    options.text("--from BACKUP", from_, help)
        .text("--from-world WORLD", name_, "World of --from (default: the one of the same name)");
}

Result<ChosenWorld> FromOption::choose(Console& console, const world::World& world) const {
    TRY(const auto source, jobs::find_source(from_, std::array{jobs::identity_of(world)}));
    TRY(const auto* other, world::choose_counterpart(source, name_, world));
    return chosen(console, *other);
}

Result<Outcome> for_each_world(Console& console, const world::Location& location,
                               const std::function<Result<Outcome>(const world::World& world)>& job) {
    if (location.worlds.size() == 1) return job(location.worlds.front());
    auto outcome = Outcome::fine;
    for (const auto& world : location.worlds) {
        const auto done = job(world);
        if (!done) console.problem(done.error());
        if (!done || *done == Outcome::damage) outcome = Outcome::damage;
    }
    return outcome;
}

std::vector<std::string> world_names(const std::string& source) {
    std::vector<std::string> names;
    if (const auto location = jobs::find_source(source))
        for (const auto& world : location->worlds) names.push_back(world.name);
    return names;
}

std::string location_argument(const std::filesystem::path& path, std::string_view world) {
    return shell_quoted(path.string()) + (world.empty() ? "" : " --world " + shell_quoted(world));
}

std::string kind_text(const world::Location& location) {
    return fmt::format("{}{}", world::name(location.kind), location.is_zip ? " in a zip" : "");
}

bool print_notes(Console& console, const world::World& world) {
    for (const auto& note : world.notes) console.problem(note);
    return world.unfinished.has_value();
}

bool print_notes(Console& console, const world::Location& location) {
    bool is_unfinished = false;
    for (const auto& world : location.worlds) is_unfinished = print_notes(console, world) || is_unfinished;
    return is_unfinished;
}

} // namespace orbis::app

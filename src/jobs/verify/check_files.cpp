#include "jobs/verify/check_files.hpp"

#include "bson/view.hpp"
#include "world/json_files.hpp"

#include <algorithm>
#include <array>

namespace orbis::jobs {

namespace {

using storage::Folder;

/// Versions that the newest known game writes (docs/formats/world-folder.md).
constexpr std::int64_t k_newest_config = 4;
constexpr std::int64_t k_newest_player = 5;

/// A folder that cannot be listed has none that could be looked at.
std::vector<std::string> names_in(const Folder& folder) {
    return world::json_names(folder).value_or(std::vector<std::string>());
}

Finding& add(std::vector<Finding>& out, Code code, std::string file, std::string text) {
    auto& finding = out.emplace_back();
    finding.code = code;
    finding.file = std::move(file);
    finding.text = std::move(text);
    return finding;
}

std::optional<std::int64_t> version_of(const bson::Document& document) {
    const auto version = document.find("Version");
    return version ? version->integer() : std::nullopt;
}

void check_player(const world::Location& location, const JsonFile& file, const bson::Document& root,
                  std::vector<Finding>& out) {
    const auto shown = file.folder.shown(file.name);
    const auto player = root.find_path({"Components", "Player"});
    const auto document = player ? player->document() : std::nullopt;
    if (!document) {
        add(out, Code::player_unreadable, shown, "there are no Components with a Player");
        return;
    }
    if (const auto version = version_of(*document); version && *version > k_newest_player)
        add(out, Code::player_too_new, shown,
            fmt::format("expected Player of at most version {}, found {}", k_newest_player, *version));
    const auto world = root.find_path({"Components", "Player", "PlayerData", "World"});
    const auto name = world ? world->string() : std::nullopt;
    if (name && std::ranges::none_of(location.worlds, [&](const auto& known) { return known.name == *name; }))
        add(out, Code::player_world, shown, fmt::format("this universe has no world {}", *name));
}

Code unreadable_code(JsonFile::Kind kind) {
    switch (kind) {
    case JsonFile::Kind::config: return Code::config_unreadable;
    case JsonFile::Kind::player: return Code::player_unreadable;
    case JsonFile::Kind::resource:
    case JsonFile::Kind::other: break;
    }
    return Code::resource_unreadable;
}

/// Whether there is any of the files that the game takes the configuration from.
bool has_config(const world::World& world) {
    return std::ranges::any_of(std::array{"config.json", "config.json.bak", "config.bson", "instance.bson"},
                               [&](const char* name) { return world.folder.has_file(name); });
}

/// A broken file: which finding it is depends on whether the game has another copy.
void report(const JsonFile& file, const JsonState& state, std::vector<Finding>& out) {
    const auto shown = file.folder.shown(file.name);
    const bool falls_back = file.kind == JsonFile::Kind::config || file.kind == JsonFile::Kind::player;
    auto code = unreadable_code(file.kind);
    if (falls_back && state.backup_good)
        code = file.kind == JsonFile::Kind::config ? Code::config_backup_used : Code::player_backup_used;
    auto text =
        state.problem ? state.problem->problem : std::string("the file is missing; only its .bak is there");
    if (!falls_back && state.backup_good) text += "; its .bak is good, but the game does not use it";
    add(out, code, shown, std::move(text)).offset = state.problem ? state.problem->offset : std::nullopt;
}

} // namespace

std::vector<JsonFile> universe_files(const world::Location& location) {
    std::vector<JsonFile> files;
    if (location.kind != world::Location::Kind::universe) return files;
    for (auto& name : names_in(location.root))
        files.push_back({JsonFile::Kind::other, location.root, std::move(name)});
    const auto players = location.root.sub("players");
    for (auto& name : names_in(players)) files.push_back({JsonFile::Kind::player, players, std::move(name)});
    return files;
}

std::vector<JsonFile> world_files(const world::World& world) {
    std::vector<JsonFile> files;
    if (world.source != world::World::Source::provider) return files;
    for (auto& name : names_in(world.folder))
        files.push_back({name == "config.json" ? JsonFile::Kind::config : JsonFile::Kind::other, world.folder,
                         std::move(name)});
    if (!has_config(world)) files.push_back({JsonFile::Kind::config, world.folder, "config.json"});
    // The game reads paths.json like the configuration, with its copy.
    for (auto& file : files)
        if (file.name == "paths.json") file.kind = JsonFile::Kind::config;
    const auto resources = world.folder.sub("resources");
    for (auto& name : names_in(resources))
        files.push_back({JsonFile::Kind::resource, resources, std::move(name)});
    return files;
}

JsonState look_at(const JsonFile& file) {
    JsonState state;
    state.present = file.folder.has_file(file.name);
    if (state.present) {
        if (auto document = world::read_json(file.folder, file.name); !document)
            state.problem = std::move(document).error();
        else
            return state;
    }
    const auto copy = file.name + ".bak";
    state.backup_good = file.folder.has_file(copy) && world::read_json(file.folder, copy).has_value();
    return state;
}

std::vector<std::string> files_only_in(const storage::Folder& backup, const storage::Folder& ours,
                                       JsonFile::Kind kind) {
    std::vector<std::string> found;
    const auto present = names_in(ours);
    for (auto& name : names_in(backup)) {
        if (std::ranges::find(present, name) != present.end()) continue;
        const auto state = look_at({kind, backup, name});
        if (state.present && !state.problem) found.push_back(std::move(name));
    }
    return found;
}

void check_universe_files(const world::Location& location, std::vector<Finding>& out) {
    for (const auto& file : universe_files(location)) {
        const auto state = look_at(file);
        if (!state.present || state.problem) {
            report(file, state, out);
            continue;
        }
        if (file.kind != JsonFile::Kind::player) continue;
        const auto bytes = world::read_json(file.folder, file.name);
        const auto root = bytes ? bson::Document::open(*bytes) : Result<bson::Document>(bson::Document());
        if (root) check_player(location, file, *root, out);
    }
}

void check_world_files(const world::World& world, std::vector<Finding>& out) {
    if (world.source != world::World::Source::provider) return;
    for (const auto& file : world_files(world)) {
        const auto state = look_at(file);
        const bool is_absent = !state.present && !state.backup_good; // told below
        if ((!state.present || state.problem) && !is_absent) report(file, state, out);
    }
    if (!has_config(world))
        add(out, Code::config_missing, world.folder.shown("config.json"), "the world has no config.json");
    if (world.config.version > k_newest_config)
        add(out, Code::config_too_new, world.config.file,
            fmt::format("expected at most version {}, found {}", k_newest_config, world.config.version));
    for (const auto& problem : {world.config.provider_problem, world.storage_mismatch})
        if (problem) add(out, Code::config_storage, problem->file, problem->problem);
    if (world.unfinished)
        add(out, Code::unfinished_convert, world.unfinished->file,
            fmt::format("{}; {}", world.unfinished->problem, world.unfinished->advice))
            .help = world.finishing_command;
}

} // namespace orbis::jobs

#include "query/place_tables.hpp"

#include "bson/extended_json.hpp"
#include "bson/view.hpp"
#include "query/chunk_rows.hpp"
#include "world/json_files.hpp"
#include "world/spots.hpp"

#include <fmt/format.h>

namespace orbis::query {
namespace {

using AddRows = void(Session& session, const OpenWorld& world, std::vector<Row>& rows);

/// Rows of each world that a filter admits.
auto for_each_world(AddRows* add) {
    return [add](Session& session, const Filter& filter) -> Result<std::unique_ptr<Rows>> {
        TRY(const auto* worlds, session.worlds(filter.path));
        std::vector<Row> rows;
        for (const auto& world : *worlds)
            if (filter.admits_world(world.world.name)) add(session, world, rows);
        return ready_rows(std::move(rows));
    };
}

Value text(const std::string& value) { return value.empty() ? Value{} : Value{value}; }

void add_world(Session& session, const OpenWorld& open, std::vector<Row>& rows) {
    const auto& config = open.world.config;
    std::int64_t chunks = 0;
    const auto cursor = open.store->chunks();
    while (true) {
        const auto next = cursor->next();
        if (!next) session.problem(next.error());
        if (next && !*next) break;
        if (next) ++chunks;
    }
    rows.push_back({open.world.name, open.store->name(), std::string(open.store->kind()), chunks,
                    text(config.display_name), text(config.uuid), config.seed ? Value{*config.seed} : Value{},
                    text(config.world_gen), text(config.game_mode), text(config.game_time)});
}

/// `WorldGen.Type` and so on, one row for each value that is not a list of others itself.
void add_settings(const std::string& world, const bson::Document& document, const std::string& above,
                  std::vector<Row>& rows, int depth = 0) {
    constexpr int k_deepest = 32;
    for (bson::Cursor at(document); at.next();) {
        const auto name = above.empty() ? std::string(at->key()) : fmt::format("{}.{}", above, at->key());
        if (const auto inner = at->document() ? at->document() : at->array(); inner && depth < k_deepest) {
            add_settings(world, *inner, name, rows, depth + 1);
            continue;
        }
        Value value;
        if (const auto string = at->string())
            value = std::string(*string);
        else if (const auto truth = at->boolean())
            value = std::int64_t{*truth ? 1 : 0};
        else if (const auto integer = at->integer())
            value = *integer;
        else if (const auto real = at->number())
            value = *real;
        rows.push_back({world, name, std::move(value)});
    }
}

void add_config(Session& session, const OpenWorld& open, std::vector<Row>& rows) {
    for (const std::string file : world::k_config_files) {
        if (open.world.config.file.empty() || open.world.folder.shown(file) != open.world.config.file)
            continue;
        const auto bytes = world::read_json(open.world.folder, file);
        if (!bytes) return session.problem(bytes.error());
        if (const auto root = bson::Document::open(*bytes)) add_settings(open.world.name, *root, "", rows);
    }
}

void add_spots(Session& session, const OpenWorld& open, const world::Spots& spots, std::vector<Row>& rows) {
    for (const auto& problem : spots.problems) session.problem(problem);
    std::int64_t number = 0;
    for (const auto& spot : spots.spots)
        rows.push_back({open.world.name, text(spot.name), spot.x, spot.y, spot.z, number++});
}

void add_players(Session& session, const OpenWorld& open, std::vector<Row>& rows) {
    if (open.world.players) add_spots(session, open, world::player_positions(open.world), rows);
}
void add_markers(Session& session, const OpenWorld& open, std::vector<Row>& rows) {
    add_spots(session, open, world::map_markers(open.world), rows);
}
void add_warps(Session& session, const OpenWorld& open, std::vector<Row>& rows) {
    add_spots(session, open, world::warps(open.world), rows);
}

} // namespace

std::vector<Table> place_tables() {
    const Column world{"world", "TEXT", Role::world};
    const std::vector<Column> spot{world,         {"name", "TEXT"}, {"x", "REAL"},
                                   {"y", "REAL"}, {"z", "REAL"},    {"number", "INTEGER"}};
    return {
        {"worlds",
         "A world of the location",
         {world,
          {"store", "TEXT"},
          {"kind", "TEXT"},
          {"chunks", "INTEGER"},
          {"display_name", "TEXT"},
          {"uuid", "TEXT"},
          {"seed", "INTEGER"},
          {"generator", "TEXT"},
          {"game_mode", "TEXT"},
          {"game_time", "TEXT"}},
         "world",
         1,
         for_each_world(add_world)},
        {"config",
         "A setting of config.json",
         {world, {"name", "TEXT"}, {"value", ""}},
         "world, name",
         100,
         for_each_world(add_config)},
        {"players", "Where a player is in a world, or was last", spot, "world, number", 100,
         for_each_world(add_players)},
        {"markers", "A marker on the map", spot, "world, number", 100, for_each_world(add_markers)},
        {"warps", "A place to go to by name", spot, "world, number", 100, for_each_world(add_warps)},
    };
}

} // namespace orbis::query

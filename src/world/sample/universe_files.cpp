#include "world/sample/universe_files.hpp"

#include "bson/extended_json.hpp"
#include "world/sample/holders.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace orbis::world::sample {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view k_now = "0001-01-03T08:00:00Z";

Json binary(const Uuid& uuid) { return {{"$binary", bson::to_base64(uuid)}, {"$type", "04"}}; }

std::string dashed(const Uuid& uuid) {
    std::string text;
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", uuid[i]);
    }
    return text;
}

Json position(double x, double y, double z) { return {{"X", x}, {"Y", y}, {"Z", z}}; }
Json rotation(double yaw) { return {{"Pitch", 0.0}, {"Yaw", yaw}, {"Roll", 0.0}}; }

/// Where newcomers start: on the village square, south of the well.
Json spawn_point() {
    return {{"X", k_village.x + 0.5},
            {"Y", k_village_ground + 1.0},
            {"Z", k_village.z + 5.5},
            {"Pitch", 0.0},
            {"Yaw", 0.0},
            {"Roll", 0.0}};
}

Json config(std::uint64_t seed) {
    return {
        {"Version", 4},
        {"UUID", binary(make_uuid(seed, 1))},
        {"DisplayName", "Orbis sample"},
        {"Seed", static_cast<std::int64_t>(seed)},
        {"SpawnProvider", {{"Id", "Global"}, {"SpawnPoint", spawn_point()}}},
        {"WorldGen", {{"Type", "Void"}, {"Tint", "#84b840"}, {"Environment", "Env_Zone1_Plains"}}},
        {"WorldMap", {{"Type", "WorldGen"}}},
        {"ChunkStorage", {{"Type", "Hytale"}}},
        {"ChunkConfig", Json::object()},
        {"IsTicking", true},
        {"IsBlockTicking", true},
        {"IsPvpEnabled", false},
        {"IsFallDamageEnabled", true},
        {"IsGameTimePaused", false},
        {"GameTime", k_now},
        {"ClientEffects",
         {{"SunHeightPercent", 100.0},
          {"SunAngleDegrees", 0.0},
          {"BloomIntensity", 0.25},
          {"BloomPower", 8.0},
          {"SunIntensity", 0.25},
          {"SunshaftIntensity", 0.25},
          {"SunshaftScaleFactor", 4.0}}},
        {"RequiredPlugins", Json::object()},
        {"GameMode", "Adventure"},
        {"IsSpawningNPC", true},
        {"IsSpawnMarkersEnabled", true},
        {"IsAllNPCFrozen", false},
        {"GameplayConfig", "Default"},
        {"Death",
         {{"RespawnController", {{"Type", "HomeOrSpawnPoint"}}},
          {"ItemsLossMode", "Configured"},
          {"ItemsAmountLossPercentage", 50.0},
          {"ItemsDurabilityLossPercentage", 10.0}}},
        {"DaytimeDurationSeconds", 1728},
        {"NighttimeDurationSeconds", 1151},
        {"IsCompassUpdating", true},
        {"IsSavingPlayers", true},
        {"IsSavingChunks", true},
        {"SaveNewChunks", true},
        {"IsUnloadingChunks", true},
        {"IsObjectiveMarkersEnabled", true},
        {"DeleteOnUniverseStart", false},
        {"DeleteOnRemove", false},
        {"DisabledFluidTickers", Json::array()},
        {"ResourceStorage", {{"Type", "Hytale"}}},
        {"Plugin", Json::object()},
    };
}

Json item(std::string_view id, int quantity, double durability = 0) {
    return {{"Id", id},
            {"Quantity", quantity},
            {"Durability", durability},
            {"MaxDurability", durability},
            {"OverrideDroppedItemAnimation", false}};
}

Json inventory(int capacity, Json items) {
    return {{"Inventory", {{"Id", "Simple"}, {"Capacity", capacity}, {"Items", std::move(items)}}}};
}

Json player(const Uuid& uuid) {
    const double x = k_village.x + 2.5;
    const double y = k_village_ground + 1.0;
    const double z = k_village.z + 6.5;
    Json hotbar = inventory(9, {{"0", item("Weapon_Sword_Iron", 1, 240)},
                                {"1", item("Tool_Pickaxe_Iron", 1, 300)},
                                {"2", item("Tool_Hatchet_Iron", 1, 300)},
                                {"8", item("Furniture_Crude_Torch", 12)}});
    hotbar["ActiveSlot"] = 0;
    const auto stat = [](std::string_view id, double value) { return Json{{"Id", id}, {"Value", value}}; };
    return {{"Components",
             {{"UUID", {{"UUID", binary(uuid)}}},
              {"Player",
               {{"Version", 5},
                {"UUID", binary(uuid)},
                {"PlayerData",
                 {{"BlockIdVersion", 11},
                  {"World", k_world_name},
                  {"PerWorldData", {{k_world_name, Json::object()}}}}},
                {"HotbarManager", Json::object()},
                {"GameMode", "Adventure"}}},
              {"Transform", {{"Position", position(x, y, z)}, {"Rotation", rotation(0.5)}}},
              {"HeadRotation", {{"Rotation", rotation(0.5)}}},
              {"Velocity", {{"Velocity", position(0, 0, 0)}}},
              {"EntityStats",
               {{"Version", 5},
                {"Stats",
                 {{"Health", stat("Health", 100)},
                  {"Stamina", stat("Stamina", 10)},
                  {"Oxygen", stat("Oxygen", 100)}}}}},
              {"DisplayName", {{"DisplayName", {{"RawText", "Wanderer"}}}}},
              {"Nameplate", {{"Text", "Wanderer"}}},
              {"HotbarInventory", std::move(hotbar)},
              {"StorageInventory",
               inventory(36, {{"0", item("Food_Bread", 6)}, {"4", item("Rock_Stone_Cobble", 64)}})},
              {"ArmorInventory", inventory(4, Json::object())},
              {"UtilityInventory", inventory(4, Json::object())},
              {"BackpackInventory", inventory(9, Json::object())},
              {"ToolInventory", inventory(8, Json::object())}}}};
}

struct Sight {
    std::string_view id;
    std::string_view name;
    std::string_view icon;
    Spot spot;
};
constexpr std::array<Sight, 5> k_sights{{
    {"village", "Village", "Home.png", k_village},
    {"cave", "Old mine", "Cave.png", k_cave_mouth},
    {"island", "Stone circle", "Temple.png", k_island},
    {"tower", "Watch tower", "Tower.png", k_tower},
    {"hut", "Woodcutter", "Camp.png", k_hut},
}};

Json map_markers(const Landscape& landscape) {
    Json markers = Json::object();
    for (const auto& sight : k_sights) {
        const BlockPos pos{sight.spot.x, landscape.at(sight.spot).ground + 1, sight.spot.z};
        markers[fmt::format("{}", pos.packed())] = {{"Position", {{"X", pos.x}, {"Y", pos.y}, {"Z", pos.z}}},
                                                    {"Name", sight.name},
                                                    {"Icon", sight.icon},
                                                    {"MarkerId", fmt::format("sample-{}", sight.id)}};
    }
    return {{"Markers", std::move(markers)}};
}

Json warps(const Landscape& landscape) {
    Json list = Json::array();
    for (const auto& sight : k_sights)
        list.push_back({{"Id", sight.id},
                        {"World", k_world_name},
                        {"Creator", "Orbis"},
                        {"CreationDate", "2026-01-13T00:00:00Z"},
                        {"X", sight.spot.x + 0.5},
                        {"Y", landscape.at(sight.spot).ground + 2.0},
                        {"Z", sight.spot.z + 0.5},
                        {"Yaw", 0.0}});
    return {{"Warps", std::move(list)}};
}

} // namespace

std::vector<UniverseFile> universe_files(const Landscape& landscape) {
    const auto seed = landscape.seed();
    const auto wanderer = make_uuid(seed, 2);
    const auto world = fmt::format("worlds/{}/", k_world_name);
    std::vector<UniverseFile> files;
    const auto add = [&](std::string path, const Json& json) {
        files.push_back({std::move(path), json.dump(2) + "\n"});
    };
    add(world + "config.json", config(seed));
    add(world + "resources/Time.json", {{"Now", k_now}});
    add(world + "resources/BlockMapMarkers.json", map_markers(landscape));
    add(world + "resources/BlockCounter.json", {{"BlockPlacementCounts", Json::object()}});
    add(world + "resources/SharedUserMapMarkers.json",
        {{"UserMarkers", Json::array({{{"Id", "sample-fishing"},
                                       {"X", 0.0},
                                       {"Z", 128.0},
                                       {"Name", "Good fishing"},
                                       {"Icon", "User1.png"},
                                       {"ColorTint", "#ffffff"},
                                       {"CreatedByUuid", binary(wanderer)},
                                       {"CreatedByName", "Wanderer"}}})}});
    add(world + "resources/ReputationData.json", {{"Stats", Json::object()}});
    add(world + "resources/SpawnSuppressionController.json", {{"SpawnSuppressorMap", Json::object()}});
    add(fmt::format("players/{}.json", dashed(wanderer)), player(wanderer));
    add("warps.json", warps(landscape));
    add("memories.json", {{"Memories", Json::array()}});
    return files;
}

} // namespace orbis::world::sample

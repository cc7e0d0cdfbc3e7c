#pragma once

#include "storage/provider.hpp"
#include "storage/tree.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace orbis::world {

/// How sun and sky look to players: `ClientEffects`. What is missing is as the game has it.
struct ClientEffects {
    float sun_height_percent = 100;
    float sun_angle_degrees = 0;
    float bloom_intensity = 0.3F;
    float bloom_power = 8;
    float sun_intensity = 0.25F;
    float sunshaft_intensity = 0.3F;
    float sunshaft_scale = 4;
};

/// What `config.json` of a world says, as far as this program acts on it (docs/formats/world-folder.md).
struct WorldConfig {
    std::string file; ///< where it was read; empty when there was none to read
    int version = 0;
    std::string display_name;
    std::optional<std::int64_t> seed;
    std::string world_gen; ///< `Type` of the generator, with its name where it has one
    std::string game_mode;
    std::string game_time;
    bool is_time_paused = false;
    std::optional<int> day_seconds; ///< how long daylight lasts, in real seconds
    std::optional<int> night_seconds;
    std::string forced_weather; ///< that the world has always; empty if it changes
    std::string uuid;           ///< in the usual text form
    ClientEffects effects;
    storage::Provider provider;
    bool has_provider = false;             ///< `ChunkStorage` was there and understood
    std::optional<Error> provider_problem; ///< where it was there and was not
};

/// The files of a world that may hold its configuration; the first that can be used is taken.
inline constexpr std::array k_config_files{"config.json", "config.json.bak", "config.bson", "instance.bson"};

/// Reads the configuration of a world. `config.json.bak` is used where `config.json` is missing, empty or
/// broken, as the game does, then `config.bson` and `instance.bson` (JSON too, whatever the name). Everything
/// odd goes to `notes`; without any usable file the result has the defaults.
WorldConfig read_world_config(const storage::Folder& world, std::vector<Error>& notes);

/// The text of `config.json` with a `ChunkStorage` that means `type`, everything else as it was.
Result<std::string> with_provider(const storage::Folder& world, const WorldConfig& config,
                                  storage::Provider::Type type);

} // namespace orbis::world

#include "world/config.hpp"

#include "bson/extended_json.hpp"
#include "bytes/json_nesting.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace orbis::world {

namespace {

using OrderedJson = nlohmann::ordered_json;
using storage::Folder;
using storage::Provider;

constexpr std::uint64_t k_largest_config = 4 << 20;
constexpr int k_newest_version = 4;
constexpr int k_deepest_json = 200;

Result<OrderedJson> read_ordered_json(const Folder& folder, std::string_view name) {
    TRY(const auto file, folder.open(name));
    TRY(const auto text, read_text(*file, k_largest_config));
    if (text.empty())
        return fail(
            error(Errc::bad_text, "the file is empty, but should hold JSON").in_file(file->name()).at(0));
    if (const auto deep = find_deep_nesting(text, k_deepest_json))
        return fail(error(Errc::too_deep, "the JSON is nested more than {} levels deep", k_deepest_json)
                        .in_file(file->name())
                        .at(*deep));
    if (const auto wide = find_wide_object(text))
        return fail(error(Errc::too_large, "an object in the JSON has too many members")
                        .in_file(file->name())
                        .at(*wide));
    try {
        auto json = OrderedJson::parse(text);
        if (json.is_object()) return json;
        return fail(error(Errc::bad_text, "expected a JSON object, found {}", json.type_name())
                        .in_file(file->name())
                        .at(0));
    } catch (const OrderedJson::parse_error& problem) {
        return fail(error(Errc::bad_text, "not valid JSON")
                        .in_file(file->name())
                        .at(problem.byte > 0 ? problem.byte - 1 : 0)
                        .advise("restore the file from a backup, or fix it in an editor"));
    } catch (const OrderedJson::exception&) { // a number that no double holds
        return fail(error(Errc::bad_text, "a number in the JSON is out of range").in_file(file->name()));
    }
}

std::string text_of(const OrderedJson& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// `{"$binary": base64, "$type": "04"}` with 16 bytes, most significant first.
std::string uuid_of(const OrderedJson& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_object()) return {};
    const auto base64 = text_of(*found, "$binary");
    const auto bytes = bson::from_base64(base64).value_or(Buffer());
    if (bytes.size() != 16) return {};
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
}

/// A length of time; nothing if it is missing or no length.
std::optional<int> seconds_of(const OrderedJson& json, const char* member) {
    const auto found = json.find(member);
    if (found == json.end() || !found->is_number_integer()) return std::nullopt;
    const auto seconds = found->get<std::int64_t>();
    if (seconds <= 0 || seconds > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(seconds);
}

/// Numbers that no float holds count as missing, as everything else does that is no number.
ClientEffects effects_of(const OrderedJson& json) {
    ClientEffects effects;
    const auto found = json.find("ClientEffects");
    if (found == json.end() || !found->is_object()) return effects;
    const auto take = [&](const char* member, float& out) {
        const auto value = found->find(member);
        if (value == found->end() || !value->is_number()) return;
        if (const auto number = value->get<float>(); std::isfinite(number)) out = number;
    };
    take("SunHeightPercent", effects.sun_height_percent);
    take("SunAngleDegrees", effects.sun_angle_degrees);
    take("BloomIntensity", effects.bloom_intensity);
    take("BloomPower", effects.bloom_power);
    take("SunIntensity", effects.sun_intensity);
    take("SunshaftIntensity", effects.sunshaft_intensity);
    take("SunshaftScaleFactor", effects.sunshaft_scale);
    return effects;
}

Result<Provider> parse_provider(const OrderedJson& json, int depth = 0) {
    if (!json.is_object()) return fail(Errc::bad_value, "expected an object, found {}", json.type_name());
    if (depth > 8) return fail(Errc::too_deep, "storage providers are nested more than 8 deep");
    const auto type_name = text_of(json, "Type");
    const auto type = type_name.empty() ? Provider::Type::hytale : storage::parse_provider_type(type_name);
    if (!type)
        return fail(Errc::unsupported,
                    "expected Hytale, IndexedStorage, RocksDb, Migration or Empty, found {}", type_name);
    Provider provider{.type = *type, .loaders = {}, .saver = {}};
    if (*type != Provider::Type::migration) return provider;
    if (const auto loaders = json.find("Loaders"); loaders != json.end() && loaders->is_array())
        for (const auto& loader : *loaders) {
            TRY(auto parsed, parse_provider(loader, depth + 1));
            provider.loaders.push_back(std::move(parsed));
        }
    if (const auto saver = json.find("Saver"); saver != json.end()) {
        TRY(auto parsed, parse_provider(*saver, depth + 1));
        provider.saver.push_back(std::move(parsed));
    }
    if (provider.loaders.empty() || provider.saver.empty())
        return fail(Errc::bad_value,
                    "a storage migration needs Loaders and a Saver; this one has {} loaders and {} savers",
                    provider.loaders.size(), provider.saver.size());
    return provider;
}

WorldConfig config_from(const OrderedJson& json, std::string file, std::vector<Error>& notes) {
    WorldConfig config;
    if (const auto version = json.find("Version"); version != json.end() && version->is_number_integer())
        config.version = version->get<int>();
    if (config.version > k_newest_version)
        notes.push_back(error(Errc::unsupported, "expected a configuration of at most version {}, found {}",
                              k_newest_version, config.version)
                            .in_file(file)
                            .advise("a newer game wrote it; settings that orbis does not know are ignored"));
    config.display_name = text_of(json, "DisplayName");
    if (const auto seed = json.find("Seed"); seed != json.end() && seed->is_number_integer())
        config.seed = seed->get<std::int64_t>();
    if (const auto gen = json.find("WorldGen"); gen != json.end() && gen->is_object()) {
        config.world_gen = text_of(*gen, "Type");
        if (const auto gen_name = text_of(*gen, "Name"); !gen_name.empty())
            config.world_gen += " " + gen_name;
    }
    config.game_mode = text_of(json, "GameMode");
    config.game_time = text_of(json, "GameTime");
    if (const auto paused = json.find("IsGameTimePaused"); paused != json.end() && paused->is_boolean())
        config.is_time_paused = paused->get<bool>();
    config.day_seconds = seconds_of(json, "DaytimeDurationSeconds");
    config.night_seconds = seconds_of(json, "NighttimeDurationSeconds");
    config.forced_weather = text_of(json, "ForcedWeather");
    config.uuid = uuid_of(json, "UUID");
    config.effects = effects_of(json);
    if (const auto storage = json.find("ChunkStorage"); storage != json.end()) {
        if (auto provider = parse_provider(*storage)) {
            config.provider = *std::move(provider);
            config.has_provider = true;
        } else {
            config.provider_problem = std::move(provider)
                                          .error()
                                          .in_file(file)
                                          .about("ChunkStorage")
                                          .advise("the storage found in the folder is used instead");
            notes.push_back(*config.provider_problem);
        }
    }
    config.file = std::move(file);
    return config;
}

} // namespace

WorldConfig read_world_config(const Folder& world, std::vector<Error>& notes) {
    for (const char* name : k_config_files) {
        if (!world.has_file(name)) continue;
        auto json = read_ordered_json(world, name);
        if (!json) {
            notes.push_back(std::move(json).error());
            continue;
        }
        if (std::string_view(name)
            == k_config_files[1]) // the others are the usual files of old worlds and of templates
            notes.push_back(error(Errc::bad_text, "used instead of config.json, which is missing or damaged")
                                .in_file(world.shown(name))
                                .advise("the game does the same; copy it over config.json to fix this"));
        return config_from(*json, world.shown(name), notes);
    }
    return {};
}

Result<std::string> with_provider(const Folder& world, const WorldConfig& config, Provider::Type type) {
    auto json = config.file.empty() ? OrderedJson{{"Version", k_newest_version}} : OrderedJson::object();
    for (const char* name : k_config_files)
        if (!config.file.empty() && world.shown(name) == config.file) {
            TRY(json, read_ordered_json(world, name));
        }
    const auto current = config.provider.type == Provider::Type::hytale ? Provider::Type::indexed_storage
                                                                        : config.provider.type;
    if (!config.has_provider || current != type)
        json["ChunkStorage"] = OrderedJson{{"Type", std::string(storage::name(type))}};
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}

} // namespace orbis::world

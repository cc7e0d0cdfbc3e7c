#include "game/content/pack_facts.hpp"

#include "bytes/json_nesting.hpp"
#include "world/asset_files.hpp"
#include "world/colour.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace orbis::game {

/// What a file says itself, and where the rest comes from.
template <typename Value>
struct Said {
    std::string parent;
    Value value;
};

namespace {

using Json = nlohmann::json;

constexpr int k_deepest_fact = 64;
constexpr int k_deepest_parent = 32;
constexpr std::size_t k_most_fact_problems = 1000;
constexpr std::string_view k_language = "Server/Languages/en-US/";

enum class FactKind : std::uint8_t { none, item, block, environment, weather, language };

FactKind kind_of(std::string_view path) {
    if (path.starts_with(k_language) && path.ends_with(".lang")) return FactKind::language;
    if (!path.ends_with(".json")) return FactKind::none;
    if (path.starts_with("Server/Item/Items/")) return FactKind::item;
    if (path.starts_with("Server/Item/Block/Blocks/")) return FactKind::block;
    if (path.starts_with("Server/Environments/")) return FactKind::environment;
    if (path.starts_with("Server/Weathers/")) return FactKind::weather;
    return FactKind::none;
}

std::string key_of(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    return std::string(path.substr(0, path.rfind('.')));
}

std::string text_of(const Json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const Json* member(const Json& object, const char* name, Json::value_t type) {
    const auto found = object.find(name);
    return found != object.end() && found->type() == type ? &*found : nullptr;
}

/// The most particular name that is given wins: `Up` before `UpDown` before `All`.
BlockLook::Cube read_cube(const Json& json) {
    constexpr std::array<std::array<const char*, 3>, 6> names{{{"Up", "UpDown", "All"},
                                                               {"Down", "UpDown", "All"},
                                                               {"South", "Sides", "All"},
                                                               {"North", "Sides", "All"},
                                                               {"West", "Sides", "All"},
                                                               {"East", "Sides", "All"}}};
    BlockLook::Cube cube;
    for (std::size_t side = 0; side < cube.size(); ++side)
        for (const auto* name : names[side])
            if (cube[side].empty()) cube[side] = text_of(json, name);
    return cube;
}

Said<BlockLook> read_look(const Json& json) {
    Said<BlockLook> said{text_of(json, "Parent"), {}};
    if (const auto* textures = member(json, "Textures", Json::value_t::array))
        for (const auto& texture : *textures)
            if (texture.is_object()) said.value.cubes.push_back(read_cube(texture));
    said.value.model = text_of(json, "CustomModel");
    if (const auto* textures = member(json, "CustomModelTexture", Json::value_t::array))
        for (const auto& texture : *textures)
            if (texture.is_object()) said.value.model_textures.push_back(text_of(texture, "Texture"));
    return said;
}

Said<PackFacts::Hours> read_forecasts(const Json& json) {
    Said<PackFacts::Hours> said{text_of(json, "Parent"), {}};
    const auto* hours = member(json, "WeatherForecasts", Json::value_t::object);
    if (hours == nullptr) return said;
    for (const auto& [key, chances] : hours->items()) {
        int hour = -1;
        const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), hour);
        if (code != std::errc{} || end != key.data() + key.size() || hour < 0 || hour > 23) continue;
        if (!chances.is_array()) continue;
        for (const auto& chance : chances) {
            if (!chance.is_object()) continue;
            const auto weight = chance.find("Weight");
            WeatherChance made{text_of(chance, "WeatherId"), 1};
            if (weight != chance.end() && weight->is_number()) made.weight = weight->get<double>();
            if (!made.weather.empty() && made.weight > 0 && made.weight < 1e9)
                said.value[hour].push_back(std::move(made));
        }
    }
    return said;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// `#rgb`, `#rrggbb`, `#rrggbbaa`, or `rgba(#rrggbb, 0.5)`, as `0xAARRGGBB`.
std::optional<std::uint32_t> read_colour(std::string_view text) {
    double alpha = 1;
    if (text.starts_with("rgba(") && text.ends_with(')')) {
        const auto comma = text.find(',');
        if (comma == std::string_view::npos) return std::nullopt;
        const auto part = trimmed(text.substr(comma + 1, text.size() - comma - 2));
        const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), alpha);
        if (code != std::errc{} || !(alpha >= 0 && alpha <= 1)) return std::nullopt;
        text = trimmed(text.substr(5, comma - 5));
    }
    if (text.size() == 9) {
        const auto last = text.substr(7);
        std::uint32_t value = 0;
        const auto [end, code] = std::from_chars(last.data(), last.data() + 2, value, 16);
        if (code != std::errc{} || end != last.data() + 2) return std::nullopt;
        alpha = value / 255.0;
        text = text.substr(0, 7);
    }
    const auto colour = world::parse_colour(text);
    if (!colour) return std::nullopt;
    const auto opacity = static_cast<std::uint32_t>(alpha * 255 + 0.5);
    return opacity << 24U | static_cast<std::uint32_t>(colour->red) << 16U
           | static_cast<std::uint32_t>(colour->green) << 8U | colour->blue;
}

/// Lists of `{"Hour": h, "Color": c}` or `{"Hour": h, "Value": v}`; members of another form are not tracks.
Said<WeatherLook> read_weather(const Json& json) {
    Said<WeatherLook> said{text_of(json, "Parent"), {}};
    auto& look = said.value;
    look.stars = text_of(json, "Stars");
    for (const auto& [name, track] : json.items()) {
        if (!track.is_array()) continue;
        for (const auto& point : track) {
            if (!point.is_object()) continue;
            const auto hour = point.find("Hour");
            if (hour == point.end() || !hour->is_number()) continue;
            const auto at = hour->get<float>();
            const auto value = point.find("Value");
            if (!(at >= 0 && at <= 24)) continue;
            if (const auto colour = read_colour(text_of(point, "Color")))
                look.colours[name][at] = *colour;
            else if (value != point.end() && value->is_number())
                look.values[name][at] = value->get<float>();
        }
    }
    const auto fog = json.find("FogDistance");
    if (fog != json.end() && fog->is_array() && fog->size() == 2 && (*fog)[0].is_number()
        && (*fog)[1].is_number())
        look.fog = {(*fog)[0].get<float>(), (*fog)[1].get<float>()};
    return said;
}

WeatherLook onto(const WeatherLook& own, WeatherLook base) {
    for (const auto& [name, track] : own.colours) base.colours[name] = track;
    for (const auto& [name, track] : own.values) base.values[name] = track;
    if (own.fog) base.fog = own.fog;
    if (!own.stars.empty()) base.stars = own.stars;
    return base;
}

BlockLook onto(const BlockLook& own, BlockLook base) {
    if (!own.cubes.empty()) base.cubes = own.cubes;
    if (!own.model.empty()) base.model = own.model;
    if (!own.model_textures.empty()) base.model_textures = own.model_textures;
    return base;
}

PackFacts::Hours onto(const PackFacts::Hours& own, PackFacts::Hours base) {
    return own.empty() ? std::move(base) : own;
}

template <typename Value>
Value resolve(const std::map<std::string, Said<Value>>& files, const std::string& key, int depth = 0) {
    const auto found = files.find(key);
    if (found == files.end() || depth > k_deepest_parent) return {};
    const auto& said = found->second;
    if (said.parent.empty() || said.parent == key) return said.value;
    return onto(said.value, resolve(files, said.parent, depth + 1));
}

} // namespace

class PackFactsReader {
public:
    Result<void> read(const world::AssetFile& file) {
        const auto kind = kind_of(file.path);
        if (kind == FactKind::language) {
            read_language(file);
            return {};
        }
        if (find_deep_nesting(file.text, k_deepest_fact))
            return fail(Errc::too_deep, "nested more than {} levels deep", k_deepest_fact);
        auto text = file.text;
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        const auto json = Json::parse(text, nullptr, false, true);
        if (!json.is_object()) return fail(Errc::bad_text, "expected a JSON object");
        auto key = key_of(file.path);
        switch (kind) {
        case FactKind::item: {
            auto said = Said<BlockLook>{};
            if (const auto* block = member(json, "BlockType", Json::value_t::object))
                said = read_look(*block);
            if (said.parent.empty()) said.parent = text_of(json, "Parent");
            looks_.insert_or_assign(std::move(key), std::move(said));
            break;
        }
        case FactKind::block: looks_.insert_or_assign(std::move(key), read_look(json)); break;
        case FactKind::environment: forecasts_.insert_or_assign(std::move(key), read_forecasts(json)); break;
        case FactKind::weather: weathers_.insert_or_assign(std::move(key), read_weather(json)); break;
        case FactKind::language:
        case FactKind::none: break;
        }
        return {};
    }

    PackFacts finish() {
        for (const auto& [key, said] : looks_) {
            auto look = resolve(looks_, key);
            if (!look.cubes.empty() || !look.model.empty()) facts_.looks_.emplace(key, std::move(look));
        }
        for (const auto& [key, said] : forecasts_) {
            auto hours = resolve(forecasts_, key);
            if (!hours.empty()) facts_.forecasts_.emplace(key, std::move(hours));
        }
        for (const auto& [key, said] : weathers_) facts_.weathers_.emplace(key, resolve(weathers_, key));
        return std::move(facts_);
    }

private:
    void read_language(const world::AssetFile& file) {
        const auto prefix = key_of(file.path) + ".";
        for (auto rest = file.text; !rest.empty();) {
            const auto end = rest.find('\n');
            const auto line = trimmed(rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            const auto sign = line.find('=');
            if (line.starts_with('#') || sign == std::string_view::npos) continue;
            const auto key = trimmed(line.substr(0, sign));
            if (!key.empty())
                facts_.translations_.insert_or_assign(prefix + std::string(key),
                                                      std::string(trimmed(line.substr(sign + 1))));
        }
    }

    PackFacts facts_;
    std::map<std::string, Said<BlockLook>> looks_;
    std::map<std::string, Said<PackFacts::Hours>> forecasts_;
    std::map<std::string, Said<WeatherLook>> weathers_;
};

Result<PackFacts> PackFacts::read(const std::filesystem::path& path, std::vector<Error>& problems) {
    PackFactsReader reader;
    TRY_DO(world::walk_assets(
        path, [](std::string_view file) { return kind_of(file) != FactKind::none; },
        [&](const world::AssetFile& file) {
            if (auto done = reader.read(file); !done && problems.size() < k_most_fact_problems)
                problems.push_back(std::move(done).error().in_file(path.string()).about(file.path));
        },
        problems));
    return reader.finish();
}

std::vector<std::string> PackFacts::forecast_weathers() const {
    std::set<std::string> names;
    for (const auto& [environment, hours] : forecasts_)
        for (const auto& [hour, chances] : hours)
            for (const auto& chance : chances) names.insert(chance.weather);
    return {names.begin(), names.end()};
}

const BlockLook* PackFacts::look(std::string_view block) const {
    const auto found = looks_.find(block);
    return found == looks_.end() ? nullptr : &found->second;
}

std::span<const WeatherChance> PackFacts::forecast(std::string_view environment, int hour) const {
    const auto found = forecasts_.find(environment);
    if (found == forecasts_.end()) return {};
    // An hour that is not named goes on with the one before it, past midnight too.
    const auto& hours = found->second;
    auto after = hours.upper_bound(hour);
    if (after == hours.begin()) after = hours.end();
    return std::prev(after)->second;
}

} // namespace orbis::game

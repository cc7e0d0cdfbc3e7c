#pragma once

#include "bytes/result.hpp"
#include "game/codec/wire_ids.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orbis::game {

/// How a block looks: paths of files below `Common`.
struct BlockLook {
    using Cube = std::array<std::string, 6>; ///< top, bottom, front, back, left, right
    std::vector<Cube> cubes;                 ///< of which one is chosen
    std::string model;
    std::vector<std::string> model_textures;
};

/// How the sky of a weather looks in the course of a day, by the members of its file (`SkyTopColors`, …).
struct WeatherLook {
    std::map<std::string, std::map<float, std::uint32_t>, std::less<>> colours; ///< hour, `0xAARRGGBB`
    std::map<std::string, std::map<float, float>, std::less<>> values;
    std::optional<std::pair<float, float>> fog; ///< where it begins and where nothing else is seen
    std::string stars;
};

/// A weather that an hour may bring, and how often against the others.
struct WeatherChance {
    std::string weather;
    double weight = 0;
};

/// What an assets tree says beyond the tables of world::Assets, to show a world to players:
///
///     Server/Item/Items/**/<Key>.json          `BlockType`: `Textures`, `CustomModel`, `CustomModelTexture`
///     Server/Item/Block/Blocks/**/<Key>.json   the same as the whole document
///     Server/Environments/**/<Key>.json        `WeatherForecasts`
///     Server/Weathers/**/<Key>.json            members `*Colors`, `*Tints`, `*Filters`, `*Scales` …
///     Server/Languages/en-US/**/<File>.lang    `key = text`, known as `<File>.key`
class PackFacts {
public:
    /// Files that cannot be used go to `problems`, and the rest is read. Fails if there is no tree.
    static Result<PackFacts> read(const std::filesystem::path& path, std::vector<Error>& problems);

    /// Null for a block of which nothing is said.
    [[nodiscard]] const BlockLook* look(std::string_view block) const;
    /// What an hour from 0 to 23 may bring; nothing for an environment without a forecast.
    [[nodiscard]] std::span<const WeatherChance> forecast(std::string_view environment, int hour) const;
    /// Every weather that has a file.
    [[nodiscard]] const std::map<std::string, WeatherLook>& weathers() const { return weathers_; }
    /// Every weather that a forecast names, sorted.
    [[nodiscard]] std::vector<std::string> forecast_weathers() const;
    [[nodiscard]] const std::map<std::string, std::string>& translations() const { return translations_; }

    using Hours = std::map<int, std::vector<WeatherChance>>;

private:
    friend class PackFactsReader;
    template <typename Value>
    using Names = std::unordered_map<std::string, Value, FoldedHash, FoldedEqual>;

    Names<BlockLook> looks_;
    Names<Hours> forecasts_;
    std::map<std::string, WeatherLook> weathers_;
    std::map<std::string, std::string> translations_;
};

} // namespace orbis::game

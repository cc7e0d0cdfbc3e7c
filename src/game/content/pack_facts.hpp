#pragma once

#include "bytes/result.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/content/pack_documents.hpp"

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

/// A weather that an hour may bring, and how often against the others.
struct WeatherChance {
    std::string weather;
    double weight = 0;
};

/// What an assets tree says beyond the tables of world::Assets, to show a world to players: the documents
/// that registries are made from, and
///
///     Server/Environments/**/<Key>.json        `WeatherForecasts`
///     Server/Languages/<lang>/**/<File>.lang   `key = text`, known as `<folders>.<File>.key`
///     Server/Languages/fallback.lang           `language = language`: where to look for what is missing
class PackFacts {
public:
    /// Files that cannot be used go to `problems`, and the rest is read. Fails if there is no tree.
    static Result<PackFacts> read(const std::filesystem::path& path, std::vector<Error>& problems);

    [[nodiscard]] const PackDocuments& documents() const { return documents_; }
    /// What an hour from 0 to 23 may bring; nothing for an environment without a forecast.
    [[nodiscard]] std::span<const WeatherChance> forecast(std::string_view environment, int hour) const;
    /// Every weather that a forecast names, sorted.
    [[nodiscard]] std::vector<std::string> forecast_weathers() const;
    using Texts = std::map<std::string, std::string>;
    /// The texts of a language; what is missing there comes from those that it falls back to, then from
    /// en-US.
    [[nodiscard]] Texts translations(std::string_view language = k_usual_language) const;
    /// All languages that have texts or a language to fall back to.
    [[nodiscard]] std::vector<std::string> languages() const;
    static constexpr std::string_view k_usual_language = "en-US";

    using Hours = std::map<int, std::vector<WeatherChance>>;

private:
    friend class PackFactsReader;
    template <typename Value>
    using Names = std::unordered_map<std::string, Value, FoldedHash, FoldedEqual>;

    PackDocuments documents_;
    Names<Hours> forecasts_;
    std::map<std::string, Texts, std::less<>> languages_;
    std::map<std::string, std::string, std::less<>> fallbacks_;
};

} // namespace orbis::game

#include "game/content/pack_facts.hpp"

#include "bytes/utf8.hpp"
#include "game/content/pack_colour.hpp"
#include "game/content/pack_registries.hpp"
#include "world/asset_files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace orbis::game {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_most_fact_problems = 1000;
constexpr std::size_t k_most_language_bytes = 64 << 20;
constexpr std::size_t k_most_languages = 256;
constexpr std::string_view k_languages = "Server/Languages/";
constexpr std::string_view k_fallbacks = "Server/Languages/fallback.lang";

bool is_language(std::string_view path) { return path.starts_with(k_languages) && path.ends_with(".lang"); }

std::string text_of(const Json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

PackFacts::Hours read_forecasts(const Json& hours) {
    PackFacts::Hours read;
    if (!hours.is_object()) return read;
    for (const auto& [key, chances] : hours.items()) {
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
                read[hour].push_back(std::move(made));
        }
    }
    return read;
}

} // namespace

class PackFactsReader {
public:
    Result<void> read(const world::AssetFile& file) {
        if (file.path == k_fallbacks) {
            read_lines(file.text, [&](std::string_view language, std::string_view other) {
                if (facts_.fallbacks_.size() < k_most_languages)
                    facts_.fallbacks_[std::string(language)] = other;
            });
            return {};
        }
        if (is_language(file.path)) return read_language(file);
        TRY_DO(facts_.documents_.read(*PackDocuments::kind_of(file.path), file.path, file.text));
        return {};
    }

    PackFacts finish(std::vector<Error>& problems) {
        facts_.documents_.finish(problems);
        for (const auto& object : facts_.documents_.all(PackKind::environment))
            if (const auto* said = object.find("WeatherForecasts"))
                if (auto hours = read_forecasts(*said); !hours.empty())
                    facts_.forecasts_.emplace(object.id, std::move(hours));
        return std::move(facts_);
    }

private:
    /// Calls `take` with both sides of each line with a sign of equality.
    template <typename Take>
    static void read_lines(std::string_view rest, const Take& take) {
        while (!rest.empty()) {
            const auto end = rest.find('\n');
            const auto line = trimmed(rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            const auto sign = line.find('=');
            if (line.starts_with('#') || sign == std::string_view::npos) continue;
            if (const auto key = trimmed(line.substr(0, sign)); !key.empty())
                take(key, trimmed(line.substr(sign + 1)));
        }
    }

    Result<void> read_language(const world::AssetFile& file) {
        auto path = file.path.substr(k_languages.size());
        const auto slash = path.find('/');
        if (slash == std::string_view::npos) return {}; // of no language
        const std::string language(path.substr(0, slash));
        std::string prefix(
            path.substr(slash + 1, path.size() - slash - 1 - std::string_view(".lang").size()));
        std::ranges::replace(prefix, '/', '.');
        if (!is_utf8(file.text)) return fail(Errc::bad_text, "the text is not UTF-8");
        bytes_ += file.text.size();
        if (bytes_ > k_most_language_bytes
            || (facts_.languages_.size() == k_most_languages && !facts_.languages_.contains(language)))
            return fail(Errc::too_large, "left out: there are more than {} languages or {} MiB of texts",
                        k_most_languages, k_most_language_bytes >> 20);
        auto& texts = facts_.languages_[language];
        read_lines(file.text, [&](std::string_view key, std::string_view text) {
            texts.insert_or_assign(prefix + "." + std::string(key), std::string(text));
        });
        return {};
    }

    PackFacts facts_;
    std::size_t bytes_ = 0; ///< of texts
};

Result<PackFacts> PackFacts::read(const std::filesystem::path& path, std::vector<Error>& problems) {
    PackFactsReader reader;
    TRY_DO(world::walk_assets(
        path,
        [](std::string_view file) { return is_language(file) || PackDocuments::kind_of(file).has_value(); },
        [&](const world::AssetFile& file) {
            if (auto done = reader.read(file); !done && problems.size() < k_most_fact_problems)
                problems.push_back(std::move(done).error().in_file(path.string()).about(file.path));
        },
        problems));
    auto facts = reader.finish(problems);
    PackRegistries::check(facts.documents_, problems);
    for (auto& problem : problems)
        if (problem.file.empty()) problem.file = path.string();
    return facts;
}

PackFacts::Texts PackFacts::translations(std::string_view language) const {
    // From the last that counts to the first.
    std::vector<std::string> order{std::string(language)};
    for (auto next = fallbacks_.find(language);
         next != fallbacks_.end() && std::ranges::find(order, next->second) == order.end();
         next = fallbacks_.find(order.back()))
        order.push_back(next->second);
    if (std::ranges::find(order, k_usual_language) == order.end()) order.emplace_back(k_usual_language);
    Texts all;
    for (const auto& name : order)
        if (const auto found = languages_.find(name); found != languages_.end())
            all.insert(found->second.begin(), found->second.end());
    return all;
}

std::vector<std::string> PackFacts::languages() const {
    std::set<std::string> names;
    for (const auto& [name, texts] : languages_) names.insert(name);
    for (const auto& [name, other] : fallbacks_) names.insert(name);
    return {names.begin(), names.end()};
}

std::vector<std::string> PackFacts::forecast_weathers() const {
    std::set<std::string> names;
    for (const auto& [environment, hours] : forecasts_)
        for (const auto& [hour, chances] : hours)
            for (const auto& chance : chances) names.insert(chance.weather);
    return {names.begin(), names.end()};
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

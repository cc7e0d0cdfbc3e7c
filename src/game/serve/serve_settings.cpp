#include "game/serve/serve_settings.hpp"

#include "bytes/file.hpp"
#include "bytes/joined.hpp"
#include "bytes/json_nesting.hpp"
#include "bytes/json_writer.hpp"
#include "net/game_build.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <variant>

namespace orbis::game {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t k_largest_settings = 1 << 20;
constexpr auto* k_example = R"(such as {"name": "Cows", "max_players": 40}; docs/serve.md has all settings)";
/// Settings are flat: what is deeper is an error anyway, and must not cost stack.
constexpr int k_deepest_setting = 16;
/// A path, or a name of a world.
constexpr std::size_t k_longest_setting = 4096;

using TextSetting = std::optional<std::string> ServeSettings::*;
using NumberSetting = std::optional<int> ServeSettings::*;
using FlagSetting = std::optional<bool> ServeSettings::*;

struct Member {
    std::string_view name;
    std::variant<TextSetting, NumberSetting, FlagSetting> target;
    Limits limits{}; ///< of a number; the most bytes of a text
    bool needs_restart = false;
};

constexpr Limits k_line{0, static_cast<int>(k_longest_text)};
constexpr Limits k_name{1, static_cast<int>(k_longest_setting)};

constexpr std::array k_members = {
    Member{"name", &ServeSettings::name, k_line},
    Member{"motd", &ServeSettings::motd, k_line},
    Member{"welcome", &ServeSettings::welcome, k_line},
    Member{"max_players", &ServeSettings::max_players, k_player_limits},
    Member{"view_radius", &ServeSettings::view_radius, k_view_limits},
    Member{"unlimited", &ServeSettings::unlimited},
    Member{"password_file", &ServeSettings::password_file, k_name},
    Member{"stop_notice", &ServeSettings::stop_notice, k_notice_limits},
    Member{"bind", &ServeSettings::bind, k_name, true},
    Member{"world", &ServeSettings::world, k_name, true},
    Member{"metrics", &ServeSettings::metrics, k_name, true},
    Member{"accept", &ServeSettings::accept, k_name, true},
    Member{"workers", &ServeSettings::workers, k_worker_limits, true},
    Member{"cache", &ServeSettings::cache, k_cache_limits, true},
};

Error wrong(const Member& member, std::string_view expected, std::string_view found) {
    return error(Errc::bad_value, "expected {}, found {}", expected, found).about(member.name);
}

std::string expected_of(const Member& member) {
    if (std::holds_alternative<FlagSetting>(member.target)) return "true or false";
    if (std::holds_alternative<NumberSetting>(member.target))
        return fmt::format("a whole number from {} to {}", member.limits.least, member.limits.most);
    if (member.limits.least > 0) return fmt::format("a text of 1 to {} bytes", member.limits.most);
    return fmt::format("a text of at most {} bytes", member.limits.most);
}

/// A value as it can be shown in a message.
std::string shown(const Json& value) {
    if (value.is_object() || value.is_array()) return fmt::format("an {}", value.type_name());
    constexpr std::size_t k_longest_shown = 60;
    if (value.is_string() && value.get_ref<const std::string&>().size() > k_longest_shown)
        return fmt::format("a text of {} bytes", value.get_ref<const std::string&>().size());
    return value.dump();
}

Result<void> put(const Member& member, const Json& value, ServeSettings& settings) {
    const auto refuse = [&] { return fail(wrong(member, expected_of(member), shown(value))); };
    if (const auto* flag = std::get_if<FlagSetting>(&member.target)) {
        if (!value.is_boolean()) return refuse();
        settings.** flag = value.get<bool>();
    } else if (const auto* number = std::get_if<NumberSetting>(&member.target)) {
        if (!value.is_number_integer()) return refuse();
        // An unsigned one above all signed ones is out of every range.
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62)
            return refuse();
        const auto read = value.get<std::int64_t>();
        if (read < member.limits.least || read > member.limits.most) return refuse();
        settings.** number = static_cast<int>(read);
    } else {
        if (!value.is_string()) return refuse();
        settings.*std::get<TextSetting>(member.target) = value.get<std::string>();
    }
    return {};
}

Result<Json> parse_object(std::string_view text) {
    if (const auto deep = find_deep_nesting(text, k_deepest_setting))
        return fail(
            error(Errc::too_deep, "expected JSON nested at most {} deep, found more", k_deepest_setting)
                .at(*deep));
    std::set<std::string> names;
    std::optional<std::string> twice;
    try {
        auto json = Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& value) {
            if (event == Json::parse_event_t::key && depth == 1
                && !names.insert(value.get<std::string>()).second)
                twice = value.get<std::string>();
            return true;
        });
        if (twice) return fail(error(Errc::bad_value, "expected it once, found it twice").about(*twice));
        if (json.is_object()) return json;
        return fail(error(Errc::bad_text, "expected a JSON object, found {}", json.type_name())
                        .at(0)
                        .advise(k_example));
    } catch (const Json::parse_error& problem) {
        return fail(error(Errc::bad_text, "expected JSON, found text that does not parse")
                        .at(problem.byte > 0 ? problem.byte - 1 : 0)
                        .advise(k_example));
    } catch (const Json::exception&) { // a number that no double holds
        return fail(Errc::bad_text, "expected JSON, found a value out of range");
    }
}

Result<ServeSettings> parse_members(std::string_view text) {
    TRY(const auto json, parse_object(text));
    ServeSettings settings;
    for (const auto& [name, value] : json.items()) {
        const auto* member = std::ranges::find(k_members, name, &Member::name);
        if (member == k_members.end()) {
            std::vector<std::string_view> known;
            for (const auto& each : k_members) known.push_back(each.name);
            return fail(error(Errc::bad_value, "unknown setting")
                            .about(json_quoted(name))
                            .advise(fmt::format("settings are {}", joined(known, ", "))));
        }
        TRY_DO(put(*member, value, settings));
    }
    TRY_DO(settings.check());
    return settings;
}

} // namespace

Result<ServeSettings> ServeSettings::parse(std::string_view text, std::string_view file) {
    auto parsed = parse_members(text);
    if (!parsed) return fail(std::move(parsed).error().in_file(file));
    return parsed;
}

Result<ServeSettings> ServeSettings::load(const std::string& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto text, read_text(*file, k_largest_settings));
    TRY(auto settings, parse(text, path));
    if (settings.password_file)
        settings.password_file =
            (std::filesystem::path(path).parent_path() / *settings.password_file).string();
    return settings;
}

Result<void> ServeSettings::check() const {
    for (const auto& member : k_members) {
        if (const auto* text = std::get_if<TextSetting>(&member.target)) {
            const auto& value = this->**text;
            if (!value) continue;
            const auto size = static_cast<std::int64_t>(value->size());
            if (size < member.limits.least || size > member.limits.most)
                return fail(wrong(member, expected_of(member), fmt::format("{}", size)));
        } else if (const auto* number = std::get_if<NumberSetting>(&member.target)) {
            const auto& value = this->**number;
            if (value && (*value < member.limits.least || *value > member.limits.most))
                return fail(wrong(member, expected_of(member), fmt::format("{}", *value)));
        }
    }
    if (accept)
        if (auto builds = net::find_spoken_builds(*accept); !builds)
            return fail(std::move(builds).error().about("accept"));
    return {};
}

ServeSettings ServeSettings::over(const ServeSettings& others) const {
    auto both = *this;
    for (const auto& member : k_members)
        std::visit(
            [&](auto target) {
                if (!(both.*target)) both.*target = others.*target;
            },
            member.target);
    return both;
}

namespace {

template <typename Filter>
std::vector<std::string> differing(const ServeSettings& one, const ServeSettings& other, Filter filter) {
    std::vector<std::string> names;
    for (const auto& member : k_members)
        if (filter(member)
            && std::visit([&](auto target) { return one.*target != other.*target; }, member.target))
            names.emplace_back(member.name);
    return names;
}

} // namespace

std::vector<std::string> ServeSettings::changes_from(const ServeSettings& before) const {
    return differing(*this, before, [](const Member&) { return true; });
}

std::vector<std::string> ServeSettings::needing_restart_from(const ServeSettings& before) const {
    return differing(*this, before, [](const Member& member) { return member.needs_restart; });
}

} // namespace orbis::game

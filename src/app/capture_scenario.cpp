#include "app/capture_tables.hpp"
#include "app/save_file.hpp"
#include "bytes/append_format.hpp"
#include "capture/no_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace orbis::app {

namespace {

constexpr std::size_t k_most_scenario_steps = 100'000;
constexpr std::size_t k_most_scenario_bots = 10'000;
constexpr std::int64_t k_between_places = 1'000'000'000; ///< of one player, nanoseconds
constexpr double k_least_way = 0.5;                      ///< blocks
constexpr std::int64_t k_shortest_pause = 50'000'000;
constexpr std::int64_t k_longest_pause = 3'600'000'000'000; ///< longer ones are none that anybody waits for

/// In unsigned numbers: the times of a damaged file may be anything.
std::int64_t since(std::int64_t time, std::int64_t before) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(before));
}

struct Place {
    double x = 0;
    double y = 0;
    double z = 0;
    [[nodiscard]] double distance(const Place& other) const {
        return std::max({std::abs(x - other.x), std::abs(y - other.y), std::abs(z - other.z)});
    }
};

/// Says the same in the words of scenario files, which know no quotes in a text.
std::string as_scenario_text(std::string_view text) {
    std::string out(text);
    for (auto& c : out) {
        if (c == '"') c = '\'';
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
    }
    return out;
}

std::optional<Place> place_in(const protocol::Value& movement) {
    const auto* position = movement.find("absolutePosition");
    if (position == nullptr || position->is_absent()) return {};
    const auto number = [&](std::string_view name) {
        const auto* field = position->find(name);
        const auto* real = field != nullptr ? field->as<double>() : nullptr;
        return real != nullptr && std::abs(*real) < 1e8 ? *real : std::nan("");
    };
    const Place place{number("x"), number("y"), number("z")};
    if (std::isnan(place.x) || std::isnan(place.y) || std::isnan(place.z)) return {};
    return place;
}

/// Collects what players do, in the order of the capture.
class ScenarioMaker {
public:
    void add(const capture::Record& record) {
        const auto* packet = capture::packet_of(record);
        if (record.to != protocol::Side::server || packet == nullptr) return;
        if (packet->name == "ClientReady" && bots_.size() < k_most_scenario_bots)
            bots_.try_emplace(record.session, Bot{bots_.size() + 1});
        const auto bot = bots_.find(record.session);
        if (bot == bots_.end()) return; // not in a world yet
        if (packet->name == "ChatMessage") return chat(record, bot->second);
        if (packet->name == "ClientMovement") move(record, bot->second);
    }

    [[nodiscard]] std::size_t bots() const { return bots_.size(); }
    [[nodiscard]] std::size_t steps() const { return steps_; }
    [[nodiscard]] std::string text(std::string_view file) const {
        return fmt::format("# Made from {}\nbots {}\njoin\n{}leave\n", as_scenario_text(file), bots_.size(),
                           body_);
    }

private:
    struct Bot {
        std::size_t number;
        std::optional<Place> place{};
        std::int64_t moved = 0;
    };

    void chat(const capture::Record& record, const Bot& bot) {
        const auto value = decoder_.value(record);
        const auto* message = value ? (*value)->find("message") : nullptr;
        const auto* text = message != nullptr ? message->as<std::string>() : nullptr;
        if (text != nullptr && !text->empty() && begin_step(record.time))
            append_format(body_, "bot {} chat \"{}\"\n", bot.number, as_scenario_text(*text));
    }

    void move(const capture::Record& record, Bot& bot) {
        if (bot.place && since(record.time, bot.moved) < k_between_places) return;
        const auto value = decoder_.value(record);
        const auto place = value ? place_in(**value) : std::nullopt;
        if (!place || (bot.place && place->distance(*bot.place) < k_least_way)) return;
        if (!begin_step(record.time)) return;
        bot.place = place;
        bot.moved = record.time;
        append_format(body_, "bot {} at {:.2f} {:.2f} {:.2f}\n", bot.number, place->x, place->y, place->z);
    }

    /// Waits as long as the player did; false when there are steps enough.
    bool begin_step(std::int64_t time) {
        if (steps_ == k_most_scenario_steps) return false;
        ++steps_;
        const auto pause = last_ ? since(time, *last_) : 0;
        if (pause >= k_shortest_pause && pause < k_longest_pause)
            append_format(body_, "wait {}ms\n", pause / 1'000'000);
        if (!last_ || time > *last_) last_ = time;
        return true;
    }

    capture::RecordDecoder decoder_;
    std::map<std::uint64_t, Bot> bots_; ///< by player
    std::string body_;
    std::size_t steps_ = 0;
    std::optional<std::int64_t> last_;
};

} // namespace

Result<Outcome> write_capture_scenario(Console& console, const CaptureInput& input,
                                       const std::filesystem::path& out) {
    ScenarioMaker maker;
    TRY(const auto end, input.read([&](std::uint64_t, const capture::Record& record) -> Result<void> {
        maker.add(record);
        return {};
    }));
    if (maker.bots() == 0) return fail(capture::no_join(input.file, {}, end.damage.has_value()));
    TRY_DO(save_new_file(out, as_bytes(maker.text(input.file.filename().string()))));
    if (console.json()) {
        JsonWriter json;
        json.object()
            .member("bots", maker.bots())
            .member("steps", maker.steps())
            .member("file", out.string())
            .end();
        console.line(json.text());
    } else {
        console.line(fmt::format("Wrote {} of {} to {}", counted(maker.steps(), "step"),
                                 counted(maker.bots(), "player"), out.string()));
    }
    if (maker.steps() == k_most_scenario_steps)
        console.note("the rest was left out: a scenario of this size is long enough");
    if (end.damage) console.problem(*end.damage);
    return end.outcome();
}

} // namespace orbis::app

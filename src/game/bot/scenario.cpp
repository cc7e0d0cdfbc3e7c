#include "game/bot/scenario.hpp"

#include "game/codec/wire_ids.hpp"

#include <algorithm>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

bool holds(double found, Comparison comparison, double value) {
    switch (comparison) {
    case Comparison::less: return found < value;
    case Comparison::at_most: return found <= value;
    case Comparison::equal: return found == value;
    case Comparison::at_least: return found >= value;
    case Comparison::more: return found > value;
    }
    return false;
}

/// Several stand beside each other.
Point beside(const Point& place, std::size_t number) {
    constexpr std::size_t k_row = 8;
    return {place.x + static_cast<double>(number % k_row) * 2, place.y,
            place.z + static_cast<double>(number / k_row) * 2};
}

bool is_action(const Step& step) {
    return std::holds_alternative<Step::Chat>(step.act) || std::holds_alternative<Step::PlaceBlock>(step.act)
           || std::holds_alternative<Step::BreakBlock>(step.act);
}

bool is_expectation(const Step& step) {
    return std::holds_alternative<Step::ExpectBlock>(step.act)
           || std::holds_alternative<Step::ExpectChat>(step.act) || std::holds_alternative<Measure>(step.act)
           || std::holds_alternative<Step::Join>(step.act)
           || std::holds_alternative<Step::WaitForChunks>(step.act);
}

/// Times and errors are of the whole crowd.
std::optional<double> crowd_value(Crowd& crowd, const Measure& measure) {
    using What = Measure::What;
    switch (measure.what) {
    case What::ping: return crowd.report().ping.percentile(measure.percentile);
    case What::time_to_join: return crowd.report().join.percentile(measure.percentile);
    case What::time_to_first_chunk: return crowd.report().first_chunk.percentile(measure.percentile);
    case What::time_to_last_chunk: return crowd.report().last_chunk.percentile(measure.percentile);
    case What::edits_confirmed: return static_cast<double>(crowd.report().edits_confirmed);
    case What::edits_refused: return static_cast<double>(crowd.report().edits_refused);
    case What::errors: {
        double count = 0;
        for (const auto& [text, times] : crowd.report().errors) count += static_cast<double>(times);
        return count;
    }
    default: return {};
    }
}

/// What is measured in times must have been measured at all.
bool was_measured(Crowd& crowd, const Measure& measure) {
    using What = Measure::What;
    switch (measure.what) {
    case What::ping: return !crowd.report().ping.empty();
    case What::time_to_join: return !crowd.report().join.empty();
    case What::time_to_first_chunk: return !crowd.report().first_chunk.empty();
    case What::time_to_last_chunk: return crowd.report().last_chunk.sorted.size() == crowd.bots().size();
    default: return true;
    }
}

double bot_value(const Bot& bot, Measure::What what) {
    switch (what) {
    case Measure::What::players: return static_cast<double>(bot.players());
    case Measure::What::entities: return static_cast<double>(bot.entities().size());
    default: return static_cast<double>(bot.world().complete_chunks());
    }
}

} // namespace

const Step* Scenario::step_with_world() const {
    const auto found = std::ranges::find_if(steps, [](const Step& step) {
        const auto* measure = std::get_if<Measure>(&step.act);
        return std::holds_alternative<Step::WaitForChunks>(step.act)
               || std::holds_alternative<Step::ExpectBlock>(step.act)
               || (measure != nullptr
                   && (measure->what == Measure::What::chunks || measure->what == Measure::What::entities));
    });
    return found == steps.end() ? nullptr : &*found;
}

std::vector<Bot*> ScenarioRun::actors(Crowd& crowd, const Step& step) const {
    std::vector<Bot*> out;
    if (step.bot) {
        if (*step.bot < crowd.bots().size()) out.push_back(crowd.bots()[*step.bot].get());
    } else if (is_action(step)) {
        out.push_back(crowd.bots().front().get());
    } else {
        for (const auto& bot : crowd.bots()) out.push_back(bot.get());
    }
    return out;
}

void ScenarioRun::note(const Step& step, std::string text) {
    unmet_.push_back({fmt::format("{}:{}", scenario_.file, step.line), std::move(text)});
}

void ScenarioRun::begin(Crowd& crowd, const Step& step) {
    if (is_expectation(step)) ++expectations_;
    const auto bots = actors(crowd, step);
    if (std::holds_alternative<Step::Join>(step.act)) {
        crowd.allow_joining();
    } else if (const auto* group = std::get_if<Step::Group>(&step.act)) {
        for (std::size_t i = 0; i < group->count && grouped_ < crowd.bots().size(); ++i)
            crowd.bots()[grouped_++]->go_to(beside(group->place, i));
    } else if (const auto* go = std::get_if<Step::GoTo>(&step.act)) {
        for (std::size_t i = 0; i < bots.size(); ++i) bots[i]->go_to(beside(go->place, i));
    } else if (const auto* walk = std::get_if<Step::WalkOn>(&step.act)) {
        for (auto* bot : bots) bot->walk(walk->rules);
    } else if (const auto* look = std::get_if<Step::Look>(&step.act)) {
        for (auto* bot : bots) bot->look(look->yaw, look->pitch);
    } else if (const auto* chat = std::get_if<Step::Chat>(&step.act)) {
        for (auto* bot : bots) bot->chat(chat->text);
    } else if (const auto* place = std::get_if<Step::PlaceBlock>(&step.act)) {
        for (auto* bot : bots)
            if (const auto placed = bot->place(place->pos, place->name); !placed) {
                ++expectations_;
                note(step, placed.error().text());
            }
    } else if (const auto* away = std::get_if<Step::BreakBlock>(&step.act)) {
        for (auto* bot : bots) bot->take_away(away->pos);
    } else if (std::holds_alternative<Step::Leave>(step.act)) {
        for (auto* bot : bots) bot->leave();
    }
}

ScenarioRun::State ScenarioRun::look(Crowd& crowd, const Step& step, std::string& found) {
    const auto waited = crowd.now() - since_;
    const auto bots = actors(crowd, step);
    const auto count_of = [&](auto&& is_so) {
        const auto good = static_cast<std::size_t>(std::ranges::count_if(bots, is_so));
        found = bots.size() == 1 ? found : fmt::format("only {} of {} bots: {}", good, bots.size(), found);
        return good == bots.size() ? State::done : State::waiting;
    };
    if (const auto* wait = std::get_if<Step::Wait>(&step.act))
        return waited >= wait->time ? State::done : State::waiting;
    if (const auto* walk = std::get_if<Step::WalkOn>(&step.act)) {
        if (walk->rules.kind == WalkRules::Kind::to)
            return count_of([](const Bot* bot) { return bot->walking().has_arrived(); });
        if (!walk->time) return State::done;
        if (waited < *walk->time) return State::waiting;
        for (auto* bot : bots) bot->walk({});
        return State::done;
    }
    if (std::holds_alternative<Step::Join>(step.act)) {
        found = "not in the world yet";
        for (const auto* bot : bots)
            if (bot->failure()) found = *bot->failure();
        return count_of([](const Bot* bot) { return bot->is_in_world() && bot->place(); });
    }
    if (const auto* wait = std::get_if<Step::WaitForChunks>(&step.act)) {
        found = fmt::format("{} chunks", bots.empty() ? 0 : bots.front()->world().complete_chunks());
        return count_of([&](const Bot* bot) { return bot->world().complete_chunks() >= wait->count; });
    }
    if (const auto* expect = std::get_if<Step::ExpectBlock>(&step.act)) {
        std::string other = "the chunk has not arrived";
        for (const auto* bot : bots)
            if (const auto name = bot->world().block_name(expect->pos)) {
                if (!FoldedEqual()(*name, expect->name)) other = fmt::format("found {}", *name);
            }
        found = other;
        return count_of([&](const Bot* bot) {
            const auto name = bot->world().block_name(expect->pos);
            return name && FoldedEqual()(*name, expect->name);
        });
    }
    if (const auto* expect = std::get_if<Step::ExpectChat>(&step.act)) {
        found = "no such message has arrived";
        return count_of([&](const Bot* bot) {
            return std::ranges::any_of(
                bot->heard(), [&](const auto& text) { return text.find(expect->text) != std::string::npos; });
        });
    }
    if (const auto* measure = std::get_if<Measure>(&step.act)) {
        if (const auto value = crowd_value(crowd, *measure)) {
            const bool has = was_measured(crowd, *measure);
            found = has ? fmt::format("found {:.3f}", *value) : "nothing was measured yet";
            return has && holds(*value, measure->comparison, measure->value) ? State::done : State::waiting;
        }
        for (const auto* bot : bots)
            if (const auto value = bot_value(*bot, measure->what);
                !holds(value, measure->comparison, measure->value))
                found = fmt::format("found {}", value);
        return count_of([&](const Bot* bot) {
            return holds(bot_value(*bot, measure->what), measure->comparison, measure->value);
        });
    }
    return State::done;
}

bool ScenarioRun::tick(Crowd& crowd) {
    while (next_ < scenario_.steps.size()) {
        const auto& step = scenario_.steps[next_];
        if (!has_begun_) {
            has_begun_ = true;
            since_ = crowd.now();
            begin(crowd, step);
        }
        std::string found;
        if (look(crowd, step, found) == State::waiting) {
            const bool has_limit =
                !std::holds_alternative<Step::Wait>(step.act)
                && !(std::holds_alternative<Step::WalkOn>(step.act) && std::get<Step::WalkOn>(step.act).time);
            if (!has_limit || crowd.now() - since_ < step.within) return false;
            if (!is_expectation(step)) ++expectations_;
            note(step, fmt::format("{}: {}", step.text, found));
        }
        has_begun_ = false;
        ++next_;
    }
    return true;
}

void ScenarioRun::complete(CrowdReport& report) const {
    report.expectations = expectations_;
    report.unmet = unmet_;
    // What was not come to is not met either.
    for (auto i = next_; i < scenario_.steps.size(); ++i)
        if (is_expectation(scenario_.steps[i])) {
            ++report.expectations;
            report.unmet.push_back({fmt::format("{}:{}", scenario_.file, scenario_.steps[i].line),
                                    fmt::format("{}: the run ended first", scenario_.steps[i].text)});
        }
}

} // namespace orbis::game

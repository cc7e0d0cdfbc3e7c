#include "game/bot/scenario.hpp"

#include <charconv>
#include <cmath>

namespace orbis::game {

namespace {

constexpr std::size_t k_most_bots = 100'000;
constexpr std::size_t k_most_steps = 100'000;
constexpr net::Duration k_join_time = std::chrono::seconds(60);
constexpr net::Duration k_walk_time = std::chrono::seconds(60);

/// The words of one line.
class Line {
public:
    static Result<Line> split(std::string_view text) {
        Line out;
        std::size_t at = 0;
        while (true) {
            while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
            if (at == text.size() || text[at] == '#') return out;
            if (text[at] == '"') {
                const auto end = text.find('"', at + 1);
                if (end == std::string_view::npos)
                    return fail(error(Errc::bad_text, "a text has no end").advise("write a second \""));
                out.words_.emplace_back(text.substr(at + 1, end - at - 1));
                at = end + 1;
            } else {
                const auto end = std::min(text.find_first_of(" \t\r#", at), text.size());
                out.words_.emplace_back(text.substr(at, end - at));
                at = end;
            }
        }
    }

    [[nodiscard]] bool empty() const { return next_ == words_.size(); }
    [[nodiscard]] std::string_view peek() const { return empty() ? std::string_view() : words_[next_]; }
    /// Takes the word if it is the next one.
    bool take(std::string_view word) {
        if (empty() || words_[next_] != word) return false;
        ++next_;
        return true;
    }
    Result<std::string_view> word(std::string_view what) {
        if (empty()) return fail(Errc::bad_text, "expected {}, found the end of the line", what);
        return words_[next_++];
    }
    Result<void> expect(std::string_view wanted) {
        TRY(const auto found, word(fmt::format("'{}'", wanted)));
        if (found != wanted) return fail(Errc::bad_text, "expected '{}', found '{}'", wanted, found);
        return {};
    }
    Result<void> end() const {
        if (empty()) return {};
        return fail(Errc::bad_text, "expected the end of the line, found '{}'", words_[next_]);
    }

    Result<double> number(std::string_view what) {
        TRY(const auto text, word(what));
        double value = 0;
        const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
            return fail(Errc::bad_text, "expected {}, found '{}'", what, text);
        return value;
    }
    Result<std::size_t> count(std::string_view what, std::size_t most) {
        TRY(const auto value, number(what));
        if (value < 0 || value > static_cast<double>(most) || value != std::floor(value))
            return fail(Errc::bad_text, "expected {}, 0 to {}, found {}", what, most, value);
        return static_cast<std::size_t>(value);
    }
    /// `500ms`, `10s`, `2m`
    Result<net::Duration> time(std::string_view what) {
        TRY(const auto text, word(what));
        double value = 0;
        const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
        const double seconds = unit == "ms" ? 0.001 : unit == "s" ? 1 : unit == "m" ? 60 : 0;
        if (problem != std::errc() || seconds == 0 || !(value >= 0) || value * seconds > 86'400)
            return fail(Errc::bad_text, "expected {} such as 500ms, 10s or 2m, found '{}'", what, text);
        return std::chrono::duration_cast<net::Duration>(std::chrono::duration<double>(value * seconds));
    }
    Result<Point> place() {
        Point out;
        TRY(out.x, number("X"));
        TRY(out.y, number("Y"));
        TRY(out.z, number("Z"));
        if (std::abs(out.x) > 1e8 || std::abs(out.y) > 1e8 || std::abs(out.z) > 1e8)
            return fail(Errc::bad_text, "expected coordinates up to 100000000");
        return out;
    }
    Result<BlockPos> block() {
        TRY(const auto at, place());
        if (at.x != std::floor(at.x) || at.y != std::floor(at.y) || at.z != std::floor(at.z))
            return fail(Errc::bad_text, "expected whole numbers for the block's X Y Z");
        return BlockPos{static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(at.z)};
    }
    [[nodiscard]] bool next_is_time() const {
        const auto text = peek();
        return !text.empty() && text[0] >= '0' && text[0] <= '9'
               && (text.ends_with('s') || text.ends_with('m'));
    }

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

Result<void> take_within(Line& line, Step& step) {
    if (!line.take("within")) return {};
    TRY(step.within, line.time("a time"));
    return {};
}

Result<void> parse_walk_step(Line& line, Step& step) {
    Step::WalkOn act;
    if (line.take("to")) {
        TRY(const auto target, line.place());
        act.rules.kind = WalkRules::Kind::to;
        act.rules.points.push_back(target);
        step.within = k_walk_time;
    } else {
        TRY(const auto word, line.word("still, straight, random, circle or to"));
        const auto kind = parse_walk(word);
        if (!kind)
            return fail(
                error(Errc::bad_text, "expected still, straight, random, circle or to, found '{}'", word));
        act.rules.kind = *kind;
        if (line.next_is_time()) {
            TRY(act.time, line.time("a time"));
        }
    }
    if (line.take("speed")) {
        TRY(act.rules.speed, line.number("blocks per second"));
        if (!(act.rules.speed > 0) || act.rules.speed > 1000)
            return fail(Errc::bad_text, "expected a speed above 0, up to 1000");
    }
    if (act.rules.kind == WalkRules::Kind::to) TRY_DO(take_within(line, step));
    step.act = std::move(act);
    return {};
}

Result<void> parse_comparison(Line& line, Measure& measure) {
    TRY(const auto word, line.word("<, <=, =, >= or >"));
    if (word == "<")
        measure.comparison = Comparison::less;
    else if (word == "<=")
        measure.comparison = Comparison::at_most;
    else if (word == "=")
        measure.comparison = Comparison::equal;
    else if (word == ">=")
        measure.comparison = Comparison::at_least;
    else if (word == ">")
        measure.comparison = Comparison::more;
    else
        return fail(Errc::bad_text, "expected <, <=, =, >= or >, found '{}'", word);
    return {};
}

Result<void> parse_measure(Line& line, std::string_view name, Step& step) {
    using What = Measure::What;
    Measure measure;
    bool is_time = false;
    if (name == "players")
        measure.what = What::players;
    else if (name == "entities")
        measure.what = What::entities;
    else if (name == "chunks")
        measure.what = What::chunks;
    else if (name == "edits-confirmed")
        measure.what = What::edits_confirmed;
    else if (name == "edits-refused")
        measure.what = What::edits_refused;
    else if (name == "errors")
        measure.what = What::errors;
    else {
        is_time = true;
        if (name == "ping")
            measure.what = What::ping;
        else if (name == "time-to-join")
            measure.what = What::time_to_join;
        else if (name == "time-to-first-chunk")
            measure.what = What::time_to_first_chunk;
        else if (name == "time-to-last-chunk")
            measure.what = What::time_to_last_chunk;
        else
            return fail(error(Errc::bad_text,
                              "expected block, chat, players, entities, chunks, ping, time-to-join, "
                              "time-to-first-chunk, time-to-last-chunk, edits-confirmed, edits-refused or "
                              "errors, found '{}'",
                              name));
    }
    if (is_time && line.peek().starts_with('p') && line.peek().size() > 1) {
        TRY(const auto word, line.word("a percentile"));
        double percent = 0;
        const auto [stop, problem] = std::from_chars(word.data() + 1, word.data() + word.size(), percent);
        if (problem != std::errc() || stop != word.data() + word.size() || !(percent > 0 && percent <= 100))
            return fail(Errc::bad_text, "expected a percentile such as p99, found '{}'", word);
        measure.percentile = percent;
    }
    TRY_DO(parse_comparison(line, measure));
    if (is_time) {
        TRY(const auto time, line.time("a time"));
        measure.value = std::chrono::duration<double, std::milli>(time).count();
    } else {
        TRY(measure.value, line.number("a number"));
    }
    TRY_DO(take_within(line, step));
    step.act = measure;
    return {};
}

Result<void> parse_expect(Line& line, Step& step) {
    TRY(const auto what, line.word("what to expect"));
    if (what == "block") {
        Step::ExpectBlock act;
        TRY(act.pos, line.block());
        TRY_DO(line.expect("is"));
        TRY(act.name, line.word("the name of a block"));
        TRY_DO(take_within(line, step));
        step.act = std::move(act);
        return {};
    }
    if (what == "chat") {
        TRY(const auto text, line.word("a text"));
        step.act = Step::ExpectChat{std::string(text)};
        return take_within(line, step);
    }
    return parse_measure(line, what, step);
}

Result<void> parse_wait(Line& line, Step& step) {
    if (!line.take("chunks")) {
        TRY(const auto time, line.time("a time or 'chunks'"));
        step.act = Step::Wait{time};
        return {};
    }
    TRY(const auto count, line.count("a number of chunks", 1 << 20));
    step.act = Step::WaitForChunks{count};
    TRY_DO(line.expect("within"));
    TRY(step.within, line.time("a time"));
    return {};
}

Result<void> parse_act(Line& line, Step& step) {
    TRY(const auto verb, line.word("a step"));
    if (verb == "join") {
        step.act = Step::Join{};
        step.within = k_join_time;
        return take_within(line, step);
    }
    if (verb == "group") {
        Step::Group act{};
        TRY(act.count, line.count("a number of bots", k_most_bots));
        TRY_DO(line.expect("at"));
        TRY(act.place, line.place());
        step.act = act;
        return {};
    }
    if (verb == "at") {
        TRY(const auto place, line.place());
        step.act = Step::GoTo{place};
        return {};
    }
    if (verb == "walk") return parse_walk_step(line, step);
    if (verb == "look") {
        constexpr double k_degree = 3.14159265358979323846 / 180;
        TRY(const auto yaw, line.number("degrees of yaw"));
        TRY(const auto pitch, line.number("degrees of pitch"));
        step.act = Step::Look{static_cast<float>(yaw * k_degree), static_cast<float>(pitch * k_degree)};
        return {};
    }
    if (verb == "chat") {
        TRY(const auto text, line.word("a text"));
        step.act = Step::Chat{std::string(text)};
        return {};
    }
    if (verb == "place") {
        Step::PlaceBlock act;
        TRY(act.name, line.word("the name of a block"));
        TRY_DO(line.expect("at"));
        TRY(act.pos, line.block());
        step.act = std::move(act);
        return {};
    }
    if (verb == "break") {
        TRY_DO(line.expect("at"));
        TRY(const auto pos, line.block());
        step.act = Step::BreakBlock{pos};
        return {};
    }
    if (verb == "wait") return parse_wait(line, step);
    if (verb == "expect") return parse_expect(line, step);
    if (verb == "leave") {
        step.act = Step::Leave{};
        return {};
    }
    return fail(
        error(Errc::bad_text,
              "expected bots, join, group, at, walk, look, chat, place, break, wait, expect or leave, "
              "found '{}'",
              verb));
}

std::string_view example(std::string_view verb) {
    if (verb == "bots") return "such as: bots 50";
    if (verb == "group") return "such as: group 50 at 0 80 0";
    if (verb == "at") return "such as: at 0 80 0";
    if (verb == "walk") return "such as: walk random 10s speed 4, or: walk to 10 80 -5";
    if (verb == "look") return "such as: look 90 0";
    if (verb == "chat") return "such as: chat \"hello\"";
    if (verb == "place") return "such as: place Rock_Stone at 10 80 -5";
    if (verb == "break") return "such as: break at 10 80 -5";
    if (verb == "wait") return "such as: wait 2s, or: wait chunks 100 within 10s";
    if (verb == "expect")
        return "such as: expect block 10 80 -5 is Rock_Stone within 2s, or: expect ping p99 < 50ms";
    return "docs/formats/scenario.md lists all steps";
}

Result<void> parse_line(std::string_view text, int number, Scenario& scenario) {
    TRY(auto line, Line::split(text));
    if (line.empty()) return {};
    if (line.take("bots")) {
        if (scenario.bots || !scenario.steps.empty())
            return fail(Errc::bad_text, "expected 'bots' once, before all steps");
        TRY(const auto count, line.count("a number of bots", k_most_bots));
        if (count == 0) return fail(Errc::bad_text, "expected at least 1 bot");
        scenario.bots = count;
        return line.end();
    }
    Step step;
    step.line = number;
    const auto begin = text.find_first_not_of(" \t");
    step.text = text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
    if (line.take("bot")) {
        TRY(const auto bot, line.count("the number of a bot", k_most_bots));
        if (bot == 0) return fail(Errc::bad_text, "expected the number of a bot, from 1 on");
        step.bot = bot - 1;
    }
    const std::string verb(line.peek());
    if (auto parsed = parse_act(line, step); !parsed)
        return fail(std::move(parsed).error().advise(example(verb)));
    if (auto end = line.end(); !end) return fail(std::move(end).error().advise(example(verb)));
    if (scenario.steps.size() == k_most_steps)
        return fail(Errc::too_large, "more than {} steps", k_most_steps);
    scenario.steps.push_back(std::move(step));
    return {};
}

} // namespace

Result<Scenario> Scenario::parse(std::string_view text, std::string_view file) {
    Scenario out;
    out.file = file;
    std::size_t most = 0;
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        if (auto parsed = parse_line(text.substr(0, end), number, out); !parsed) {
            const auto verb = text.substr(0, end).substr(0, text.find_first_of(" \t\n"));
            return fail(
                std::move(parsed).error().in_file(fmt::format("{}:{}", file, number)).advise(example(verb)));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const auto& step : out.steps) {
        most = std::max(most, step.bot ? *step.bot + 1 : 0);
        if (out.bots && most > *out.bots)
            return fail(error(Errc::bad_text, "expected a bot from 1 to {}, found {}", *out.bots, most)
                            .in_file(fmt::format("{}:{}", file, step.line))
                            .advise("make more with: bots N"));
    }
    if (out.steps.empty())
        return fail(error(Errc::bad_text, "the scenario has no steps")
                        .in_file(file)
                        .advise("docs/formats/scenario.md lists all steps"));
    if (std::ranges::none_of(out.steps,
                             [](const Step& step) { return std::holds_alternative<Step::Join>(step.act); }))
        return fail(error(Errc::bad_text, "no join step, so no bot would connect")
                        .in_file(file)
                        .advise("such as: join within 10s"));
    if (!out.bots && most > 0) out.bots = most;
    return out;
}

} // namespace orbis::game

#pragma once

#include "game/bot/crowd.hpp"

#include <variant>

namespace orbis::game {

/// How two numbers are compared.
enum class Comparison : std::uint8_t { less, at_most, equal, at_least, more };

/// A number of the whole crowd or of a bot, compared.
struct Measure {
    enum class What : std::uint8_t {
        players,  ///< that the server lists
        entities, ///< in view, without the own one
        chunks,   ///< complete ones in view
        ping,
        time_to_join,
        time_to_first_chunk,
        time_to_last_chunk,
        edits_confirmed,
        edits_refused,
        errors,
    };
    What what = What::players;
    double percentile = 99; ///< of times, which are in milliseconds
    Comparison comparison = Comparison::at_least;
    double value = 0;
};

/// One line of a scenario.
struct Step {
    struct Join {};
    struct Group {
        std::size_t count;
        Point place;
    };
    struct GoTo {
        Point place;
    };
    struct WalkOn {
        WalkRules rules;
        std::optional<net::Duration> time; ///< stands still afterwards; none: goes on while other steps run
    };
    struct Look {
        float yaw, pitch;
    };
    struct Chat {
        std::string text;
    };
    struct PlaceBlock {
        std::string name;
        BlockPos pos;
    };
    struct BreakBlock {
        BlockPos pos;
    };
    struct Wait {
        net::Duration time;
    };
    struct WaitForChunks {
        std::size_t count;
    };
    struct ExpectBlock {
        BlockPos pos;
        std::string name;
    };
    struct ExpectChat {
        std::string text;
    };
    struct Leave {};

    using Act = std::variant<Join, Group, GoTo, WalkOn, Look, Chat, PlaceBlock, BreakBlock, Wait,
                             WaitForChunks, ExpectBlock, ExpectChat, Measure, Leave>;
    int line = 0;
    std::string text{};               ///< as written
    std::optional<std::size_t> bot{}; ///< only this one, from 0; all otherwise
    Act act{};
    net::Duration within{}; ///< how long it may take to come true
};

/// What bots do and what must come of it (docs/formats/scenario.md).
struct Scenario {
    std::string file;
    std::optional<std::size_t> bots; ///< how many it needs
    std::vector<Step> steps;

    /// Errors name the file and the line, what was expected there and what to write.
    static Result<Scenario> parse(std::string_view text, std::string_view file);
    /// The first step that asks for what only bots know who keep a world; null if there is none.
    [[nodiscard]] const Step* step_with_world() const;
};

/// Leads a crowd through a scenario. An expectation that is not met is noted, and the scenario goes on.
class ScenarioRun {
public:
    explicit ScenarioRun(const Scenario& scenario) : scenario_(scenario) {}

    /// To be called as the crowd's director.
    bool tick(Crowd& crowd);
    /// Adds what was not met to the crowd's report.
    void complete(CrowdReport& report) const;

private:
    enum class State : std::uint8_t { waiting, done };
    void begin(Crowd& crowd, const Step& step);
    State look(Crowd& crowd, const Step& step, std::string& found);
    [[nodiscard]] std::vector<Bot*> actors(Crowd& crowd, const Step& step) const;
    void note(const Step& step, std::string text);

    const Scenario& scenario_;
    std::size_t next_ = 0;
    bool has_begun_ = false;
    net::Time since_{};
    std::size_t grouped_ = 0; ///< bots that belong to a group
    std::size_t expectations_ = 0;
    std::vector<Unmet> unmet_;
};

} // namespace orbis::game

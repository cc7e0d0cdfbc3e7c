#include "app/answer.hpp"
#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/problem_lines.hpp"
#include "app/query_options.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/near_names.hpp"
#include "jobs/edit/merge_chunks.hpp"
#include "query/find.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

/// `X,Y,Z`, also with fractions.
Result<std::array<double, 3>> parse_point(std::string_view text) {
    std::array<double, 3> point{};
    auto rest = text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), point[axis]);
        constexpr double k_far = 1e10;
        const bool is_last = axis == 2;
        if (code == std::errc()) rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (code != std::errc() || !(std::abs(point[axis]) < k_far) || rest.empty() != is_last
            || (!is_last && rest.front() != ','))
            return fail(error(Errc::usage, "not X,Y,Z: {}", text).advise("such as --near 56,65,123"));
        if (!is_last) rest.remove_prefix(1);
    }
    return point;
}

/// A coordinate: of a block without a fraction, of an entity with one.
std::string coordinate_text(const query::Hit& hit, std::size_t axis) {
    return hit.kind == query::HitKind::entity ? fmt::format("{:.1f}", hit.at[axis])
                                              : fmt::format("{:.0f}", hit.at[axis]);
}

class CommandFind final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.words(
            "KEY", patterns_,
            "What to find: the key of a block, an item or a kind of entity, or the name of an entity; "
            "* stands for any text, ? for one letter");
        chunks_.declare(options, "Only in these chunks (docs/selections.md)");
        options.text("--box BOX", box_, "Only in this box: X1,Y1,Z1..X2,Y2,Z2")
            .text("--near X,Y,Z", near_, "Show the hits nearest to this place first (default: in order)")
            .choice("--kind", kind_, {"block", "item", "entity"}, "Only hits of this kind")
            .number("--limit COUNT", limit_, 0, 1'000'000,
                    "Show at most N hits; 0 for all (default: 100, with --json and --csv all)")
            .flag("--csv", csv_, "Print comma-separated values, with a line of titles");
        options.footer(
            "A door of two cells is one hit. Items are found in containers, each kind of item once in each. "
            "All hits are counted, also those that are not shown.\n"
            "Examples:\n"
            "  orbis find PATH 'Ore_Gold*' --near 56,65,123 --limit 5\n"
            "  orbis find PATH '*Chest*' 'Bench_*' --box -100,0,-100..100,319,100\n"
            "  orbis find PATH 'Weapon_Sword_*' --kind item\n"
            "  orbis sql PATH      asks anything else");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto form, answer_form(csv_, common.json));
        if (patterns_.empty())
            return fail(error(Errc::usage, "there is nothing to look for")
                            .advise("give a key, such as 'Ore_Gold*'; orbis blocks PATH lists the blocks"));
        TRY(auto question, make_question(form));
        TRY(auto location, world_.find());
        const bool is_unfinished = print_notes(console, location);
        has_worlds_ = location.worlds.size() > 1;
        ProblemLines problems(console);
        TRY(question.filter.only, chunks_.only(location, common.threads, console,
                                               [&](const Error& problem) { problems.add(problem); }));
        query::Session session(std::move(location), query_options(console, problems, common.threads));
        if (form == AnswerForm::csv)
            print_csv(console, {"kind", "world", "x", "y", "z", "key", "detail", "pieces"});
        std::uint64_t shown = 0;
        const auto counts = query::find(session, question, [&](const query::Hit& hit) {
            if (shown++ == 0 && form == AnswerForm::table) print_heads(console);
            form == AnswerForm::json  ? print_json(console, hit)
            : form == AnswerForm::csv ? print_line(console, hit)
                                      : print_hit(console, hit);
        });
        const bool is_damaged = problems.print();
        if (!counts) return std::unexpected(counts.error());
        print_counts(console, *counts, shown, form);
        return is_damaged || is_unfinished ? Outcome::damage : Outcome::fine;
    }

    Result<query::FindQuestion> make_question(AnswerForm form) const {
        query::FindQuestion question;
        question.filter.keys.push_back({query::TextTest::Kind::glob, patterns_});
        question.blocks = kind_.empty() || kind_ == "block";
        question.items = kind_.empty() || kind_ == "item";
        question.entities = kind_.empty() || kind_ == "entity";
        constexpr std::uint64_t k_usual = 100;
        question.limit = limit_                      ? static_cast<std::uint64_t>(*limit_)
                         : form == AnswerForm::table ? k_usual
                                                     : 0;
        if (!box_.empty()) {
            TRY(const auto box, jobs::BlockBox::parse(box_));
            question.filter.x = {box.least.x, box.most.x};
            question.filter.y = {box.least.y, box.most.y};
            question.filter.z = {box.least.z, box.most.z};
        }
        if (near_.empty()) return question;
        TRY(question.near, parse_point(near_));
        constexpr std::uint64_t k_most_sorted = 1'000'000; // all of them are in memory
        if (question.limit == 0) question.limit = k_most_sorted;
        return question;
    }

    void print_heads(Console& console) const {
        std::vector<Cell> heads{{"kind", 6}};
        if (has_worlds_) heads.push_back({"world", 16, Tone::plain, false, 1});
        for (const auto* axis : {"x", "y", "z"}) heads.push_back({axis, 7, Tone::plain, true});
        heads.push_back({"key"});
        print_titles(console, std::move(heads));
    }

    void print_hit(Console& console, const query::Hit& hit) const {
        std::vector<Cell> row{{std::string(query::name(hit.kind)), 6, Tone::faint}};
        if (has_worlds_) row.push_back({hit.world->name, 16, Tone::plain, false, 1});
        for (std::size_t axis = 0; axis < 3; ++axis)
            row.push_back({coordinate_text(hit, axis), 7, Tone::plain, true});
        std::string text(hit.key);
        if (hit.kind == query::HitKind::item)
            text += fmt::format(", {} in {}", human_count(pieces_of(hit)), hit.detail);
        if (hit.kind == query::HitKind::entity && !hit.detail.empty())
            text += fmt::format(", {}", hit.detail);
        row.push_back({std::move(text)});
        print_row(console, std::move(row));
    }
    static std::uint64_t pieces_of(const query::Hit& hit) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(hit.pieces, 0));
    }

    static void print_line(Console& console, const query::Hit& hit) {
        print_csv(console, {std::string(query::name(hit.kind)), hit.world->name, fmt::format("{}", hit.at[0]),
                            fmt::format("{}", hit.at[1]), fmt::format("{}", hit.at[2]), std::string(hit.key),
                            std::string(hit.detail), std::to_string(hit.pieces)});
    }

    static void print_json(Console& console, const query::Hit& hit) {
        JsonWriter json;
        json.object().member("kind", query::name(hit.kind)).member("world", hit.world->name);
        for (std::size_t axis = 0; axis < 3; ++axis)
            json.key(std::string_view("xyz").substr(axis, 1)).real(hit.at[axis]);
        json.member("key", hit.key);
        if (hit.kind == query::HitKind::item)
            json.member("pieces", hit.pieces).member("container", hit.detail);
        if (hit.kind == query::HitKind::entity && !hit.detail.empty()) json.member("name", hit.detail);
        json.end();
        console.line(json.text());
    }

    void print_counts(Console& console, const std::vector<query::HitCount>& counts, std::uint64_t shown,
                      AnswerForm form) const {
        std::uint64_t hits = 0;
        for (const auto& count : counts) hits += count.hits;
        if (form == AnswerForm::json) {
            JsonWriter json;
            json.object().member("hits", hits).key("counts").array();
            for (const auto& count : counts) {
                json.object()
                    .member("kind", query::name(count.kind))
                    .member("key", count.key)
                    .member("hits", count.hits);
                if (count.kind == query::HitKind::item) json.member("pieces", count.pieces);
                json.end();
            }
            json.end().end();
            console.line(json.text());
        } else if (form == AnswerForm::table && hits != 0) {
            console.line("");
            for (const auto& count : counts) {
                auto text = count.key;
                if (count.kind == query::HitKind::item)
                    text += fmt::format(", {} in all", counted(count.pieces, "piece"));
                print_row(console, {{std::string(query::name(count.kind)), 6, Tone::faint},
                                    {human_count(count.hits), 13, Tone::plain, true},
                                    {std::move(text)}});
            }
        }
        if (hits == 0) return console.note(nothing_found());
        auto text = counted(hits, "hit");
        if (shown < hits)
            text += fmt::format("; {} {} shown, use --limit 0 to show all",
                                near_.empty() ? "the first" : "the nearest", human_count(shown));
        console.note(text);
    }

    [[nodiscard]] std::string nothing_found() const {
        std::string text = "nothing found";
        std::vector<std::string_view> names;
        for (const auto& type : world::Assets::built_in().blocks.all()) names.emplace_back(type.key);
        for (const auto& pattern : patterns_)
            if (pattern.find_first_of("*?[") == std::string::npos) text += did_you_mean(pattern, names);
        return text;
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::vector<std::string> patterns_;
    ChunksOption chunks_;
    std::string box_;
    std::string near_;
    std::string kind_; ///< empty for all
    std::optional<int> limit_;
    bool csv_ = false;
    bool has_worlds_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_find() { return std::make_unique<CommandFind>(); }

} // namespace orbis::app

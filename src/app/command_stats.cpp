#include "app/answer.hpp"
#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/depth_picture.hpp"
#include "app/problem_lines.hpp"
#include "app/query_options.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "query/depths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

constexpr int k_heights = k_sections * k_side;

class CommandStats final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.words(
            "KEY", patterns_,
            "Blocks to count, * stands for any text (default: Ore_*, the ores of all rocks together)");
        chunks_.declare(options, "Only in these chunks (docs/selections.md)");
        options.number("--step COUNT", step_, 1, k_heights, "Heights in one line of the table (default: 10)")
            .file("--image", image_, "Draw it to this PNG file too, a bar per height")
            .flag("--csv", csv_, "Print comma-separated values, with a line of titles");
        options.footer(
            "At which heights the ores are. The highest line of the table comes first; heights without any "
            "are left out.\n"
            "Examples:\n"
            "  orbis stats PATH --image ores.png\n"
            "  orbis stats PATH Ore_Gold_Stone 'Ore_Silver_*' --step 5\n"
            "  orbis find PATH 'Ore_Gold*' --near 0,64,0      finds the nearest");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto form, answer_form(csv_, common.json));
        if (!image_.empty()) TRY_DO(check_picture_place(image_));
        TRY(auto location, world_.find());
        if (location.worlds.size() != 1) {
            TRY(const auto chosen, world_.choose(console)); // says which there are
            location.worlds = {chosen.world};
        }
        const bool is_unfinished = print_notes(console, location);
        ProblemLines problems(console);
        query::Filter filter;
        filter.keys.push_back(
            {query::TextTest::Kind::glob, patterns_.empty() ? std::vector<std::string>{"Ore_*"} : patterns_});
        TRY(filter.only, chunks_.only(location, common.threads, console,
                                      [&](const Error& problem) { problems.add(problem); }));
        query::Session session(std::move(location), query_options(console, problems, common.threads));
        const auto found = query::count_by_height(session, filter);
        const bool is_damaged = problems.print();
        if (!found) return std::unexpected(found.error());
        const auto kinds = kinds_of(*found);
        if (form == AnswerForm::json)
            print_json(console, kinds);
        else
            print_tables(console, kinds, form);
        if (!image_.empty()) TRY_DO(write_png(image_, draw_depths(kinds)));
        std::uint64_t cells = 0;
        for (const auto& kind : kinds) cells += kind.total;
        console.note(fmt::format("{} of {} in {}", counted(cells, "cell"), counted(kinds.size(), "kind"),
                                 counted(found->chunks, "chunk")));
        return is_damaged || is_unfinished ? Outcome::damage : Outcome::fine;
    }

    /// `Ore_Iron_Stone` and `Ore_Iron_Slate` are both `Iron`, where nobody asked for keys.
    [[nodiscard]] std::string kind_of(const std::string& key) const {
        if (!patterns_.empty()) return key;
        const auto begin = std::string_view("Ore_").size();
        const auto end = key.find('_', begin);
        return key.substr(begin, end == std::string::npos ? end : end - begin);
    }

    /// The most frequent first.
    [[nodiscard]] std::vector<KindDepths> kinds_of(const query::Depths& found) const {
        std::map<std::string, KindDepths> by_name;
        for (const auto& [key, cells] : found.keys) {
            auto& kind = by_name[kind_of(key)];
            kind.name = kind_of(key);
            kind.keys.push_back(key);
            for (std::size_t y = 0; y < cells.size(); ++y) {
                kind.cells[y] += cells[y];
                kind.total += cells[y];
            }
        }
        std::vector<KindDepths> kinds;
        for (auto& [name, kind] : by_name) kinds.push_back(std::move(kind));
        std::ranges::stable_sort(kinds, std::greater{}, &KindDepths::total);
        return kinds;
    }

    /// One table beside another would not fit on a terminal: then they follow each other.
    void print_tables(Console& console, const std::vector<KindDepths>& kinds, AnswerForm form) const {
        const auto room = Console::data_width();
        for (std::size_t first = 0; first < kinds.size();) {
            constexpr std::size_t k_height_column = 9;
            auto used = k_height_column;
            auto end = first;
            while (end < kinds.size()
                   && (end == first || room == 0 || form == AnswerForm::csv
                       || used + width_of(kinds[end]) + 2 <= room))
                used += width_of(kinds[end++]) + 2;
            if (first != 0) console.line("");
            print_table(console, std::span(kinds).subspan(first, end - first), form);
            first = end;
        }
    }
    static std::size_t width_of(const KindDepths& kind) {
        return std::max(columns_of(kind.name), human_count(kind.total).size());
    }

    void print_table(Console& console, std::span<const KindDepths> kinds, AnswerForm form) const {
        const auto print = [&](const std::string& head, const auto& value_of, Tone tone) {
            if (form == AnswerForm::csv) {
                std::vector<std::string> values{head};
                for (const auto& kind : kinds) values.push_back(value_of(kind));
                return print_csv(console, values);
            }
            std::vector<Cell> row{{head, 7, tone}};
            for (const auto& kind : kinds) row.push_back({value_of(kind), width_of(kind), tone, true});
            print_row(console, std::move(row));
        };
        const auto number = [&](std::uint64_t value) {
            return form == AnswerForm::csv ? std::to_string(value) : human_count(value);
        };
        print("y", [](const KindDepths& kind) { return kind.name; }, Tone::heading);
        const int step = step_.value_or(10);
        for (int least = (k_heights - 1) / step * step; least >= 0; least -= step) {
            const int most = std::min(least + step, k_heights) - 1;
            const auto sum = [least, most](const KindDepths& kind) {
                std::uint64_t cells = 0;
                for (int y = least; y <= most; ++y) cells += kind.cells[static_cast<std::size_t>(y)];
                return cells;
            };
            if (std::ranges::all_of(kinds, [&](const KindDepths& kind) { return sum(kind) == 0; })) continue;
            print(
                step == 1 ? fmt::format("{}", least) : fmt::format("{}-{}", least, most),
                [&](const KindDepths& kind) { return number(sum(kind)); }, Tone::plain);
        }
        if (form != AnswerForm::csv)
            print("all", [&](const KindDepths& kind) { return number(kind.total); }, Tone::heading);
    }

    static void print_json(Console& console, const std::vector<KindDepths>& kinds) {
        for (const auto& kind : kinds) {
            JsonWriter json;
            json.object().member("kind", kind.name).key("keys").array();
            for (const auto& key : kind.keys) json.string(key);
            json.end().member("cells", kind.total).key("by_y").array();
            for (std::size_t y = 0; y < kind.cells.size(); ++y)
                if (kind.cells[y] != 0) json.array().number(y).number(kind.cells[y]).end();
            json.end().end();
            console.line(json.text());
        }
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::vector<std::string> patterns_;
    ChunksOption chunks_;
    std::optional<int> step_;
    std::filesystem::path image_;
    bool csv_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_stats() { return std::make_unique<CommandStats>(); }

} // namespace orbis::app

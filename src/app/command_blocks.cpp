#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/near_names.hpp"
#include "orbis/count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

class CommandBlocks final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.text("--match KEY", match_, "Only block keys that contain this text, such as Ore_")
            .flag("--by-y", by_y_, "Count by height: one line per block key and y")
            .flag("--unknown", unknown_, "Only block keys that neither the game nor --assets has");
        assets_.declare(options);
        options.footer(
            "The most frequent block comes first. Cells are counted: a door of two cells counts twice.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto world, world_.open_world(console));
        const auto counts =
            count_blocks(world, {by_y_, common.threads, [&console](auto done, auto total) {
                                     done == 0 ? console.begin("Counting blocks", total) : console.step();
                                 }});
        const auto problems = world.problems();
        for (const auto& problem : problems) console.problem(problem);

        std::vector<std::pair<std::string, const BlockCount*>> shown;
        for (const auto& [key, count] : counts.keys) {
            const bool known = key == "Empty" || assets->block(key) != nullptr;
            if ((unknown_ && known) || key.find(match_) == std::string::npos) continue;
            shown.emplace_back(key, &count);
        }
        std::ranges::stable_sort(shown, std::greater{},
                                 [](const auto& entry) { return entry.second->cells; });
        if (!console.json() && !shown.empty()) {
            std::vector<Cell> titles{{"cells", 13, Tone::plain, true}};
            if (by_y_) titles.push_back({"", 5});
            titles.push_back({"block key"});
            print_titles(console, std::move(titles));
        }
        for (const auto& [key, count] : shown) {
            const bool known = key == "Empty" || assets->block(key) != nullptr;
            console.json() ? print_json(console, key, *count, known)
                           : print_text(console, key, *count, known);
        }
        if (shown.empty() && !match_.empty()) {
            std::vector<std::string_view> names;
            for (const auto& [key, count] : counts.keys) names.emplace_back(key);
            for (const auto& type : assets->blocks.all()) names.emplace_back(type.key);
            console.note(fmt::format("no block key here contains {}{}", match_, did_you_mean(match_, names)));
        }
        console.note(
            fmt::format("{} in {}", counted(shown.size(), "block key"), counted(counts.chunks, "chunk")));
        return problems.empty() && !world.is_unfinished() ? Outcome::fine : Outcome::damage;
    }

    void print_text(Console& console, const std::string& key, const BlockCount& count, bool known) const {
        const auto print = [&](std::uint64_t cells, std::optional<std::size_t> y) {
            std::vector<Cell> row{{human_count(cells), 13, Tone::plain, true}};
            if (y) row.push_back({fmt::format("y {}", *y), 5, Tone::faint});
            row.push_back({key, 0, known ? Tone::plain : Tone::warning});
            if (!known) row.push_back({"(unknown)", 0, Tone::warning});
            print_row(console, std::move(row));
        };
        if (!by_y_) return print(count.cells, std::nullopt);
        for (std::size_t y = 0; y < count.by_y.size(); ++y)
            if (count.by_y[y] != 0) print(count.by_y[y], y);
    }

    void print_json(Console& console, const std::string& key, const BlockCount& count, bool known) const {
        JsonWriter json;
        json.object().member("key", key).member("cells", count.cells).member("known", known);
        if (by_y_) {
            json.key("by_y").array();
            for (std::size_t y = 0; y < count.by_y.size(); ++y)
                if (count.by_y[y] != 0) json.array().number(y).number(count.by_y[y]).end();
            json.end();
        }
        json.end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::string match_;
    bool by_y_ = false;
    bool unknown_ = false;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_blocks() { return std::make_unique<CommandBlocks>(); }

} // namespace orbis::app

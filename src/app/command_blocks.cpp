#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/near_names.hpp"
#include "orbis/count.hpp"

#include <fmt/format.h>

#include <algorithm>

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
        const auto mark = known ? "" : "  (unknown)";
        if (!by_y_) {
            console.line(fmt::format("{:>13}  {}{}", human_count(count.cells), key, mark));
            return;
        }
        for (std::size_t y = 0; y < count.by_y.size(); ++y)
            if (count.by_y[y] != 0)
                console.line(fmt::format("{:>13}  y {:<3}  {}{}", human_count(count.by_y[y]), y, key, mark));
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

#include "app/command_blocks.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "care/inspect/count_blocks.hpp"
#include "care/snapshot/source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

class CommandBlocks final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file, RocksDB folder or backup zip")
            .text("--world", world_, "Which world of a universe")
            .text("--match", match_, "Only keys with this text in them, such as Ore_")
            .flag("--by-y", by_y_, "Cells at each height: one line per key and y")
            .flag("--unknown", unknown_, "Only keys that no table knows");
        assets_.declare(options);
        options.footer("Counts cells, the most frequent key first; a door of two cells counts twice.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* world, world::choose_world(place, world_));
        const bool noted = print_notes(console, *world);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto store, world->open({}));
        const auto counts = care::count_blocks(*store, by_y_, common.threads, console);
        for (const auto& problem : counts.problems) console.problem(problem);

        std::vector<std::pair<std::string, const care::BlockCount*>> shown;
        for (const auto& [key, count] : counts.keys) {
            const bool known = key == "Empty" || assets->block(key) != nullptr;
            if ((unknown_ && known) || key.find(match_) == std::string::npos) continue;
            shown.emplace_back(key, &count);
        }
        std::ranges::stable_sort(shown, std::greater{},
                                 [](const auto& entry) { return entry.second->cells; });
        for (const auto& [key, count] : shown) {
            const bool known = key == "Empty" || assets->block(key) != nullptr;
            common.json ? print_json(console, key, *count, known) : print_text(console, key, *count, known);
        }
        console.note(
            fmt::format("{} in {}", counted(shown.size(), "block key"), counted(counts.chunks, "chunk")));
        return counts.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    void print_text(Console& console, const std::string& key, const care::BlockCount& count,
                    bool known) const {
        const auto mark = known ? "" : "  (not in the tables)";
        if (!by_y_) {
            console.line(fmt::format("{:>13}  {}{}", human_count(count.cells), key, mark));
            return;
        }
        for (std::size_t y = 0; y < count.by_y.size(); ++y)
            if (count.by_y[y] != 0)
                console.line(fmt::format("{:>13}  y {:<3}  {}{}", human_count(count.by_y[y]), y, key, mark));
    }

    void print_json(Console& console, const std::string& key, const care::BlockCount& count,
                    bool known) const {
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

    std::filesystem::path path_;
    std::string world_;
    std::string match_;
    bool by_y_ = false;
    bool unknown_ = false;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_blocks() { return std::make_unique<CommandBlocks>(); }

} // namespace orbis::app

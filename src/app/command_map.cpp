#include "app/command_map.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "care/selection.hpp"
#include "care/source.hpp"
#include "map/image.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandMap final : public Command {
    void declare(Options& options) override {
        options
            .path("PATH", path_,
                  "Universe, world folder, region file, RocksDB folder, backup zip or STORE@SNAPSHOT")
            .file("--image", image_, "Draw one picture into this PNG file, a pixel per block")
            .text("--layer", layer_,
                  "surface, height, light, environment, slice@Y or cave@Y (default: surface)")
            .text("--world", world_, "Which world of a universe")
            .texts("--chunks", chunks_, "Only these chunks (docs/selections.md)");
        assets_.declare(options);
        options.footer("Layers:\n"
                       "  surface      as the game's own map\n"
                       "  slice@Y      the same with everything above Y taken away\n"
                       "  cave@Y       the highest open space below the ground, at or below Y\n"
                       "  height       heights as colours, with a line every 10 blocks\n"
                       "  light        the world at night: what lamps light, and what stays dark\n"
                       "  environment  a colour per environment\n"
                       "Examples:\n"
                       "  orbis map universe --world default --image map.png\n"
                       "  orbis map backup.zip --layer cave@60 --chunks 'spawn~200' --image caves.png");
    }

    Result<Outcome> run(Console& console) override {
        if (image_.empty())
            return fail(error(Errc::usage, "nothing says where the map goes")
                            .advise("give the name of a picture with --image FILE.png"));
        TRY(const auto layer, map::parse_layer(layer_));
        care::Selection selection;
        if (!chunks_.empty()) {
            TRY(selection, care::Selection::parse(chunks_));
        }
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* world, world::choose_world(place, world_));
        const bool noted = print_notes(console, *world);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto store, world->open({}));
        std::vector<Error> problems;
        care::ChunkSet only;
        map::ImageOptions options{.layer = layer, .threads = common.threads};
        if (!chunks_.empty()) {
            TRY(only, care::resolve(selection, *world, *store, common.threads, console, problems));
            options.only = &only;
        }
        TRY(const auto report, map::write_image(*store, map::Colours(*assets), options, image_, console));
        for (const auto& problem : problems) console.problem(problem);
        for (const auto& problem : report.problems) console.problem(problem);
        print(console, world->name, layer, report);
        return problems.empty() && report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    void print(Console& console, const std::string& world, map::Layer layer,
               const map::ImageReport& report) const {
        const auto x = std::int64_t{report.first.x} * k_side;
        const auto z = std::int64_t{report.first.z} * k_side;
        if (!console.json()) {
            console.line(fmt::format("{}: drew the {} of {} into {}, {} × {} pixels from block {},{} on",
                                     world, map::id(layer),
                                     counted(static_cast<std::uint64_t>(report.chunks), "chunk"),
                                     image_.string(), report.width, report.height, x, z));
            return;
        }
        JsonWriter json;
        json.object()
            .member("world", world)
            .member("layer", map::id(layer))
            .member("file", image_.string())
            .member("chunks", report.chunks)
            .member("width", report.width)
            .member("height", report.height)
            .member("x", x)
            .member("z", z)
            .member("problems", report.problems.size())
            .end();
        console.line(json.text());
    }

    std::filesystem::path path_;
    std::filesystem::path image_;
    std::string layer_ = "surface";
    std::string world_;
    std::vector<std::string> chunks_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_map() { return std::make_unique<CommandMap>(); }

} // namespace orbis::app

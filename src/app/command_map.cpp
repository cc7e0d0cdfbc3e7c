#include "app/assets_option.hpp"
#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/inside.hpp"
#include "map/image.hpp"
#include "map/update_map.hpp"
#include "page/files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

class CommandMap final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.path("OUT", out_, "Folder for the map, new or from an earlier run", false)
            .texts("--layers LAYERS", layers_,
                   "Layers of the map, with commas between them (default: "
                   "surface,slice@32..128/32,cave@32..128/32,height,light,environment)")
            .flag("--findings", findings_,
                  "Check every chunk too, as orbis verify does, and show the findings")
            .flag("--full", full_, "Render everything again, not only what changed")
            .file("--image", image_, "Draw one picture to this PNG file instead, a pixel per block")
            .text("--layer LAYER", layer_,
                  "With --image: surface, height, light, environment, slice@Y or cave@Y (default: surface)");
        chunks_.declare(options, "With --image: only these chunks (docs/selections.md)");
        assets_.declare(options);
        options.footer("Layers:\n"
                       "  surface      like the map in the game\n"
                       "  slice@Y      the surface without everything above Y\n"
                       "  cave@Y       the highest open space below the ground, at or below Y\n"
                       "  height       heights as colours, with a line every 10 blocks\n"
                       "  light        the world at night: lamps and darkness\n"
                       "  environment  a colour per environment\n"
                       "  slice@A..B/N stands for a slice every N blocks from A to B; so does cave@A..B/N\n"
                       "A map is a folder with a web page: open its index.html, or put it on any web "
                       "server. Run the same command again to update it; only what changed is rendered. "
                       "The map of a universe has exactly its worlds; with --world, or with the path of a "
                       "single world, other worlds of the map stay.\n"
                       "Examples:\n"
                       "  orbis map universe map\n"
                       "  orbis map universe map --layers surface,height,slice@64,cave@40\n"
                       "  orbis map universe map --layers surface,slice@8..120/8\n"
                       "  orbis map universe --world default --image map.png\n"
                       "  orbis map backup.zip --layer cave@60 --chunks 'spawn~200' --image caves.png");
    }

    Result<Outcome> run(Console& console) override {
        if (image_.empty() && out_.empty())
            return fail(error(Errc::usage, "OUT is missing")
                            .advise("give a folder for the map, or --image FILE.png for a single picture"));
        if (!image_.empty() && !out_.empty())
            return fail(error(Errc::usage, "OUT and --image cannot be used together")
                            .advise("give only one of them"));
        return out_.empty() ? draw_image(console) : make_map(console);
    }

    Result<Outcome> make_map(Console& console) {
        if (!layer_.empty() || chunks_.is_given())
            return fail(
                error(Errc::usage, "{} needs --image", layer_.empty() ? "--chunks" : "--layer")
                    .advise("give --image FILE.png instead of OUT; --layers chooses the layers of a map"));
        map::UpdateOptions options;
        TRY(options.layers, chosen_layers());
        options.threads = common.threads;
        options.full = full_;
        options.findings = findings_;
        options.keep_unreadable = true;
        options.program = "orbis " ORBIS_VERSION;
        TRY(auto location, world_.find_all());
        TRY_DO(check_apart(location));
        TRY(location, world_.narrow(std::move(location)));
        TRY(const auto* assets, assets_.load(console));
        const auto name = std::filesystem::path(location.path).filename().string();
        options.title = name.empty() || name == "." ? "Map" : name;
        map::MapFiles files;
        TRY(const auto done, map::update_map(location, *assets, files, out_, options, console));
        auto outcome = Outcome::fine;
        for (const auto& world : done.worlds) {
            for (const auto& problem : world.problems) console.problem(problem);
            if (world.problem_count > world.problems.size())
                console.note(fmt::format("{}: {} more problems like these", world.name,
                                         human_count(world.problem_count - world.problems.size())));
            if (world.problem_count > 0) outcome = Outcome::damage;
            print(console, world);
        }
        for (const auto& world : done.dropped) print(console, world);
        if (!done.has_page)
            console.note(std::string(page::k_how_to_get_it));
        else
            console.note(fmt::format("To see it, open {}", (out_ / "index.html").string()));
        return outcome;
    }

    /// A map in a universe would become a part of its backups, and in `worlds/` it would pass for a world.
    [[nodiscard]] Result<void> check_apart(const world::Location& location) const {
        if (location.kind == world::Location::Kind::region_file)
            return {}; // what is beside it may be anything
        const auto root = location.root.on_disk();
        if (!root || !is_inside(out_, *root)) return {};
        return fail(error(Errc::usage, "the map must not be inside the {}",
                          location.kind == world::Location::Kind::universe ? "universe" : "world")
                        .in_file(out_.string())
                        .advise("choose another folder for the map"));
    }

    /// Each once, in the order given.
    [[nodiscard]] Result<std::vector<map::Layer>> chosen_layers() const {
        std::vector<map::Layer> layers;
        for (const auto& list : layers_) {
            TRY(const auto some, map::parse_layers(list));
            for (const auto layer : some)
                if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
        }
        return layers.empty() ? map::default_layers() : layers;
    }

    static void print(Console& console, const map::DroppedWorld& world) {
        if (!console.json()) {
            console.line(fmt::format("{}: removed from the map, because the universe does not have it ({})",
                                     world.name, counted(world.files_removed, "file")));
            return;
        }
        JsonWriter json;
        json.object()
            .member("world", world.name)
            .member("dropped", true)
            .member("files_removed", world.files_removed)
            .end();
        console.line(json.text());
    }

    static std::string unreadable_text(std::uint64_t chunks) {
        return chunks == 0 ? "" : fmt::format(" ({} could not be read)", human_count(chunks));
    }

    static void print(Console& console, const map::WorldUpdate& world) {
        if (!console.json() && world.kept)
            return console.line(
                fmt::format("{}: no chunk could be read; its map was not changed", world.name));
        if (!console.json()) {
            console.line(fmt::format("{}: {}{}, {} changed; {} on {}: {} written, {} removed", world.name,
                                     counted(world.chunks, "chunk"), unreadable_text(world.chunks_unreadable),
                                     human_count(world.chunks_changed), counted(world.tiles, "tile"),
                                     counted(static_cast<std::uint64_t>(world.levels), "level"),
                                     human_count(world.tiles_written), human_count(world.tiles_removed)));
            return;
        }
        JsonWriter json;
        json.object()
            .member("world", world.name)
            .member("chunks", world.chunks)
            .member("chunks_unreadable", world.chunks_unreadable)
            .member("chunks_changed", world.chunks_changed)
            .member("chunks_read", world.chunks_read)
            .member("levels", world.levels)
            .member("tiles", world.tiles)
            .member("tiles_written", world.tiles_written)
            .member("tiles_kept", world.tiles_kept)
            .member("tiles_removed", world.tiles_removed)
            .member("bytes_written", world.bytes_written)
            .member("files_removed", world.files_removed)
            .member("generation", world.generation)
            .member("changed", world.changed)
            .member("kept", world.kept)
            .member("problems", world.problem_count)
            .end();
        console.line(json.text());
    }

    Result<Outcome> draw_image(Console& console) {
        if (!layers_.empty() || findings_ || full_)
            return fail(error(Errc::usage, "{} cannot be used with --image",
                              !layers_.empty() ? "--layers"
                              : findings_      ? "--findings"
                                               : "--full")
                            .advise("give OUT instead of --image"));
        TRY(const auto layer, map::parse_layer(layer_.empty() ? "surface" : layer_));
        TRY(const auto selection, chunks_.selection());
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto opened, world_.open(console));
        const auto& world = opened.world;
        std::vector<Error> problems;
        for (auto& found : world.misplaced_folders()) problems.push_back(std::move(found.error));
        jobs::ChunkSet only;
        map::ImageOptions options{.layer = layer, .threads = common.threads};
        if (chunks_.is_given()) {
            TRY(only, jobs::resolve(selection, world, *opened.store, common.threads, console, problems));
            options.only = &only;
        }
        TRY(const auto report,
            map::write_image(*opened.store, map::Colours(*assets), options, image_, console));
        for (const auto& problem : problems) console.problem(problem);
        for (const auto& problem : report.problems) console.problem(problem);
        print(console, world.name, layer, report);
        return problems.empty() && report.problems.empty() && !opened.is_unfinished ? Outcome::fine
                                                                                    : Outcome::damage;
    }

    void print(Console& console, const std::string& world, map::Layer layer,
               const map::ImageReport& report) const {
        const auto unreadable = static_cast<std::uint64_t>(report.unreadable);
        if (!console.json() && report.width == 0)
            return console.line(fmt::format("{}: nothing to draw, no chunk could be read", world));
        if (!console.json()) {
            console.line(fmt::format(
                "{}: drew the {} of {}{} to {}, {} × {} pixels; the north-west corner is block {:c}", world,
                map::id(layer), counted(static_cast<std::uint64_t>(report.chunks), "chunk"),
                unreadable_text(unreadable), image_.string(), report.width, report.height, report.first));
            return;
        }
        JsonWriter json;
        json.object()
            .member("world", world)
            .member("layer", map::id(layer))
            .member("file", image_.string())
            .member("chunks", report.chunks)
            .member("chunks_unreadable", unreadable)
            .member("width", report.width)
            .member("height", report.height)
            .member("x", std::int64_t{report.first.x} * k_side)
            .member("z", std::int64_t{report.first.z} * k_side)
            .member("problems", report.problems.size())
            .end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::filesystem::path image_;
    std::filesystem::path out_;
    std::vector<std::string> layers_;
    bool findings_ = false;
    bool full_ = false;
    std::string layer_;
    ChunksOption chunks_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_map() { return std::make_unique<CommandMap>(); }

} // namespace orbis::app

#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/problem_lines.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "mesh/scene_file.hpp"

#include <fmt/format.h>

#include <charconv>

namespace orbis::app {

namespace {

class CommandExport final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.text_argument("BOX", box_, "Blocks to export: X1,Y1,Z1..X2,Y2,Z2, both corners included")
            .path("FILE", file_, "The file to write: .glb, .obj or .stl")
            .text("--scale NUMBER", scale_,
                  "How long a block is in the file (default: 1; a metre in .glb, a millimetre in .stl)")
            .flag("--overwrite", overwrite_, "Replace a file that exists");
        assets_.declare(options);
        options.footer(
            "Writes a part of a world as a model for other programs. Faces that nobody can see are left out, "
            "equal faces "
            "beside each other are one, and each block is a material of its name and its colour on the map. "
            "Blocks that "
            "do not fill their cell are boxes.\n"
            ".glb is for Blender and most viewers, .obj for older programs (a file of materials is written "
            "beside it), "
            ".stl for printers: there all is one body without colours, plants and fluids are left out, and z "
            "is up.\n"
            "Examples:\n"
            "  orbis export world 10,60,10..40,90,30 house.glb\n"
            "  orbis export world 10,60,10..40,90,30 house.stl --scale 2     2 mm for each block");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto box, jobs::BlockBox::parse(box_));
        TRY(const auto scale, parse_scale());
        TRY(const auto format, mesh::scene_format_of(file_));
        TRY_DO(mesh::check_scene_file(file_, overwrite_));
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto opened, world_.open(console));
        const auto use =
            format == mesh::SceneFormat::stl ? mesh::Materials::Use::print : mesh::Materials::Use::picture;
        TRY(const auto scene, mesh::take_scene(*opened.store, box, *assets, use, console));
        ProblemLines problems(console);
        for (const auto& problem : scene.problems) problems.add(problem);
        problems.print();
        if (scene.quads.empty())
            return fail(error(Errc::not_found, "there is nothing in {}: no file was written", scene.box)
                            .advise(advice_where_nothing_is(scene)));
        TRY(const auto written, mesh::write_scene(scene, file_, scale));
        print(console, opened.world.name, scene, written);
        const bool is_whole = scene.missing.empty() && scene.problems.empty() && !opened.is_unfinished;
        return is_whole ? Outcome::fine : Outcome::damage;
    }

    [[nodiscard]] std::string advice_where_nothing_is(const mesh::BoxScene& scene) const {
        if (!scene.problems.empty())
            return fmt::format("`orbis verify {}` shows the damage", world_.argument());
        if (scene.chunks == 0)
            return fmt::format("`orbis ls {}` lists the chunks that exist", world_.argument());
        return "choose a box with blocks in it";
    }

    [[nodiscard]] Result<float> parse_scale() const {
        if (scale_.empty()) return 1.0F;
        float value = 0;
        const auto [end, failure] = std::from_chars(scale_.data(), scale_.data() + scale_.size(), value);
        if (failure != std::errc{} || end != scale_.data() + scale_.size() || !(value >= 0.001F)
            || !(value <= 1000))
            return fail(error(Errc::usage, "--scale {}: expected a number from 0.001 to 1000", scale_));
        return value;
    }

    void print(Console& console, const std::string& world, const mesh::BoxScene& scene,
               const mesh::WrittenScene& written) const {
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("world", world)
                .member("file", file_.string())
                .member("bytes", written.bytes);
            json.member("rectangles", scene.quads.size()).member("triangles", scene.quads.size() * 2);
            json.member("chunks", scene.chunks).member("chunks_missing", scene.missing.size());
            json.member("problems", scene.problems.size()).end();
            return console.line(json.text());
        }
        console.line(fmt::format("{}: exported {} to {}, {} triangles, {}", world, scene.box, file_.string(),
                                 human_count(scene.quads.size() * 2), human_bytes(written.bytes)));
        if (!written.materials.empty())
            print_fact(console, fmt::format("  materials  {}", written.materials.string()));
        if (!scene.missing.empty())
            print_fact(console, fmt::format("  missing    the world does not have {} of the box",
                                            counted(scene.missing.size(), "chunk")));
        if (!scene.problems.empty())
            print_fact(console, "  damage     what could not be read is left out; `orbis verify` shows it");
    }

    WorldArgument world_{WorldArgument::Use::read};
    AssetsOption assets_;
    std::string box_;
    std::filesystem::path file_;
    std::string scale_;
    bool overwrite_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_export() { return std::make_unique<CommandExport>(); }

} // namespace orbis::app

#include "app/area_options.hpp"
#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/edit_picture.hpp"
#include "app/edit_summary.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "bytes/near_names.hpp"
#include "chunk/palette.hpp"
#include "jobs/edit/copy_cells.hpp"
#include "jobs/edit/fill_cells.hpp"
#include "jobs/edit/relight.hpp"
#include "jobs/edit/remove_entities.hpp"
#include "jobs/edit/replace_blocks.hpp"
#include "map/layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace orbis::app {

namespace {

class CommandEdit final : public Command {
    void declare(Options& options) override {
        options.choice("ACTION", action_,
                       {"set", "fill", "replace", "copy", "move", "paste", "remove-entities", "relight"},
                       "What to do");
        world_.declare_one(options);
        options.words("WHAT", words_,
                      "set: X,Y,Z … BLOCK. fill: BLOCK. replace: FROM=TO …. remove-entities: their kinds");
        area_.declare(options);
        options.text("--fluid FLUID", fluid_, "set, fill: also this fluid, such as Water:8; Empty removes it")
            .text("--to POSITION", to_, "copy, move, paste: where the least corner goes: X,Y,Z");
        from_.declare(options, "copy, move, paste: the world to take the box from (default: PATH itself)");
        options
            .choice("--rotate", rotate_, {"0", "90", "180", "270"},
                    "copy, move, paste: turn it by this many degrees, as yaw counts")
            .choice("--mirror", mirror_, {"x", "z"}, "copy, move, paste: mirror it along this axis first")
            .flag("--skip-empty", skip_empty_, "copy, move, paste: leave out air")
            .flag("--no-entities", no_entities_, "copy, move, paste: leave out entities")
            .flag("--leave-cut", leave_cut_, "copy, move, paste: leave out blocks that the box cuts in two")
            .flag("--skip-damaged", edit_.skip_damaged, "Edit the rest where chunks are damaged")
            .file("--image FILE", image_, "With --dry-run: draw before and after into this PNG file")
            .dry_run(edit_.dry_run)
            .force(edit_.force);
        assets_.declare(options);
        options.footer(
            "A block is a key, or KEY@YAW or KEY@YAW,PITCH,ROLL in degrees. In FROM a * stands for any text. "
            "Without an area, replace, remove-entities and relight work on the whole world; fill needs one. "
            "Several shapes are one area; --surface, --chunks and the masks choose inside of it. Chunks that "
            "do not exist are not created. `orbis undo PATH` undoes an edit. docs/edit.md explains it all.\n"
            "Examples:\n"
            "  orbis edit set world 10,64,-3 Wood_Stairs@90\n"
            "  orbis edit fill world Rock_Stone --box 0,60,0..20,80,20 --mask Empty --dry-run\n"
            "  orbis edit fill world --fluid Water_Source --sphere 0,70,0~12 --mask Empty\n"
            "  orbis edit replace world 'Soil_Grass*=Soil_Sand' Rock_Stone=Rock_Basalt --chunks spawn~500\n"
            "  orbis edit copy world --box 0,60,0..20,80,20 --to 100,60,0 --rotate 90\n"
            "  orbis edit paste world --from backup.zip --box 0,60,0..20,80,20 --to 0,60,0\n"
            "  orbis edit remove-entities world 'Skeleton*' --box -50,0,-50..50,319,50\n"
            "  orbis edit relight world");
    }

    Result<Outcome> run(Console& console) override {
        if (!image_.empty() && !edit_.dry_run)
            return fail(error(Errc::usage, "--image needs --dry-run")
                            .advise("to draw an edited world: orbis map PATH --image FILE.png"));
        TRY_DO(check_options());
        edit_.threads = common.threads;
        edit_.command = common.command_line;
        TRY(const auto chosen, world_.choose(console));
        TRY(const auto* assets, assets_.load(console));
        std::optional<EditPicture> picture;
        if (!image_.empty()) {
            TRY(picture, EditPicture::begin(image_));
            edit_.preview = [&](ChunkPos pos, const auto& frame) { return picture->take(pos, frame); };
        }
        TRY(const auto summary, act(console, chosen.world, *assets));
        for (const auto& problem : summary.report.problems) console.problem(problem);
        print_edit_summary(console, chosen.world.name, summary);
        if (picture && !summary.report.refused)
            TRY_DO(picture->draw(
                console, chosen.world, *assets,
                {.kind = action_ == "relight" ? map::LayerKind::light : map::LayerKind::surface, .y = 0},
                common.threads));
        return summary.report.problems.empty() && !chosen.is_unfinished ? Outcome::fine : Outcome::damage;
    }

    [[nodiscard]] bool copies() const { return action_ == "copy" || action_ == "move" || action_ == "paste"; }

    /// Options that belong to other actions are mistakes.
    Result<void> check_options() const {
        const auto refuse = [this](std::string_view option, std::string_view actions) {
            return fail(error(Errc::usage, "{} cannot be used with orbis edit {}", option, action_)
                            .advise(fmt::format("it belongs to {}", actions)));
        };
        const bool fills = action_ == "set" || action_ == "fill";
        if (!fluid_.empty() && !fills) return refuse("--fluid", "set and fill");
        if (!copies()) {
            for (const auto& [given, option] :
                 {std::pair{!to_.empty(), "--to"}, std::pair{from_.is_given(), "--from"},
                  std::pair{!rotate_.empty(), "--rotate"}, std::pair{!mirror_.empty(), "--mirror"},
                  std::pair{skip_empty_, "--skip-empty"}, std::pair{no_entities_, "--no-entities"},
                  std::pair{leave_cut_, "--leave-cut"}})
                if (given) return refuse(option, "copy, move and paste");
        }
        if (action_ == "set" && area_.is_given())
            return fail(error(Errc::usage, "set takes positions, not an area")
                            .advise("use orbis edit fill for an area"));
        if ((copies() || action_ == "relight") && !words_.empty())
            return fail(error(Errc::usage, "unexpected argument {}", words_.front())
                            .advise("orbis edit --help has examples"));
        return {};
    }

    Result<EditSummary> act(Console& console, const world::World& world, const world::Assets& assets) {
        if (action_ == "set") return set(console, world, assets);
        if (action_ == "fill") return fill(console, world, assets);
        if (action_ == "replace") return replace(console, world, assets);
        if (copies()) return copy(console, world, assets);
        TRY(const auto area, area_.area(world, common.threads, console));
        TRY(const auto mask, area_.mask());
        if (!mask.empty())
            return fail(error(Errc::usage,
                              "--mask, --above and --environment cannot be used with orbis edit {}", action_)
                            .advise("choose an area"));
        EditSummary summary = started();
        if (action_ == "relight") {
            TRY(auto done, jobs::relight(world, assets, area, edit_, console));
            summary.has_keys_of_mods = std::ranges::any_of(done.unknown_keys, [&](const auto& key) {
                return assets.block(key) == nullptr && assets.fluid(key) == nullptr;
            });
            summary.unknown_keys = std::move(done.unknown_keys);
            summary.report = std::move(done);
            return summary;
        }
        jobs::KeyPatterns kinds;
        if (!words_.empty()) {
            TRY(kinds, jobs::KeyPatterns::parse(joined(words_, ",")));
        }
        TRY(summary.report, jobs::remove_entities(world, assets, area, kinds, edit_, console));
        return summary;
    }

    [[nodiscard]] EditSummary started() const { return {.action = action_, .dry_run = edit_.dry_run}; }

    Result<jobs::Filling> filling(const std::string* block, const world::Assets& assets) const {
        jobs::Filling filling;
        if (block != nullptr) {
            TRY(filling.block, jobs::Filling::parse_block(*block));
        }
        if (!fluid_.empty()) {
            TRY(filling.fluid, jobs::Filling::parse_fluid(fluid_, assets));
        }
        return filling;
    }

    static void note_unknown_key(Console& console, const world::Assets& assets, const std::string& key) {
        if (assets.block(key) != nullptr || key == chunk::k_empty_key) return;
        std::vector<std::string_view> names;
        for (const auto& type : assets.blocks.all()) names.emplace_back(type.key);
        const auto meant = did_you_mean(key, names);
        console.note(
            fmt::format("no table knows the block {}{}", key,
                        meant.empty() ? ": the game shows a placeholder for it unless a mod has it" : meant));
    }

    Result<EditSummary> put(Console& console, const world::World& world, const world::Assets& assets,
                            const jobs::Area& area, const jobs::Filling& filling) {
        if (filling.block) note_unknown_key(console, assets, filling.block->key);
        TRY(const auto mask, area_.mask());
        TRY(const auto done, jobs::fill_cells(world, assets, area, mask, filling, edit_, console));
        EditSummary summary = started();
        summary.report = done;
        summary.cells_without_chunk = done.cells_without_chunk;
        return summary;
    }

    Result<EditSummary> set(Console& console, const world::World& world, const world::Assets& assets) {
        auto positions = words_;
        std::string block;
        // A position is three numbers; a rotation behind @ may have commas too.
        const bool has_block = !positions.empty()
                               && (positions.back().find(',') == std::string::npos
                                   || positions.back().find('@') != std::string::npos);
        if (has_block) {
            block = positions.back();
            positions.pop_back();
        }
        if (positions.empty() || (!has_block && fluid_.empty()))
            return fail(error(Errc::usage, "set needs positions and a block")
                            .advise("such as orbis edit set PATH 10,64,-3 Rock_Stone"));
        std::vector<BlockPos> cells;
        for (const auto& text : positions) {
            TRY(const auto pos, parse_block_position(text));
            cells.push_back(pos);
        }
        jobs::Area area;
        area.add(cells);
        TRY(const auto what, filling(has_block ? &block : nullptr, assets));
        return put(console, world, assets, area, what);
    }

    Result<EditSummary> fill(Console& console, const world::World& world, const world::Assets& assets) {
        if (words_.size() > 1 || (words_.empty() && fluid_.empty()))
            return fail(error(Errc::usage, "fill needs one block, or --fluid")
                            .advise("such as orbis edit fill PATH Rock_Stone --box 0,60,0..20,80,20"));
        if (!area_.is_given())
            return fail(error(Errc::usage, "fill needs an area")
                            .advise("--box, --sphere, --cylinder, --cells, --surface or --chunks"));
        TRY(const auto what, filling(words_.empty() ? nullptr : &words_.front(), assets));
        TRY(const auto area, area_.area(world, common.threads, console));
        return put(console, world, assets, area, what);
    }

    Result<EditSummary> replace(Console& console, const world::World& world, const world::Assets& assets) {
        if (words_.empty())
            return fail(error(Errc::usage, "replace needs FROM=TO")
                            .advise("such as orbis edit replace PATH Rock_Stone=Rock_Basalt"));
        std::vector<jobs::Replacement> rules;
        for (const auto& text : words_) {
            TRY(auto rule, jobs::Replacement::parse(text));
            note_unknown_key(console, assets, rule.to.key);
            rules.push_back(std::move(rule));
        }
        TRY(const auto area, area_.area(world, common.threads, console));
        TRY(const auto mask, area_.mask());
        TRY(const auto done, jobs::replace_blocks(world, assets, area, mask, rules, edit_, console));
        EditSummary summary = started();
        summary.report = done;
        summary.cells_without_chunk = done.cells_without_chunk;
        return summary;
    }

    Result<EditSummary> copy(Console& console, const world::World& world, const world::Assets& assets) {
        jobs::CopyOptions options;
        TRY(options.box, area_.only_box());
        if (to_.empty()) return fail(error(Errc::usage, "--to is missing").advise("such as --to 100,60,0"));
        if (action_ == "paste" && !from_.is_given())
            return fail(error(Errc::usage, "paste needs --from, the world to take the box from")
                            .advise("use orbis edit copy inside of one world"));
        TRY(options.to, parse_block_position(to_));
        options.turn =
            jobs::Turn::of(rotate_.empty() ? 0 : std::stoi(rotate_), mirror_ == "x", mirror_ == "z");
        options.moves = action_ == "move";
        options.leaves_cut = leave_cut_;
        options.skip_empty = skip_empty_;
        options.entities = !no_entities_;
        options.edit = edit_;
        if (!area_.mask_text().empty()) {
            TRY(const auto keys, jobs::KeyPatterns::parse(area_.mask_text()));
            options.mask = [keys](std::string_view key) { return keys.match(key); };
        }
        std::optional<ChosenWorld> other;
        if (from_.is_given()) {
            TRY(other, from_.choose(console, world));
        }
        TRY(const auto done,
            jobs::copy_cells(world, other ? &other->world : nullptr, assets, options, console));
        EditSummary summary = started();
        summary.report = done;
        summary.cells_without_chunk = done.cells_without_chunk;
        summary.entities_without_chunk = done.entities_without_chunk;
        summary.left_out = done.left_out;
        summary.source_chunks_missing = done.source_chunks_missing;
        if (done.cleared) summary.cleared = *done.cleared;
        return summary;
    }

    WorldArgument world_{WorldArgument::Use::write};
    std::string action_;
    std::vector<std::string> words_;
    AreaOptions area_;
    FromOption from_;
    std::string fluid_;
    std::string to_;
    std::string rotate_;
    std::string mirror_;
    bool skip_empty_ = false;
    bool no_entities_ = false;
    bool leave_cut_ = false;
    std::filesystem::path image_;
    jobs::EditOptions edit_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_edit() { return std::make_unique<CommandEdit>(); }

} // namespace orbis::app

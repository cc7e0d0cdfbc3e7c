#include "app/command_get.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "care/inspect/describe_block.hpp"
#include "care/snapshot/source.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

std::string text_of(chunk::LightValue light) {
    return fmt::format("red {}, green {}, blue {}, sky {}", light.red(), light.green(), light.blue(),
                       light.sky());
}

std::string base_text(BlockPos pos) { return fmt::format("{} {} {}", pos.x, pos.y, pos.z); }

class CommandGet final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file, RocksDB folder or backup zip")
            .block(pos_, "Block coordinates; north is smaller Z, west smaller X")
            .text("--world", world_, "Which world of a universe");
        assets_.declare(options);
    }

    Result<Outcome> run(Console& console) override {
        if (pos_.y < 0 || pos_.y >= k_world_height)
            return fail(Errc::usage, "expected y from 0 to {}, found {}", k_world_height - 1, pos_.y);
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* world, world::choose_world(place, world_));
        const bool noted = print_notes(console, *world);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto store, world->open({}));
        TRY(const auto block, care::describe_block(*store, *assets, pos_));
        const auto chunk = pos_.chunk();
        if (!block) return fail(no_such_chunk(*store, pos_.chunk(), place_argument(path_, world_)));
        if (common.json)
            console.line(care::to_json(*block));
        else
            print_text(console, *block);
        for (const auto& problem : block->problems)
            console.problem(error(Errc::bad_value, "{}", problem).in_file(store->name()).at(chunk));
        return block->problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    static void print_text(Console& console, const care::BlockDescription& block) {
        const auto line = [&](std::string_view name, std::string_view value) {
            console.line(fmt::format("{:<12} {}", name, value));
        };
        line("block", block.key);
        if (block.type != nullptr)
            line("kind", fmt::format("{}, {}, opacity {}", world::name(block.type->draw_type),
                                     block.type->material == world::Material::solid ? "solid" : "not solid",
                                     world::name(block.type->opacity)));
        else if (block.key != "Empty")
            line("kind", "not in the tables");
        if (block.rotation.index != 0)
            line("rotation",
                 fmt::format("{}: yaw {}, pitch {}, roll {}", block.rotation.index, block.rotation.yaw(),
                             block.rotation.pitch(), block.rotation.roll()));
        if (block.filler)
            line("part of", fmt::format("{} at {}", block.base_key.value_or("a block that is not stored"),
                                        base_text(block.base)));
        if (block.fluid_level != 0)
            line("fluid", fmt::format("{}, level {}", block.fluid, block.fluid_level));
        if (block.support != 0)
            line("support", block.support == 15 ? "15: decoration" : fmt::format("{}", block.support));
        if (block.ticks) line("ticks", "yes");
        line("light", fmt::format("{}{}", text_of(block.light), block.light_valid ? "" : " (stale)"));
        line("local light", text_of(block.local_light));
        line("environment", block.environment);
        line("tint", fmt::format("#{:06x}", block.tint & 0xFFFFFF));
        line("height", fmt::format("{} in this column", block.height));
        for (const auto& component : block.components)
            line("component", component.name + " " + component.json);
        const auto chunk = block.pos.chunk();
        line("chunk", fmt::format("{},{} section {}", chunk.x, chunk.z, block.pos.y >> 5));
    }

    std::filesystem::path path_;
    BlockPos pos_;
    std::string world_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_get() { return std::make_unique<CommandGet>(); }

} // namespace orbis::app

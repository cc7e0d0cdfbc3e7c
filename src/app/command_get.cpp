#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "jobs/inspect/describe_block.hpp"
#include "orbis/describe.hpp"

namespace orbis::app {

namespace {

class CommandGet final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.block(pos_, "Block coordinates; north is smaller Z, west smaller X");
        assets_.declare(options);
    }

    Result<Outcome> run(Console& console) override {
        if (pos_.y < 0 || pos_.y >= k_world_height)
            return fail(Errc::usage, "Y must be from 0 to {}, not {}", k_world_height - 1, pos_.y);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto world, world_.open_world(console));
        auto details = describe_block(world, pos_);
        if (!details) return fail(world_.with_advice(std::move(details).error()));
        const jobs::BlockDescription block{*details, assets->block(details->key)};
        if (console.json())
            console.line(jobs::to_json(block));
        else
            for (const auto& line : jobs::to_lines(block)) print_fact(console, line);
        for (const auto& problem : block.problems)
            console.problem(error(Errc::bad_value, "{}", problem).in_file(world.path()).at(pos_.chunk()));
        return block.problems.empty() && !world.is_unfinished() ? Outcome::fine : Outcome::damage;
    }

    WorldArgument world_{WorldArgument::Use::read};
    BlockPos pos_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_get() { return std::make_unique<CommandGet>(); }

} // namespace orbis::app

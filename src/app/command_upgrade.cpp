#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "jobs/convert/convert.hpp"
#include "jobs/edit/upgrade_world.hpp"
#include "jobs/undo/change.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

class CommandUpgrade final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.path("OUT", out_, "New folder for an upgraded copy (default: upgrade PATH itself)", false)
            .dry_run(options_.dry_run)
            .force(options_.force);
        assets_.declare(options);
        options.footer(
            "Stop the game's server first. Upgrades chunks to the current formats and block keys and reports "
            "what changed. Fluids and supports in old keys are kept; the game itself drops them. Only chunks "
            "that change are written; after a crash each is either old or new.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto* assets, assets_.load(console));
        options_.threads = common.threads;
        options_.command = common.command_line;
        options_.run = jobs::new_run();
        auto outcome = Outcome::fine;
        TRY(auto location, world_.find());
        if (!out_.empty() && !options_.dry_run) {
            TRY(location, copied(console, location, outcome));
            options_.keeps_undo = false;
        }
        for (const auto& world : location.worlds) {
            if (print_notes(console, world)) outcome = Outcome::damage;
            TRY(const auto done, jobs::upgrade_world(world, *assets, options_, console));
            for (const auto& problem : done.problems) console.problem(problem);
            if (!done.problems.empty()) outcome = Outcome::damage;
            console.json() ? print_json(console, world, done) : print_text(console, world, done);
        }
        return outcome;
    }

    /// A copy of everything, which is then upgraded like any other location.
    Result<world::Location> copied(Console& console, const world::Location& location, Outcome& outcome) {
        using Type = storage::Provider::Type;
        const auto is_rocksdb = [](const world::World& world) {
            return world.provider.type == Type::rocks_db;
        };
        const auto has_files = [&](const world::World& world) {
            return !is_rocksdb(world) && world.provider.type != Type::empty; // which is kept in any kind
        };
        const auto rocksdb = std::ranges::find_if(location.worlds, is_rocksdb);
        const auto files = std::ranges::find_if(location.worlds, has_files);
        if (rocksdb != location.worlds.end() && files != location.worlds.end())
            return fail(
                error(Errc::unsupported,
                      "a copy has one kind of storage, but world {} is in RocksDB and world {} is not",
                      rocksdb->name, files->name)
                    .in_file(world_.path().string())
                    .advise("copy one world at a time with --world NAME, or upgrade in place"));
        const auto format = rocksdb != location.worlds.end() ? jobs::StorageFormat::rocksdb
                                                             : jobs::StorageFormat::region_files;
        auto converted =
            jobs::convert_location(location, out_, format, common.threads, console, common.command_line);
        if (!converted) {
            auto problem = std::move(converted).error();
            if (problem.code == Errc::exists) // a copy can be continued, the upgrade of a whole copy cannot
                problem.advice += fmt::format("; if the upgrade of a copy was interrupted: orbis upgrade {}",
                                              location_argument(out_));
            return fail(std::move(problem));
        }
        const auto& report = *converted;
        for (const auto& problem : report.problems) console.problem(problem);
        if (!report.problems.empty()) outcome = Outcome::damage;
        return world::find_location(out_);
    }

    void print_text(Console& console, const world::World& world, const jobs::WorldUpgrade& done) const {
        const auto& report = done.report;
        console.line(fmt::format("{}: {}, {} {}", world.name, counted(done.chunks, "chunk"),
                                 human_count(done.changed), options_.dry_run ? "would change" : "changed"));
        const auto line = [&](std::uint64_t count, std::string_view what) {
            if (count != 0)
                print_row(console, {{human_count(count), 11, Tone::plain, true}, {std::string(what)}});
        };
        line(done.old_containers, "region files of container version 0");
        line(static_cast<std::uint64_t>(report.sections_from_old_versions), "sections in old formats");
        line(static_cast<std::uint64_t>(report.sections_migrated), "sections with old block keys");
        line(done.sections_moved, "chunks with their sections in BlockChunk");
        line(report.rotations, "cells with a rotation in the key");
        line(report.fillers, "cells with a filler in the key");
        line(report.fluids, "cells with a fluid in the key");
        line(report.supports, "cells with a support in the key");
        line(report.block_states_moved, "block states that became components");
        line(report.block_states_kept, "block states that could not be moved");
        line(done.health_rewritten, "chunks with old block health");
        line(static_cast<std::uint64_t>(report.sections_left), "sections that could not be upgraded");
        line(report.renamed.size(), "keys that changed:");
        for (const auto& [from, to] : report.renamed)
            print_sentence(console, fmt::format("{} -> {}", from, to), Tone::plain, 13);
    }

    void print_json(Console& console, const world::World& world, const jobs::WorldUpgrade& done) const {
        const auto& report = done.report;
        JsonWriter json;
        json.object().member("world", world.name).member("dry_run", options_.dry_run);
        json.member("chunks", done.chunks).member("changed", done.changed);
        json.member("old_containers", done.old_containers);
        json.member("sections_from_old_versions", report.sections_from_old_versions);
        json.member("sections_migrated", report.sections_migrated);
        json.member("chunks_with_moved_sections", done.sections_moved);
        json.member("rotations", report.rotations).member("fillers", report.fillers);
        json.member("fluids", report.fluids).member("supports", report.supports);
        json.member("block_states_moved", report.block_states_moved);
        json.member("block_states_kept", report.block_states_kept);
        json.member("health_rewritten", done.health_rewritten);
        json.member("sections_left", report.sections_left);
        json.key("renamed").object();
        for (const auto& [from, to] : report.renamed) json.member(from, to);
        json.end().member("problems", done.problems.size()).end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::write};
    std::filesystem::path out_;
    jobs::UpgradeOptions options_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_upgrade() { return std::make_unique<CommandUpgrade>(); }

} // namespace orbis::app

#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "jobs/inspect/summary.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

using jobs::WorldSummary;
using world::World;

std::vector<std::string> container_versions(const WorldSummary& summary) {
    std::vector<std::string> texts;
    for (const auto version : summary.containers) texts.push_back(fmt::format("{}", version));
    return texts;
}

std::string config_text(const world::WorldConfig& config) {
    if (config.file.empty()) return "none";
    std::string text = fmt::format("{}, version {}", config.file, config.version);
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) text += fmt::format(", {} {}", name, value);
    };
    add("name", config.display_name);
    if (config.seed) add("seed", fmt::format("{}", *config.seed));
    add("generator", config.world_gen);
    add("game mode", config.game_mode);
    add("game time", config.game_time);
    add("chunk storage", storage::name(config.provider.type));
    return text;
}

void write_config(JsonWriter& json, const world::WorldConfig& config) {
    if (config.file.empty()) {
        json.null();
        return;
    }
    json.object().member("file", config.file).member("version", config.version);
    json.member("chunk_storage", storage::name(config.provider.type));
    if (!config.display_name.empty()) json.member("name", config.display_name);
    if (!config.uuid.empty()) json.member("uuid", config.uuid);
    if (config.seed) json.member("seed", *config.seed);
    if (!config.world_gen.empty()) json.member("generator", config.world_gen);
    if (!config.game_mode.empty()) json.member("game_mode", config.game_mode);
    if (!config.game_time.empty()) json.member("game_time", config.game_time);
    json.end();
}

void write_errors(JsonWriter& json, std::string_view key, const std::vector<Error>& errors) {
    json.key(key).array();
    for (const auto& error : errors) write_error(json, error);
    json.end();
}

class CommandInfo final : public Command {
    void declare(Options& options) override {
        location_.declare(options);
        options.flag("--regions", regions_, "Show each region file too")
            .footer("Only indexes and headers are read, so this is quick even for large worlds. `orbis "
                    "compact` frees the unused space.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto location, location_.find_all());
        JsonWriter json;
        json.object()
            .member("path", location.path)
            .member("kind", world::name(location.kind))
            .member("zip", location.is_zip);
        if (!location.zip_comment.empty()) json.member("zip_comment", location.zip_comment);
        json.member("players", location.players).key("worlds").array();
        if (!console.json()) print_location(console, location);
        auto outcome = Outcome::fine;
        for (const auto& world : location.worlds) {
            auto summary = jobs::summarize(world, common.threads);
            if (!summary) {
                console.problem(summary.error());
                outcome = Outcome::damage;
                continue;
            }
            if (!world.notes.empty() || !summary->problems.empty()) outcome = Outcome::damage;
            if (console.json())
                write_world(json, world, *summary);
            else
                print_world(console, location, world, *summary);
        }
        json.end().end();
        if (console.json()) console.line(json.text());
        return outcome;
    }

    static void print_location(Console& console, const world::Location& location) {
        console.line({{location.path, Tone::heading}, {fmt::format(": {}", kind_text(location))}});
        if (!location.zip_comment.empty())
            print_fact(console, fmt::format("  comment   {}", location.zip_comment));
        if (location.kind == world::Location::Kind::universe)
            print_fact(console, fmt::format("  holds     {}, {}", counted(location.worlds.size(), "world"),
                                            counted(location.players, "player")));
    }

    void print_world(Console& console, const world::Location& location, const World& world,
                     const WorldSummary& summary) const {
        if (location.kind == world::Location::Kind::universe)
            console.line({{"world "}, {world.name, Tone::heading}});
        print_notes(console, world);
        print_fact(console, fmt::format("  storage   {} in {}", summary.storage, summary.location));
        if (world.source == World::Source::provider || !world.config.file.empty())
            print_fact(console, fmt::format("  config    {}", config_text(world.config)));
        if (summary.is_counted) {
            print_fact(console,
                       fmt::format("  regions   {}, container version {}",
                                   human_count(summary.regions.size()),
                                   summary.containers.empty() ? "unknown"
                                                              : joined(container_versions(summary), ", ")));
            print_fact(console, fmt::format("  chunks    {}: {} compressed, {} uncompressed",
                                            human_count(summary.chunks), human_bytes(summary.frame_bytes),
                                            human_bytes(summary.raw_bytes)));
            print_fact(console, fmt::format("  on disk   {}: {} free in unused segments, {} of padding",
                                            human_bytes(summary.file_bytes), human_bytes(summary.free_bytes),
                                            human_bytes(summary.slack_bytes)));
        } else {
            print_fact(console, fmt::format("  chunks    {}", human_count(summary.chunks)));
            if (summary.file_bytes > 0)
                print_fact(console, fmt::format("  on disk   {}", human_bytes(summary.file_bytes)));
        }
        if (regions_)
            for (const auto& region : summary.regions)
                print_fact(console,
                           fmt::format("  region    {:n}: {}, {}, {} free", region.pos,
                                       counted(region.chunks, "chunk"), human_bytes(region.file_bytes),
                                       human_bytes(region.free_bytes)));
        if (summary.problems.empty())
            print_fact(console, "  problems  none in indexes and headers", Tone::good);
        else
            print_fact(console, fmt::format("  problems  {}", human_count(summary.problems.size())),
                       Tone::bad);
        for (const auto& problem : summary.problems) console.problem(problem);
    }

    void write_world(JsonWriter& json, const World& world, const WorldSummary& summary) const {
        json.object()
            .member("name", world.name)
            .member("storage", summary.storage)
            .member("location", summary.location);
        json.key("config");
        write_config(json, world.config);
        json.member("chunks", summary.chunks).member("file_bytes", summary.file_bytes);
        if (summary.is_counted) {
            json.member("region_files", summary.regions.size()).key("container_versions").array();
            for (const auto version : summary.containers) json.number(version);
            json.end();
            json.member("raw_bytes", summary.raw_bytes).member("compressed_bytes", summary.frame_bytes);
            json.member("free_bytes", summary.free_bytes).member("slack_bytes", summary.slack_bytes);
        }
        if (regions_) {
            json.key("regions").array();
            for (const auto& region : summary.regions)
                json.object()
                    .member("x", region.pos.x)
                    .member("z", region.pos.z)
                    .member("file", region.file)
                    .member("version", region.version)
                    .member("chunks", region.chunks)
                    .member("file_bytes", region.file_bytes)
                    .member("raw_bytes", region.raw_bytes)
                    .member("compressed_bytes", region.frame_bytes)
                    .member("free_bytes", region.free_bytes)
                    .member("slack_bytes", region.slack_bytes)
                    .end();
            json.end();
        }
        write_errors(json, "notes", world.notes);
        write_errors(json, "problems", summary.problems);
        json.end();
    }

    WorldArgument location_{WorldArgument::Use::read};
    bool regions_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_info() { return std::make_unique<CommandInfo>(); }

} // namespace orbis::app

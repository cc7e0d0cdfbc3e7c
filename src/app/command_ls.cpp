#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "storage/walk.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

using storage::BlobInfo;

/// What is known of a chunk without decompressing it.
struct Listed {
    std::optional<Error> problem;
    std::optional<BlobInfo> blob; ///< of a region file
    std::uint64_t bytes = 0;      ///< uncompressed
};

class CommandLs final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.footer(
            "Columns: world (only for a universe), chunk x,z, uncompressed bytes, compressed bytes, "
            "segments, offset in the file, region file. A RocksDB world has only chunk and "
            "uncompressed bytes.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto place, world_.find());
        const bool with_name = place.kind == world::Location::Kind::universe;
        auto outcome = Outcome::fine;
        for (const auto& world : place.worlds) {
            auto listed = list(console, world, with_name);
            if (!listed && !world_.name().empty()) return listed;
            if (!listed) console.problem(listed.error());
            if (!listed || *listed == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    Result<Outcome> list(Console& console, const world::World& world, bool with_name) const {
        auto outcome = print_notes(console, world) ? Outcome::damage : Outcome::fine;
        TRY(const auto store, world.open({}));
        const auto name = with_name ? std::string_view(world.name) : std::string_view();
        storage::walk<Listed>(
            *store, common.threads,
            {.work = [&](ChunkPos pos, storage::ReadContext& context) { return look(*store, pos, context); },
             .emit =
                 [&](ChunkPos pos, Listed& listed) {
                     if (listed.problem) outcome = Outcome::damage;
                     print(console, name, pos, listed);
                     return true;
                 },
             .on_error =
                 [&](const Error& error) {
                     outcome = Outcome::damage;
                     console.problem(error);
                 }});
        return outcome;
    }

    static Listed look(const storage::Store& store, ChunkPos pos, storage::ReadContext& context) {
        Listed listed;
        const auto look = [&]() -> Result<void> {
            TRY(listed.blob, store.blob_info(pos));
            if (listed.blob) {
                listed.bytes = listed.blob->raw_size;
                return {};
            }
            TRY(const auto document, store.read(pos, context));
            if (document) listed.bytes = document->size();
            return {};
        };
        if (auto done = look(); !done) listed.problem = std::move(done).error();
        return listed;
    }

    static void print(Console& console, std::string_view world, ChunkPos pos, const Listed& listed) {
        if (console.json()) return print_json(console, world, pos, listed);
        if (listed.problem) return console.problem(*listed.problem);
        const auto name = world.empty() ? std::string() : fmt::format("{}\t", world);
        if (!listed.blob) return console.line(fmt::format("{}{},{}\t{}", name, pos.x, pos.z, listed.bytes));
        console.line(fmt::format("{}{},{}\t{}\t{}\t{}\t{}\t{}", name, pos.x, pos.z, listed.bytes,
                                 listed.blob->frame_size, listed.blob->segments, listed.blob->offset,
                                 storage::region_file_name(pos.region())));
    }

    static void print_json(Console& console, std::string_view world, ChunkPos pos, const Listed& listed) {
        JsonWriter json;
        json.object();
        if (!world.empty()) json.member("world", world);
        json.member("x", pos.x).member("z", pos.z);
        if (listed.problem) {
            json.key("error");
            write_error(json, *listed.problem);
        } else {
            json.member("bytes", listed.bytes);
        }
        if (listed.blob)
            json.member("compressed", listed.blob->frame_size)
                .member("segments", listed.blob->segments)
                .member("offset", listed.blob->offset)
                .member("file", storage::region_file_name(pos.region()));
        json.end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::read};
};

} // namespace

std::unique_ptr<Command> make_command_ls() { return std::make_unique<CommandLs>(); }

} // namespace orbis::app

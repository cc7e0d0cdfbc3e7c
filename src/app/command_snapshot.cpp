#include "app/command_snapshot.hpp"

#include "app/describe_place.hpp"
#include "bytes/utc_text.hpp"
#include "care/snapshot/source.hpp"
#include "care/snapshot/take.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandSnapshot final : public Command {
    void declare(Options& options) override {
        options.path("STORE", store_, "Folder of snapshots; made when it is not there")
            .text_argument("PATH", path_,
                           "Universe, world folder, region file, RocksDB folder or backup zip; only read")
            .text("--world", world_, "Only this world of a universe")
            .text("--name", name_, "A name to ask for it by; such a snapshot is never thinned")
            .text("--note", note_, "A remark that is listed with it")
            .number("--level", level_, 1, 19, "Zstandard level for what is new (default: 7)")
            .flag("--reread", reread_, "Also read files that look as they did at the last snapshot")
            .footer("Everything is kept once, however many snapshots have it: a snapshot takes the room of "
                    "what changed. After a kill at any moment the store has every earlier snapshot; run the "
                    "same command again. The server may run meanwhile: each chunk is whole, but chunks may "
                    "be seconds apart.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(auto found, care::find_source(path_));
        TRY(const auto place, world::narrow_to_world(std::move(found), world_));
        bool noted = false;
        for (const auto& world : place.worlds) {
            noted = print_notes(console, world) || noted;
            noted = lacks_configuration(console, world) || noted;
        }
        care::snapshot::TakeOptions options;
        if (name_) {
            TRY_DO(care::snapshot::check_name(*name_));
            options.name = *name_;
        }
        options.note = note_;
        options.level = level_.value_or(care::snapshot::k_default_level);
        options.reread = reread_;
        options.threads = common.threads;
        auto taken = care::snapshot::take(store_, place, options, console);
        if (!taken && (taken.error().code == Errc::io || taken.error().code == Errc::no_space))
            taken.error().problem =
                "no snapshot was taken, earlier ones are as they were: " + taken.error().problem;
        TRY(const auto report, std::move(taken));
        const auto now = utc_now().time_since_epoch().count();
        for (std::size_t i = 0; i < place.worlds.size(); ++i)
            care::remember_counts(place.worlds[i], report.counts[i], now, false);
        for (const auto& problem : report.problems) console.problem(problem);
        if (console.json())
            print_json(console, report);
        else
            print(console, report);
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    /// A world that is kept without its seed is no whole backup, and later snapshots will not have it either.
    bool lacks_configuration(Console& console, const world::World& world) const {
        if (world.source != world::World::Source::provider || !world.config.file.empty()) return false;
        console.problem(error(Errc::not_found, "this world has no configuration that can be read: without it "
                                               "the game makes another one, with another seed")
                            .in_file(world.folder.shown("config.json"))
                            .advise(fmt::format("take it from a backup: orbis repair {} --from BACKUP",
                                                place_argument(path_, world_))));
        return true;
    }

    static void print(Console& console, const care::snapshot::TakeReport& report) {
        console.line(fmt::format("{}: {}, {} new; {}, {} new; {} added, {} in all", report.id,
                                 counted(report.chunks, "chunk"), human_count(report.new_chunks),
                                 counted(report.files, "other file"), human_count(report.new_files),
                                 human_bytes(report.bytes_added), human_bytes(report.store_bytes)));
        if (report.was_taken)
            console.note("an earlier run of this command was interrupted when it had taken the snapshot; "
                         "for the world as it is now take another one, with another name");
        if (report.opaque_chunks > 0)
            console.note(fmt::format("kept as the bytes they are, because they do not decompress: {}",
                                     counted(report.opaque_chunks, "chunk")));
    }

    static void print_json(Console& console, const care::snapshot::TakeReport& report) {
        JsonWriter json;
        json.object()
            .member("snapshot", report.id)
            .member("was_taken", report.was_taken)
            .member("chunks", report.chunks)
            .member("new_chunks", report.new_chunks)
            .member("opaque_chunks", report.opaque_chunks)
            .member("missing_chunks", report.missing_chunks)
            .member("regions", report.regions)
            .member("unread_regions", report.unread_regions)
            .member("decompressed", report.decompressed)
            .member("files", report.files)
            .member("new_files", report.new_files)
            .member("bytes_added", report.bytes_added)
            .member("store_bytes", report.store_bytes)
            .member("problems", report.problems.size())
            .end();
        console.line(json.text());
    }

    std::filesystem::path store_;
    std::string path_;
    std::string world_;
    std::optional<std::string> name_;
    std::string note_;
    std::optional<int> level_;
    bool reread_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_snapshot() { return std::make_unique<CommandSnapshot>(); }

} // namespace orbis::app

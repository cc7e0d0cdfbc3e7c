#include "app/command_checkout.hpp"

#include "app/describe_place.hpp"
#include "bytes/shell_quote.hpp"
#include "care/snapshot/checkout.hpp"
#include "care/snapshot/view.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace orbis::app {

namespace {

using care::snapshot::SnapshotStore;

Result<RegionPos> parse_region(const std::string& text) {
    RegionPos pos;
    const auto comma = text.find_first_of(",."); // the names of region files have a dot
    const auto number = [&](std::size_t from, std::size_t to, std::int32_t& value) {
        const auto parsed = std::from_chars(text.data() + from, text.data() + to, value);
        return parsed.ec == std::errc() && parsed.ptr == text.data() + to;
    };
    if (comma == std::string::npos || !number(0, comma, pos.x) || !number(comma + 1, text.size(), pos.z))
        return fail(error(Errc::usage, "--region: expected region coordinates such as -1,0, found {}", text)
                        .advise("orbis checkout --help"));
    return pos;
}

class CommandCheckout final : public Command {
    void declare(Options& options) override {
        options.path("STORE", store_, "Folder of snapshots")
            .text_argument("SNAPSHOT", snapshot_, "Id or the start of one, name, or latest")
            .path("OUT", out_, "New folder, or a new NAME.region.bin for the chunks of one region")
            .text("--world", world_, "Only this world of a universe")
            .text("--region", region_, "Only the chunks of this region, as X,Z")
            .texts("--chunks", chunks_, "Only these chunks (docs/selections.md)")
            .choice("--to", format_, {"region", "rocksdb"}, "Storage to write: region (default) or rocksdb")
            .footer("Makes a new place with all files of the snapshot and reads every chunk back. Chunks are "
                    "compressed anew, their content is the same. After an interruption the same command goes "
                    "on where it stopped. Nothing that exists is overwritten; to put chunks back into a "
                    "world: orbis restore PATH --from STORE@SNAPSHOT.");
    }

    Result<Outcome> run(Console& console) override {
        care::snapshot::CheckoutOptions options;
        options.world = world_;
        options.threads = common.threads;
        if (format_ == "rocksdb") options.format = care::StorageFormat::rocksdb;
        if (!region_.empty()) {
            TRY(options.region, parse_region(region_));
        }
        if (!chunks_.empty()) {
            TRY(options.chunks, care::Selection::parse(chunks_));
        }
        TRY(const auto store, SnapshotStore::open(store_));
        TRY(const auto snapshot, store.find(snapshot_));
        note_source(console, store, snapshot);
        options.command = command_for(snapshot.id);
        TRY(auto place, care::snapshot::open_snapshot(store, snapshot));
        bool noted = false;
        for (const auto& world : place.worlds) noted = print_notes(console, world) || noted;
        TRY(const auto report, care::snapshot::check_out(std::move(place), out_, options, console));
        for (const auto& problem : report.problems) console.problem(problem);
        for (const auto& folder : report.left_out)
            console.note(fmt::format("{} was left out: the world does not keep its chunks there", folder));
        if (console.json())
            print_json(console, snapshot.id, report);
        else
            console.line(fmt::format(
                "{}: {} written, {} there already, {} read back and equal, {} written to {}", snapshot.id,
                counted(report.written, "chunk"), human_count(report.already_there),
                human_count(report.verified), counted(report.files_copied, "other file"), out_.string()));
        if (report.missing > 0)
            console.note(fmt::format("{} is unfinished: what is named above is not in it", out_.string()));
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    /// Of several sources, whose newest it is that somebody gets.
    void note_source(Console& console, const SnapshotStore& store,
                     const care::snapshot::Snapshot& snapshot) const {
        if (snapshot_ != "latest") return;
        std::vector<Error> ignored;
        std::set<std::string> sources;
        for (const auto& one : store.list(ignored)) sources.insert(one.manifest.source);
        if (sources.size() > 1)
            console.note(fmt::format("the newest snapshot is of {}; the store has {}: orbis snapshots {}",
                                     snapshot.manifest.source, counted(sources.size(), "source"),
                                     place_argument(store_)));
    }

    /// What goes on with this snapshot after an interruption: by then `latest` may be another one.
    [[nodiscard]] std::string command_for(const std::string& id) const {
        auto command = fmt::format("orbis checkout {} {} {}", shell_quoted(store_.string()), shell_quoted(id),
                                   shell_quoted(out_.string()));
        if (!world_.empty()) command += " --world " + shell_quoted(world_);
        if (!region_.empty()) command += " --region=" + shell_quoted(region_);
        for (const auto& chunks : chunks_) command += " --chunks=" + shell_quoted(chunks);
        if (format_ != "region") command += " --to " + shell_quoted(format_);
        return command;
    }

    static void print_json(Console& console, const std::string& id, const care::ConvertReport& report) {
        JsonWriter json;
        json.object().member("snapshot", id);
        describe(json, report);
        json.end();
        console.line(json.text());
    }

    std::filesystem::path store_;
    std::string snapshot_;
    std::filesystem::path out_;
    std::string world_;
    std::string region_;
    std::vector<std::string> chunks_;
    std::string format_ = "region";
};

} // namespace

std::unique_ptr<Command> make_command_checkout() { return std::make_unique<CommandCheckout>(); }

} // namespace orbis::app

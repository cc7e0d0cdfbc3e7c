#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/print_converted.hpp"
#include "app/world_argument.hpp"
#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/checkout.hpp"
#include "jobs/snapshot/view.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace orbis::app {

namespace {

using jobs::snapshot::SnapshotStore;

Result<RegionPos> parse_region(const std::string& text) {
    RegionPos pos;
    const auto comma = text.find_first_of(",."); // the names of region files have a dot
    const auto number = [&](std::size_t from, std::size_t to, std::int32_t& value) {
        const auto parsed = std::from_chars(text.data() + from, text.data() + to, value);
        return parsed.ec == std::errc() && parsed.ptr == text.data() + to;
    };
    if (comma == std::string::npos || !number(0, comma, pos.x) || !number(comma + 1, text.size(), pos.z))
        return fail(error(Errc::usage, "--region must be region coordinates such as -1,0, not {}", text)
                        .advise("orbis checkout --help"));
    return pos;
}

class CommandCheckout final : public Command {
    void declare(Options& options) override {
        options.path("STORE", store_, "Folder of snapshots")
            .text_argument("SNAPSHOT", snapshot_, "Name, id, start of an id, or latest")
            .path("OUT", out_, "New folder, or a new X.Z.region.bin for the chunks of one region");
        world_.declare_name(options);
        options.text("--region X,Z", region_, "Only the chunks of this region, as X,Z")
            .choice("--to", format_, {"region", "rocksdb"}, "Storage to write: region (default) or rocksdb");
        chunks_.declare(options, "Only these chunks (docs/selections.md)");
        options.footer(
            "Creates a copy with all files of the snapshot and reads every chunk back. Chunks are compressed "
            "again; their content is the same. Nothing that exists is overwritten. If it is interrupted, run "
            "the same command again to continue.\n"
            "To put chunks back into an existing world: orbis restore PATH --from STORE@SNAPSHOT");
    }

    Result<Outcome> run(Console& console) override {
        jobs::snapshot::CheckoutOptions options;
        options.world = world_.name();
        options.threads = common.threads;
        if (format_ == "rocksdb") options.format = jobs::StorageFormat::rocksdb;
        if (!region_.empty()) {
            TRY(options.region, parse_region(region_));
        }
        TRY(options.chunks, chunks_.selection());
        TRY(const auto store, SnapshotStore::open(store_));
        TRY(const auto snapshot, store.find(snapshot_));
        note_source(console, store, snapshot);
        options.command = command_for(snapshot.id);
        TRY(auto location, jobs::snapshot::open_snapshot(store, snapshot));
        const bool is_unfinished = print_notes(console, location);
        TRY(const auto report, jobs::snapshot::check_out(std::move(location), out_, options, console));
        print_converted(console, report, out_, snapshot.id);
        return report.problems.empty() && !is_unfinished ? Outcome::fine : Outcome::damage;
    }

    /// Where the store has several sources: which of them `latest` is of.
    void note_source(Console& console, const SnapshotStore& store,
                     const jobs::snapshot::Snapshot& snapshot) const {
        if (snapshot_ != "latest") return;
        std::vector<Error> ignored;
        std::set<std::string> sources;
        for (const auto& one : store.list(ignored)) sources.insert(one.manifest.source);
        if (sources.size() > 1)
            console.note(fmt::format("latest is a snapshot of {}; the store has snapshots of {}: orbis "
                                     "snapshots {} lists them",
                                     snapshot.manifest.source, counted(sources.size(), "source"),
                                     location_argument(store_)));
    }

    /// The command that continues with this snapshot after an interruption: by then `latest` may be another.
    [[nodiscard]] std::string command_for(const std::string& id) const {
        auto command = fmt::format("orbis checkout {} {} {}", shell_quoted(store_.string()), shell_quoted(id),
                                   shell_quoted(out_.string()));
        if (!world_.name().empty()) command += " --world " + shell_quoted(world_.name());
        if (!region_.empty()) command += " --region=" + shell_quoted(region_);
        for (const auto& chunks : chunks_.texts()) command += " --chunks=" + shell_quoted(chunks);
        if (format_ != "region") command += " --to " + shell_quoted(format_);
        return command;
    }

    std::filesystem::path store_;
    std::string snapshot_;
    std::filesystem::path out_;
    WorldArgument world_{WorldArgument::Use::read};
    std::string region_;
    ChunksOption chunks_;
    std::string format_ = "region";
};

} // namespace

std::unique_ptr<Command> make_command_checkout() { return std::make_unique<CommandCheckout>(); }

} // namespace orbis::app

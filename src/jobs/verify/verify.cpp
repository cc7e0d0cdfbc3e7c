#include "jobs/verify/verify.hpp"

#include "bytes/joined.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "jobs/missing/missing_chunks.hpp"
#include "jobs/verify/check_container.hpp"
#include "jobs/verify/check_files.hpp"
#include "storage/region_files.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/walk.hpp"

#include <algorithm>
#include <set>

namespace orbis::jobs {

namespace {

class Verification {
public:
    Verification(const world::Assets& assets, const VerifyOptions& options, const OnFinding& on_finding,
                 Progress& progress)
        : assets_(assets), options_(options), on_finding_(on_finding), progress_(progress) {
        report_.by_code.resize(all_codes().size());
    }

    void universe(const world::Location& location) {
        std::vector<Finding> found;
        check_universe_files(location, found);
        if (options_.against_universe && location.kind == world::Location::Kind::universe) {
            find_missing_files(*options_.against_universe, location.root, JsonFile::Kind::other, found);
            find_missing_files(options_.against_universe->sub("players"), location.root.sub("players"),
                               JsonFile::Kind::player, found);
        }
        emit(found, {});
    }

    void world(const world::World& world, const world::World* backup) {
        ++report_.worlds;
        counted_ = {};
        look(world, backup);
        if (counted_.is_counted) compare_with_memory(world);
        report_.counted.push_back(std::move(counted_));
    }

    VerifyReport take() { return std::move(report_); }

private:
    void look(const world::World& world, const world::World* backup) {
        std::vector<Finding> found;
        check_world_files(world, found);
        emit(found, world.name);
        storage::StoreOptions how;
        how.strict_log = true; // what a damaged log hides is lost
        const auto store = world.open(how);
        if (!store) {
            Finding finding;
            finding.code = Code::store_unreadable;
            finding.file = store.error().file.empty() ? world.folder.shown() : store.error().file;
            finding.text = store.error().problem;
            finding.help = store.error().advice;
            ++report_.unreadable_worlds;
            found.assign(1, finding);
            emit(found, world.name);
            return;
        }
        using Source = world::World::Source;
        if (world.provider.type == storage::Provider::Type::rocks_db && world.source != Source::other)
            log(world, (*store)->name());
        if (const auto* files = (*store)->region_files()) containers(world, *files);
        if (!options_.quick) documents(world, **store);
        if (backup != nullptr) compare_with_backup(world, **store, *backup);
        report_.damaged_chunks += damaged_.size();
        damaged_.clear();
    }

    static std::string file_of_region(const world::World& world, RegionPos pos) {
        const auto name = storage::region_file_name(pos);
        const bool has_chunks =
            world.source == world::World::Source::provider && world.folder.has_folder("chunks");
        return has_chunks ? world.folder.sub("chunks").shown(name) : fmt::format("{}", pos);
    }

    static void find_missing_files(const storage::Folder& backup, const storage::Folder& ours,
                                   JsonFile::Kind kind, std::vector<Finding>& found) {
        for (const auto& name : files_only_in(backup, ours, kind)) {
            auto& finding = found.emplace_back();
            finding.code = Code::file_missing;
            finding.file = ours.shown(name);
            finding.text = fmt::format("the backup has {}, but the world does not", backup.shown(name));
        }
    }

    /// What is in regions that cannot be read is not missing: those regions have findings of their own.
    void compare_with_backup(const world::World& world, const storage::Store& store,
                             const world::World& backup) {
        std::vector<Finding> found;
        if (world.source == world::World::Source::provider)
            find_missing_files(backup.folder.sub("resources"), world.folder.sub("resources"),
                               JsonFile::Kind::resource, found);
        emit(found, world.name);
        const auto other = backup.open({});
        if (!other) {
            found.resize(1);
            found.front().code = Code::store_unreadable;
            found.front().file = backup.folder.shown();
            found.front().text = fmt::format("cannot read the backup: {}", other.error().problem);
            found.front().help = other.error().advice;
            return emit(found, world.name);
        }
        ChunksByRegion missing;
        add_missing(listed_chunks(store), **other, missing);
        for (const auto& [pos, chunks] : missing) {
            if (counted_.unreadable.contains(pos)) continue;
            Finding finding;
            finding.code = Code::chunk_missing;
            finding.file = file_of_region(world, pos);
            finding.count = chunks.size();
            finding.text = fmt::format(
                "{} of the backup {} {} not in the world{}",
                chunks.size() == 1 ? std::string("1 chunk") : fmt::format("{} chunks", chunks.size()),
                (*other)->name(), chunks.size() == 1 ? "is" : "are",
                counted_.regions.contains(pos) ? fmt::format(", such as {:n}", *chunks.begin())
                                               : std::string("; the whole region is missing"));
            found.push_back(std::move(finding));
            report_.missing_chunks += chunks.size();
        }
        emit(found, world.name);
    }

    void compare_with_memory(const world::World& world) {
        constexpr std::size_t k_most_named = 3;
        const auto fewer = fewer_chunks(remembered_counts(world), counted_.regions, counted_.unreadable);
        if (fewer.chunks == 0) return;
        std::vector<std::string> parts;
        for (const auto& [pos, seen] : fewer.regions) {
            const auto found = counted_.regions.find(pos);
            if (parts.size() == k_most_named) break;
            parts.push_back(found == counted_.regions.end() || found->second == 0
                                ? fmt::format("{} is gone ({})", pos, seen.chunks)
                                : fmt::format("{} has {} of {}", pos, found->second, seen.chunks));
        }
        if (fewer.regions.size() > parts.size())
            parts.push_back(fmt::format("{} more regions", fewer.regions.size() - parts.size()));
        std::vector<Finding> finding(1);
        finding.front().code = Code::chunk_fewer;
        finding.front().file = world.folder.shown();
        finding.front().count = fewer.chunks;
        finding.front().text =
            fmt::format("{} chunk{} fewer than on {}: {}", fewer.chunks, fewer.chunks == 1 ? "" : "s",
                        utc_text(std::chrono::sys_seconds(std::chrono::seconds(fewer.time)), UtcForm::date),
                        joined(parts, ", "));
        report_.fewer_chunks += fewer.chunks;
        emit(finding, world.name);
    }

    void emit(std::vector<Finding>& found, const std::string& world) {
        for (auto& finding : found) {
            finding.world = world;
            if (finding.chunk && finding.severity() == Severity::damage) damaged_.insert(*finding.chunk);
            ++report_.by_code[static_cast<std::size_t>(finding.code)];
            switch (finding.severity()) {
            case Severity::damage: ++report_.damage; break;
            case Severity::wrong: ++report_.wrong; break;
            case Severity::note: ++report_.notes; break;
            }
            on_finding_(finding);
        }
        found.clear();
    }

    void log(const world::World& world, const std::string& database) {
        const auto whole = storage::check_rocksdb_log(database);
        if (whole) return;
        std::vector<Finding> found(1);
        found.front().code = Code::store_log_cut;
        found.front().file = database;
        found.front().text = fmt::format(
            "the database log is damaged at its end: {}; the game ignores that end", whole.error().problem);
        emit(found, world.name);
    }

    void containers(const world::World& world, const storage::RegionFiles& files) {
        std::vector<Finding> found;
        const auto regions = files.regions();
        if (!regions) {
            Finding finding;
            finding.code = Code::store_unreadable;
            finding.file = files.name();
            finding.text = regions.error().problem;
            ++report_.unreadable_worlds;
            found.assign(1, finding);
            emit(found, world.name);
            return;
        }
        if (world.source == world::World::Source::provider)
            check_stray_files(world.folder.sub("chunks"), found);
        else if (world.source == world::World::Source::chunks_folder)
            check_stray_files(world.folder, found);
        emit(found, world.name);
        report_.files += regions->size();
        counted_.is_counted = true;
        progress_.begin("Checking indexes", regions->size());
        const auto threads = std::clamp<std::size_t>(regions->size(), 1, options_.threads);
        std::vector<std::vector<Finding>> ring(in_flight_limit(threads));
        std::vector<std::optional<std::uint32_t>> chunks(ring.size());
        std::vector<RegionPos> which(ring.size());
        const auto remembered = remembered_counts(world);
        std::size_t next = 0;
        run_ordered({.pull =
                         [&](std::size_t ticket) {
                             if (next == regions->size()) return false;
                             which[ticket] = (*regions)[next++];
                             return true;
                         },
                     .work =
                         [&](std::size_t ticket, std::size_t) {
                             const auto region = files.region(which[ticket]);
                             chunks[ticket].reset();
                             if (!region) {
                                 ring[ticket].push_back(unreadable_region(which[ticket], region.error()));
                             } else if (*region) {
                                 check_region(**region, ring[ticket]);
                                 // How many there are is not known where entries were lost. What makes a
                                 // world writes many chunks before their entries.
                                 const bool is_lost =
                                     !options_.accepts && !world.unfinished
                                     && check_lost_entries(
                                         **region, remembered_count(remembered, which[ticket]), ring[ticket]);
                                 if (const auto slots = (*region)->slots(); slots && !is_lost)
                                     chunks[ticket] = static_cast<std::uint32_t>(slots->size());
                             }
                         },
                     .push =
                         [&](std::size_t ticket) {
                             emit(ring[ticket], world.name);
                             auto& counts = chunks[ticket] ? counted_.regions : counted_.unreadable;
                             counts[which[ticket]] = chunks[ticket].value_or(0);
                             if (options_.quick) report_.chunks += chunks[ticket].value_or(0);
                             progress_.step();
                         }},
                    threads);
    }

    void documents(const world::World& world, const storage::Store& store) {
        progress_.begin("Checking chunks", storage::count_chunks(store));
        std::vector<Finding> found;
        const bool counts = !counted_.is_counted; // no region files, which have an index for that
        counted_.is_counted = true;
        const auto work = [](ChunkPos pos, ChunkVerifier& verifier) {
            std::vector<Finding> out;
            verifier.run(pos, out);
            return out;
        };
        storage::walk<std::vector<Finding>, ChunkVerifier>(
            store, options_.threads,
            {.work = work,
             .emit =
                 [&](ChunkPos pos, std::vector<Finding>& out) {
                     ++report_.chunks;
                     if (counts) ++counted_.regions[pos.region()];
                     emit(out, world.name);
                     progress_.step();
                     return true;
                 },
             .on_error =
                 [&](const Error& problem) {
                     if (store.region_files() != nullptr) return; // said before
                     Finding finding;
                     finding.chunk = problem.chunk;
                     if (finding.chunk)
                         ++counted_.regions[finding.chunk->region()];
                     else
                         counted_.is_counted = false; // what is missing in the list is unknown
                     finding.code = finding.chunk ? Code::frame_broken : Code::store_unreadable;
                     finding.file = problem.file.empty() ? store.name() : problem.file;
                     finding.text = problem.problem;
                     if (!finding.chunk) finding.help = problem.advice; // the code itself has none
                     found.assign(1, finding);
                     emit(found, world.name);
                 },
             .make_tool = [&] { return std::make_unique<ChunkVerifier>(store, assets_); }});
    }

    const world::Assets& assets_;
    const VerifyOptions& options_;
    const OnFinding& on_finding_;
    Progress& progress_;
    VerifyReport report_;
    CountedWorld counted_;       ///< the world that is looked at
    std::set<ChunkPos> damaged_; ///< of the world that is looked at
};

} // namespace

VerifyReport verify(const world::Location& location, const world::Assets& assets,
                    const VerifyOptions& options, const OnFinding& on_finding, Progress& progress) {
    Verification verification(assets, options, on_finding, progress);
    verification.universe(location);
    for (std::size_t i = 0; i < location.worlds.size(); ++i)
        verification.world(location.worlds[i], i < options.against.size() ? options.against[i] : nullptr);
    return verification.take();
}

HelpTarget help_target(const world::Location& location, std::string_view world) {
    HelpTarget help{shell_quoted(location.path) + (world.empty() ? "" : " --world " + shell_quoted(world))};
    if (!location.root.on_disk()) help.copy = fmt::format("orbis convert {} NEW", help.argument);
    return help;
}

} // namespace orbis::jobs

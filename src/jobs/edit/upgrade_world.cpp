#include "jobs/edit/upgrade_world.hpp"

#include "chunk/chunk_reader.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "jobs/undo/change.hpp"
#include "storage/region_files.hpp"
#include "storage/walk.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace orbis::jobs {
namespace {

/// What became of one chunk.
struct Upgraded {
    std::optional<Buffer> document; ///< to be written
    chunk::UpgradeReport report;
    std::vector<Error> problems;
};

class UpgradeJob {
public:
    UpgradeJob(const storage::Store& store, const world::Assets& assets)
        : store_(store), migrations_(assets.migrations.for_chunks()) {}

    [[nodiscard]] Upgraded chunk(ChunkPos pos, chunk::ChunkReader& reader) const {
        Upgraded done;
        if (auto outcome = upgrade(pos, reader, done); !outcome)
            done.problems.push_back(reader.placed(std::move(outcome).error()));
        return done;
    }

private:
    Result<void> upgrade(ChunkPos pos, chunk::ChunkReader& reader, Upgraded& done) const {
        TRY(auto* chunk, reader.read(store_, pos));
        if (chunk == nullptr) return {};
        done.problems = reader.problems();
        TRY(done.report, chunk::upgrade(*chunk, migrations_));
        for (const auto& key : done.report.keys_left)
            done.problems.push_back(reader.placed(
                error(Errc::unsupported,
                      "the old block key '{}' has parts that the current format cannot store; its sections "
                      "were not upgraded",
                      key)));
        if (!done.report.changed()) return {};
        Buffer out;
        TRY(const auto encoded, chunk->encode(out));
        // Read it as the game would, before anything is replaced.
        TRY(const auto again, chunk::Chunk::decode(encoded));
        if (again.problems().size() > chunk->problems().size())
            return fail(Errc::mismatch, "the upgraded chunk would not be readable: {}",
                        again.problems().back().text());
        done.document.emplace(encoded.begin(), encoded.end());
        return {};
    }

    const storage::Store& store_;
    chunk::Migrations migrations_;
};

/// Regions whose container is of version 0; the first write to one makes it version 1.
std::set<RegionPos> old_containers(const storage::Store& store, std::vector<Error>& problems) {
    std::set<RegionPos> old;
    const auto* files = store.region_files();
    if (files == nullptr) return old;
    const auto regions = files->regions();
    if (!regions) return old; // the walk meets the same error
    for (const auto pos : *regions) {
        auto region = files->region(pos);
        if (!region)
            problems.push_back(std::move(region).error());
        else if (*region && (*region)->header().version == 0)
            old.insert(pos);
    }
    return old;
}

/// Whether a failed write concerns the target as a whole, so that every other one would fail too.
bool ends_the_walk(Errc code) {
    return code == Errc::io || code == Errc::no_space || code == Errc::busy || code == Errc::read_only;
}

/// Brings old region files to container version 1; those that cannot be are in the result, with the reason.
Result<std::map<RegionPos, Error>> migrate(Change& change, const std::set<RegionPos>& old) {
    std::map<RegionPos, Error> stuck;
    for (const auto pos : old) {
        auto done = change.migrate_region(pos);
        if (done) continue;
        if (ends_the_walk(done.error().code)) return std::unexpected(std::move(done).error());
        stuck.emplace(pos, std::move(done).error());
    }
    return stuck;
}

constexpr std::string_view k_stuck =
    "its region file cannot be upgraded to container version 1 and was not changed";

} // namespace

Result<WorldUpgrade> upgrade_world(const world::World& world, const world::Assets& assets,
                                   const UpgradeOptions& options, Progress& progress) {
    TRY(const auto target, Target::open(world, options.dry_run,
                                        {.verb = "upgrade",
                                         .command = options.command,
                                         .force = options.force,
                                         .run = options.run,
                                         .keeps_undo = options.keeps_undo}));
    TRY_DO(refuse_lost_entries(target.store(), remembered_counts(world)));
    const auto& change = target.change;
    const auto& store = target.store();
    WorldUpgrade result;
    std::vector<Error> unreadable; // the walk reports them too
    const auto old = old_containers(store, unreadable);
    result.old_containers = old.size();
    std::map<RegionPos, Error> stuck;
    if (change) {
        TRY(stuck, migrate(*change, old));
        result.old_containers -= stuck.size();
        for (const auto& [pos, problem] : stuck)
            result.problems.push_back(
                error(problem.code, "{}: {}", k_stuck, problem.text()).in_file(store.name()).at(pos));
    }

    const UpgradeJob job(store, assets);
    progress.begin("Upgrading", storage::count_chunks(store));
    Result<void> outcome;
    const auto emit = [&](ChunkPos pos, Upgraded& done) {
        ++result.chunks;
        for (auto& problem : done.problems) result.problems.push_back(std::move(problem));
        progress.step();
        if (done.document && stuck.contains(pos.region())) {
            result.problems.push_back(error(Errc::unsupported, "{}", k_stuck).in_file(store.name()).at(pos));
            return true;
        }
        if (done.document && change) outcome = change->write_document(pos, *done.document);
        if (!outcome) return false;
        result.changed += done.document ? 1U : 0U;
        result.sections_moved += done.report.sections_moved ? 1U : 0U;
        result.health_rewritten += done.report.health_rewritten ? 1U : 0U;
        result.report += done.report;
        return true;
    };
    storage::walk<Upgraded, chunk::ChunkReader>(
        store, options.threads,
        {.work = [&](ChunkPos pos, chunk::ChunkReader& reader) { return job.chunk(pos, reader); },
         .emit = emit,
         .on_error = [&](const Error& problem) { result.problems.push_back(problem); }});
    TRY_DO(std::move(outcome));
    if (change) TRY_DO(change->finish());
    return result;
}

} // namespace orbis::jobs

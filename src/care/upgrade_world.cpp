#include "care/upgrade_world.hpp"

#include "care/count_blocks.hpp"
#include "storage/region_store.hpp"
#include "storage/walk.hpp"

#include <fmt/format.h>

#include <set>

namespace orbis::care {
namespace {

/// What became of one chunk.
struct Upgraded {
    std::optional<Buffer> document; ///< to be written
    chunk::UpgradeReport report;
    std::vector<Error> problems;
};

class Job {
public:
    Job(const storage::Store& store, const world::Assets& assets)
        : store_(store), migrations_(assets.migrations.for_chunks()) {}

    [[nodiscard]] Upgraded chunk(ChunkPos pos, storage::ReadContext& context) const {
        Upgraded done;
        if (auto outcome = upgrade(pos, context, done); !outcome)
            done.problems.push_back(std::move(outcome).error().in_file(store_.name()).about(named(pos)));
        return done;
    }

private:
    static std::string named(ChunkPos pos) { return fmt::format("chunk {},{}", pos.x, pos.z); }

    Result<void> upgrade(ChunkPos pos, storage::ReadContext& context, Upgraded& done) const {
        TRY(const auto document, store_.read(pos, context));
        if (!document) return {};
        TRY(auto chunk, chunk::Chunk::decode(*document));
        for (const auto& problem : chunk.problems())
            done.problems.push_back(
                error(problem.error.code, "{}", problem.text()).in_file(store_.name()).about(named(pos)));
        TRY(done.report, chunk::upgrade(chunk, migrations_));
        if (!done.report.changed()) return {};
        Buffer out;
        TRY(const auto encoded, chunk.encode(out));
        // Read it as the game would, before anything is replaced.
        TRY(const auto again, chunk::Chunk::decode(encoded));
        if (again.problems().size() > chunk.problems().size())
            return fail(Errc::mismatch, "expected the new document to be readable, found: {}",
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
    const auto* files = dynamic_cast<const storage::RegionStore*>(&store);
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

} // namespace

Result<WorldUpgrade> upgrade_world(const world::World& world, const world::Assets& assets,
                                   const UpgradeOptions& options, Progress& progress) {
    storage::StoreOptions how;
    how.write = !options.dry_run;
    how.force = options.force;
    how.sync = storage::SyncPolicy::batch;
    TRY(const auto store, world.open(how));
    WorldUpgrade result;
    std::vector<Error> unreadable; // the walk reports them too
    auto old = old_containers(*store, unreadable);
    result.old_containers = old.size();

    const Job job(*store, assets);
    progress.begin("Upgrading", storage::count_chunks(*store));
    Result<void> outcome;
    storage::ReadContext own;
    const auto write = [&](ChunkPos pos, const Upgraded& done) -> Result<void> {
        const bool migrate = old.erase(pos.region()) != 0;
        if (options.dry_run) return {};
        if (done.document) return store->write(pos, *done.document);
        if (!migrate) return {};
        TRY(const auto frame, store->read_frame(pos, own));
        if (!frame) return {};
        const Buffer kept(frame->bytes.begin(), frame->bytes.end());
        return store->write_frame(pos, {kept, frame->raw_size});
    };
    storage::walk<Upgraded>(
        *store, options.threads,
        {.work = [&](ChunkPos pos, storage::ReadContext& context) { return job.chunk(pos, context); },
         .emit =
             [&](ChunkPos pos, Upgraded& done) {
                 ++result.chunks;
                 result.changed += done.document ? 1U : 0U;
                 result.sections_moved += done.report.sections_moved ? 1U : 0U;
                 result.health_rewritten += done.report.health_rewritten ? 1U : 0U;
                 result.report += done.report;
                 for (auto& problem : done.problems) result.problems.push_back(std::move(problem));
                 outcome = write(pos, done);
                 progress.step();
                 return outcome.has_value();
             },
         .on_error = [&](const Error& problem) { result.problems.push_back(problem); }});
    TRY_DO(std::move(outcome));
    if (!options.dry_run) TRY_DO(store->sync());
    return result;
}

} // namespace orbis::care

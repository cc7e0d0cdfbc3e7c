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

std::string named(ChunkPos pos) { return fmt::format("chunk {},{}", pos.x, pos.z); }

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
    Result<void> upgrade(ChunkPos pos, storage::ReadContext& context, Upgraded& done) const {
        TRY(const auto document, store_.read(pos, context));
        if (!document) return {};
        TRY(auto chunk, chunk::Chunk::decode(*document));
        for (const auto& problem : chunk.problems())
            done.problems.push_back(
                error(problem.error.code, "{}", problem.text()).in_file(store_.name()).about(named(pos)));
        TRY(done.report, chunk::upgrade(chunk, migrations_));
        for (const auto& key : done.report.keys_left)
            done.problems.push_back(
                error(Errc::unsupported,
                      "the old block key '{}' has parts that have no place today; its sections stay old", key)
                    .in_file(store_.name())
                    .about(named(pos)));
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

/// Whether a failed write concerns the target as a whole, so that every other one would fail too.
bool ends_the_walk(Errc code) {
    return code == Errc::io || code == Errc::no_space || code == Errc::busy || code == Errc::read_only;
}

/// Writes what was upgraded, one chunk after the other.
class Target {
public:
    Target(storage::Store& store, std::set<RegionPos> old) : store_(store), old_(std::move(old)) {}

    Result<void> write(ChunkPos pos, const Upgraded& done) {
        const auto region = pos.region();
        if (stuck_.contains(region)) {
            if (!done.document) return {};
            return fail(Errc::unsupported, "{}", k_stuck);
        }
        auto written = done.document           ? store_.write(pos, *done.document)
                       : old_.contains(region) ? write_again(pos)
                                               : Result<void>();
        if (!old_.contains(region)) return written;
        if (written && is_old(region)) return {}; // an unreadable chunk, which the walk has reported
        if (written || !is_old(region)) {
            old_.erase(region);
            return written;
        }
        if (ends_the_walk(written.error().code)) return written;
        stuck_.insert(region); // every other write would try to move all of its chunks again
        return fail(written.error().code, "{}: {}", k_stuck, written.error().text());
    }

    /// Region files that are of container version 0 still.
    [[nodiscard]] std::size_t left() const { return old_.size(); }

private:
    static constexpr std::string_view k_stuck =
        "its region file cannot be brought to container version 1 and stays as it is";

    Result<void> write_again(ChunkPos pos) {
        const auto frame = store_.read_frame(pos, context_);
        if (!frame || !*frame) return {};
        const Buffer kept((*frame)->bytes.begin(), (*frame)->bytes.end());
        return store_.write_frame(pos, {kept, (*frame)->raw_size});
    }

    [[nodiscard]] bool is_old(RegionPos pos) const {
        const auto* files = dynamic_cast<const storage::RegionStore*>(&store_);
        const auto region = files == nullptr ? nullptr : files->region(pos).value_or(nullptr);
        return region != nullptr && region->header().version == 0;
    }

    storage::Store& store_;
    std::set<RegionPos> old_;   ///< regions that the first write brings to container version 1
    std::set<RegionPos> stuck_; ///< those of them where that failed
    storage::ReadContext context_;
};

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
    Target target(*store, std::move(old));
    progress.begin("Upgrading", storage::count_chunks(*store));
    Result<void> outcome;
    const auto emit = [&](ChunkPos pos, Upgraded& done) {
        ++result.chunks;
        for (auto& problem : done.problems) result.problems.push_back(std::move(problem));
        progress.step();
        if (auto written = options.dry_run ? Result<void>() : target.write(pos, done); !written) {
            if (ends_the_walk(written.error().code)) {
                outcome = std::move(written);
                return false;
            }
            result.problems.push_back(std::move(written).error().in_file(store->name()).about(named(pos)));
            return true;
        }
        result.changed += done.document ? 1U : 0U;
        result.sections_moved += done.report.sections_moved ? 1U : 0U;
        result.health_rewritten += done.report.health_rewritten ? 1U : 0U;
        result.report += done.report;
        return true;
    };
    storage::walk<Upgraded>(
        *store, options.threads,
        {.work = [&](ChunkPos pos, storage::ReadContext& context) { return job.chunk(pos, context); },
         .emit = emit,
         .on_error = [&](const Error& problem) { result.problems.push_back(problem); }});
    TRY_DO(std::move(outcome));
    if (options.dry_run) return result;
    result.old_containers -= target.left();
    TRY_DO(store->sync());
    return result;
}

} // namespace orbis::care

#include "jobs/edit/undelete.hpp"

#include "bytes/joined.hpp"
#include "bytes/shell_quote.hpp"
#include "chunk/chunk_reader.hpp"
#include "storage/region_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::jobs {

namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool is_container(const ComponentChange& change) {
    return std::ranges::any_of(change.names, [](const std::string& name) {
        return name == "container" || name == "ItemContainerBlock";
    });
}

/// Compares older versions with the chunks that are there now.
class PresentComparison {
public:
    explicit PresentComparison(const storage::Store& store) : store_(store) {}

    OlderVersion compare(Orphan orphan) {
        OlderVersion version;
        version.orphan = std::move(orphan);
        if (!version.orphan.chunk) return version;
        const auto pos = *version.orphan.chunk;
        const auto present = present_.read(store_, pos);
        if (present && *present == nullptr) {
            version.present = PresentState::missing;
            return version;
        }
        version.present = PresentState::unreadable;
        if (!present) return version;
        const auto older = orphan_document(*store_.region_files(), version.orphan, older_context_);
        if (!older || !older_.read(*older)) return version;
        version.diff = comparer_.compare(pos, **present, older_, {});
        version.present = version.diff.empty() ? PresentState::same : PresentState::differs;
        return version;
    }

private:
    const storage::Store& store_;
    chunk::ChunkReader present_;
    storage::ReadContext older_context_;
    chunk::Chunk older_;
    ChunkComparer comparer_;
};

bool is_selected(const Orphan& orphan, const std::optional<Selector>& selector) {
    if (!selector) return true;
    if (orphan.chunk) return selector->contains(*orphan.chunk);
    return std::ranges::any_of(orphan.candidates,
                               [&](ChunkPos candidate) { return selector->contains(candidate); });
}

std::string copy_name(const Orphan& orphan) {
    return fmt::format("{}, segment {}", orphan.region, orphan.first_segment);
}

} // namespace

std::string_view name(PresentState state) {
    constexpr std::array<std::string_view, 5> names{"unknown", "same", "differs", "missing", "unreadable"};
    return names.at(static_cast<std::size_t>(state));
}

OlderVersion compare_with_present(const storage::Store& store, Orphan orphan) {
    return PresentComparison(store).compare(std::move(orphan));
}

std::string difference_text(const OlderVersion& version) {
    switch (version.present) {
    case PresentState::unknown: return "chunk position unknown";
    case PresentState::same: return "no difference";
    case PresentState::missing: return "the world does not have this chunk now";
    case PresentState::unreadable: return "the chunk is unreadable now";
    case PresentState::differs: break;
    }
    const auto& diff = version.diff;
    std::vector<std::string> parts;
    const auto add = [&](std::uint64_t count, std::string_view one, std::string_view many) {
        if (count > 0) parts.push_back(counted(count, one, many));
    };
    add(diff.blocks, "block", "blocks");
    add(diff.fluids, "fluid", "fluids");
    // Only the first components are listed by name; beyond them it is unknown which are containers.
    const auto containers =
        diff.component_changes.size() == diff.components
            ? static_cast<std::uint64_t>(std::ranges::count_if(diff.component_changes, is_container))
            : 0;
    add(containers, "container", "containers");
    add(diff.components - containers, "block with components", "blocks with components");
    add(diff.entities, "entity", "entities");
    add(diff.environments, "column with another environment", "columns with other environments");
    add(diff.tints, "column with another tint", "columns with other tints");
    for (const auto& other : diff.other) parts.push_back(other);
    if (!diff.unreadable.empty()) parts.emplace_back("parts that cannot be read");
    if (parts.empty()) return "only light, heights and similar data";
    return joined(parts, ", ");
}

Result<std::shared_ptr<const storage::Store>> open_region_files(const world::World& world) {
    TRY(const auto store, world.open({}));
    if (store->region_files() != nullptr) return store;
    return fail(error(Errc::usage, "only region files keep older copies of chunks; this world is in {}",
                      store->kind())
                    .in_file(store->name())
                    .advise(fmt::format("orbis restore {0} --from BACKUP --chunks SELECTION restores chunks "
                                        "from a backup; orbis undo {0} undoes changes by orbis",
                                        shell_quoted(world.folder.shown()))));
}

Result<UndeleteReport> list_older_versions(const world::World& world, const storage::Store& store,
                                           const UndeleteOptions& options, Progress& progress) {
    UndeleteReport report;
    std::optional<Selector> selector;
    if (!options.selection.empty()) {
        TRY(selector, make_selector(options.selection, world, store, options.threads, progress));
        report.problems = selector->problems();
    }
    const auto& files = *store.region_files();
    TRY(const auto regions, files.regions());
    PresentComparison comparison(store);
    find_orphans(files, regions, options.threads, progress, [&](Result<RegionOrphans>&& found) {
        ++report.files;
        if (!found) {
            report.problems.push_back(std::move(found).error());
            return;
        }
        report.not_searched += found->searched ? 0U : 1U;
        report.segments += found->segments;
        report.unused_segments += found->unused_segments;
        report.partly_overwritten += found->partly_overwritten;
        report.no_chunks += found->no_chunks;
        for (auto& orphan : found->orphans) {
            if (!is_selected(orphan, selector)) continue;
            ++report.versions;
            report.attributed += orphan.sureness <= Orphan::Sureness::likely ? 1U : 0U;
            options.on_version(comparison.compare(std::move(orphan)));
        }
    });
    return report;
}

std::optional<Error> reason_against(const Orphan& orphan, std::optional<ChunkPos> as) {
    if (!orphan.sound())
        return error(Errc::usage, "{}",
                     orphan.overlaps ? std::string("this copy was partly overwritten")
                                     : fmt::format("{} of this copy cannot be read",
                                                   counted(orphan.problems, "part", "parts")))
            .about(copy_name(orphan))
            .advise("--cat still outputs its bytes");
    if (as) return std::nullopt;
    if (orphan.sureness <= Orphan::Sureness::likely) return std::nullopt;
    if (orphan.chunk)
        return error(Errc::usage, "that this is {} is only a guess", *orphan.chunk)
            .about(copy_name(orphan))
            .advise(fmt::format("say where it belongs, such as --as {:n}", *orphan.chunk));
    return error(Errc::usage, "chunk position unknown{}",
                 orphan.candidates.empty()
                     ? std::string()
                     : fmt::format(": {} fit equally well",
                                   counted(orphan.candidates.size(), "chunk", "chunks")))
        .about(copy_name(orphan))
        .advise("look at it with --show, then say where it belongs with --as X,Z");
}

Result<ChangeReport> undelete(const world::World& world, std::vector<Undeletion> versions,
                              const ChangeOptions& options) {
    TRY(const auto change, Change::begin(world, options));
    const auto* files = change->store().region_files();
    if (files == nullptr)
        return fail(error(Errc::unsupported,
                          "only region files keep older copies of chunks; this world is in {}",
                          change->store().kind())
                        .in_file(change->store().name()));
    // All copies of a file are read before anything is written to it: what is written may be on others.
    std::ranges::stable_sort(versions, {}, [](const Undeletion& version) { return version.orphan.region; });
    storage::ReadContext context;
    for (auto at = versions.begin(); at != versions.end();) {
        const auto end = std::find_if(at, versions.end(), [&](const Undeletion& version) {
            return version.orphan.region != at->orphan.region;
        });
        std::vector<Buffer> frames;
        for (auto version = at; version != end; ++version) {
            TRY(const auto frame, orphan_frame(*files, version->orphan, context));
            frames.emplace_back(frame.bytes.begin(), frame.bytes.end());
        }
        for (std::size_t i = 0; at != end; ++at, ++i) {
            const auto& orphan = at->orphan;
            const storage::CompressedChunk frame{frames[i], orphan.raw_size};
            const bool in_place = at->chunk.region() == orphan.region && !orphan.lengths_fixed;
            TRY_DO(in_place ? change->relink(at->chunk, orphan.first_segment, frame)
                            : change->write(at->chunk, frame));
        }
    }
    return change->finish();
}

} // namespace orbis::jobs

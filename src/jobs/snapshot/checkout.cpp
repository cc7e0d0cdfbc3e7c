#include "jobs/snapshot/checkout.hpp"

#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/view.hpp"
#include "storage/walk.hpp"

namespace orbis::jobs::snapshot {

namespace {

/// Chunks of the region that are selected.
Result<world::Location> choose(world::Location location, const CheckoutOptions& options, Progress& progress,
                               ConvertReport& report) {
    if (!options.region && options.chunks.empty()) return location;
    TRY(const auto* chosen, world::choose_world(location, {}));
    auto selector = std::make_shared<Selector>();
    if (!options.chunks.empty()) {
        TRY(const auto store, chosen->open({}));
        TRY(*selector, make_selector(options.chunks, *chosen, *store, options.threads, progress));
        report.problems = selector->problems();
    }
    const auto region = options.region;
    const bool any = options.chunks.empty();
    const auto whole = location.path;
    auto chosen_chunks = with_chunks(std::move(location), [selector, region, any](ChunkPos pos) {
        return (!region || pos.region() == *region) && (any || selector->contains(pos));
    });
    TRY(const auto store, chosen_chunks.worlds.front().open({}));
    if (storage::count_chunks(*store) > 0) return chosen_chunks;
    return fail(error(Errc::not_found, "there are no chunks{}{}",
                      region ? fmt::format(" of {}", *region) : "", any ? "" : " that are selected")
                    .in_file(whole)
                    .advise(fmt::format("orbis ls {} lists the chunks that are there", shell_quoted(whole))));
}

} // namespace

Result<ConvertReport> check_out(world::Location snapshot, const std::filesystem::path& target,
                                const CheckoutOptions& options, Progress& progress) {
    ConvertReport chosen;
    TRY(auto narrowed, world::narrow_to_world(std::move(snapshot), options.world));
    TRY(const auto location, choose(std::move(narrowed), options, progress, chosen));
    TRY(auto report,
        convert_location(location, target, options.format, options.threads, progress, options.command));
    report.problems.insert(report.problems.begin(), chosen.problems.begin(), chosen.problems.end());
    return report;
}

} // namespace orbis::jobs::snapshot

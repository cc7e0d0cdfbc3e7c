#include "jobs/inspect/survey.hpp"

#include "bytes/parallel.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/zstd.hpp"
#include "jobs/inspect/overlaps.hpp"
#include "storage/store.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

/// Chunks whose segments another chunk claims too. Version 0 links its segments, so there nothing follows
/// from the first one.
void report_overlaps(const storage::Region& region, const std::vector<storage::BlobInfo>& blobs,
                     std::vector<Error>& problems) {
    if (region.header().version == 0) return;
    for (const auto& [blob, owner] : find_overlaps(blobs)) {
        const auto chunk = region.position().chunk(blob.slot);
        const auto other = region.position().chunk(owner.slot);
        problems.push_back(error(Errc::overlap, "segment {} is also used by {}", blob.first_segment, other)
                               .in_file(region.name())
                               .at(region.position())
                               .at(chunk)
                               .at(region.header().index_offset(blob.slot.value))
                               .advise("one of them was overwritten; restore both from a backup"));
    }
}

/// What the first bytes of a frame say against what its blob says. Nothing is decompressed.
std::optional<Error> check_frame(const storage::Region& region, const storage::BlobInfo& info) {
    Buffer gathered;
    const auto blob = region.blob(info.slot, gathered);
    if (!blob || !*blob) return std::nullopt; // reported by the check of the container
    const auto stated = zstd_content_size((*blob)->frame);
    const auto problem = [&](Error&& error) {
        const auto chunk = region.position().chunk(info.slot);
        return std::move(error)
            .in_file(region.name())
            .at(region.position())
            .at(chunk)
            .at(info.offset + 8)
            .advise("the other chunks are not affected; restore this one from a backup");
    };
    if (!stated)
        return problem(
            error(Errc::bad_frame, "the frame does not state its size ({} bytes)", info.raw_size)
                .advise(fmt::format("it is readable; orbis compact {} --level 3 rewrites it as the game does",
                                    shell_quoted(region.name()))));
    if (*stated != info.raw_size)
        return problem(error(Errc::bad_frame,
                             "expected a frame with {} bytes of content, found one that states {}",
                             info.raw_size, *stated));
    if (info.raw_size > storage::k_largest_document)
        return problem(error(Errc::too_large,
                             "expected at most {} bytes of content, found a frame that states {}",
                             storage::k_largest_document, info.raw_size));
    return std::nullopt;
}

} // namespace

RegionSurvey survey(const storage::Region& region) {
    RegionSurvey found;
    found.pos = region.position();
    found.file = region.name();
    found.version = region.header().version;
    found.file_bytes = region.file().size().value_or(0);
    const auto slots = region.slots();
    if (!slots) {
        found.problems.push_back(slots.error());
        return found;
    }
    std::vector<storage::BlobInfo> blobs;
    for (const auto slot : *slots) {
        auto info = region.info(slot);
        if (!info) {
            found.problems.push_back(std::move(info).error());
        } else if (*info) {
            blobs.push_back(**info);
            if (auto problem = check_frame(region, **info))
                found.frame_problems.push_back(*std::move(problem));
        }
    }

    const auto segment = static_cast<std::uint64_t>(region.header().segment_size);
    const auto per_segment = region.header().version == 0 ? 4U : 0U; // the link
    std::uint64_t used = 0;
    for (const auto& blob : blobs) {
        ++found.chunks;
        found.raw_bytes += blob.raw_size;
        found.frame_bytes += blob.frame_size;
        used += blob.segments;
        found.slack_bytes += blob.segments * (segment - per_segment) - 8 - blob.frame_size;
    }
    const auto data = found.file_bytes - std::min(found.file_bytes, region.header().base());
    const auto segments = (data + segment - 1) / segment;
    found.free_bytes = (segments - std::min(segments, used)) * segment;
    report_overlaps(region, blobs, found.problems);
    return found;
}

Result<std::vector<RegionSurvey>> survey(const storage::RegionFiles& files, std::size_t threads) {
    TRY(const auto regions, files.regions());
    std::vector<RegionSurvey> all(regions.size());
    std::vector<std::size_t> ring(in_flight_limit(threads));
    std::size_t next = 0;
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         ring[ticket] = next;
                         return next++ < regions.size();
                     },
                 .work =
                     [&](std::size_t ticket, std::size_t) {
                         const auto i = ring[ticket];
                         const auto region = files.region(regions[i]);
                         if (region && *region) {
                             all[i] = survey(**region);
                             return;
                         }
                         all[i].pos = regions[i];
                         if (region) return;
                         all[i].file = region.error().file;
                         all[i].problems.push_back(Error(region.error()).at(regions[i]));
                     },
                 .push = [](std::size_t) {}},
                threads);
    return all;
}

} // namespace orbis::jobs

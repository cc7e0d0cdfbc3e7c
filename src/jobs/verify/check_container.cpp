#include "jobs/verify/check_container.hpp"

#include "bytes/zstd.hpp"
#include "jobs/inspect/overlaps.hpp"
#include "jobs/missing/lost_entries.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

using storage::BlobInfo;
using storage::Region;

class RegionChecks {
public:
    RegionChecks(const Region& region, std::vector<Finding>& out) : region_(region), out_(out) {}

    void run() {
        const auto& header = region_.header();
        if (header.version == 0) add(Code::container_version_0, 20, "expected container version 1, found 0");
        if (header.blob_count != k_columns || header.segment_size != 4096)
            add(Code::container_shape, 24,
                fmt::format("expected 1024 chunks and segments of 4096 bytes, found {} and {}",
                            header.blob_count, header.segment_size));
        if (const auto surplus = storage::check_rewritable(region_); !surplus)
            add(Code::container_extra_entry, surplus.error().offset.value_or(0), surplus.error().problem);
        const auto slots = region_.slots();
        if (!slots) {
            add(Code::container_short, slots.error().offset.value_or(32), slots.error().problem);
            return;
        }
        for (const auto slot : *slots) look_at(slot);
        if (header.version == 1) {
            report_overlaps();
            count_unused();
        }
    }

private:
    Finding& add(Code code, std::uint64_t offset, std::string text) {
        auto& finding = out_.emplace_back();
        finding.code = code;
        finding.file = region_.name();
        finding.offset = offset;
        finding.text = std::move(text);
        return finding;
    }

    void look_at(Slot slot) {
        const auto info = region_.info(slot);
        if (info && *info) {
            blobs_.push_back(**info);
            look_at_frame(**info);
            return;
        }
        if (info) return;
        auto code = Code::container_lengths;
        if (info.error().code == Errc::out_of_range) code = Code::container_entry_outside;
        if (info.error().code == Errc::truncated) code = Code::container_cut_off;
        add(code, info.error().offset.value_or(region_.header().index_offset(slot.value)),
            info.error().problem)
            .chunk = region_.position().chunk(slot);
    }

    void look_at_frame(const BlobInfo& info) {
        if (info.raw_size == 0) {
            add(Code::document_empty, info.offset, "the chunk has 0 bytes").chunk =
                region_.position().chunk(info.slot);
            return;
        }
        if (region_.header().version == 0) return; // the walk through the documents sees them
        Buffer gathered;
        const auto blob = region_.blob(info.slot, gathered);
        if (!blob || !*blob) return;
        const auto stated = zstd_content_size((*blob)->frame);
        const auto whole = zstd_frame_length((*blob)->frame);
        if (!whole || *whole != info.frame_size) return; // broken: decompressing it reports that
        if (stated && *stated != info.raw_size)
            add(Code::frame_size, info.offset,
                fmt::format("expected a frame with {} bytes of content, found one that states {}",
                            info.raw_size, *stated))
                .chunk = region_.position().chunk(info.slot);
        if (!stated)
            add(Code::frame_no_size, info.offset + 8,
                fmt::format("the frame does not state its size ({} bytes)", info.raw_size))
                .chunk = region_.position().chunk(info.slot);
    }

    void report_overlaps() {
        for (const auto& [blob, owner] : find_overlaps(blobs_)) {
            const auto other = region_.position().chunk(owner.slot);
            add(Code::container_overlap, region_.header().index_offset(blob.slot.value),
                fmt::format("segment {} is also used by {}", blob.first_segment, other))
                .chunk = region_.position().chunk(blob.slot);
        }
    }

    void count_unused() {
        const auto size = region_.file().size().value_or(0);
        const auto segment = static_cast<std::uint64_t>(region_.header().segment_size);
        const auto data = size - std::min(size, region_.header().base());
        const auto all = (data + segment - 1) / segment;
        std::ranges::sort(blobs_, {}, &BlobInfo::first_segment);
        std::uint64_t used = 0;
        std::uint64_t reached = 1; // first segment that is not counted yet
        for (const auto& blob : blobs_) {
            const auto first = std::max(static_cast<std::uint64_t>(blob.first_segment), reached);
            const auto last = static_cast<std::uint64_t>(blob.first_segment) + blob.segments;
            if (last <= first) continue;
            used += last - first;
            reached = last;
        }
        if (used >= all) return;
        add(Code::container_orphans, region_.header().base(),
            fmt::format("{} of {} segments are unused and may hold older chunks", all - used, all))
            .count = all - used;
    }

    const Region& region_;
    std::vector<Finding>& out_;
    std::vector<BlobInfo> blobs_;
};

} // namespace

void check_region(const Region& region, std::vector<Finding>& out) { RegionChecks(region, out).run(); }

bool check_lost_entries(const Region& region, std::optional<std::uint32_t> remembered,
                        std::vector<Finding>& out) {
    const auto lost = look_for_lost_entries(region, remembered);
    if (!lost || !lost->is_damage()) return false;
    auto& finding = out.emplace_back();
    finding.code = Code::container_lost_entries;
    finding.file = region.name();
    finding.offset = region.header().index_offset(0);
    finding.text = lost_entries_text(*lost);
    finding.count = lost->unexplained;
    return true;
}

Finding unreadable_region(RegionPos pos, const Error& error) {
    Finding finding;
    finding.code = error.code == Errc::truncated ? Code::container_short : Code::container_header;
    if (error.code == Errc::io) finding.code = Code::store_unreadable;
    finding.file = error.file;
    finding.part = fmt::format("{}", pos);
    finding.offset = error.offset;
    finding.text = error.problem;
    return finding;
}

void check_stray_files(const storage::Folder& folder, std::vector<Finding>& out) {
    const auto entries = folder.list();
    if (!entries) return;
    for (const auto& entry : *entries) {
        const auto region = storage::parse_region_file_name(entry.name);
        if (entry.is_folder != region.has_value()) continue; // a region file, or another folder
        auto& finding = out.emplace_back();
        if (region) {
            finding.code = Code::container_folder;
            finding.file = folder.shown(entry.name);
            finding.part = fmt::format("{}", *region);
            finding.text = "this is a folder, not a region file; move it somewhere else";
            continue;
        }
        finding.code = Code::container_stray_file;
        finding.file = folder.shown(entry.name);
        finding.text =
            entry.name.ends_with(".orbis-tmp")
                ? "left over from an interrupted run of orbis; it can be deleted"
            : entry.name.ends_with(".old")
                ? "left over from an interrupted migration of the game; it may contain older chunks"
                : "not named like -1.0.region.bin; the game ignores it";
    }
}

} // namespace orbis::jobs

#include "storage/region_v0.hpp"

#include "bytes/reader.hpp"

#include <algorithm>

namespace orbis::storage {

namespace {

constexpr std::int32_t k_last = std::numeric_limits<std::int32_t>::min();
constexpr std::uint64_t k_link = 4;
constexpr std::uint64_t k_blob_header = 8;

} // namespace

Result<std::unique_ptr<Region>> RegionV0::open(std::unique_ptr<File> file, RegionPos position) {
    TRY(const auto header, read_region_header(*file, position));
    return std::unique_ptr<Region>(new RegionV0(std::move(file), header, position));
}

Result<std::vector<Slot>> RegionV0::slots() const {
    std::vector<Slot> found;
    const auto count = std::min(header_.blob_count, k_columns);
    TRY(const auto view, file_->view(RegionHeader::k_size, 4 * static_cast<std::uint64_t>(count)));
    for (std::int32_t i = 0; i < count; ++i)
        if (load_be<std::int32_t>(view.bytes().data() + 4 * static_cast<std::size_t>(i)) != 0)
            found.push_back({i});
    TRY_DO(file_->check(view));
    return found;
}

Result<std::optional<BlobInfo>> RegionV0::find(Slot slot) const {
    if (slot.value >= header_.blob_count) return std::nullopt;
    TRY(const auto first, read_i32(header_.index_offset(slot.value)));
    if (first == 0) return std::nullopt;
    TRY(const auto size, file_->size());
    if (first < 0 || header_.position(first) + k_link + k_blob_header > size)
        return fail(error(Errc::out_of_range, "expected an index entry inside the file of {} bytes, found {}",
                          size, first)
                        .at(header_.index_offset(slot.value)));

    BlobInfo info{.slot = slot, .first_segment = first, .offset = header_.position(first)};
    TRY(const auto raw, read_i32(info.offset + k_link));
    TRY(const auto frame, read_i32(info.offset + k_link + 4));
    if (raw < 0 || frame <= 0)
        return fail(error(Errc::bad_value,
                          "expected lengths above zero, found {} uncompressed and {} compressed", raw, frame)
                        .at(info.offset + k_link));
    info.raw_size = static_cast<std::uint32_t>(raw);
    info.frame_size = static_cast<std::uint32_t>(frame);
    const auto payload = static_cast<std::uint64_t>(header_.segment_size) - k_link;
    info.segments = (k_blob_header + info.frame_size + payload - 1) / payload;
    info.segment_bytes = header_.bytes_of(info.segments);
    if (info.frame_size > size)
        return fail(
            error(Errc::truncated, "expected {} compressed bytes, found a file of {} bytes", frame, size)
                .at(info.offset + k_link + 4));
    return info;
}

Result<std::optional<BlobInfo>> RegionV0::info(Slot slot) const {
    auto found = find(slot);
    if (!found) return fail(place(std::move(found).error(), slot));
    return found;
}

/// Follows the chain, which must end exactly with the last byte. The count of segments bounds the walk, so a
/// chain that runs in a circle ends too.
Result<void> RegionV0::gather(const BlobInfo& info, Buffer& out) const {
    const auto segment_size = static_cast<std::uint64_t>(header_.segment_size);
    TRY(const auto file_size, file_->size());
    out.clear();
    out.reserve(info.frame_size);
    auto segment = info.first_segment;
    std::uint64_t left = k_blob_header + info.frame_size;
    for (std::uint64_t i = 0; i < info.segments; ++i) {
        const auto at = header_.position(segment);
        const auto wanted = std::min(left, segment_size - k_link);
        if (segment < 1 || at + k_link + wanted > file_size)
            return fail(
                error(Errc::out_of_range,
                      "expected segment {} of {} inside the file of {} bytes, found a link to segment {}",
                      i + 1, info.segments, file_size, segment)
                    .at(info.offset));
        TRY(const auto view, file_->view(at, k_link + wanted));
        const auto link = load_be<std::int32_t>(view.bytes().data());
        auto payload = view.bytes().subspan(k_link);
        if (i == 0) payload = payload.subspan(k_blob_header);
        out.insert(out.end(), payload.begin(), payload.end());
        TRY_DO(file_->check(view));
        left -= wanted;
        const bool ends = link == k_last;
        if (ends != (left == 0))
            return fail(error(Errc::bad_value, "expected a chain of {} segments, found its {} after {}",
                              info.segments, ends ? "end" : "continuation", i + 1)
                            .at(at));
        segment = link;
    }
    return {};
}

Result<std::optional<Blob>> RegionV0::blob(Slot slot, Buffer& gathered) const {
    TRY(const auto found, info(slot));
    if (!found) return std::nullopt;
    if (auto done = gather(*found, gathered); !done) return fail(place(std::move(done).error(), slot));
    return Blob{
        .frame = gathered, .raw_size = found->raw_size, .offset = found->offset, .view = {}, .pin = {}};
}

} // namespace orbis::storage

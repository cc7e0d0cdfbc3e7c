#include "storage/region_file.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <array>

namespace orbis::storage {

namespace {

/// How much a batch may hold back before it is flushed without being asked.
constexpr std::uint64_t k_batch_bytes = 16 << 20;
constexpr std::size_t k_batch_entries = 512;

constexpr std::string_view k_restore = "the other chunks are not affected; restore this one from a backup";

} // namespace

Result<void> RegionFile::format(File& file) {
    Buffer bytes;
    Writer out(bytes);
    constexpr RegionHeader header;
    out.bytes(as_bytes(RegionHeader::k_magic));
    out.be(header.version);
    out.be(header.blob_count);
    out.be(header.segment_size);
    out.zeros(4 * static_cast<std::size_t>(header.blob_count));
    TRY_DO(file.write(0, bytes));
    return file.sync();
}

Result<std::unique_ptr<RegionFile>> RegionFile::open(std::unique_ptr<File> file, RegionPos position,
                                                     RegionAccess access, SyncPolicy sync) {
    TRY(const auto header, read_region_header(*file));
    if (header.version != 1)
        return fail(error(Errc::unsupported, "expected container version 1, found {}", header.version)
                        .in_file(file->name())
                        .at(20));
    std::unique_ptr<RegionFile> region(new RegionFile(std::move(file), header, position, access, sync));
    if (access == RegionAccess::write) TRY_DO(region->load_index());
    return region;
}

Result<void> RegionFile::load_index() {
    segments_ = std::make_shared<SegmentMap>();
    const auto count = static_cast<std::size_t>(header_.blob_count);
    TRY(const auto view, file_->view(RegionHeader::k_size, 4 * count));
    index_.resize(count);
    for (std::size_t i = 0; i < count; ++i) index_[i] = load_be<std::int32_t>(view.bytes().data() + 4 * i);
    TRY_DO(file_->check(view));
    for (std::int32_t i = 0; i < header_.blob_count; ++i)
        segments_->use(run_of(i, index_[static_cast<std::size_t>(i)]));
    return {};
}

/// The segments that an index entry keeps others from using. For a damaged entry that is whatever it might
/// still hold: its first segment, and as many after it as its length says and the file has.
SegmentRun RegionFile::run_of(std::int32_t blob, std::int32_t first) const {
    const auto size = file_->size().value_or(0);
    if (first <= 0 || header_.position(first) >= size) return {};
    const auto in_file =
        (size - header_.position(first) - 1) / static_cast<std::uint64_t>(header_.segment_size) + 1;
    const auto known = info_at({blob}, first);
    if (known && *known) return {first, std::min((*known)->segments, in_file)};
    const auto claimed = read_i32(header_.position(first) + 4);
    const auto frame = claimed && *claimed > 0 ? static_cast<std::uint64_t>(*claimed) : 0;
    return {first, std::min(header_.segments_for(frame), in_file)};
}

/// A reader without a writer beside it asks the file each time: another process may have moved the blob.
Result<std::int32_t> RegionFile::entry(Slot slot) const {
    if (slot.value >= header_.blob_count) return 0;
    if (!writable_) return read_i32(header_.index_offset(slot.value));
    return index_[static_cast<std::size_t>(slot.value)];
}

Result<std::vector<Slot>> RegionFile::slots() const {
    std::vector<Slot> found;
    const auto count = std::min(header_.blob_count, k_columns);
    if (writable_) {
        const std::lock_guard lock(mutex_);
        for (std::int32_t i = 0; i < count; ++i)
            if (index_[static_cast<std::size_t>(i)] != 0) found.push_back({i});
        return found;
    }
    TRY(const auto view, file_->view(RegionHeader::k_size, 4 * static_cast<std::uint64_t>(count)));
    for (std::int32_t i = 0; i < count; ++i)
        if (load_be<std::int32_t>(view.bytes().data() + 4 * static_cast<std::size_t>(i)) != 0)
            found.push_back({i});
    TRY_DO(file_->check(view));
    return found;
}

Result<std::optional<BlobInfo>> RegionFile::info_at(Slot slot, std::int32_t first) const {
    if (first == 0) return std::nullopt;
    const auto offset = first > 0 ? header_.position(first) : 0;
    const auto view = file_->view(offset, 8);
    if (first < 0 || (!view && view.error().code == Errc::truncated))
        return fail(error(Errc::out_of_range,
                          "expected a segment inside the file of {} bytes, found index entry {}",
                          file_->size().value_or(0), first)
                        .at(header_.index_offset(slot.value)));
    if (!view) return fail(Error(view.error()));
    Reader in(view->bytes());
    const auto raw = in.be<std::int32_t>();
    const auto frame = in.be<std::int32_t>();
    TRY_DO(file_->check(*view));
    if (raw < 0 || frame <= 0)
        return fail(error(Errc::bad_value,
                          "expected positive lengths, found {} uncompressed and {} compressed", raw, frame)
                        .at(offset));
    const auto frame_size = static_cast<std::uint32_t>(frame);
    if (!file_->view(offset + 8, frame_size))
        return fail(error(Errc::truncated, "expected {} compressed bytes, found the end of the file at {}",
                          frame, file_->size().value_or(0))
                        .at(offset));
    return BlobInfo{.slot = slot,
                    .first_segment = first,
                    .segments = header_.segments_for(frame_size),
                    .offset = offset,
                    .raw_size = static_cast<std::uint32_t>(raw),
                    .frame_size = frame_size};
}

Result<std::optional<BlobInfo>> RegionFile::info(Slot slot) const {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (writable_) lock.lock();
    TRY(const auto first, entry(slot));
    auto found = info_at(slot, first);
    if (!found) return fail(place(std::move(found).error().advise(k_restore), slot));
    return found;
}

Result<std::optional<Blob>> RegionFile::blob(Slot slot, Buffer&) const {
    std::shared_ptr<const void> pin;
    std::int32_t first = 0;
    if (writable_) {
        const std::lock_guard lock(mutex_);
        first = slot.value < header_.blob_count ? index_[static_cast<std::size_t>(slot.value)] : 0;
        pin = segments_->pin();
    } else {
        auto read = entry(slot);
        if (!read) return fail(place(std::move(read).error(), slot));
        first = *read;
    }
    const auto read = [&]() -> Result<std::optional<Blob>> {
        TRY(const auto info, info_at(slot, first));
        if (!info) return std::nullopt;
        TRY(auto view, file_->view(info->offset + 8, info->frame_size));
        const auto frame = view.bytes();
        return Blob{.frame = frame,
                    .raw_size = info->raw_size,
                    .offset = info->offset,
                    .view = std::move(view),
                    .pin = std::move(pin)};
    };
    auto found = read();
    if (!found) return fail(place(std::move(found).error().advise(k_restore), slot));
    return found;
}

Result<void> RegionFile::write_entry(std::int32_t slot, std::int32_t first) {
    std::array<std::uint8_t, 4> bytes{};
    store_be(bytes.data(), first);
    return file_->write(header_.index_offset(slot), bytes);
}

Result<void> RegionFile::check_writable() const {
    if (!writable_) return fail(Errc::read_only, "the region file was opened for reading only");
    if (broken_)
        return fail(
            error(Errc::io,
                  "an earlier write or sync of this file failed, so that nobody knows what is on the disk")
                .advise("nothing is lost; check the disk and open the world again"));
    return {};
}

Result<void> RegionFile::write(Slot slot, Bytes frame, std::uint32_t raw_size) {
    if (!writable_)
        return fail(place(error(Errc::read_only, "the region file was opened for reading only"), slot));
    if (slot.value < 0 || slot.value >= header_.blob_count)
        return fail(place(
            error(Errc::out_of_range, "expected a slot below {}, found {}", header_.blob_count, slot.value),
            slot));
    constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
    if (frame.size() > most || raw_size > most)
        return fail(
            place(error(Errc::too_large, "expected at most {} bytes, found {} compressed and {} uncompressed",
                        most, frame.size(), raw_size),
                  slot));

    const auto run = segments_->allocate(header_.segments_for(frame.size()));
    std::array<std::uint8_t, 8> lengths{};
    store_be(lengths.data(), raw_size);
    store_be(lengths.data() + 4, static_cast<std::uint32_t>(frame.size()));
    const std::array<Bytes, 2> parts{Bytes(lengths), frame};
    if (auto written = file_->write(header_.position(run.first), parts); !written) {
        segments_->release(run); // nothing leads there yet
        return fail(place(std::move(written).error(), slot));
    }
    pending_bytes_ += frame.size();
    if (auto changed = change(slot, run); !changed) return fail(place(std::move(changed).error(), slot));
    return {};
}

Result<bool> RegionFile::remove(Slot slot) {
    if (!writable_)
        return fail(place(error(Errc::read_only, "the region file was opened for reading only"), slot));
    if (slot.value >= header_.blob_count || index_[static_cast<std::size_t>(slot.value)] == 0) return false;
    if (auto changed = change(slot, {}); !changed) return fail(place(std::move(changed).error(), slot));
    return true;
}

/// Lets the slot lead to `run` (nowhere when it is empty). From here on readers of this process see it; the
/// disk follows as the policy says.
Result<void> RegionFile::change(Slot slot, SegmentRun run) {
    const auto at = static_cast<std::size_t>(slot.value);
    const auto old_run = run_of(slot.value, index_[at]);
    {
        const std::lock_guard lock(mutex_);
        index_[at] = run.first;
    }
    const auto superseded = std::find_if(pending_.begin(), pending_.end(),
                                         [&](const Pending& p) { return p.slot == slot.value; });
    if (superseded != pending_.end())
        segments_->release(old_run); // was never on the disk
    else
        pending_.push_back({slot.value, old_run});

    switch (sync_) {
    case SyncPolicy::each: return flush();
    case SyncPolicy::batch:
        if (pending_bytes_ < k_batch_bytes && pending_.size() < k_batch_entries) return {};
        return flush();
    case SyncPolicy::none: break;
    }
    broken_ = true;
    TRY_DO(write_entry(slot.value, run.first));
    broken_ = false;
    segments_->release(pending_.back().old_run);
    pending_.clear();
    pending_bytes_ = 0;
    return {};
}

/// Data first, then the entries that lead to it, then the old segments are free: a cut between any two of
/// these leaves each entry leading to a whole blob. When a step fails, the old segments stay taken.
Result<void> RegionFile::flush() {
    if (pending_.empty()) return {};
    broken_ = true; // until the last step has succeeded
    TRY_DO(file_->sync());
    for (const auto& change : pending_)
        TRY_DO(write_entry(change.slot, index_[static_cast<std::size_t>(change.slot)]));
    TRY_DO(file_->sync());
    for (const auto& change : pending_) segments_->release(change.old_run);
    pending_.clear();
    pending_bytes_ = 0;
    broken_ = false;
    return {};
}

Result<void> RegionFile::sync() {
    TRY_DO(check_writable());
    TRY_DO(flush());
    return file_->sync();
}

} // namespace orbis::storage

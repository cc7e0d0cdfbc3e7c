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

/// How many segments past the end of the file are kept for a blob that was cut off there.
constexpr std::uint64_t k_reserved_behind = 256;

/// Largest file that is opened for writing: 64 GiB at the usual segment size.
constexpr std::uint64_t k_most_segments = 1 << 24;

constexpr std::string_view k_restore_chunk =
    "the other chunks are not affected; restore this one from a backup";

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
    TRY(const auto header, read_region_header(*file, position));
    if (header.version != 1)
        return fail(error(Errc::unsupported, "expected container version 1, found {}", header.version)
                        .in_file(file->name())
                        .at(position)
                        .at(20));
    std::unique_ptr<RegionFile> region(new RegionFile(std::move(file), header, position, access, sync));
    if (access == RegionAccess::write) TRY_DO(region->load_index());
    return region;
}

Result<void> RegionFile::load_index() {
    // The game writes 1024 entries. More, or a file of an absurd size, would make the map of its segments a
    // matter of gigabytes; such a file can be read all the same.
    TRY(const auto file_size, file_->size());
    const auto in_file = file_size / static_cast<std::uint64_t>(header_.segment_size);
    if (header_.blob_count > k_columns || in_file > k_most_segments)
        return fail(
            error(Errc::unsupported,
                  "orbis writes region files of at most {} entries and {} segments; this one has {} and {}",
                  k_columns, k_most_segments, header_.blob_count, in_file)
                .in_file(name())
                .at(24));
    TRY(const auto size, file_->size());
    const auto segment_size = static_cast<std::uint64_t>(header_.segment_size);
    segments_ = std::make_shared<SegmentMap>((size - header_.base() + segment_size - 1) / segment_size);
    const auto count = static_cast<std::size_t>(header_.blob_count);
    TRY(const auto view, file_->view(RegionHeader::k_size, 4 * count));
    index_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        index_[i].first = load_be<std::int32_t>(view.bytes().data() + 4 * i);
    TRY_DO(file_->check(view));
    for (auto& run : index_) {
        run.count = claim_of(run.first).count;
        segments_->use(run);
    }
    return {};
}

/// The segments that an index entry keeps others from using. A damaged entry keeps what it might still hold,
/// also past the end of the file: what is written there later must not answer for it. Decided once, when
/// the file is opened, because a file that grew would give another answer.
SegmentRun RegionFile::claim_of(std::int32_t first) const {
    if (first <= 0) return {};
    const auto size = file_->size().value_or(0);
    const auto offset = header_.position(first);
    if (offset + 8 > size) return {first, 1};
    const auto claimed = read_i32(offset + 4).value_or(0);
    const auto in_file = (size - offset - 1) / static_cast<std::uint64_t>(header_.segment_size) + 1;
    return {first, std::min(header_.segments_for(static_cast<std::uint64_t>(std::max(claimed, 0))),
                            in_file + k_reserved_behind)};
}

/// A reader without a writer beside it asks the file each time: another process may have moved the blob.
Result<std::int32_t> RegionFile::current_entry(Slot slot) const {
    if (slot.value < 0 || slot.value >= header_.blob_count) return 0;
    if (!writable_) return read_i32(header_.index_offset(slot.value));
    return index_[static_cast<std::size_t>(slot.value)].first;
}

Result<std::int32_t> RegionFile::entry(Slot slot) const {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (writable_) lock.lock();
    return current_entry(slot);
}

Result<std::vector<Slot>> RegionFile::slots() const {
    std::vector<Slot> found;
    const auto count = std::min(header_.blob_count, k_columns);
    if (writable_) {
        const std::lock_guard lock(mutex_);
        for (std::int32_t i = 0; i < count; ++i)
            if (index_[static_cast<std::size_t>(i)].first != 0) found.push_back({i});
        return found;
    }
    TRY(const auto view, file_->view(RegionHeader::k_size, 4 * static_cast<std::uint64_t>(count)));
    for (std::int32_t i = 0; i < count; ++i)
        if (load_be<std::int32_t>(view.bytes().data() + 4 * static_cast<std::size_t>(i)) != 0)
            found.push_back({i});
    TRY_DO(file_->check(view));
    return found;
}

Result<std::optional<RegionFile::Found>> RegionFile::locate(Slot slot, std::int32_t first) const {
    if (first == 0) return std::nullopt;
    const auto offset = first > 0 ? header_.position(first) : 0;
    const auto view = file_->view(offset, 8);
    if (first < 0 || (!view && view.error().code == Errc::truncated))
        return fail(error(Errc::out_of_range, "expected an index entry inside the file of {} bytes, found {}",
                          file_->size().value_or(0), first)
                        .at(header_.index_offset(slot.value)));
    if (!view) return fail(Error(view.error()));
    Reader in(view->bytes());
    const auto raw = in.be<std::int32_t>();
    const auto frame = in.be<std::int32_t>();
    TRY_DO(file_->check(*view));
    if (raw < 0 || frame <= 0)
        return fail(error(Errc::bad_value,
                          "expected lengths above zero, found {} uncompressed and {} compressed", raw, frame)
                        .at(offset));
    const auto frame_size = static_cast<std::uint32_t>(frame);
    auto frame_view = file_->view(offset + 8, frame_size);
    if (!frame_view && frame_view.error().code == Errc::truncated)
        return fail(error(Errc::truncated, "expected {} compressed bytes, found the end of the file at {}",
                          frame, file_->size().value_or(0))
                        .at(offset));
    if (!frame_view) return std::unexpected(std::move(frame_view).error());
    return Found{.info = {.slot = slot,
                          .first_segment = first,
                          .segments = header_.segments_for(frame_size),
                          .segment_bytes = header_.bytes_of(header_.segments_for(frame_size)),
                          .offset = offset,
                          .raw_size = static_cast<std::uint32_t>(raw),
                          .frame_size = frame_size},
                 .frame = *std::move(frame_view)};
}

Result<std::optional<BlobInfo>> RegionFile::info(Slot slot) const {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (writable_) lock.lock();
    TRY(const auto first, current_entry(slot));
    auto found = locate(slot, first);
    if (!found) return fail(place(std::move(found).error().advise(k_restore_chunk), slot));
    if (!*found) return std::nullopt;
    return (*found)->info;
}

Result<std::optional<Blob>> RegionFile::blob(Slot slot, Buffer&) const {
    std::shared_ptr<const void> pin;
    std::int32_t first = 0;
    if (writable_) {
        const std::lock_guard lock(mutex_);
        first = current_entry(slot).value_or(0); // from memory, cannot fail
        pin = segments_->pin();
    } else {
        auto read = current_entry(slot);
        if (!read) return fail(place(std::move(read).error(), slot));
        first = *read;
    }
    auto found = locate(slot, first);
    if (!found) return fail(place(std::move(found).error().advise(k_restore_chunk), slot));
    if (!*found) return std::nullopt;
    const auto frame = (*found)->frame.bytes();
    return Blob{.frame = frame,
                .raw_size = (*found)->info.raw_size,
                .offset = (*found)->info.offset,
                .view = std::move((*found)->frame),
                .pin = std::move(pin)};
}

Result<void> RegionFile::write_entry(std::int32_t slot, std::int32_t first) {
    std::array<std::uint8_t, 4> bytes{};
    store_be(bytes.data(), first);
    return file_->write(header_.index_offset(slot), bytes);
}

/// Asked before every change.
Result<void> RegionFile::prepare() {
    if (!writable_)
        return fail(error(Errc::read_only, "the region file was opened for reading only").in_file(name()));
    if (broken_)
        return fail(
            error(Errc::io, "an earlier write to this file failed, so it is not known what is on the disk")
                .in_file(name())
                .advise("check the disk and open the world again"));
    // A writer that was killed may have left an index entry that is not on the disk yet. The segments that it
    // left look free, but after a power cut they would be the chunk.
    if (!prepared_) TRY_DO(sync_file());
    prepared_ = true;
    return {};
}

Result<void> RegionFile::write(Slot slot, Bytes frame, std::uint32_t raw_size) {
    if (auto ready = prepare(); !ready) return fail(place(std::move(ready).error(), slot));
    if (slot.value < 0 || slot.value >= header_.blob_count)
        return fail(place(error(Errc::out_of_range, "slot {1} does not exist; the file has {0} slots",
                                header_.blob_count, slot.value),
                          slot));
    constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
    if (frame.empty())
        return fail(place(error(Errc::bad_value, "a compressed chunk cannot have 0 bytes"), slot));
    if (frame.size() > most || raw_size > most)
        return fail(
            place(error(Errc::too_large,
                        "a chunk has at most {} bytes; this one has {} compressed and {} uncompressed", most,
                        frame.size(), raw_size),
                  slot));

    const auto run = segments_->allocate(header_.segments_for(frame.size()));
    if (run.count == 0)
        return fail(
            place(error(Errc::too_large,
                        "a region file has at most {} segments; there is no room for this chunk", most),
                  slot));
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
    if (auto ready = prepare(); !ready) return fail(place(std::move(ready).error(), slot));
    if (current_entry(slot).value_or(0) == 0) {
        // An earlier removal may have failed on its way to the disk.
        if (sync_ != SyncPolicy::batch) TRY_DO(flush());
        return false;
    }
    if (auto changed = change(slot, {}); !changed) return fail(place(std::move(changed).error(), slot));
    return true;
}

Result<void> RegionFile::put_bytes(Slot slot, Bytes blob) {
    if (auto ready = prepare(); !ready) return fail(place(std::move(ready).error(), slot));
    if (slot.value < 0 || slot.value >= header_.blob_count || blob.size() < 8)
        return fail(place(error(Errc::out_of_range,
                                "a chunk needs a slot below {} and 8 bytes; this has slot {} and {} bytes",
                                header_.blob_count, slot.value, blob.size()),
                          slot));
    const auto run = segments_->allocate(header_.segments_for(blob.size() - 8));
    if (run.count == 0)
        return fail(
            place(error(Errc::too_large, "there is no room for this chunk in the region file"), slot));
    if (auto written = file_->write(header_.position(run.first), blob); !written) {
        segments_->release(run);
        return fail(place(std::move(written).error(), slot));
    }
    pending_bytes_ += blob.size();
    if (auto changed = change(slot, run); !changed) return fail(place(std::move(changed).error(), slot));
    return {};
}

Result<void> RegionFile::put_entry(Slot slot, std::int32_t first) {
    if (auto ready = prepare(); !ready) return fail(place(std::move(ready).error(), slot));
    if (slot.value < 0 || slot.value >= header_.blob_count)
        return fail(place(error(Errc::out_of_range, "slot {1} does not exist; the file has {0} slots",
                                header_.blob_count, slot.value),
                          slot));
    const SegmentRun run{first, claim_of(first).count};
    if (!segments_->take(run))
        return fail(
            place(error(Errc::overlap, "another chunk uses segment {} or what follows it", first), slot));
    if (auto changed = change(slot, run); !changed) return fail(place(std::move(changed).error(), slot));
    return {};
}

/// Lets the slot lead to `run` (nowhere when it is empty). From here on readers of this process see it; the
/// disk follows as the policy says.
Result<void> RegionFile::change(Slot slot, SegmentRun run) {
    settled_ = false;
    auto& entry = index_[static_cast<std::size_t>(slot.value)];
    const auto old_run = entry;
    {
        const std::lock_guard lock(mutex_);
        entry = run;
    }
    const auto superseded = std::find_if(pending_.begin(), pending_.end(),
                                         [&](const Pending& p) { return p.slot == slot.value; });
    if (superseded == pending_.end())
        pending_.push_back({slot.value, false, {old_run}});
    else if (superseded->tried)
        superseded->old_runs.push_back(old_run);
    else
        segments_->release(old_run); // no entry in the file ever led there

    if (sync_ == SyncPolicy::batch && pending_bytes_ < k_batch_bytes && pending_.size() < k_batch_entries)
        return {};
    return flush();
}

/// Data first, then the entries that lead to it, then the old segments are free: a cut between any two of
/// these leaves each entry leading to a whole blob. When a step fails, old and new segments stay taken and
/// the next flush tries again.
Result<void> RegionFile::flush() {
    if (pending_.empty()) return {};
    const bool syncs = sync_ != SyncPolicy::none;
    if (syncs) TRY_DO(sync_file());
    for (auto& change : pending_) {
        change.tried = true;
        TRY_DO(write_entry(change.slot, index_[static_cast<std::size_t>(change.slot)].first));
    }
    if (syncs) TRY_DO(sync_file());
    for (const auto& change : pending_)
        for (const auto run : change.old_runs) segments_->release(run);
    pending_.clear();
    pending_bytes_ = 0;
    settled_ = syncs;
    return {};
}

Result<void> RegionFile::sync() {
    TRY_DO(prepare());
    TRY_DO(flush());
    if (!settled_) TRY_DO(sync_file());
    settled_ = true;
    return {};
}

/// After a failure the system may count pages as written that are not, so a second try proves nothing.
Result<void> RegionFile::sync_file() {
    auto synced = file_->sync();
    if (!synced) broken_ = true;
    return synced;
}

} // namespace orbis::storage

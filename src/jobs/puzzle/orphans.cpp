#include "jobs/puzzle/orphans.hpp"

#include "bytes/parallel.hpp"
#include "bytes/reader.hpp"
#include "jobs/puzzle/place_orphans.hpp"
#include "storage/segment_map.hpp"

#include <algorithm>
#include <utility>

namespace orbis::jobs {

namespace {

using storage::ReadContext;
using storage::Region;
using storage::SegmentRun;
using Basis = Orphan::Basis;
using Sureness = Orphan::Sureness;

constexpr std::uint32_t k_zstd_magic = 0xFD2FB528; // little-endian: 28 B5 2F FD

/// A place where a blob seems to begin.
struct Beginning {
    std::int32_t segment = 0;
    std::uint64_t offset = 0;
    std::uint32_t raw_size = 0;
    std::uint32_t frame_size = 0;
    bool fixed = false;
};

class Search {
public:
    /// Without a store nothing is asked of neighbours.
    Search(const storage::RegionFiles* files, const Region& region)
        : files_(files), region_(region), header_(region.header()) {
        found_.region = region.position();
        found_.file = region.name();
    }

    Result<RegionOrphans> run() {
        if (header_.version != 1) {
            found_.searched = false;
            return std::move(found_);
        }
        TRY_DO(measure());
        TRY_DO(scan_gaps());
        mark_overlaps();
        if (!found_.orphans.empty()) attribute();
        sort();
        return std::move(found_);
    }

    Result<std::size_t> count_beginnings() {
        if (header_.version != 1) return 0;
        only_counts_ = true;
        TRY_DO(measure());
        TRY_DO(scan_gaps());
        return beginnings_.size();
    }

private:
    Result<void> measure() {
        TRY(size_, region_.file().size());
        const auto segment_size = static_cast<std::uint64_t>(header_.segment_size);
        found_.segments = (size_ - std::min(size_, header_.base()) + segment_size - 1) / segment_size;
        return read_claims();
    }

    /// The segments of all blobs whose frames are complete. A damaged entry claims nothing here: what it
    /// should lead to may be in the segments that it seems to lead to.
    Result<void> read_claims() {
        TRY(const auto slots, region_.slots());
        for (const auto slot : slots) {
            const auto blob = region_.blob(slot, context_.gathered);
            if (blob && !*blob) continue;
            if (const auto run = blob ? claim(**blob) : SegmentRun{}; run.count > 0) {
                claims_.push_back(run);
                continue;
            }
            const auto first = region_.entry(slot).value_or(0);
            damaged_.emplace_back(first, slot);
        }
        std::ranges::sort(claims_, {}, &SegmentRun::first);
        return {};
    }

    [[nodiscard]] SegmentRun claim(const storage::Blob& blob) const {
        const auto content = zstd_content_size(blob.frame);
        const auto length = zstd_frame_length(blob.frame);
        if (!length || content.value_or(blob.raw_size) != blob.raw_size
            || !is_only_skippable(blob.frame.subspan(*length)))
            return {};
        const auto segment =
            (blob.offset - header_.base()) / static_cast<std::uint64_t>(header_.segment_size) + 1;
        return {static_cast<std::int32_t>(segment), header_.segments_for(blob.frame.size())};
    }

    Result<void> scan_gaps() {
        std::uint64_t next = 1;
        for (const auto& run : claims_) {
            TRY_DO(scan(next, static_cast<std::uint64_t>(run.first)));
            next = std::max(next, static_cast<std::uint64_t>(run.first) + run.count);
        }
        return scan(next, found_.segments + 1);
    }

    /// Segments from `first` up to `end`, which are unused.
    Result<void> scan(std::uint64_t first, std::uint64_t end) {
        constexpr std::uint64_t last_number = std::numeric_limits<std::int32_t>::max();
        end = std::min({end, found_.segments + 1, last_number});
        if (first >= end) return {};
        found_.unused_segments += end - first;
        const auto segment_size = static_cast<std::uint64_t>(header_.segment_size);
        for (auto segment = first; segment < end; ++segment) {
            // A file may claim terabytes that were never written.
            const auto offset = header_.position(static_cast<std::int32_t>(segment));
            if (offset >= data_.end) {
                TRY(data_, region_.file().next_data(offset));
            }
            if (data_.begin >= offset + segment_size) {
                segment += (data_.begin - offset) / segment_size - 1;
                continue;
            }
            TRY(const auto begins, beginning(static_cast<std::int32_t>(segment)));
            if (!begins) continue;
            beginnings_.push_back(begins->segment);
            if (only_counts_) continue;
            const auto taken = segment + header_.segments_for(begins->frame_size);
            const auto whole = begins->frame_size > 0 && taken <= end ? read(*begins) : Outcome::cut;
            if (whole == Outcome::cut && !damaged_slot(begins->segment)) ++found_.partly_overwritten;
            if (whole == Outcome::other) ++found_.no_chunks;
        }
        return {};
    }

    /// Whether a frame begins in this segment. Where the lengths before it are not those of the frame, the
    /// frame's own are taken; a frame size of 0 stands for a frame that does not end.
    Result<std::optional<Beginning>> beginning(std::int32_t segment) {
        const auto offset = header_.position(segment);
        constexpr std::uint64_t needed = 8 + 18; // the longest header of a frame
        if (offset + 12 > size_) return std::nullopt;
        TRY(const auto head, region_.file().view(offset, std::min(needed, size_ - offset)));
        const auto* bytes = head.bytes().data();
        if (load_le<std::uint32_t>(bytes + 8) != k_zstd_magic) return std::nullopt;
        const auto content = zstd_content_size(head.bytes().subspan(8));
        const auto raw = load_be<std::int32_t>(bytes);
        const auto frame = load_be<std::int32_t>(bytes + 4);
        if (!region_.file().check(head)) return std::nullopt; // a page that the disk does not deliver
        Beginning begins{.segment = segment, .offset = offset};
        if (!content || *content == 0 || *content > storage::k_largest_document) return begins;
        begins.raw_size = static_cast<std::uint32_t>(*content);
        const auto room = std::min(size_ - offset - 8, storage::k_largest_document);
        TRY(const auto rest, region_.file().view(offset + 8, room));
        const auto length = zstd_frame_length(rest.bytes());
        if (!length) return begins;
        begins.frame_size = static_cast<std::uint32_t>(*length);
        begins.fixed = raw < 0 || frame < 0 || begins.raw_size != static_cast<std::uint32_t>(raw)
                       || begins.frame_size != static_cast<std::uint32_t>(frame);
        return begins;
    }

    enum class Outcome : std::uint8_t { chunk, other, cut };

    Outcome read(const Beginning& begins) {
        const auto view = region_.file().view(begins.offset + 8, begins.frame_size);
        if (!view) return Outcome::cut;
        const auto document =
            context_.decompressor.decompress(view->bytes(), begins.raw_size, storage::k_largest_document);
        if (!document || !region_.file().check(*view)) return Outcome::cut;
        if (!bson::open_validated(*document) || !chunk_.read(*document)) return Outcome::other;
        auto& orphan = found_.orphans.emplace_back();
        orphan.region = found_.region;
        orphan.first_segment = begins.segment;
        orphan.segments = header_.segments_for(begins.frame_size);
        orphan.offset = begins.offset;
        orphan.raw_size = begins.raw_size;
        orphan.frame_size = begins.frame_size;
        orphan.lengths_fixed = begins.fixed;
        orphan.digest = sha256(*document);
        orphan.problems = chunk_.problems().size();
        orphan.game_time = newest_game_time(chunk_).value_or(std::string_view{});
        attribute_at_once(orphan);
        prints_.push_back(chunk_features(chunk_));
        return Outcome::chunk;
    }

    /// By what is in it alone.
    void attribute_at_once(Orphan& orphan) const {
        const auto evidence = position_evidence(chunk_);
        if (evidence.chunk && evidence.chunk->region() == found_.region) {
            orphan.chunk = evidence.chunk;
            orphan.basis = Basis::positions;
            orphan.sureness = evidence.unanimous ? Sureness::certain : Sureness::likely;
        } else if (const auto slot = damaged_slot(orphan.first_segment)) {
            orphan.chunk = found_.region.chunk(*slot);
            orphan.basis = Basis::entry;
            orphan.sureness = Sureness::certain;
        }
    }

    /// The slot whose entry leads to this segment without there being a sound blob.
    [[nodiscard]] std::optional<Slot> damaged_slot(std::int32_t segment) const {
        const auto found = std::ranges::find(damaged_, segment, &std::pair<std::int32_t, Slot>::first);
        if (found == damaged_.end()) return std::nullopt;
        return found->second;
    }

    /// A copy with the beginning of another one inside it was overwritten there later, even if it still
    /// decompresses: bytes that do not compress are stored as they are, and there is no checksum.
    void mark_overlaps() {
        for (auto& orphan : found_.orphans) {
            const auto inside = std::ranges::upper_bound(beginnings_, orphan.first_segment);
            const auto end = static_cast<std::uint64_t>(orphan.first_segment) + orphan.segments;
            orphan.overlaps = inside != beginnings_.end() && static_cast<std::uint64_t>(*inside) < end;
            if (orphan.overlaps && orphan.sureness == Sureness::certain) orphan.sureness = Sureness::likely;
        }
    }

    void attribute() {
        const bool needed =
            std::ranges::any_of(found_.orphans, [](const Orphan& orphan) { return !orphan.chunk; });
        if (!needed) return;
        auto knowledge = read_present();
        // Older versions of a chunk that is not there any more can still tell each other's place.
        for (std::size_t i = 0; i < prints_.size(); ++i)
            if (const auto& orphan = found_.orphans[i]; orphan.chunk)
                knowledge.known.push_back({*orphan.chunk, prints_[i]});
        attribute_by_similarity(found_.orphans, prints_, knowledge);
        if (files_ != nullptr) attribute_by_neighbours(*files_, region_, found_.orphans, prints_, knowledge);
        attribute_by_elimination(found_.orphans, knowledge);
    }

    /// Fingerprints of the chunks in use: half a kilobyte each.
    RegionKnowledge read_present() {
        RegionKnowledge knowledge;
        for (int i = 0; i < k_columns; ++i) {
            const auto pos = found_.region.chunk(Slot{i});
            const auto blob = region_.blob(Slot{i}, context_.gathered);
            if (blob && !*blob) {
                knowledge.empty.push_back(pos);
                continue;
            }
            const auto document = blob ? context_.decompressor.decompress((*blob)->frame, (*blob)->raw_size,
                                                                          storage::k_largest_document)
                                       : Result<Bytes>(std::unexpected(blob.error()));
            if (document && chunk_.read(*document, k_feature_parts))
                knowledge.known.push_back({pos, chunk_features(chunk_)});
            else
                knowledge.unreadable.push_back(pos);
        }
        return knowledge;
    }

    void sort() {
        std::ranges::stable_sort(found_.orphans, [](const Orphan& a, const Orphan& b) {
            if (a.chunk.has_value() != b.chunk.has_value()) return a.chunk.has_value();
            if (a.chunk && *a.chunk != *b.chunk) return *a.chunk < *b.chunk;
            if (!a.chunk || a.game_time.empty() != b.game_time.empty())
                return b.game_time.empty() && !a.game_time.empty() && a.chunk.has_value();
            return is_earlier(b.game_time, a.game_time);
        });
    }

    const storage::RegionFiles* files_;
    const Region& region_;
    Extent data_; ///< that was written, at or after the segment that is looked at
    const storage::RegionHeader& header_;
    std::uint64_t size_ = 0;
    bool only_counts_ = false;
    std::vector<SegmentRun> claims_;                     ///< by first segment
    std::vector<std::pair<std::int32_t, Slot>> damaged_; ///< entries that lead to no sound blob
    std::vector<std::int32_t> beginnings_; ///< unused segments in which a frame begins, ascending
    std::vector<ChunkFeatures> prints_;    ///< of the orphans
    ReadContext context_;
    chunk::Chunk chunk_;
    RegionOrphans found_;
};

Error changed(const storage::RegionFiles& files, const Orphan& orphan) {
    return error(Errc::mismatch, "the older copy that was found here has been overwritten")
        .in_file(files.name())
        .about(fmt::format("{}, segment {}", orphan.region, orphan.first_segment))
        .at(orphan.offset)
        .advise("the file has changed since; search again");
}

} // namespace

std::string_view name(Orphan::Basis basis) {
    constexpr std::array<std::string_view, 6> names{"entry",      "positions",   "similarity",
                                                    "neighbours", "elimination", "unknown"};
    return names.at(static_cast<std::size_t>(basis));
}

std::string_view name(Orphan::Sureness sureness) {
    constexpr std::array<std::string_view, 4> names{"certain", "likely", "guess", "open"};
    return names.at(static_cast<std::size_t>(sureness));
}

Result<RegionOrphans> find_orphans(const storage::RegionFiles& files, RegionPos region) {
    TRY(const auto file, files.region(region));
    if (!file) {
        RegionOrphans nothing;
        nothing.region = region;
        nothing.file = files.name();
        return nothing;
    }
    return Search(&files, *file).run();
}

Result<RegionOrphans> find_copies(const storage::Region& region) { return Search(nullptr, region).run(); }

Result<std::size_t> count_beginnings(const storage::Region& region) {
    return Search(nullptr, region).count_beginnings();
}

void find_orphans(const storage::RegionFiles& files, std::span<const RegionPos> regions, std::size_t threads,
                  Progress& progress, const std::function<void(Result<RegionOrphans>&&)>& emit) {
    std::vector<std::optional<Result<RegionOrphans>>> ring(in_flight_limit(threads));
    std::vector<RegionPos> places(ring.size());
    std::size_t next = 0;
    progress.begin("Searching", regions.size());
    run_ordered(
        {.pull =
             [&](std::size_t ticket) {
                 if (next == regions.size()) return false;
                 places[ticket] = regions[next++];
                 return true;
             },
         .work = [&](std::size_t ticket, std::size_t) { ring[ticket] = find_orphans(files, places[ticket]); },
         .push =
             [&](std::size_t ticket) {
                 emit(*std::exchange(ring[ticket], std::nullopt));
                 progress.step();
             }},
        threads);
}

Result<storage::CompressedChunk> orphan_frame(const storage::RegionFiles& files, const Orphan& orphan,
                                              ReadContext& context) {
    context.blob = {};
    TRY(auto file, files.region(orphan.region));
    if (!file) return fail(changed(files, orphan));
    auto view = file->file().view(orphan.offset + 8, orphan.frame_size);
    if (!view) return fail(changed(files, orphan));
    const auto document =
        context.decompressor.decompress(view->bytes(), orphan.raw_size, storage::k_largest_document);
    TRY_DO(file->file().check(*view));
    if (!document || sha256(*document) != orphan.digest) return fail(changed(files, orphan));
    context.blob.frame = view->bytes();
    context.blob.view = *std::move(view);
    context.held = std::move(file);
    return storage::CompressedChunk{context.blob.frame, orphan.raw_size};
}

Result<Bytes> orphan_document(const storage::RegionFiles& files, const Orphan& orphan, ReadContext& context) {
    TRY(const auto frame, orphan_frame(files, orphan, context));
    return context.decompressor.decompress(frame.bytes, frame.raw_size, storage::k_largest_document);
}

const Orphan* newest_orphan_of(std::span<const Orphan> orphans, ChunkPos chunk) {
    const Orphan* best = nullptr;
    for (const auto& orphan : orphans) {
        if (orphan.chunk != chunk || !orphan.sound() || orphan.sureness > Sureness::likely) continue;
        if (best == nullptr || is_earlier(best->game_time, orphan.game_time)
            || (!is_earlier(orphan.game_time, best->game_time) && orphan.offset > best->offset))
            best = &orphan;
    }
    return best;
}

} // namespace orbis::jobs

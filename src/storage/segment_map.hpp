#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace orbis::storage {

/// Consecutive segments of a region file; `count` 0 is none.
struct SegmentRun {
    std::int32_t first = 0;
    std::uint64_t count = 0;
};

/// Which segments of a region file are taken, and by whom they may still be read.
///
/// Counts instead of bits: in a damaged file two blobs can claim the same segment, and freeing one of them
/// must not give away the other. Claims past the end of the file count too, or a chunk that is written there
/// later would answer for the damaged one. A run that is given back becomes free when every reader who could
/// have seen it is gone. Safe for use by several threads.
class SegmentMap : public std::enable_shared_from_this<SegmentMap> {
public:
    /// Segments that the file has when it is opened; runs that start after them cost no memory until the
    /// file grows to them.
    explicit SegmentMap(std::uint64_t in_file = 0) : users_(static_cast<std::size_t>(in_file)) {}

    /// Marks a run as used, by one more blob when it was already.
    void use(SegmentRun run);

    /// Marks a run as used if all of it is free; whether it was.
    bool take(SegmentRun run);

    /// First-fit: the lowest run of `count` free segments, marked as used; none when the numbers end.
    SegmentRun allocate(std::uint64_t count);

    /// Gives a run back, now or when the last present reader lets go.
    void release(SegmentRun run);

    /// As long as the returned handle lives, nothing that is released from now on is allocated again.
    std::shared_ptr<const void> pin();

    /// Segments in use, counting each once.
    [[nodiscard]] std::uint64_t used() const;

private:
    struct Waiting {
        SegmentRun run;
        std::uint64_t epoch;
    };

    void mark(SegmentRun run);
    [[nodiscard]] std::size_t first_fit(std::size_t count);
    void reach(std::size_t size);
    void subtract(SegmentRun run);
    void reclaim();
    void unpin(std::uint64_t epoch);

    mutable std::mutex mutex_;
    std::vector<std::uint16_t> users_;               ///< by segment number - 1
    std::multimap<std::int32_t, std::uint64_t> far_; ///< used runs that start after `users_`
    std::size_t lowest_free_ = 0;                    ///< nothing below is free
    std::uint64_t epoch_ = 0;
    std::map<std::uint64_t, std::uint64_t> pins_; ///< number of readers by the epoch they started in
    std::deque<Waiting> waiting_;                 ///< released but possibly still read, by epoch
};

} // namespace orbis::storage

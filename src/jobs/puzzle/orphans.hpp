#pragma once

#include "bytes/progress.hpp"
#include "bytes/sha256.hpp"
#include "storage/region_files.hpp"
#include "storage/store.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orbis::jobs {

/// An older copy of a chunk that still is in unused segments of a region file (docs/undelete.md). It does
/// not say whose it is; that is found out from what is in it.
struct Orphan {
    /// What tells whose it is.
    enum class Basis : std::uint8_t {
        entry,       ///< a damaged index entry leads to it, and only the lengths before it were wrong
        positions,   ///< entities or damaged blocks in it have world positions
        similarity,  ///< it looks like a chunk of this region file
        neighbours,  ///< the chunks beside it go on in it
        elimination, ///< it looks like none, and there is only one chunk without content
        unknown,
    };
    enum class Sureness : std::uint8_t {
        certain,
        likely, ///< one chunk fits, and no other comes near
        guess,
        open, ///< unknown
    };

    RegionPos region;
    std::int32_t first_segment = 0;
    std::uint64_t segments = 0;
    std::uint64_t offset = 0; ///< of its header in the file
    std::uint32_t raw_size = 0;
    std::uint32_t frame_size = 0;
    Sha256 digest{};            ///< of the document
    bool lengths_fixed = false; ///< the header said other lengths than the frame has
    bool overlaps = false;      ///< another copy begins inside it: it was overwritten there
    std::size_t problems = 0;   ///< parts of it that cannot be read
    std::string game_time;      ///< the newest in it: it was saved then or later; empty if it has none

    std::optional<ChunkPos> chunk; ///< whose older version it is; nothing if that is open
    Basis basis = Basis::unknown;
    Sureness sureness = Sureness::open;
    std::vector<ChunkPos> candidates; ///< where it is open: the chunks that fit best, all alike
    std::size_t telling = 0;          ///< features of it that can tell chunks apart
    std::size_t matching = 0;         ///< and how many of them the chunk has too
    double chance = 0;                ///< of 1, that it belongs there; where neighbours tell

    /// Whole, and nothing speaks against it.
    [[nodiscard]] bool sound() const { return problems == 0 && !overlaps; }
};

std::string_view name(Orphan::Basis basis);
std::string_view name(Orphan::Sureness sureness);

/// What the unused segments of one region file hold.
struct RegionOrphans {
    RegionPos region;
    std::string file;
    bool searched = true; ///< false for container version 0, which overwrites what it would take to find them
    std::uint64_t segments = 0;
    std::uint64_t unused_segments = 0;
    std::uint64_t partly_overwritten = 0; ///< copies that begin but do not end
    std::uint64_t no_chunks = 0;          ///< whole frames with something else in them
    /// By chunk, the newest first as far as game times tell, else by offset; those without a chunk last.
    std::vector<Orphan> orphans;
};

/// Searches one region file; nothing is found if there is none. Reads the chunks in use only where that is
/// needed to tell whose the copies are. Safe to call from several threads.
Result<RegionOrphans> find_orphans(const storage::RegionFiles& files, RegionPos region);

/// The same without a look at neighbours, which takes long and tells only where a copy belongs that is like
/// no chunk in use.
Result<RegionOrphans> find_copies(const storage::Region& region);
/// In how many unused segments something begins that may be a copy.
Result<std::size_t> count_beginnings(const storage::Region& region);

/// Searches several region files in parallel; `emit` gets the results in order, one at a time.
void find_orphans(const storage::RegionFiles& files, std::span<const RegionPos> regions, std::size_t threads,
                  Progress& progress, const std::function<void(Result<RegionOrphans>&&)>& emit);

/// The compressed bytes of an older copy; they live as long as the context is not used again. `mismatch` when
/// the file has changed and it is not there any more.
Result<storage::CompressedChunk> orphan_frame(const storage::RegionFiles& files, const Orphan& orphan,
                                              storage::ReadContext& context);
/// The same decompressed.
Result<Bytes> orphan_document(const storage::RegionFiles& files, const Orphan& orphan,
                              storage::ReadContext& context);

/// The best copy to put in place of a chunk: sound, certain or at least likely to be of this chunk, and
/// of those the one with the newest game time. Null if there is none. Without game times it is unknown
/// which of several is the newest; then it is the last in the file.
const Orphan* newest_orphan_of(std::span<const Orphan> orphans, ChunkPos chunk);

} // namespace orbis::jobs

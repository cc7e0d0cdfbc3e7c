#pragma once

#include "bytes/progress.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/compare/diff_chunks.hpp"
#include "storage/store.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace orbis::jobs {

/// How one chunk of two worlds compares.
struct ComparedChunk {
    enum class State : std::uint8_t {
        equal,      ///< nothing differs
        added,      ///< only the second world has it
        removed,    ///< only the first world has it
        changed,    ///< `diff` says what
        unreadable, ///< one of the two cannot be read, and they are not the same bytes
    };

    ChunkPos pos;
    State state = State::equal;
    ChunkDiff diff;              ///< of `State::changed`
    std::vector<Error> problems; ///< what could not be read
    bool same_bytes = false;     ///< of `State::equal`: not even looked into
};

/// `equal`, `added` …
std::string_view name(ComparedChunk::State state);

struct WorldDiff {
    std::uint64_t equal = 0;
    std::uint64_t same_bytes = 0; ///< of the equal ones
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
    std::uint64_t changed = 0;
    std::uint64_t unreadable = 0;
    std::uint64_t unreadable_regions = 0; ///< whose chunks are unknown
    ChunkDiff total;                      ///< sums of all changed chunks, without single changes

    [[nodiscard]] bool is_equal() const {
        return added == 0 && removed == 0 && changed == 0 && unreadable == 0 && unreadable_regions == 0;
    }
};

struct WorldDiffJob {
    const storage::Store& before;
    const storage::Store& after;
    DiffOptions options;
    std::size_t threads = 1;
    /// Chunks for which this says no are left out; null takes all.
    std::function<bool(ChunkPos pos)> wanted;
    /// Called for every chunk, equal ones too: those of the first world in its order, then those that only
    /// the second has. False ends the comparison.
    std::function<bool(ComparedChunk& chunk)> on_chunk;
    /// A region that cannot be read.
    std::function<void(const Error& error)> on_error;
};

/// Compares two stores chunk by chunk on several threads, in constant memory. Chunks with equal compressed
/// bytes are not decompressed, those with equal documents not decoded. The order of the stores does not
/// matter: each chunk of the one is looked up in the other.
WorldDiff diff_worlds(const WorldDiffJob& job, Progress& progress);

/// Compares one chunk, as `diff_worlds` does. Readers and comparer are working memory; keep one per thread.
struct PairReader {
    chunk::ChunkReader before;
    chunk::ChunkReader after;
    ChunkComparer comparer;

    ComparedChunk compare(ChunkPos pos, const storage::Store& first, const storage::Store& second,
                          const DiffOptions& options);
};

} // namespace orbis::jobs

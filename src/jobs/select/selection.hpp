#pragma once

#include "bytes/progress.hpp"
#include "chunk/parts.hpp"
#include "jobs/select/chunk_set.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::jobs {

/// A rectangle of chunks, both ends included.
struct ChunkRectangle {
    ChunkPos least;
    ChunkPos most;
};

/// The chunks that have a block at most `radius` blocks from `centre`, height not counted.
struct BlockCircle {
    BlockPos centre;
    std::int64_t radius = 0;
};

/// The chunks at most `radius` chunks from `centre`, measured from corner to corner.
struct ChunkCircle {
    ChunkPos centre;
    std::int64_t radius = 0;
};

/// One part of a selection, such as `!blocks:0,0~500+2`.
struct SelectionTerm {
    enum class Kind : std::uint8_t {
        rectangle,
        block_circle,
        chunk_circle,
        all,
        // these need the files of the world
        spawn,
        players,
        // this is answered by somebody else
        statement,
        // these need the chunks
        containers,
        benches,
        beds,
        placed,
        block,
        entities,
        inhabited,
    };

    Kind kind = Kind::all;
    bool inverted = false;    ///< everything but this
    std::int32_t margin = 0;  ///< this many chunks around it belong to it too
    ChunkRectangle rectangle; ///< of `Kind::rectangle`
    BlockCircle block_circle; ///< of `Kind::block_circle`
    ChunkCircle chunk_circle; ///< of `Kind::chunk_circle`
    std::int64_t radius = 0;  ///< of `Kind::spawn` and `Kind::players`, in blocks
    std::string key;          ///< of `Kind::block`, with `*` for any text
    std::string statement;    ///< of `Kind::statement`: SQL whose rows are positions of chunks

    /// Whether the position alone decides.
    [[nodiscard]] bool is_geometry() const { return kind <= Kind::all; }
    /// Whether chunks must be read for it.
    [[nodiscard]] bool needs_chunks() const { return kind >= Kind::containers; }
};

/// How many positions a job looks up one by one, without a look at all files of a world.
inline constexpr std::uint64_t k_most_listed = 1 << 20;

/// The answer of a statement that selects chunks.
struct AskedChunks {
    std::vector<ChunkPos> chunks;
    std::vector<ChunkPos> unreadable; ///< that it could not look into
    std::vector<Error> problems;      ///< what could not be read
    bool complete = true;             ///< false if that was more than chunks: there may be more positions
};

/// Asks a world a statement. The layer that knows SQL is above this one.
using AskChunks =
    std::function<Result<AskedChunks>(const std::string& statement, const world::World& world,
                                      const storage::Store& store, std::size_t threads, Progress& progress)>;

/// A set of chunks as people write it (docs/selections.md): terms with blanks between them, of which a chunk
/// needs to meet one. A text that begins with `sql:` is one term.
class Selection {
public:
    /// Nothing is selected.
    Selection() = default;

    static Result<Selection> parse(std::string_view text);
    /// Each text may have several terms.
    static Result<Selection> parse(const std::vector<std::string>& texts);

    [[nodiscard]] const std::vector<SelectionTerm>& terms() const { return terms_; }
    [[nodiscard]] bool empty() const { return terms_.empty(); }
    /// How statements are answered; a selection with one needs it.
    void answer_by(AskChunks ask) { ask_ = std::move(ask); }
    [[nodiscard]] const AskChunks& asker() const { return ask_; }
    /// The parts of chunks that must be decoded to tell; none if positions and small files will do.
    [[nodiscard]] chunk::Parts parts() const;

    /// Whether a chunk is selected; only for selections by geometry.
    [[nodiscard]] bool contains(ChunkPos pos) const;
    /// All positions of a selection by geometry, where these are `most` at most; nothing for others.
    [[nodiscard]] std::optional<ChunkSet> positions(std::uint64_t most) const;

private:
    std::vector<SelectionTerm> terms_;
    AskChunks ask_;
};

/// A selection that knows a world: tells of every position whether it is selected, also if there is no
/// chunk.
class Selector {
public:
    [[nodiscard]] bool contains(ChunkPos pos) const;
    /// Chunks that could not be read where that was needed: they count as selected, because it is not known
    /// what is in them.
    [[nodiscard]] const ChunkSet& unreadable() const { return unreadable_; }
    /// What could not be read: chunks, regions, files of players.
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }
    /// False if there may be unknown spawn points or players, because their files could not
    /// be read: then more chunks than these may have been meant.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    friend Result<Selector> make_selector(const Selection&, const world::World&, const storage::Store&,
                                          std::size_t, Progress&);
    struct Resolved {
        SelectionTerm term;
        std::vector<BlockCircle> circles; ///< of spawn points and players, from west to east
        ChunkSet chunks;                  ///< found by their content or by a statement
    };
    [[nodiscard]] static bool meets(const Resolved& resolved, ChunkPos pos);

    std::vector<Resolved> terms_;
    ChunkSet unreadable_;
    std::vector<Error> problems_;
    bool complete_ = true;
};

/// Looks at the world as far as the selection needs it: at nothing if it is geometry, else at files, else
/// through all chunks once on several threads, decoding what is asked for. Memory grows with the number of
/// chunks found.
Result<Selector> make_selector(const Selection& selection, const world::World& world,
                               const storage::Store& store, std::size_t threads, Progress& progress);

/// The chunks of the store that are selected. What could not be read goes to `problems`.
Result<ChunkSet> resolve(const Selection& selection, const world::World& world, const storage::Store& store,
                         std::size_t threads, Progress& progress, std::vector<Error>& problems);

/// Whether `text` is what `pattern` says, in which `*` stands for any text.
bool matches_wildcard(std::string_view pattern, std::string_view text);

} // namespace orbis::jobs

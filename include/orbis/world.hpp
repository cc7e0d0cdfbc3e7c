#pragma once

#include "orbis/chunk.hpp"
#include "orbis/error.hpp"
#include "orbis/export.hpp"
#include "orbis/position.hpp"
#include "orbis/report.hpp"
#include "orbis/version.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis {

struct WorldState;

/// A rectangle of chunks, both corners included.
struct Area {
    ChunkPos least; ///< the corner in the north-west
    ChunkPos most;  ///< the corner in the south-east

    /// The chunks with the blocks between two corners, in any order; heights do not count.
    static constexpr Area of(BlockPos a, BlockPos b) {
        const auto one = a.chunk();
        const auto other = b.chunk();
        return {{one.x < other.x ? one.x : other.x, one.z < other.z ? one.z : other.z},
                {one.x < other.x ? other.x : one.x, one.z < other.z ? other.z : one.z}};
    }
    /// Whether the chunk is in it.
    [[nodiscard]] constexpr bool contains(ChunkPos pos) const {
        return pos.x >= least.x && pos.x <= most.x && pos.z >= least.z && pos.z <= most.z;
    }
    friend constexpr bool operator==(const Area&, const Area&) = default; ///< whether both are the same
};

/// How a walk over the chunks of a world is done.
struct WalkOptions {
    std::size_t threads = 0;    ///< 0: one for each core
    std::optional<Area> area{}; ///< only these chunks
};

/// How a chunk is stored, without its content.
struct StoredChunk {
    std::uint64_t bytes = 0; ///< uncompressed
    /// What only chunks of region files have.
    struct Place {
        std::string file;             ///< the name of the region file
        std::uint64_t compressed = 0; ///< bytes
        std::uint64_t offset = 0;     ///< in the file
        std::uint64_t segments = 0;   ///< that it takes in the file
    };
    std::optional<Place> place; ///< nothing for chunks that are not in region files
};

/// The chunks of a world one after another: `for (const auto& chunk : world.chunks())`. Chunks that cannot be
/// read are passed over and remembered in `World::problems()`. A chunk that is copied in the loop stays valid
/// after it.
class ORBIS_API ChunkRange {
public:
    class Iterator;
    [[nodiscard]] Iterator begin() const; ///< at the first chunk, which is read for this
    [[nodiscard]] std::default_sentinel_t end() const { return {}; } ///< behind the last one

    /// For the library itself.
    ChunkRange(std::shared_ptr<WorldState> world, std::optional<Area> area)
        : world_(std::move(world)), area_(area) {}

private:
    std::shared_ptr<WorldState> world_;
    std::optional<Area> area_;
};

/// Goes through the chunks once, and reads each as it comes to it.
class ORBIS_API ChunkRange::Iterator {
public:
    using value_type = Chunk;                         ///< what it gives
    using difference_type = std::ptrdiff_t;           ///< between two of them
    using iterator_concept = std::input_iterator_tag; ///< it goes forward once

    [[nodiscard]] const Chunk& operator*() const;                     ///< the chunk
    [[nodiscard]] const Chunk* operator->() const { return &**this; } ///< the chunk
    Iterator& operator++();                                           ///< to the next chunk that can be read
    void operator++(int) { ++*this; }                                 ///< the same
    /// Whether it is behind the last one.
    friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.at_end(); }

    /// For the library itself.
    struct State;
    explicit Iterator(std::shared_ptr<State> state) : state_(std::move(state)) {} ///< for the library

private:
    [[nodiscard]] bool at_end() const;
    std::shared_ptr<State> state_;
};

/// One world, open for reading. Copies are cheap and are the same world. Several threads may use it at once.
class ORBIS_API World {
public:
    /// As its universe calls it, such as "default".
    [[nodiscard]] const std::string& name() const;
    /// The file or folder with its chunks, as messages name it.
    [[nodiscard]] const std::string& path() const;
    /// How its chunks are kept: `region files`, `RocksDB` …
    [[nodiscard]] std::string kind() const;

    /// All chunks in the order in which they are stored, or those of an area.
    [[nodiscard]] ChunkRange chunks() const;
    [[nodiscard]] ChunkRange chunks(Area area) const; ///< those of the area only
    /// One chunk. `Errc::not_found` where the world does not have it.
    [[nodiscard]] Result<Chunk> chunk(ChunkPos pos) const;
    /// Whether the world has it. It is not read for this.
    [[nodiscard]] Result<bool> contains(ChunkPos pos) const;
    /// One block. For many blocks of a chunk, read that once with `chunk`.
    [[nodiscard]] Result<Block> block(BlockPos pos) const;

    /// The positions of all chunks, in the order in which they are stored. No chunk is read for this.
    [[nodiscard]] std::vector<ChunkPos> positions() const;
    /// How a chunk is stored; nothing where there is none. In region files it is not decompressed for this.
    [[nodiscard]] Result<std::optional<StoredChunk>> stored(ChunkPos pos) const;

    /// Calls `work` with every chunk, on several threads at once and in no order. The fastest way through a
    /// world.
    void for_each_chunk(const std::function<void(const Chunk& chunk)>& work,
                        const WalkOptions& options = {}) const;
    /// Calls `work(chunk)` on several threads, and `take(position, result)` with what it returns in the order
    /// of `chunks()`, one at a time: so `take` needs no lock. It may return false to end the walk.
    template <typename Work, typename Take>
    void gather_chunks(Work&& work, Take&& take, const WalkOptions& options = {}) const;
    /// The same for how chunks are stored; each gets its position, and the error where one cannot be read.
    void for_each_stored(const std::function<void(ChunkPos pos, const Result<StoredChunk>& stored)>& take,
                         const WalkOptions& options = {}) const;

    /// What was odd about the world when it was opened, such as a broken configuration.
    [[nodiscard]] const std::vector<Error>& notes() const;
    /// Whether a download or conversion that makes this world was interrupted; it is among the notes.
    [[nodiscard]] bool is_unfinished() const;
    /// What could not be read so far by any copy of this world: regions, chunks and parts of them. Reading
    /// goes on after each. Each is there once; after 10,000 no more are remembered.
    [[nodiscard]] std::vector<Error> problems() const;
    /// Is told of each of these too, as it is met, by the thread that meets it, one at a time. It must not
    /// use the world. An empty function for none.
    void on_problem(std::function<void(const Error& problem)> told) const;

    /// For the library itself.
    explicit World(std::shared_ptr<WorldState> state) : state_(std::move(state)) {}
    [[nodiscard]] const std::shared_ptr<WorldState>& state() const { return state_; } ///< for the library

private:
    using Made = std::shared_ptr<void>;
    void gather(const std::function<Made(const Chunk& chunk)>& work,
                const std::function<bool(ChunkPos pos, void* made)>& take, const WalkOptions& options) const;

    std::shared_ptr<WorldState> state_;
};

/// A world that was found and not opened yet. Copies are cheap.
class ORBIS_API FoundWorld {
public:
    [[nodiscard]] const std::string& name() const; ///< as `World::name`
    /// Whether the path leads to a universe, in which the name tells it from others.
    [[nodiscard]] bool is_in_universe() const;
    /// As `World::notes` and `World::is_unfinished`.
    [[nodiscard]] const std::vector<Error>& notes() const;
    [[nodiscard]] bool is_unfinished() const; ///< whether what makes it was interrupted
    [[nodiscard]] Result<World> open() const; ///< opens it for reading

    /// For the library itself.
    struct State;
    explicit FoundWorld(std::shared_ptr<const State> state) : state_(std::move(state)) {} ///< for the library

private:
    std::shared_ptr<const State> state_;
};

/// The worlds at a path, or the one of that name. So a damaged world does not keep the others from being
/// opened.
[[nodiscard]] ORBIS_API Result<std::vector<FoundWorld>> find_worlds(const std::string& path,
                                                                    std::string_view name = {});

/// Opens a world: a world folder, a folder of region files, a single region file, a RocksDB folder, a backup
/// zip, `STORE@SNAPSHOT`, or the world `name` of a universe. Without a name a universe must have one world
/// only.
[[nodiscard]] ORBIS_API Result<World> open_world(const std::string& path, std::string_view name = {});

/// Opens all worlds of a universe; a single world is one too. An error where one of them cannot be opened.
[[nodiscard]] ORBIS_API Result<std::vector<World>> open_universe(const std::string& path);

template <typename Work, typename Take>
void World::gather_chunks(Work&& work, Take&& take, const WalkOptions& options) const {
    using Value = decltype(work(std::declval<const Chunk&>()));
    gather([&work](const Chunk& chunk) -> Made { return std::make_shared<Value>(work(chunk)); },
           [&take](ChunkPos pos, void* made) {
               auto& value = *static_cast<Value*>(made);
               if constexpr (requires { static_cast<bool>(take(pos, value)); }) {
                   return static_cast<bool>(take(pos, value));
               } else {
                   take(pos, value);
                   return true;
               }
           },
           options);
}

} // namespace orbis

#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "world/migrations.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::map {

/// The place of a text in the table of a region.
using NameId = std::uint32_t;
inline constexpr NameId k_no_name = 0xFFFF'FFFF;

struct ItemFact {
    NameId item = 0;
    std::int32_t count = 0;
    friend bool operator==(const ItemFact&, const ItemFact&) = default;
};

/// A block with items in it, also when it is empty.
struct ContainerFact {
    NameId block = 0;
    BlockPos pos;
    std::vector<ItemFact> items;
    friend bool operator==(const ContainerFact&, const ContainerFact&) = default;
};

struct EntityFact {
    NameId type = 0;
    NameId name = k_no_name;
    double x = 0;
    double y = 0;
    double z = 0;
    friend bool operator==(const EntityFact&, const EntityFact&) = default;
};

/// A block of a chunk that means something to a player, such as a bed.
struct MarkerFact {
    NameId kind = 0;
    NameId name = k_no_name;
    BlockPos pos;
    friend bool operator==(const MarkerFact&, const MarkerFact&) = default;
};

struct KeyFact {
    NameId key = 0;
    std::uint32_t cells = 0;
    std::uint32_t surface = 0; ///< columns in which the surface shows it
    /// Its highest block in the chunk, of several the first from the north-west on, as x + 32·z + 1024·y from
    /// the chunk's corner; -1 if no cell holds it.
    std::int32_t place = -1;
    friend bool operator==(const KeyFact&, const KeyFact&) = default;
};

/// A fluid as the surface shows it.
struct FluidFact {
    NameId key = 0;
    std::uint32_t colour = 0; ///< 0xrrggbb, where it is deep
    std::uint32_t columns = 0;
    friend auto operator<=>(const FluidFact&, const FluidFact&) = default;
};

/// Why a chunk, or a part of it, could not be read. Kept so that a run that need not read it again can still
/// say so.
struct ProblemFact {
    Errc code = Errc::io;
    std::string file; ///< below the store; empty for the store itself
    std::string subject;
    std::string problem;
    std::string advice;
    std::optional<std::uint64_t> offset;

    /// `store` is its name.
    static ProblemFact of(const Error& problem, std::string_view store);
    [[nodiscard]] Error in_store(std::string_view store) const;
    friend bool operator==(const ProblemFact&, const ProblemFact&) = default;
};

/// What is known of one chunk beside its pixels.
struct ChunkFacts {
    Slot slot;
    std::uint64_t hash = 0;  ///< of what is stored; what follows was taken from that
    std::uint64_t bytes = 0; ///< stored
    std::uint32_t entity_count = 0;
    std::uint32_t ticking = 0;    ///< cells
    std::uint32_t components = 0; ///< blocks with components
    std::uint32_t unknown = 0;    ///< cells of blocks that no table knows
    std::uint32_t version = 0;    ///< the fewest migrations that a section has had
    bool readable = true;
    std::vector<ContainerFact> containers;
    std::vector<EntityFact> entities;
    std::vector<MarkerFact> markers;
    std::vector<KeyFact> keys;
    std::vector<FluidFact> fluids;
    std::vector<NameId> environments;
    std::vector<ProblemFact> problems; ///< the first is the reason where it is not readable
    friend bool operator==(const ChunkFacts&, const ChunkFacts&) = default;
};

/// The chunks of a region and a table of the texts they use. Written as one file, the same bytes for the same
/// facts, however they came together.
class RegionFacts {
public:
    explicit RegionFacts(RegionPos pos = {}) : pos_(pos) {}
    RegionFacts(RegionFacts&&) noexcept = default;
    RegionFacts& operator=(RegionFacts&&) noexcept = default;
    RegionFacts(const RegionFacts&) = delete; // names are found by their address
    RegionFacts& operator=(const RegionFacts&) = delete;
    ~RegionFacts() = default;

    [[nodiscard]] RegionPos pos() const { return pos_; }
    [[nodiscard]] std::string_view name(NameId id) const { return *names_[id]; }
    NameId intern(std::string_view text);
    [[nodiscard]] std::size_t names() const { return names_.size(); }

    /// Ascending by slot.
    [[nodiscard]] const std::map<Slot, ChunkFacts>& chunks() const { return chunks_; }
    /// Puts a chunk in place of the one that was there. Its names are of this table.
    void put(ChunkFacts facts);
    void remove(Slot slot) { chunks_.erase(slot); }
    /// Takes a chunk over from another table.
    void take(const RegionFacts& from, const ChunkFacts& facts);

    /// The file. Puts the table in order first.
    [[nodiscard]] Buffer save();
    /// An error for bytes that `save` did not write.
    static Result<RegionFacts> load(Bytes file);

private:
    void put_in_order();

    RegionPos pos_;
    std::map<Slot, ChunkFacts> chunks_;
    std::unordered_map<std::string, NameId, world::TextHash, std::equal_to<>> ids_;
    std::vector<const std::string*> names_; ///< the keys of `ids_`
};

} // namespace orbis::map

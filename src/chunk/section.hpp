#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/cells.hpp"
#include "chunk/legacy_key.hpp"
#include "chunk/light.hpp"
#include "chunk/migrations.hpp"
#include "chunk/palette.hpp"
#include "chunk/parts.hpp"
#include "chunk/shape.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orbis::chunk {

/// A block with its shape; the key lives as long as the section is not changed.
struct BlockState {
    std::string_view key = k_empty_key;
    Rotation rotation;
    Filler filler;
    friend bool operator==(const BlockState&, const BlockState&) = default;
};

struct FluidState {
    std::string_view key = k_empty_key;
    std::uint8_t level = 0;
    friend bool operator==(const FluidState&, const FluidState&) = default;
};

/// Where the data of a `Block` is in the document of its chunk, and where the documents around it begin.
struct BlockPlace {
    std::size_t holder = 0;
    std::size_t components = 0;
    std::size_t block = 0;
    std::size_t data = 0;
    std::size_t size = 0;
};

/// A cube of 32³ cells with everything that is stored for it (docs/formats/section.md). The parts are views
/// of the chunk's document; each knows whether it was changed.
///
///     i32      migration count    [version ≥ 6]
///     palette  block keys
///     ticking                     [block palette not Empty]
///     palette  filler             [version ≥ 4]
///     palette  rotation           [version ≥ 5]
///     light    local, global
///     i16      local change counter, global change counter
struct Section {
    static constexpr int k_version = 6;

    PartState block_state = PartState::absent;
    PartState fluid_state = PartState::absent;
    PartState physics_state = PartState::absent;
    bool has_holder = false;  ///< the section is in the document
    bool has_marker = false;  ///< with its `ChunkSection` component
    bool partly_read = false; ///< only the blocks were asked for
    BlockPlace place;         ///< of a `Block` that was read from a section of `ChunkColumn`

    int version = k_version;          ///< of `Block`
    std::int32_t migration_count = 0; ///< only version 6 stores it
    KeyPalette blocks;
    TickingSet ticking;
    FillerPalette fillers;
    RotationPalette rotations;
    Light local_light;
    Light global_light;
    std::int16_t local_counter = 0;
    std::int16_t global_counter = 0;
    KeyPalette fluids;
    Levels levels;
    Supports supports;

    /// The block with the attributes of old keys taken apart.
    [[nodiscard]] BlockState block_at(CellIndex cell) const;
    /// The section's own fluid, else that of an old key.
    [[nodiscard]] FluidState fluid_at(CellIndex cell) const;
    /// The section's own support, else that of an old key.
    [[nodiscard]] std::uint8_t support_at(CellIndex cell) const;

    // The same by entries of palettes, for walks over all cells. Up to version 4 the keys of `blocks` have
    // attributes, and palettes of their own are missing. An entry may be one more than there are, which
    // stands for cells without an entry.

    /// The name of a block, without attributes.
    [[nodiscard]] std::string_view block_key(std::size_t entry) const {
        if (entry < legacy_.size()) return legacy_[entry].block;
        return entry < blocks.entries().size() ? blocks.entries()[entry].value : k_empty_key;
    }
    /// Calls `take(palette, value_of)` with the palette whose cells tell the rotations, and a function that
    /// says which rotation an entry of it stands for.
    template <typename Take>
    void with_rotations(Take&& take) const {
        if (legacy_.empty())
            take(rotations, [this](std::size_t entry) { return value_of(rotations, entry); });
        else
            take(blocks, [this](std::size_t entry) {
                return entry < legacy_.size() ? legacy_[entry].rotation.index : std::uint8_t{0};
            });
    }
    /// The same for fillers as they are stored.
    template <typename Take>
    void with_fillers(Take&& take) const {
        if (!has_filler_keys())
            take(fillers, [this](std::size_t entry) { return value_of(fillers, entry); });
        else
            take(blocks, [this](std::size_t entry) {
                return entry < legacy_.size() ? legacy_[entry].filler.stored : std::uint16_t{0};
            });
    }
    /// Whether there are cells that have a filler, a fluid or a support only by the key of their block.
    [[nodiscard]] bool keys_have_fillers() const;
    [[nodiscard]] bool keys_have_fluids() const;
    [[nodiscard]] bool keys_have_supports() const;
    /// The keys of a section up to version 4, taken apart, one for each entry; none in later ones. To show or
    /// upgrade what is stored.
    [[nodiscard]] std::span<const LegacyKey> old_keys() const { return legacy_; }

    /// A light is stale, and will be recomputed by the game, where its id differs from the counter.
    [[nodiscard]] bool local_light_valid() const { return local_light.change_id() == local_counter; }
    [[nodiscard]] bool global_light_valid() const { return global_light.change_id() == global_counter; }
    /// A light that was never computed counts as valid, and nothing in it is true: generated worlds are full
    /// of it.
    [[nodiscard]] bool local_light_computed() const {
        return local_light.present() || local_light.change_id() != 0 || local_counter != 0;
    }
    [[nodiscard]] bool global_light_computed() const {
        return global_light.present() || global_light.change_id() != 0 || global_counter != 0;
    }
    /// Makes the lights stale by their counters. Light that is stale already stays as it is, so that counters
    /// of 16 bits can never come around to a valid one.
    void invalidate_light();
    void invalidate_global_light();

    [[nodiscard]] bool block_changed() const;
    [[nodiscard]] bool fluid_changed() const { return fluids.changed() || levels.changed(); }
    [[nodiscard]] bool physics_changed() const { return supports.changed(); }
    /// Each of `Block`, `Fluid` and `BlockPhysics` was read whole, or is not there: the section may be edited
    /// and written.
    [[nodiscard]] bool editable() const;
    /// There is a whole `Block` of today's version: counters can be changed without changing its form.
    [[nodiscard]] bool has_current_block() const {
        return block_state == PartState::decoded && !partly_read && version == k_version;
    }

    void reset();
    /// Each takes one blob; on failure the part is empty and `problem` has the offset in the blob. Light that
    /// `checked` has as well, a section that was read before, is not checked again.
    bool read_block(Bytes data, int stored_version, Parts parts, Error& problem,
                    const Section* checked = nullptr);
    /// The same for a section inside `BlockChunk.Data`, where others follow.
    bool read_block(Reader& in, int stored_version, Parts parts, Error& problem,
                    const Section* checked = nullptr);
    bool read_fluid(Bytes data, Error& problem);
    bool read_physics(Bytes data, Error& problem);

    /// Brings an old section to version 6: attributes of keys become rotations, fillers, fluids and supports.
    /// Only what `key_to_lose` names is lost. With a table the keys are migrated too, else the stored count
    /// says that they are not. False if the section is of today already.
    bool modernise(const Migrations* migrations);
    /// An old key with parts for which today's formats have no place; nothing if there is none.
    [[nodiscard]] std::optional<std::string> key_to_lose(const Migrations* migrations) const;

    /// Each writes one blob in today's version; an old section must be modernised before.
    void append_block(Buffer& out) const;
    void append_fluid(Buffer& out) const;
    void append_physics(Buffer& out) const;

    /// Numbers that contradict each other without being unreadable.
    [[nodiscard]] std::vector<Error> check() const;

    bool counters_changed = false;
    bool modernised = false;
    /// What follows the blocks was not read: it is byte for byte that of the section that was read before.
    bool has_checked_rest = false;

    /// What is stored after the block keys, up to the change counters, can follow the keys as they are now:
    /// nothing of it was changed.
    [[nodiscard]] bool keeps_rest() const;

private:
    template <typename Values>
    static auto value_of(const Values& palette, std::size_t entry) {
        return entry < palette.entries().size() ? palette.entries()[entry].value : palette.empty_value();
    }
    /// Version 4 has a palette of fillers already.
    [[nodiscard]] bool has_filler_keys() const { return !legacy_.empty() && version < 4; }
    void split_keys(const Migrations* migrations);
    /// Whether the rest that was read is where `stored` begins, and stands for the same there.
    [[nodiscard]] bool has_same_rest(Bytes stored, bool ticks) const;
    bool read_counters(Reader& in, Error& problem);

    std::vector<LegacyKey> legacy_;
    Bytes rest_; ///< from the ticking cells to the lights, as stored; empty if today's form is another one
    bool rest_ticks_ = false; ///< it begins with ticking cells
};

} // namespace orbis::chunk

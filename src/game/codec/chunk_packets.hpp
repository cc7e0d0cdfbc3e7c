#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/chunk.hpp"
#include "game/codec/environment_codec.hpp"
#include "game/codec/palette_codec.hpp"
#include "game/codec/recent_ids.hpp"
#include "game/codec/wire_ids.hpp"
#include "packets/world.hpp"

#include <array>
#include <span>
#include <vector>

namespace orbis::game {

/// The parts of a chunk that travel.
inline constexpr chunk::Parts k_sent_parts = chunk::k_blocks | chunk::k_shapes | chunk::k_light
                                             | chunk::k_fluids | chunk::k_column_maps | chunk::k_environments;

/// Makes the packets of one column (docs/formats/column-packets.md). Keeps the memory that they point into:
/// they are valid until the next `make`. For one thread.
class ChunkPackets {
public:
    /// Makes all packets of the chunk at `pos`. Names that have no id yet get one. An error only where the
    /// chunk was read without `k_sent_parts`; parts that are missing or damaged travel as empty ones.
    Result<void> make(ChunkPos pos, const chunk::Chunk& chunk, WireIds& ids);

    [[nodiscard]] const packets::SetChunkHeightmap& heightmap() const { return heightmap_; }
    [[nodiscard]] const packets::SetChunkTintmap& tintmap() const { return tintmap_; }
    [[nodiscard]] const packets::SetChunkEnvironments& environments() const { return environments_; }
    /// Always ten, from the bottom.
    [[nodiscard]] std::span<const packets::SetChunk> sections() const { return sections_; }
    /// Of the sections that have fluid data.
    [[nodiscard]] std::span<const packets::SetFluids> fluids() const { return fluids_; }

    /// Calls `visit` with each packet, in the order in which they are sent.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        visit(heightmap_);
        visit(tintmap_);
        visit(environments_);
        for (const auto& packet : sections_) visit(packet);
        for (const auto& packet : fluids_) visit(packet);
    }

private:
    struct SectionBytes {
        Buffer data;
        Buffer light;
        Buffer fluids;
    };

    bool write_blocks(const chunk::Section& section, IdTable& ids, Buffer& out);
    void write_fluids(const chunk::Section& section, IdTable& ids, Buffer& out);
    void write_old_fluids(const chunk::Section& section, IdTable& ids, Buffer& out);

    packets::SetChunkHeightmap heightmap_;
    packets::SetChunkTintmap tintmap_;
    packets::SetChunkEnvironments environments_;
    std::array<packets::SetChunk, k_sections> sections_;
    std::vector<packets::SetFluids> fluids_;

    PaletteWriter palette_;
    RecentIds recent_ids_;
    EnvironmentWriter environment_writer_;
    Buffer height_bytes_;
    Buffer tint_bytes_;
    Buffer environment_bytes_;
    std::array<SectionBytes, k_sections> bytes_;
    std::vector<std::int32_t> cell_values_;
};

} // namespace orbis::game

#include "game/codec/chunk_packets.hpp"

#include "bytes/reader.hpp"
#include "game/codec/light_codec.hpp"

#include <string_view>

namespace orbis::game {

using chunk::PartState;
using chunk::Section;

namespace {

/// The stored form is that of packets, but a packet always names its keys.
template <typename Number>
void write_map(const chunk::ColumnMap<Number>& map, Buffer& out) {
    out.clear();
    map.append_to(out);
    if (load_le<std::uint16_t>(out.data()) != 0 && map.check()) return;
    std::array<Number, k_columns> values;
    map.expand(values);
    chunk::ColumnMap<Number> whole;
    whole.assign(values);
    out.clear();
    whole.append_to(out);
}

Result<void> check_parts(const chunk::Chunk& chunk) {
    const auto skipped = [](std::string_view part) {
        return fail(Errc::usage, "{} was not read, so it cannot be sent", part);
    };
    if (chunk.columns_state() == PartState::skipped) return skipped("BlockChunk");
    if (chunk.environments_state() == PartState::skipped) return skipped("EnvironmentChunk");
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        if (section.partly_read || section.block_state == PartState::skipped) return skipped("Block");
        if (section.fluid_state == PartState::skipped) return skipped("Fluid");
    }
    return {};
}

} // namespace

Result<void> ChunkPackets::make(ChunkPos pos, const chunk::Chunk& chunk, WireIds& ids) {
    TRY_DO(check_parts(chunk));
    write_map(chunk.heights(), height_bytes_);
    write_map(chunk.tints(), tint_bytes_);
    environment_bytes_.clear();
    environment_writer_.write(chunk.environments(), ids.environments, environment_bytes_);
    heightmap_ = {pos.x, pos.z, Bytes(height_bytes_)};
    tintmap_ = {pos.x, pos.z, Bytes(tint_bytes_)};
    environments_ = {pos.x, pos.z, Bytes(environment_bytes_)};
    fluids_.clear();
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        auto& bytes = bytes_[static_cast<std::size_t>(y)];
        auto& packet = sections_[static_cast<std::size_t>(y)];
        packet = {};
        packet.x = pos.x;
        packet.y = y;
        packet.z = pos.z;
        if (section.local_light_valid()) {
            bytes.light.clear();
            append_light(section.local_light, bytes.light);
            packet.local_light = Bytes(bytes.light);
        }
        if (write_blocks(section, ids.blocks, bytes.data)) packet.data = Bytes(bytes.data);
        const bool old = section.keys_have_fluids();
        if (!old && section.fluid_state != PartState::decoded) continue;
        old ? write_old_fluids(section, ids.fluids, bytes.fluids)
            : write_fluids(section, ids.fluids, bytes.fluids);
        fluids_.push_back({pos.x, y, pos.z, Bytes(bytes.fluids)});
    }
    return {};
}

/// False, and nothing to send, where all blocks are empty.
bool ChunkPackets::write_blocks(const Section& section, IdTable& ids, Buffer& out) {
    palette_.load(section.blocks,
                  [&](std::size_t i) { return recent_ids_.id_of(ids, section.block_key(i)); });
    if (palette_.all_zero()) return false;
    out.clear();
    palette_.append_to(out);
    const auto load = [&](const auto& palette, const auto& value_of) { palette_.load(palette, value_of); };
    section.with_fillers(load);
    palette_.append_to(out);
    section.with_rotations(load);
    palette_.append_to(out);
    return true;
}

void ChunkPackets::write_fluids(const Section& section, IdTable& ids, Buffer& out) {
    palette_.load(section.fluids,
                  [&](std::size_t i) { return ids.id_of(section.fluids.entries()[i].value); });
    out.clear();
    palette_.append_to(out);
    const auto levels = section.levels.stored_cells(); // in the order of packets
    out.push_back(levels.empty() ? 0 : 1);
    out.insert(out.end(), levels.begin(), levels.end());
}

/// Cell by cell, since a fluid is the section's own or else that of the old key.
void ChunkPackets::write_old_fluids(const Section& section, IdTable& ids, Buffer& out) {
    cell_values_.assign(k_cells, 0);
    chunk::Levels levels;
    std::string_view last = chunk::k_empty_key;
    std::int32_t last_id = 0;
    for (int i = 0; i < k_cells; ++i) {
        const auto fluid = section.fluid_at(CellIndex(i));
        if (fluid.key != last) {
            last = fluid.key;
            last_id = ids.id_of(last);
        }
        cell_values_[static_cast<std::size_t>(i)] = last_id;
        levels.set(CellIndex(i), fluid.level);
    }
    palette_.load(std::span<const std::int32_t, k_cells>(cell_values_));
    out.clear();
    palette_.append_to(out);
    levels.append_to(out); // a flag and the cells, as packets have them
}

} // namespace orbis::game

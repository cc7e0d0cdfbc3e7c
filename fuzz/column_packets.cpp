// Packets of a column: the first byte chooses the byte array, the rest is it. What can be read is put into a
// chunk, sent again and read again, and both chunks hold the same.

#include "game/codec/apply_packets.hpp"
#include "game/codec/chunk_packets.hpp"
#include "target.hpp"

#include <algorithm>

using namespace orbis;
using namespace orbis::game;

namespace {

/// A server's names: a few, and none for most numbers.
WireIds& names() {
    static WireIds ids;
    static const bool once = [] {
        for (auto* table : {&ids.blocks, &ids.fluids, &ids.environments})
            for (const auto* name : {"A", "B", "C"}) table->id_of(name);
        return true;
    }();
    (void)once;
    return ids;
}

Result<void> apply_chosen(std::uint8_t choice, Bytes input, chunk::Chunk& chunk) {
    packets::SetChunk section{0, 3, 0, {}, {}, {}};
    switch (choice % 7) {
    case 0: section.data = input; return apply(section, names(), chunk);
    case 1: section.local_light = input; return apply(section, names(), chunk);
    case 2: section.global_light = input; return apply(section, names(), chunk);
    case 3: return apply(packets::SetFluids{0, 3, 0, input}, names(), chunk);
    case 4: return apply(packets::SetChunkHeightmap{0, 0, input}, chunk);
    case 5: return apply(packets::SetChunkTintmap{0, 0, input}, chunk);
    default: return apply(packets::SetChunkEnvironments{0, 0, input}, names(), chunk);
    }
}

void require_equal(const chunk::Chunk& a, const chunk::Chunk& b) {
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        fuzz::require(a.heights().at(column) == b.heights().at(column));
        fuzz::require(a.tints().at(column) == b.tints().at(column));
        fuzz::require(a.environments().runs(column) == b.environments().runs(column));
    }
    const auto& source = a.section(3);
    const auto& got = b.section(3);
    fuzz::require(source.local_light_valid() == got.local_light_valid());
    // Shapes of a section without blocks do not travel.
    const bool empty = source.blocks.kind() == chunk::PaletteKind::empty;
    for (int i = 0; i < k_cells; ++i) {
        const CellIndex cell(i);
        if (!empty) fuzz::require(source.block_at(cell) == got.block_at(cell));
        fuzz::require(source.fluid_at(cell) == got.fluid_at(cell));
        if (source.local_light_valid())
            fuzz::require(source.local_light.at(cell) == got.local_light.at(cell));
    }
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    auto chunk = chunk::Chunk::create();
    for (int i = 0; i < 40; ++i) {
        (void)chunk.set_block({i % 32, 96 + i % 30, i * 7 % 32}, {i % 2 == 0 ? "A" : "B", {3}, {33}});
        (void)chunk.set_fluid({i % 32, 97, i % 5}, {"C", 8});
    }
    std::vector<std::uint16_t> light(k_cells, 0);
    light[777] = 9;
    auto* section = chunk.edit_section(3).value();
    section->local_light.set(chunk::Light::ConstExpanded(light), section->local_counter);
    ChunkPackets column;
    (void)column.make({0, 0}, chunk, names());
    std::vector<Buffer> out;
    const auto add = [&](std::uint8_t choice, Bytes bytes) {
        Buffer seed = {choice};
        seed.insert(seed.end(), bytes.begin(), bytes.end());
        out.push_back(std::move(seed));
    };
    add(0, *column.sections()[3].data);
    add(1, *column.sections()[3].local_light);
    add(2, *column.sections()[3].local_light);
    for (const auto& fluids : column.fluids())
        if (fluids.y == 3) add(3, *fluids.data);
    add(4, *column.heightmap().heightmap);
    add(5, *column.tintmap().tintmap);
    add(6, *column.environments().environments);
    return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Buffer input(data + 1, data + size);
    auto chunk = chunk::Chunk::create();
    if (const auto applied = apply_chosen(data[0], input, chunk); !applied) {
        fuzz::require(!applied.error().problem.empty() && applied.error().offset.has_value());
        fuzz::require(!chunk.changed());
        return 0;
    }
    ChunkPackets column;
    fuzz::require(column.make({0, 0}, chunk, names()).has_value());
    auto again = chunk::Chunk::create();
    for (const auto& packet : column.sections()) fuzz::require(apply(packet, names(), again).has_value());
    for (const auto& packet : column.fluids()) fuzz::require(apply(packet, names(), again).has_value());
    fuzz::require(apply(column.heightmap(), again).has_value());
    fuzz::require(apply(column.tintmap(), again).has_value());
    fuzz::require(apply(column.environments(), names(), again).has_value());
    require_equal(chunk, again);
    return 0;
}

#include "game/codec/section_changes.hpp"

#include "packets/world.hpp"

namespace orbis::game {

namespace {

std::int16_t wire_filler(chunk::Filler filler) { return static_cast<std::int16_t>(filler.stored); }
std::int8_t wire_rotation(chunk::Rotation rotation) { return static_cast<std::int8_t>(rotation.index); }

packets::ServerSetBlock single(BlockPos pos, const WireBlock& block) {
    packets::ServerSetBlock packet;
    packet.x = pos.x;
    packet.y = pos.y;
    packet.z = pos.z;
    packet.block_id = block.id;
    packet.filler = wire_filler(block.filler);
    packet.rotation = wire_rotation(block.rotation);
    return packet;
}

packets::ServerSetFluid single(BlockPos pos, const WireFluid& fluid) {
    packets::ServerSetFluid packet;
    packet.x = pos.x;
    packet.y = pos.y;
    packet.z = pos.z;
    packet.fluid_id = fluid.id;
    packet.fluid_level = static_cast<std::int8_t>(fluid.level);
    return packet;
}

packets::SetBlockCmd command(CellIndex cell, const WireBlock& block) {
    packets::SetBlockCmd made;
    made.index = static_cast<std::int16_t>(cell.value);
    made.block_id = block.id;
    made.filler = wire_filler(block.filler);
    made.rotation = wire_rotation(block.rotation);
    return made;
}

packets::SetFluidCmd command(CellIndex cell, const WireFluid& fluid) {
    packets::SetFluidCmd made;
    made.index = static_cast<std::int16_t>(cell.value);
    made.fluid_id = fluid.id;
    made.fluid_level = static_cast<std::int8_t>(fluid.level);
    return made;
}

BlockPos block_at(SectionPos section, CellIndex cell) {
    return {section.x * k_side + cell.x(), section.y * k_side + cell.y(), section.z * k_side + cell.z()};
}

template <typename Packet, typename Command, typename Changes>
Result<net::OutgoingFrame> list_of(SectionPos section, const Changes& changes, ServerTools& tools) {
    std::vector<Command> commands;
    commands.reserve(changes.size());
    for (const auto& [cell, content] : changes) commands.push_back(command(cell, content));
    Packet packet;
    packet.x = section.x;
    packet.y = section.y;
    packet.z = section.z;
    packet.cmds = commands;
    return net::OutgoingFrame::make(tools.writer, packet);
}

template <typename List, typename Command, typename Changes>
Result<void> append(SectionPos section, SectionKind kind, const Changes& changes, ServerTools& tools,
                    const SectionAgain& again, std::vector<net::OutgoingFrame>& out) {
    if (changes.empty()) return {};
    const auto make = [&]() -> Result<net::OutgoingFrame> {
        if (changes.size() >= k_section_again && again) return again(section, kind);
        if (changes.size() > 1) return list_of<List, Command>(section, changes, tools);
        const auto& [cell, content] = *changes.begin();
        return net::OutgoingFrame::make(tools.writer, single(block_at(section, cell), content));
    };
    TRY(auto frame, make());
    out.push_back(std::move(frame));
    return {};
}

} // namespace

Result<net::OutgoingFrame> block_frame(BlockPos pos, const WireBlock& block, ServerTools& tools) {
    return net::OutgoingFrame::make(tools.writer, single(pos, block));
}

Result<void> SectionChanges::append_frames(SectionPos section, ServerTools& tools, const SectionAgain& again,
                                           std::vector<net::OutgoingFrame>& out) const {
    TRY_DO((append<packets::ServerSetBlocks, packets::SetBlockCmd>(section, SectionKind::blocks, blocks,
                                                                   tools, again, out)));
    TRY_DO((append<packets::ServerSetFluids, packets::SetFluidCmd>(section, SectionKind::fluids, fluids,
                                                                   tools, again, out)));
    return {};
}

} // namespace orbis::game

// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#include "packets/v2026_02_17/all.hpp"
#include "protocol/packet_table.hpp"

#include <array>

namespace orbis::protocol::v2026_02_17 {

namespace {

constexpr std::array<PacketInfo, 5> k_infos{{
    Connect::k_info,
    ClientMovement::k_info,
    SetChunk::k_info,
    SendWindowAction::k_info,
    SyncInteractionChains::k_info,
}};

constexpr std::array<PacketCode, 5> k_codes{{
    code_of<Connect>(),
    code_of<ClientMovement>(),
    code_of<SetChunk>(),
    code_of<SendWindowAction>(),
    code_of<SyncInteractionChains>(),
}};

} // namespace

Registry registry() { return Registry(k_infos); }

std::span<const PacketCode> packet_codes() { return k_codes; }

} // namespace orbis::protocol::v2026_02_17

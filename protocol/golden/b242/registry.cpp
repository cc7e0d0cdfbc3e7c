// Made by protocol/generate.py from the schema of b242; not to be edited.
#include "packets/vb242/all.hpp"
#include "protocol/packet_table.hpp"

#include <array>

namespace orbis::protocol::vb242 {

namespace {

constexpr std::array<PacketInfo, 4> k_infos{{
    ViewRadius::k_info,
    ClientMovement::k_info,
    SetColumn::k_info,
    ShowEventTitle::k_info,
}};

constexpr std::array<PacketCode, 4> k_codes{{
    code_of<ViewRadius>(),
    code_of<ClientMovement>(),
    code_of<SetColumn>(),
    code_of<ShowEventTitle>(),
}};

} // namespace

Registry registry() { return Registry(k_infos); }

std::span<const PacketCode> packet_codes() { return k_codes; }

} // namespace orbis::protocol::vb242

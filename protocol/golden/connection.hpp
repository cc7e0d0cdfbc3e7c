// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/shared.hpp"

namespace orbis::protocol::v2026_02_17 {

enum class ClientType : std::uint8_t { game, editor };
constexpr std::uint32_t value_count(ClientType) { return 2; }

struct HostAddress {
    std::int16_t port = 0;
    Text host;

    static constexpr std::uint32_t k_fixed = 2, k_var_start = 2;
    static std::size_t read(Decoder& in, std::size_t at, HostAddress& v);
    static std::size_t measure(Encoder& out, const HostAddress& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const HostAddress& v);
};

struct Connect {
    std::int32_t protocol_crc = 0;
    std::int32_t protocol_build_number = 0;
    Text client_version;
    ClientType client_type{};
    Uuid uuid{};
    Text username;
    Opt<Text> identity_token;
    Text language;
    Opt<Bytes> referral_data;
    Opt<HostAddress> referral_source;

    static constexpr std::uint32_t k_fixed = 46, k_var_start = 66;
    static constexpr PacketInfo k_info{0, "Connect", "connection",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       46, 68, 38013};
    static constexpr bool k_bounded = false;
    static std::size_t read(Decoder& in, std::size_t at, Connect& v);
    static std::size_t measure(Encoder& out, const Connect& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const Connect& v);
};

} // namespace orbis::protocol::v2026_02_17

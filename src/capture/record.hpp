#pragma once

#include "bytes/bytes.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/packet_info.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::capture {

using protocol::Channel;
using protocol::Side;

/// An IPv4 or IPv6 address with its port, or none.
struct Endpoint {
    std::array<std::uint8_t, 16> address{};
    std::uint8_t size = 0; ///< bytes of the address: 0, 4 or 16
    std::uint16_t port = 0;

    [[nodiscard]] Bytes bytes() const { return Bytes(address).first(size); }
    /// `192.0.2.1:5520`, `[2001:db8::1]:5520`; empty for none.
    [[nodiscard]] std::string text() const;
    bool operator==(const Endpoint&) const = default;
};

/// What of a frame was left out, so that a capture tells nothing about people.
enum class LeftOut : std::uint8_t {
    nothing,
    fields,  ///< texts and bytes of some fields are replaced by as many `x` or zeros
    payload, ///< only the header is there
};

/// One frame of a connection, and what is known about it (docs/formats/capture.md). A view: what it points to
/// belongs to whoever made it.
struct Record {
    std::int64_t time = 0;    ///< nanoseconds since 1970, UTC
    std::optional<Side> to{}; ///< the side that receives it
    std::optional<Channel> channel{};
    std::int64_t stream = -1;  ///< of QUIC; -1 where there is none
    std::uint64_t session = 0; ///< number of the connection in its capture, from 1 on; 0 for unknown
    const protocol::BuildInfo* build = nullptr; ///< null where the program has no schema of it
    std::string_view build_name{};              ///< name, CRC or hash of the build; empty for unknown
    Endpoint source{};
    Endpoint destination{};
    LeftOut left_out = LeftOut::nothing;
    Bytes frame{};          ///< as it came, with its header
    std::size_t length = 0; ///< of the frame when it travelled; larger than what is here where it was cut

    /// The id of the packet; -1 where not even the header is there.
    [[nodiscard]] std::int32_t id() const;
    /// Whether this is exactly one whole frame.
    [[nodiscard]] bool is_whole() const;
    /// Names the build, of which the program may have a schema.
    void set_build(std::string_view name);
    void set_build(const protocol::BuildInfo& info) {
        build = &info;
        build_name = info.build;
    }
};

/// The time of now for a record.
std::int64_t now_in_nanoseconds();

/// Which build a client is of, by the payload of its `Connect`: all builds have this in the same place.
struct ConnectBuild {
    const protocol::BuildInfo* build = nullptr;
    std::string
        name{}; ///< a CRC in decimal where the program does not have the build; empty where it says none
};
ConnectBuild build_of_connect(Bytes payload);

/// The id of `Connect` in all builds.
inline constexpr std::int32_t k_connect = 0;

/// What a record says in its comment: `hytale to=server channel=Default stream=0 session=3
/// build=2026.02.17`.
void append_comment(std::string& out, const Record& record);
/// Reads it; false for a comment of somebody else. Words that it does not know are left alone.
bool read_comment(std::string_view comment, Record& out);

} // namespace orbis::capture

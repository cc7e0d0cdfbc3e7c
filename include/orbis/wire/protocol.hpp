#pragma once

#include "orbis/wire/packet.hpp"

namespace orbis::wire {

struct BuildState;

/// The packets of one build of the game. A value of the size of a pointer; what it refers to is part of the
/// library.
///
///     orbis::wire::Protocol protocol;                      // of the usual build
///     auto packet = protocol.decode("Ping", payload);
///     if (packet) std::cout << packet->json() << '\n';
class ORBIS_API Protocol {
public:
    /// The usual build: the one that `Client` and `Server` speak.
    Protocol();
    /// A build by its name, its CRC (decimal or `0x…`) or its hash.
    static Result<Protocol> of(std::string_view build);
    /// The names of all builds that the library knows, oldest first.
    static std::vector<std::string> builds();

    /// The name of the build.
    [[nodiscard]] std::string_view build() const;
    /// All packets, by their ids.
    [[nodiscard]] std::vector<PacketInfo> packets() const;
    /// A packet by its name. The error names one that is spelled similarly.
    [[nodiscard]] Result<PacketInfo> find(std::string_view name) const;
    /// A packet by its id.
    [[nodiscard]] Result<PacketInfo> find(std::int32_t id) const;

    /// A packet whose optional fields are absent and whose other fields are zero or empty.
    [[nodiscard]] Result<Packet> make(std::string_view name) const;
    /// A packet from the JSON of its value (docs/formats/protocol.md). Fields that it does not have are as
    /// with `make(name)`.
    [[nodiscard]] Result<Packet> make(std::string_view name, std::string_view json) const;
    /// Reads a payload, which is not compressed.
    [[nodiscard]] Result<Packet> decode(std::string_view name, std::span<const std::uint8_t> payload,
                                        Reading reading = Reading::usual) const;
    /// The same with the id of the packet.
    [[nodiscard]] Result<Packet> decode(std::int32_t id, std::span<const std::uint8_t> payload,
                                        Reading reading = Reading::usual) const;

    /// Whether both are of the same build.
    bool operator==(const Protocol& other) const { return state_ == other.state_; }

private:
    friend struct Inside;
    explicit Protocol(const BuildState& state) : state_(&state) {}

    const BuildState* state_;
};

} // namespace orbis::wire

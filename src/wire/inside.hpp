#pragma once

#include "orbis/wire/frame.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/fault.hpp"
#include "protocol/value.hpp"

/// Behind the public headers in include/orbis/wire: what their objects hold.
namespace orbis::wire {

/// A kind of packet, with what its codec needs.
struct PacketEntry {
    const BuildState* build;
    const protocol::PacketInfo* info;
    const protocol::Layout* layout;
};

/// What a `Protocol` refers to. Made once for each build that somebody asks for, and kept for the life of the
/// program.
struct BuildState {
    explicit BuildState(const protocol::Schema& parsed);
    BuildState(const BuildState&) = delete;
    BuildState& operator=(const BuildState&) = delete;

    /// Threads may ask at the same time.
    static const BuildState& of(const protocol::BuildInfo& build);

    [[nodiscard]] const PacketEntry* find(std::string_view name) const;
    [[nodiscard]] const PacketEntry* find(std::int32_t id) const;
    /// The same, with an error for people.
    [[nodiscard]] Result<const PacketEntry*> look_up(std::string_view name) const;
    [[nodiscard]] Result<const PacketEntry*> look_up(std::int32_t id) const;

    const protocol::Schema& schema;
    protocol::ReadRules rules;        ///< of its readers
    std::vector<PacketEntry> entries; ///< by id

private:
    /// Where the search for a name begins in `places`.
    [[nodiscard]] std::size_t first_place(std::string_view name) const;

    std::string names_;                 ///< those of all entries, in one piece that stays in the cache
    std::vector<std::uint32_t> starts_; ///< where the name of each entry is in it, and the end
    std::vector<std::uint16_t> places_; ///< a hash table: 1 + the number of an entry, 0 where nothing is
};

/// What a `Packet` and its values share.
struct PacketState {
    const PacketEntry* entry;
    protocol::Value value;
};

/// Looks into public objects and makes them.
struct Inside {
    static Protocol protocol(const BuildState& state) { return Protocol(state); }
    static const BuildState& state(const Protocol& protocol) { return *protocol.state_; }
    static const PacketState& state(const Packet& packet) { return *packet.state_; }
    /// For a change: nobody else sees it.
    static PacketState& own_state(Packet& packet);
    static Packet packet(std::shared_ptr<PacketState> state) { return Packet(std::move(state)); }
    static Packet packet(const PacketEntry& entry, protocol::Value&& value) {
        return Packet(std::make_shared<PacketState>(&entry, std::move(value)));
    }
    static Value value(std::shared_ptr<const void> owner, const protocol::Value& node,
                       const protocol::Type* type) {
        return {std::move(owner), &node, type};
    }
    static Value value_of(const Packet& packet) {
        return value(packet.state_, packet.state_->value, nullptr);
    }
    static Frame frame(const BuildState& build, std::int32_t id, Buffer payload, std::size_t length) {
        return {Protocol(build), id, std::move(payload), length};
    }
};

/// The public form.
PacketInfo public_info(const protocol::PacketInfo& info);

/// A payload as a packet, with the rules of the build.
Result<Packet> decode_payload(const PacketEntry& entry, Bytes payload, Reading reading);

/// The whole frame of a payload, in memory of this thread; valid until the next call.
Result<Bytes> framed(const PacketEntry& entry, Bytes payload);

} // namespace orbis::wire

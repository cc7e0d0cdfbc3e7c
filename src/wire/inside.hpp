#pragma once

#include "orbis/wire/frame.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/fault.hpp"
#include "protocol/value.hpp"
#include "wire/packet_memory.hpp"

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

    /// Null if there is none.
    [[nodiscard]] const PacketEntry* find(std::string_view name) const;
    [[nodiscard]] const PacketEntry* find(std::int32_t id) const;
    /// The same, with an error for people.
    [[nodiscard]] Result<const PacketEntry*> look_up(std::string_view name) const;
    [[nodiscard]] Result<const PacketEntry*> look_up(std::int32_t id) const;

    const protocol::Schema& schema;
    protocol::ReadRules rules;        ///< of its readers
    std::vector<PacketEntry> entries; ///< by id

private:
    /// What tells names apart: their length, their beginnings and their ends. Names of up to 16 letters are
    /// in it as a whole.
    struct Marks {
        explicit Marks(std::string_view name);
        [[nodiscard]] std::size_t hash() const;
        bool operator==(const Marks&) const = default;

        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::size_t size = 0;
    };
    struct Place {
        Marks marks{{}};
        const PacketEntry* entry = nullptr;
    };

    std::vector<Place> places_; ///< a hash table; null where nothing is
};

/// What a `Packet` and its values share.
struct PacketState {
    /// A record with room for the fields, to be decoded into.
    explicit PacketState(const PacketEntry& kind) : entry(&kind) {
        auto& record = value.content.emplace<protocol::Value::Record>();
        PacketMemory::take_fields(record.fields, kind.layout->fields.size());
    }
    PacketState(const PacketEntry& kind, protocol::Value&& content)
        : entry(&kind), value(std::move(content)) {}
    PacketState(const PacketState&) = default;
    PacketState& operator=(const PacketState&) = delete;
    ~PacketState() {
        if (auto* const record = std::get_if<protocol::Value::Record>(&value.content))
            PacketMemory::give_fields(std::move(record->fields));
    }

    /// In memory of this thread, if there is some.
    template <typename... Parts>
    static std::shared_ptr<PacketState> make(Parts&&... parts) {
        return std::allocate_shared<PacketState>(PacketAllocator<PacketState>(),
                                                 std::forward<Parts>(parts)...);
    }

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
        return Packet(PacketState::make(entry, std::move(value)));
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

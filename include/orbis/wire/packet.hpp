#pragma once

#include "orbis/error.hpp"
#include "orbis/wire/value.hpp"

#include <span>
#include <utility>
#include <variant>

namespace orbis::wire {

class Protocol;
struct PacketState;

/// Which side may receive a packet. Builds before 2026.02.17 do not say.
enum class Receiver : std::uint8_t { client, server, both, unstated };

/// What is known about a kind of packet. The texts are valid for the life of the program.
struct PacketInfo {
    std::string_view name;                  ///< such as `ViewRadius`
    std::int32_t id = 0;                    ///< the number in frames
    std::string_view category;              ///< such as `setup`
    Receiver receiver = Receiver::unstated; ///< who may receive it
    std::string_view channel;               ///< `Default`, `Chunks`, `WorldMap` or `Voice`
    bool is_compressed = false;             ///< whether frames have it compressed
    std::uint32_t smallest = 0;             ///< bytes of the smallest payload
    std::uint32_t largest = 0;              ///< bytes of the largest payload, before compression
};

/// How payloads are read.
enum class Reading : std::uint8_t {
    usual,  ///< takes what the game takes
    strict, ///< refuses what no writer of the game would write
    keep,   ///< for watching: what does not parse becomes a value of the kind `unreadable`
};

/// A value without parts: what `Packet::set` takes. Text is also for names of enums and for UUIDs; null makes
/// an optional field absent.
using Plain =
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string_view, std::span<const std::uint8_t>>;

/// One packet with its values. A copy is cheap: copies share their memory until one of them is changed.
/// Different packets may be used by different threads at once, also if one was copied from the other.
///
///     auto radius = protocol.make("ViewRadius");
///     radius->set("value", 192);
///     client->send(*radius);
class ORBIS_API Packet {
public:
    /// What kind of packet this is.
    [[nodiscard]] PacketInfo info() const;
    /// Its name; valid for the life of the program.
    [[nodiscard]] std::string_view name() const;
    /// Its number in frames.
    [[nodiscard]] std::int32_t id() const;
    /// The build that it is of.
    [[nodiscard]] Protocol protocol() const;

    /// All values as a record.
    [[nodiscard]] Value value() const;
    /// One field.
    [[nodiscard]] Value operator[](std::string_view field) const;
    /// All values as JSON in one line (docs/formats/protocol.md).
    [[nodiscard]] std::string json() const;

    /// Changes one value. `path` is the name of a field, with dots for what is inside of it: `position.x`,
    /// `items.2.amount`. An optional record on the way that is absent is made, with zeros. Fails where the
    /// path leads nowhere or the value does not suit, and changes nothing then.
    Result<void> set(std::string_view path, const Plain& value);
    /// The same for values with parts, such as lists.
    Result<void> set_json(std::string_view path, std::string_view json);

    /// The bytes of the fields, as the game's writer writes them.
    [[nodiscard]] Result<std::vector<std::uint8_t>> payload() const;
    /// The frame as it is sent: length, id and payload, which is compressed where the packet is.
    [[nodiscard]] Result<std::vector<std::uint8_t>> frame() const;

    /// Whether both are of the same kind and have the same values. A NaN is not equal to itself.
    bool operator==(const Packet& other) const;

private:
    friend struct Inside;
    explicit Packet(std::shared_ptr<PacketState> state) : state_(std::move(state)) {}

    std::shared_ptr<PacketState> state_; ///< never null, but in a packet that was moved from
};

} // namespace orbis::wire

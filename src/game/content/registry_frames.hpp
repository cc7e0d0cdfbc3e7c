#pragma once

#include "net/outgoing_frame.hpp"
#include "protocol/value.hpp"

#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace orbis::game {

/// Gathers frames, and remembers the first packet that could not be written.
class RegistryFrames {
public:
    explicit RegistryFrames(net::FrameTools<protocol::Side::server>& tools) : tools_(tools) {}

    using Packets = std::vector<std::pair<const protocol::PacketInfo*, protocol::Value>>;
    /// What comes from now on is kept as values, so that the files of a pack can be laid over it.
    void keep_values() { keeps_values_ = true; }
    [[nodiscard]] Packets& values() { return values_; }

    template <protocol::SentBy<protocol::Side::server> P>
    void add(const P& packet) {
        if (failure_) return;
        if (keeps_values_) {
            if (auto payload = tools_.writer.payload(packet))
                add_value(P::k_info, *payload);
            else
                failure_ = std::move(payload).error().about(P::k_info.name);
            return;
        }
        if (auto frame = make(packet))
            frames_.push_back(*std::move(frame));
        else
            failure_ = std::move(frame).error().about(P::k_info.name);
    }
    /// A frame that is not one of them.
    template <protocol::SentBy<protocol::Side::server> P>
    Result<net::OutgoingFrame> make(const P& packet) {
        return net::OutgoingFrame::make(tools_.writer, packet);
    }

    /// A whole registry. `field` is the one of its packet that has the entries; those with numbers have all
    /// from 0 on.
    template <typename P, typename K, typename V>
    void add_all(protocol::Opt<protocol::Map<K, V>> P::* field,
                 std::type_identity_t<std::span<const protocol::Entry<K, V>>> entries) {
        P packet;
        packet.*field = protocol::Map<K, V>(entries.data(), entries.size());
        if constexpr (requires { packet.max_id; }) packet.max_id = static_cast<std::int32_t>(entries.size());
        add(packet);
    }
    /// A registry whose only entry has the number 0.
    template <typename P, typename V>
    void add_one(protocol::Opt<protocol::Map<std::int32_t, V>> P::* field, std::type_identity_t<V> value) {
        const std::array only{protocol::Entry<std::int32_t, V>{0, value}};
        add_all(field, only);
    }
    /// A registry without entries: the client needs it all the same.
    template <typename P, typename K, typename V>
    void add_none(protocol::Opt<protocol::Map<K, V>> P::* field) {
        add_all(field, {});
    }

    Result<std::vector<net::OutgoingFrame>> finish();

private:
    void add_value(const protocol::PacketInfo& info, Bytes payload);

    net::FrameTools<protocol::Side::server>& tools_;
    std::vector<net::OutgoingFrame> frames_;
    bool keeps_values_ = false;
    Packets values_;
    std::optional<Error> failure_;
};

} // namespace orbis::game

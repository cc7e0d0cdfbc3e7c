#pragma once

#include "net/outgoing_frame.hpp"

#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace orbis::game {

/// Gathers frames, and remembers the first packet that could not be written.
class RegistryFrames {
public:
    explicit RegistryFrames(net::FrameTools<protocol::Side::server>& tools) : tools_(tools) {}

    template <protocol::SentBy<protocol::Side::server> P>
    void add(const P& packet) {
        if (failure_) return;
        if (auto frame = net::OutgoingFrame::make(tools_.writer, packet))
            frames_.push_back(*std::move(frame));
        else
            failure_ = std::move(frame).error().about(P::k_info.name);
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

    Result<std::vector<net::OutgoingFrame>> finish() {
        if (failure_) return fail(*std::move(failure_));
        return std::move(frames_);
    }

private:
    net::FrameTools<protocol::Side::server>& tools_;
    std::vector<net::OutgoingFrame> frames_;
    std::optional<Error> failure_;
};

} // namespace orbis::game

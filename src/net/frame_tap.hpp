#pragma once

#include "bytes/bytes.hpp"
#include "protocol/packet_info.hpp"

namespace orbis::net {

class Link;

/// Sees every frame of a link as it travels, in both directions. Called by the link only, in its thread.
class FrameTap {
public:
    virtual ~FrameTap() = default;
    /// A whole frame with its header, as it came from the network or goes to it; valid during the call.
    virtual void on_frame(const Link& link, protocol::Side to, protocol::Channel channel, Bytes frame) = 0;
};

} // namespace orbis::net

#pragma once

#include "net/link.hpp"
#include "packets/registry.hpp"

#include <functional>

namespace orbis::test {

/// A clock that a test turns.
class HandClock final : public net::Clock {
public:
    [[nodiscard]] net::Time now() const override { return now_; }
    [[nodiscard]] std::chrono::sys_time<net::Duration> wall() const override {
        return std::chrono::sys_time<net::Duration>(now_.time_since_epoch());
    }
    void pass(net::Duration time) { now_ += time; }

private:
    net::Time now_ = net::Time(std::chrono::hours(1));
};

/// A connection without a network. It takes everything and delivers it at once; what comes from the peer is
/// what it is fed.
class ImaginedLink final : public net::Link {
public:
    /// `side` is that of its user.
    ImaginedLink(net::Side side, const net::Clock& clock, Decompressor& decompressor,
                 net::LinkLimits limits = {})
        : Link(side, clock, limits, decompressor),
          decoder_(packets::registry(), {side, {}, limits.largest_payload, false}) {
        peer_.protocol = "hytale/2";
        peer_.address = net::Address::loopback_v4(1);
        peer_.certificate = net::Fingerprint{};
    }
    void start() { opened(); }
    /// Bytes of any channel: frames know theirs.
    void feed(Bytes bytes) {
        if (!is_open() || is_ignored_) return;
        decoder_.feed(bytes);
        if (!read_frames(decoder_)) is_ignored_ = true;
    }
    /// Bytes that wait for the rest of their frame.
    [[nodiscard]] std::size_t pending() const { return decoder_.pending(); }

    std::size_t fails_at = 0; ///< the packet that cannot be sent, from 1
    bool delivers = true;     ///< else closes wait for their time
    std::function<void(net::Channel, Bytes)> on_sent;

    bool open_play_channels() override { return true; }
    [[nodiscard]] std::size_t unsent(net::Channel) const override { return 0; }
    [[nodiscard]] std::size_t held(net::Channel) const override { return delivers ? 0 : 1; }
    [[nodiscard]] std::uint64_t sent(net::Channel channel) const override { return held(channel); }
    void pause(net::Channel) override {}
    void resume(net::Channel) override {}
    void set_largest_payload(std::uint32_t largest) override {
        limits_.largest_payload = largest;
        decoder_.set_largest(largest);
    }
    void close(net::Close close) override {
        if (is_open_) closed(close);
    }

private:
    void send_bytes(net::Channel channel, Bytes bytes) override {
        // Networks fail while something is sent, too.
        if (is_open_ && ++sent_ == fails_at) close(net::Close::application(net::CloseCode::none));
        if (is_open_ && on_sent) on_sent(channel, bytes);
    }
    void set_registry(protocol::Registry registry) override { decoder_.set_registry(registry); }
    void send_frame(net::Channel channel, const protocol::SharedFrame& frame) override {
        send_bytes(channel, frame.bytes());
    }

    protocol::FrameDecoder decoder_;
    bool is_ignored_ = false;
    std::size_t sent_ = 0;
};

} // namespace orbis::test

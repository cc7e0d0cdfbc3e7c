#include "net/link.hpp"

namespace orbis::net {

void Link::speak(const protocol::Dialect& dialect, protocol::PayloadFramer& framer, bool asks_for_player) {
    interpreter_ =
        std::make_unique<Interpreter>(dialect, side_, asks_for_player, framer, decompressor_,
                                      [this](Channel channel, Bytes frame) { put(channel, frame); });
    has_one_stream_ = dialect.has_one_stream();
    set_registry(dialect.schema().registry());
}

void Link::hear(const protocol::Frame& frame, const Interpreter::Take& take) {
    if (!interpreter_) return take(frame);
    const auto reads = [this](const protocol::PacketInfo& packet) { return user_->reads(packet); };
    const auto take_while_open = [&](const protocol::Frame& heard) {
        if (is_open_ && !is_closing()) take(heard);
    };
    const auto heard = interpreter_->hear(frame, limits_.largest_payload, reads, take_while_open);
    if (!heard)
        user_->on_bad_frame(heard.error());
    else if (!*heard)
        user_->on_foreign_frame();
}

void Link::put(Channel channel, Bytes frame) {
    if (tap_) [[unlikely]]
        show_sent(channel, frame);
    send_bytes(channel, frame);
}

void Link::put(Channel channel, const protocol::SharedFrame& frame) {
    if (tap_) [[unlikely]]
        show_sent(channel, frame.bytes());
    send_frame(channel, frame);
}

void Link::show_sent(Channel channel, Bytes frame) {
    if (!is_open_ || is_closing()) return; // it will not be sent
    tap_->on_frame(*this, side_ == Side::client ? Side::server : Side::client, channel, frame);
}

void Link::send(const OutgoingFrame& frame) {
    if (frame.words() == dialect()) return put(frame.channel(), frame.frame());
    if (frame.words() != nullptr) return; // made for clients of another build
    if (const auto channel = interpreter_->as_it_is(frame.info().id)) return put(*channel, frame.frame());
    const auto frames = interpreter_->render(frame);
    if (!frames) return; // what the other build cannot say is lost to it
    for (const auto& [channel, rendered] : *frames) put(channel, rendered);
}

void Link::send(std::span<const OutgoingFrame* const> together) {
    for (std::size_t at = 0; at < together.size(); ++at) {
        const bool is_last = at + 1 == together.size();
        if (!interpreter_ || is_last || !interpreter_->says_as_one(*together[at], *together[at + 1])) {
            send(*together[at]);
            continue;
        }
        const auto frames = interpreter_->render_as_one(*together[at], *together[at + 1]);
        ++at;
        if (!frames) continue; // what the other build cannot say is lost to it
        for (const auto& [channel, rendered] : *frames) put(channel, rendered);
    }
}

void Link::check_held(Channel channel) {
    const auto limit = limits_.most_held[static_cast<std::size_t>(channel)];
    if (!is_open_ || held(channel) <= limit) return;
    close(Close::application(
        CloseCode::timeout,
        fmt::format("the peer does not read: more than {} bytes are waiting on {}", limit, name(channel))));
}

bool Link::read_frames(protocol::FrameDecoder& decoder, std::optional<Channel> stream) {
    while (is_open_ && !is_closing()) {
        const auto next = decoder.next();
        if (!next) {
            user_->on_bad_frame(next.error());
            return false;
        }
        if (!*next) return true;
        if (tap_) [[unlikely]] {
            const auto& frame = **next; // not decompressed, so that the header stands before the payload
            tap_->on_frame(*this, side_, stream.value_or(frame.packet->channel),
                           {frame.payload.data() - protocol::k_frame_header, frame.length});
        }
        if (!interpreter_)
            user_->on_frame(**next);
        else
            hear(**next, [this](const protocol::Frame& heard) { user_->on_frame(heard); });
    }
    return false;
}

std::optional<protocol::Frame> Link::open(const protocol::Frame& frame) {
    if (!frame.is_compressed) return frame;
    const auto content =
        protocol::decompress_payload(decompressor_, *frame.packet, frame.payload, limits_.largest_payload);
    if (!content) {
        if (user_) user_->on_bad_frame(content.error());
        return {};
    }
    auto opened = frame;
    opened.payload = *content;
    opened.is_compressed = false;
    return opened;
}

void Link::opened() {
    is_open_ = true;
    user_->on_open();
}

void Link::closed(const Close& close) {
    is_open_ = false;
    pending_.reset();
    if (user_) user_->on_closed(close);
}

void Link::close_when_delivered(Close reason, Duration grace) {
    if (pending_) return;
    if (held(Channel::normal) == 0) return close(std::move(reason));
    pending_ = {std::move(reason), clock_.now() + grace};
}

void Link::tick() {
    if (pending_ && (held(Channel::normal) == 0 || clock_.now() >= pending_->deadline)) {
        auto reason = std::move(pending_->close);
        close(std::move(reason));
    }
}

} // namespace orbis::net

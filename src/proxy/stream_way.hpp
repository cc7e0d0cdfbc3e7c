#pragma once

#include "proxy/frame_observer.hpp"
#include "proxy/frame_scanner.hpp"

namespace orbis::proxy {

/// One direction of one stream: what has come from one side, and what the other has not taken yet. The sender
/// gets credit for as many bytes as the receiver has acknowledged, so that what is held here is never more
/// than the window that the sender was given.
class StreamWay {
public:
    StreamWay(End from_, net::StreamId stream_) : from(from_), stream(stream_) {}

    const End from;
    const net::StreamId stream;
    FrameScanner watch; ///< beside the bytes, for those who want to know what is said
    FrameScanner gate;  ///< where frames may be changed: the bytes go through it

    /// The sender has said so many more bytes.
    void owe(std::size_t count) { owed_ += count; }
    /// Bytes for the receiver, which wait until the stream is open there.
    void add(Bytes bytes, net::QuicConnection* to);
    /// Nothing comes after those.
    void end(net::QuicConnection* to);
    /// The receiver's side of the stream is open.
    void open(net::QuicConnection& to);
    /// So many bytes are held elsewhere, to be added later.
    void hold(std::size_t count) { delayed_ += count; }
    /// They are not any more; to be called after they were added.
    void release(std::size_t count, net::QuicConnection* to);
    /// What comes from now on, and what waits, is not wanted.
    void give_up();

    [[nodiscard]] bool is_open() const { return is_open_; }
    [[nodiscard]] bool is_given_up() const { return is_given_up_; }
    /// All that came has arrived, and nothing more will.
    [[nodiscard]] bool is_over(const net::QuicConnection* to) const {
        return is_ended_ && is_open_ && owed_ == 0 && held(to) == 0;
    }
    /// There is something for the receiver that the stream is not open for.
    [[nodiscard]] bool wants_to_open() const {
        return !is_open_ && !is_given_up_ && (!waiting_.empty() || is_ended_);
    }
    /// Bytes here and in the queue of the receiver's connection.
    [[nodiscard]] std::size_t held(const net::QuicConnection* to) const;
    /// For how many bytes the sender can have credit now, but no more than `most`; they count as given.
    std::size_t settle(const net::QuicConnection* to, std::size_t most);

private:
    std::size_t owed_ = 0; ///< bytes for which the sender had no credit yet
    std::size_t delayed_ = 0;
    Buffer waiting_;
    bool is_open_ = false;
    bool is_ended_ = false;
    bool is_given_up_ = false;
};

} // namespace orbis::proxy

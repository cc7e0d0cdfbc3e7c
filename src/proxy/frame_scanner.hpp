#pragma once

#include "bytes/bytes.hpp"
#include "protocol/frame.hpp"

namespace orbis::proxy {

/// Finds the frames of a stream by their headers alone, whatever build they are of, and gathers those that
/// its user wants whole. It holds one such frame at most; bytes of all others pass through as they come.
class FrameScanner {
public:
    class User {
    public:
        virtual ~User() = default;
        /// Whether a frame is to be gathered; `length` is that of its payload.
        virtual bool wants(std::int32_t id, std::uint32_t length) = 0;
        /// A frame that was gathered, with its header; valid during the call.
        virtual void on_frame(Bytes frame) = 0;
        /// The next bytes of what is not gathered. `is_framed` is false from the first header on that cannot
        /// be one: there are no frames any more.
        virtual void on_rest(Bytes bytes, bool is_framed) = 0;
    };

    /// Reads the next bytes; all of them come out in their order, but for those that wait for the rest of a
    /// header or of a frame.
    void feed(Bytes bytes, User& user);
    /// Hands out what waits, since nothing more will come.
    void finish(User& user);

    /// Whether the next byte begins a frame.
    [[nodiscard]] bool is_between_frames() const { return !is_lost_ && rest_ == 0 && waiting_.empty(); }
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

private:
    /// Reads a header that is complete; true if the frame is to be gathered.
    bool read_header(Bytes header, User& user);

    Buffer waiting_;         ///< of a header, or of a frame that is gathered
    std::size_t wanted_ = 0; ///< bytes of that frame with its header; 0 while none is gathered
    std::size_t rest_ = 0;   ///< of a frame that passes through
    bool is_lost_ = false;
};

} // namespace orbis::proxy

#pragma once

#include "protocol/frame_writer.hpp"

#include <memory>
#include <vector>

namespace orbis::net {

/// The bytes of one stream from the moment they are handed over until the peer acknowledged them. Large
/// frames are held, not copied; small ones are gathered in blocks, so that a ping costs no allocation of its
/// own.
class SendQueue {
public:
    void add(const protocol::SharedFrame& frame);
    void add(Bytes bytes);

    /// Bytes that were not handed to the transport yet.
    [[nodiscard]] std::size_t unsent() const { return added_ - sent_; }
    /// All bytes that were ever added.
    [[nodiscard]] std::uint64_t added() const { return added_; }
    /// The offset of the first unsent byte in the stream.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    /// Bytes in memory: unsent, or sent and not acknowledged.
    [[nodiscard]] std::size_t held() const { return added_ - acked_; }

    /// Bytes that the blocks take, room for more included.
    [[nodiscard]] std::size_t reserved() const;

    /// The next unsent bytes, at least `enough` of them if there are that many, in up to `out.size()` pieces;
    /// returns how many pieces were filled in.
    std::size_t pieces(std::span<Bytes> out, std::size_t enough = SIZE_MAX) const;
    void mark_sent(std::size_t count);
    /// Everything before this offset of the stream has arrived.
    void mark_acked(std::uint64_t offset);
    void clear();

private:
    struct Block {
        std::shared_ptr<const std::uint8_t[]> memory;
        std::size_t size = 0;
        std::size_t room = 0; ///< more bytes fit after `size`
        bool is_ours = false; ///< for small frames, not shared
    };
    void add_small(Bytes bytes);
    void forget_acked();

    std::vector<Block> blocks_;
    std::size_t first_ = 0;   ///< the first block that is not acknowledged whole
    std::uint64_t start_ = 0; ///< its offset in the stream
    std::uint64_t acked_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t added_ = 0;
    std::size_t next_ = 0;         ///< the block with the first unsent byte
    std::uint64_t next_start_ = 0; ///< its offset
};

} // namespace orbis::net

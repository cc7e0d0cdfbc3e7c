#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <memory>
#include <optional>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace orbis {

/// Memory for decompressed data that grows and is never cleared: a vector would zero what zstd overwrites.
class GrowingBuffer {
public:
    /// At least `size` bytes; what was there before is gone when it had to grow.
    MutableBytes take(std::size_t size) {
        if (size > capacity_) [[unlikely]]
            grow(size);
        return {data_.get(), size};
    }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

private:
    void grow(std::size_t size);

    std::unique_ptr<std::uint8_t[]> data_;
    std::size_t capacity_ = 0;
};

/// Decompresses single Zstandard frames of known size. Keep one per thread and reuse it: the context and the
/// output buffer are the expensive parts.
class Decompressor {
public:
    Decompressor();

    /// The content of `frame`, which must be one frame of exactly `expected` bytes; valid until the next
    /// call. Claims above `limit` are refused before anything is allocated. Offsets in errors count from the
    /// start of the frame.
    Result<Bytes> decompress(Bytes frame, std::uint64_t expected, std::uint64_t limit);
    /// The same for a frame that was compressed against `base`, which must be the same bytes again.
    Result<Bytes> decompress_against(Bytes base, Bytes frame, std::uint64_t expected, std::uint64_t limit);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    GrowingBuffer out_;
};

/// Compresses into frames as the game writes them: content size in the header, no checksum.
class Compressor {
public:
    static constexpr int k_game_level = 3;
    /// Data up to this size is not worth a search: its frame holds it as it is, which is nearly always what
    /// the search would come to. Many packets are that small.
    static constexpr std::size_t k_stored = 24;

    explicit Compressor(int level = k_game_level);

    /// One frame with the content of `data`; valid until the next call.
    Result<Bytes> compress(Bytes data);
    /// One frame that needs `base` to be decompressed: small where the two are alike.
    Result<Bytes> compress_against(Bytes base, Bytes data);

private:
    Result<Bytes> search(Bytes data);

    struct Free {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    GrowingBuffer out_;
};

/// The content size that a frame states; nothing when it states none or does not start as a frame does.
std::optional<std::uint64_t> zstd_content_size(Bytes frame);

/// How many of the bytes the first frame takes; nothing when it is cut off or broken.
std::optional<std::size_t> zstd_frame_length(Bytes bytes);

/// Whether the bytes are nothing but skippable frames, or nothing at all.
bool is_only_skippable(Bytes bytes);

} // namespace orbis

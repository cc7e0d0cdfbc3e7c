#include "bytes/zstd.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace orbis {

namespace {

constexpr std::size_t k_skippable_header = 8;     ///< magic and size
constexpr std::uint8_t k_size_in_one_byte = 0x20; ///< what follows the magic: no checksum, no window
constexpr std::size_t k_stored_overhead = 9;      ///< magic, that byte, the size, the header of a block
constexpr int k_least_window = 10;
constexpr int k_widest_window = 27; ///< that a decoder takes without being told to
/// Content up to this size may come from a frame of any size. More must not have shrunk further than this:
/// the largest real chunk has less than a megabyte and shrank to a twentieth, so that only a trap looks like
/// that.
constexpr std::uint64_t k_harmless_content = 16 << 20;
constexpr std::uint64_t k_furthest_shrunk = 100;

/// A frame whose only block is the data itself.
void write_stored(Bytes data, std::uint8_t* to) {
    store_le(to, std::uint32_t{ZSTD_MAGICNUMBER});
    to[4] = k_size_in_one_byte;
    to[5] = static_cast<std::uint8_t>(data.size());
    const auto last_raw_block = data.size() << 3 | 1;
    to[6] = static_cast<std::uint8_t>(last_raw_block);
    to[7] = static_cast<std::uint8_t>(last_raw_block >> 8);
    to[8] = 0;
    if (!data.empty()) std::memcpy(to + k_stored_overhead, data.data(), data.size());
}

/// The content of one frame.
Result<Bytes> unpack(ZSTD_DCtx* context, GrowingBuffer& buffer, Bytes frame, std::uint64_t expected,
                     std::uint64_t limit, std::uint64_t most_plausible) {
    if (expected > limit)
        return fail(Errc::too_large, "expected at most {} bytes of content, found a frame that states {}",
                    limit, expected);

    const auto claimed = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR)
        return fail(
            error(Errc::bad_frame, "expected a Zstandard frame, found {} other bytes", frame.size()).at(0));
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != expected)
        return fail(error(Errc::bad_frame,
                          "expected a frame with {} bytes of content, found one that states {}", expected,
                          claimed)
                        .at(0));

    // A block is at least four bytes and gives at most 128 KiB, so a small frame cannot ask for much memory.
    const auto most = (static_cast<std::uint64_t>(frame.size()) / 4 + 1) * ZSTD_BLOCKSIZE_MAX;
    if (expected > most)
        return fail(
            error(Errc::bad_frame,
                  "expected at most {} bytes of content from a frame of {} bytes, found one that states {}",
                  most, frame.size(), expected)
                .at(0));

    if (expected > most_plausible)
        return fail(
            error(Errc::too_large,
                  "expected content of at most {} bytes from a frame of {} bytes, found one that states {}",
                  most_plausible, frame.size(), expected)
                .at(0));

    // One byte more than expected lets a frame that holds too much show itself.
    const auto size = static_cast<std::size_t>(expected);
    const auto room = claimed == ZSTD_CONTENTSIZE_UNKNOWN ? size + 1 : size;
    const auto out = buffer.take(room > 0 ? room : 1);
    const auto got = ZSTD_decompressDCtx(context, out.data(), room, frame.data(), frame.size());
    if (ZSTD_isError(got))
        return fail(error(Errc::bad_frame,
                          "expected a Zstandard frame with {} bytes of content, found damage: {}", expected,
                          ZSTD_getErrorName(got))
                        .at(0));
    if (got != size)
        return fail(
            error(Errc::bad_frame, "expected {} bytes of content in the frame, found {}", expected, got)
                .at(0));
    return Bytes(out.data(), size);
}

} // namespace

void GrowingBuffer::grow(std::size_t size) {
    data_.reset(); // before the new one is made, so that the peak is one buffer
    capacity_ = 0;
    // With room to spare: chunks of a world differ a little in size, and each new buffer is new memory that
    // the system has to clear page by page. What is never written takes no memory.
    const auto room = std::bit_ceil(size);
    data_ = std::make_unique_for_overwrite<std::uint8_t[]>(room);
    capacity_ = room;
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }
void Compressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
}

Result<Bytes> Decompressor::decompress(Bytes frame, std::uint64_t expected, std::uint64_t limit) {
    return unpack(context_.get(), out_, frame, expected, limit,
                  std::max(k_harmless_content, frame.size() * k_furthest_shrunk));
}

Compressor::Compressor(int level) : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 1);
}

Result<Bytes> Compressor::compress(Bytes data) {
    if (data.size() <= k_stored) {
        const auto frame = out_.take(k_stored_overhead + data.size());
        write_stored(data, frame.data());
        return frame;
    }
    return search(data);
}

Result<Bytes> Compressor::search(Bytes data) {
    const auto out = out_.take(ZSTD_compressBound(data.size()));
    const auto got = ZSTD_compress2(context_.get(), out.data(), out.size(), data.data(), data.size());
    if (ZSTD_isError(got))
        return fail(Errc::too_large, "zstd cannot compress {} bytes: {}", data.size(),
                    ZSTD_getErrorName(got));
    return Bytes(out.data(), got);
}

Result<Bytes> Compressor::compress_against(Bytes base, Bytes data) {
    // The window must reach from the end of the data to the start of the base.
    const auto reach = std::bit_width(static_cast<std::uint64_t>(base.size() + data.size()));
    const auto window = std::clamp(static_cast<int>(reach), k_least_window, k_widest_window);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window);
    ZSTD_CCtx_refPrefix(context_.get(), base.data(), base.size());
    auto frame = search(data);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, 0);
    return frame;
}

Result<Bytes> Decompressor::decompress_against(Bytes base, Bytes frame, std::uint64_t expected,
                                               std::uint64_t limit) {
    ZSTD_DCtx_refPrefix(context_.get(), base.data(), base.size());
    auto content = unpack(context_.get(), out_, frame, expected, limit, limit);
    ZSTD_DCtx_refPrefix(context_.get(), nullptr, 0); // also when the frame was refused before it was used
    return content;
}

std::optional<std::uint64_t> zstd_content_size(Bytes frame) {
    const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;
    return size;
}

std::optional<std::size_t> zstd_frame_length(Bytes bytes) {
    const auto length = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(length)) return std::nullopt;
    return length;
}

bool is_only_skippable(Bytes bytes) {
    while (!bytes.empty()) {
        if (bytes.size() < k_skippable_header) return false;
        if ((load_le<std::uint32_t>(bytes.data()) & ZSTD_MAGIC_SKIPPABLE_MASK) != ZSTD_MAGIC_SKIPPABLE_START)
            return false;
        const auto size = std::uint64_t{load_le<std::uint32_t>(bytes.data() + 4)} + k_skippable_header;
        if (size > bytes.size()) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(size));
    }
    return true;
}

} // namespace orbis

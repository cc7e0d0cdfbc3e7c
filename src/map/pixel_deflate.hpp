#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace orbis::map {

/// Compresses rows of pixels into a zlib stream (RFC 1950 and 1951). Knows where pixels begin and looks for
/// repetitions only there, which makes it several times faster than a general compressor, most of all where
/// a picture is empty. Keeps its memory: one per thread.
class PixelDeflate {
public:
    PixelDeflate();
    ~PixelDeflate();
    PixelDeflate(const PixelDeflate&) = delete;
    PixelDeflate& operator=(const PixelDeflate&) = delete;

    /// `rows` are rows of `row_bytes` bytes, each with one byte before its pixels of `pixel_bytes` (1, 3 or
    /// 4). Appends the stream to `out`.
    void append(Bytes rows, std::size_t row_bytes, std::size_t pixel_bytes, Buffer& out);

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

} // namespace orbis::map

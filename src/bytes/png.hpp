#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <filesystem>

namespace orbis {

/// How hard pictures are compressed. Maps shrink little beyond this and take far longer.
inline constexpr int k_png_level = 4;

/// A colour as 0xRRGGBB.
using Rgb = std::uint32_t;

/// Pixels in memory, row by row from the top, three bytes each: red, green, blue.
class Picture {
public:
    Picture() = default;
    Picture(std::uint32_t width, std::uint32_t height, Rgb background);

    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] std::uint32_t height() const { return height_; }
    [[nodiscard]] Bytes bytes() const { return bytes_; }

    /// What is outside the picture is left out.
    void set(std::int64_t x, std::int64_t y, Rgb colour);
    /// The rectangle from x, y on.
    void fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Rgb colour);
    [[nodiscard]] Rgb at(std::uint32_t x, std::uint32_t y) const;

private:
    std::uint32_t width_ = 0;
    std::uint32_t height_ = 0;
    Buffer bytes_;
};

/// The picture as a PNG file of eight bits per channel. One of no pixels is an error, as PNG has none.
Result<Buffer> encode_png(const Picture& picture);
/// The same for pixels of four bytes: red, green, blue, alpha.
Result<Buffer> encode_png(std::uint32_t width, std::uint32_t height, Bytes pixels);

/// Whether a picture may be written there: an older picture may be replaced, nothing else.
Result<void> check_picture_place(const std::filesystem::path& path);

/// Writes a PNG file so that at any moment the old or the new one is there.
Result<void> write_png(const std::filesystem::path& path, const Picture& picture);

} // namespace orbis

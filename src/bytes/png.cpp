#include "bytes/png.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <spng.h>

namespace orbis {

Picture::Picture(std::uint32_t width, std::uint32_t height, Rgb background)
    : width_(width), height_(height), bytes_(std::size_t{width} * height * 3) {
    fill(0, 0, width, height, background);
}

void Picture::set(std::int64_t x, std::int64_t y, Rgb colour) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    auto* pixel = &bytes_[(static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)) * 3];
    pixel[0] = static_cast<std::uint8_t>(colour >> 16);
    pixel[1] = static_cast<std::uint8_t>(colour >> 8);
    pixel[2] = static_cast<std::uint8_t>(colour);
}

void Picture::fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Rgb colour) {
    const auto right = std::min<std::int64_t>(x + width, width_);
    const auto bottom = std::min<std::int64_t>(y + height, height_);
    for (auto row = std::max<std::int64_t>(y, 0); row < bottom; ++row)
        for (auto column = std::max<std::int64_t>(x, 0); column < right; ++column) set(column, row, colour);
}

Rgb Picture::at(std::uint32_t x, std::uint32_t y) const {
    const auto* pixel = &bytes_[(std::size_t{y} * width_ + x) * 3];
    return Rgb{pixel[0]} << 16 | Rgb{pixel[1]} << 8 | pixel[2];
}

namespace {

Result<Buffer> encode_pixels(std::uint32_t width, std::uint32_t height, std::uint8_t colour_type,
                             Bytes pixels) {
    struct Free {
        void operator()(spng_ctx* context) const { spng_ctx_free(context); }
    };
    const std::unique_ptr<spng_ctx, Free> context(spng_ctx_new(SPNG_CTX_ENCODER));
    if (!context) return fail(Errc::too_large, "not enough memory for a picture");
    spng_ihdr header{};
    header.width = width;
    header.height = height;
    header.bit_depth = 8;
    header.color_type = colour_type;
    int code = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
    if (code == 0) code = spng_set_ihdr(context.get(), &header);
    if (code == 0) code = spng_set_option(context.get(), SPNG_IMG_COMPRESSION_LEVEL, k_png_level);
    if (code == 0) code = spng_set_option(context.get(), SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_NONE);
    if (code == 0)
        code = spng_encode_image(context.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                                 SPNG_ENCODE_FINALIZE);
    if (code != 0)
        return fail(Errc::bad_value, "cannot encode a picture of {} × {} pixels: {}", width, height,
                    spng_strerror(code));
    std::size_t size = 0;
    const std::unique_ptr<void, decltype(&std::free)> png(spng_get_png_buffer(context.get(), &size, &code),
                                                          &std::free);
    if (!png) return fail(Errc::bad_value, "cannot encode the picture: {}", spng_strerror(code));
    const auto* first = static_cast<const std::uint8_t*>(png.get());
    return Buffer(first, first + size);
}

} // namespace

Result<Buffer> encode_png(const Picture& picture) {
    return encode_pixels(picture.width(), picture.height(), SPNG_COLOR_TYPE_TRUECOLOR, picture.bytes());
}

Result<Buffer> encode_png(std::uint32_t width, std::uint32_t height, Bytes pixels) {
    return encode_pixels(width, height, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, pixels);
}

Result<void> check_picture_place(const std::filesystem::path& path) {
    std::error_code code;
    if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code))
        return fail(error(Errc::exists, "a folder or device has this name")
                        .in_file(path.string())
                        .advise("choose another name for the picture"));
    if (std::filesystem::file_size(path, code) > 0 && !code) {
        TRY(const auto file, open_file(path, FileMode::read));
        const auto start = file->view(0, 4);
        if (!start || as_text(start->bytes()) != "\x89PNG")
            return fail(error(Errc::exists, "this file is not a PNG, so it is not overwritten")
                            .in_file(path.string())
                            .advise("choose another name for the picture"));
    }
    return {};
}

Result<void> write_png(const std::filesystem::path& path, const Picture& picture) {
    auto png = encode_png(picture);
    if (!png) return fail(std::move(png).error().in_file(path.string()));
    TRY_DO(check_picture_place(path));
    return write_file_atomically(path, *png);
}

} // namespace orbis

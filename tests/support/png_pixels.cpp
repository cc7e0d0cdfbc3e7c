#include "support/png_pixels.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <spng.h>

namespace orbis::test {

PngPixels read_png(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(0), &spng_ctx_free);
    spng_ihdr header{};
    std::size_t size = 0;
    PngPixels out;
    EXPECT_EQ(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()), 0) << path;
    EXPECT_EQ(spng_get_ihdr(context.get(), &header), 0) << path;
    EXPECT_EQ(spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size), 0) << path;
    out.pixels.resize(size);
    EXPECT_EQ(spng_decode_image(context.get(), out.pixels.data(), size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS), 0)
        << path;
    out.width = header.width;
    out.height = header.height;
    return out;
}

} // namespace orbis::test

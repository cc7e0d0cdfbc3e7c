#pragma once

#include "bytes/bytes.hpp"

#include <filesystem>

namespace orbis::test {

struct PngPixels {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    Buffer pixels; ///< red, green, blue, alpha
};

/// Reads a PNG file; a failure of the test where that is not possible.
PngPixels read_png(const std::filesystem::path& path);

} // namespace orbis::test

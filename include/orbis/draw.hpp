#pragma once

#include "orbis/export.hpp"
#include "orbis/world.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbis {

/// What of a world is drawn.
struct DrawOptions {
    /// "surface", "height", "light", "environment", "slice@64" or "cave@64" (docs/formats/map.md).
    std::string layer = "surface";
    std::optional<Area> area{}; ///< only these chunks
    std::size_t threads = 0;    ///< 0: one for each core
};

/// What a picture shows. A pixel is a block; the first one is in the north-west.
struct PictureInfo {
    std::uint32_t width = 0;      ///< in pixels
    std::uint32_t height = 0;     ///< in pixels
    ChunkPos first;               ///< the chunk of the first pixel
    std::uint64_t chunks = 0;     ///< in the picture
    std::uint64_t unreadable = 0; ///< chunks that should be; `World::problems()` says why not
};

/// A picture in memory.
struct MapPicture {
    PictureInfo info;                 ///< what it shows
    std::vector<std::uint8_t> pixels; ///< row by row, four bytes each: red, green, blue, alpha
};

/// Draws a world into memory: four bytes for each block of the rectangle that its chunks span, at most 2 GiB.
/// `Errc::not_found` if there is no chunk to draw.
[[nodiscard]] ORBIS_API Result<MapPicture> draw(const World& world, const DrawOptions& options = {});

/// A picture as the bytes of a PNG file, to send it or to keep it elsewhere.
[[nodiscard]] ORBIS_API Result<std::vector<std::uint8_t>> to_png(const MapPicture& picture);

/// Draws a world into a PNG file. An older picture is replaced when the new one is complete; any other file
/// is an error. Takes little memory, however large the picture is.
[[nodiscard]] ORBIS_API Result<PictureInfo> draw_png(const World& world, const std::string& file,
                                                     const DrawOptions& options = {});

} // namespace orbis

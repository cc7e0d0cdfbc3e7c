#pragma once

#include "bytes/progress.hpp"
#include "jobs/select/chunk_set.hpp"
#include "map/colours.hpp"
#include "map/layer.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <vector>

namespace orbis::map {

/// No side of a picture becomes longer: most programs cannot show more.
inline constexpr std::int64_t k_longest_side = 65'536;
/// Nor does a picture have more bytes before its compression.
inline constexpr std::int64_t k_most_picture_bytes = std::int64_t{2} << 30;

struct ImageOptions {
    Layer layer;
    const jobs::ChunkSet* only = nullptr;   ///< the chunks to show; all of them without
    const jobs::ChunkSet* bright = nullptr; ///< the others are grey and dark; all are bright without
    std::size_t threads = 1;
};

struct ImageReport {
    std::int64_t chunks = 0;     ///< that are in the picture
    std::int64_t unreadable = 0; ///< that should be, and could not be read
    ChunkPos first;              ///< the chunk of the first pixel
    std::uint32_t width = 0;     ///< in pixels, which are blocks
    std::uint32_t height = 0;
    std::vector<Error> problems; ///< what could not be read; the rest is in the picture
};

/// Takes the rows of a picture, from the top.
class PictureRows {
public:
    virtual ~PictureRows() = default;
    /// Comes first.
    virtual Result<void> begin(std::uint32_t width, std::uint32_t height) = 0;
    /// Red, green, blue and alpha for each pixel.
    virtual Result<void> row(Bytes pixels) = 0;
};

/// Draws the chunks of a store, as `write_image` does, row by row into what takes them.
Result<ImageReport> draw_rows(const storage::Store& store, const Colours& colours,
                              const ImageOptions& options, PictureRows& rows, Progress& progress);

/// Draws the chunks of a store into one PNG file, from the smallest to the largest coordinate. Where no chunk
/// can be found because no file can be read, nothing is written and the width is 0. The memory
/// that it takes grows with the width of the picture, not with its height: some 25 KiB per chunk of a row.
Result<ImageReport> write_image(const storage::Store& store, const Colours& colours,
                                const ImageOptions& options, const std::filesystem::path& path,
                                Progress& progress);

} // namespace orbis::map

#pragma once

#include "bytes/png.hpp"
#include "bytes/position.hpp"

#include <bitset>
#include <optional>
#include <unordered_map>
#include <vector>

namespace orbis::jobs {

/// A map of a world with a colour per chunk, north at the top. The fewer chunks there are, the larger each
/// becomes: up to 32 × 32 pixels, one per column of blocks, and down to several chunks in one pixel.
class ChunkPicture {
public:
    static constexpr Rgb k_nothing = 0x14161A;
    /// No side becomes longer.
    static constexpr std::int64_t k_most_pixels = 4096;
    /// A world of this many chunks or fewer on its longer side gets a pixel per column of blocks.
    static constexpr std::int64_t k_detailed_side = 48;

    /// Where several chunks fall on one pixel, the one with the highest rank is seen.
    void add(ChunkPos pos, Rgb colour, int rank);
    /// Columns of blocks in a colour of their own, seen where there is a pixel for each.
    void add_columns(ChunkPos pos, const std::bitset<k_columns>& columns, Rgb colour);
    /// A cross at a block. It does not make the picture larger.
    void mark(BlockPos pos, Rgb colour);

    [[nodiscard]] bool empty() const { return chunks_.empty(); }
    /// A picture of one pixel if there is nothing to see.
    [[nodiscard]] Picture draw() const;
    /// `one pixel is a block`, `a chunk is 4 × 4 pixels` …
    [[nodiscard]] std::string scale_text() const;

private:
    struct Dot {
        ChunkPos pos;
        Rgb colour;
        int rank;
    };
    struct Columns {
        std::bitset<k_columns> columns;
        Rgb colour;
    };
    struct Mark {
        BlockPos pos;
        Rgb colour;
    };
    struct Bounds {
        std::int64_t x = 0;     ///< the westmost chunk
        std::int64_t z = 0;     ///< the northmost chunk
        std::int64_t width = 1; ///< in pixels
        std::int64_t height = 1;
        std::int64_t pixels = 1; ///< per chunk, where that is not less than one
        std::int64_t chunks = 1; ///< per pixel, where that is not less than one
    };
    [[nodiscard]] Bounds frame() const;

    std::vector<Dot> chunks_;
    std::unordered_map<ChunkPos, Columns> columns_;
    std::vector<Mark> marks_;
};

} // namespace orbis::jobs

#include "jobs/inspect/chunk_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace orbis::jobs {
namespace {

/// A side of a picture is made about this long where the chunks allow it.
constexpr std::int64_t k_wanted_pixels = 1024;

/// Towards black, so that chunks are seen next to each other.
Rgb darker(Rgb colour) { return (colour >> 1 & 0x7F7F7F) + (colour >> 2 & 0x3F3F3F); }

} // namespace

void ChunkPicture::add(ChunkPos pos, Rgb colour, int rank) { chunks_.push_back({pos, colour, rank}); }

void ChunkPicture::add_columns(ChunkPos pos, const std::bitset<k_columns>& columns, Rgb colour) {
    columns_[pos] = {columns, colour};
}

void ChunkPicture::mark(BlockPos pos, Rgb colour) { marks_.push_back({pos, colour}); }

ChunkPicture::Bounds ChunkPicture::frame() const {
    Bounds frame;
    if (chunks_.empty()) return frame;
    std::int64_t right = std::numeric_limits<std::int64_t>::min();
    std::int64_t bottom = right;
    frame.x = frame.z = std::numeric_limits<std::int64_t>::max();
    for (const auto& dot : chunks_) {
        frame.x = std::min<std::int64_t>(frame.x, dot.pos.x);
        frame.z = std::min<std::int64_t>(frame.z, dot.pos.z);
        right = std::max<std::int64_t>(right, dot.pos.x);
        bottom = std::max<std::int64_t>(bottom, dot.pos.z);
    }
    // A frame of one chunk around all, so that edges show as edges.
    --frame.x;
    --frame.z;
    const auto columns = right - frame.x + 2;
    const auto rows = bottom - frame.z + 2;
    const auto longer = std::max(columns, rows);
    if (longer <= k_detailed_side)
        frame.pixels = k_side;
    else
        frame.pixels = std::clamp<std::int64_t>(k_wanted_pixels / longer, 1, k_side / 2);
    frame.chunks = (longer + k_most_pixels - 1) / k_most_pixels;
    const auto length = [&](std::int64_t chunks) {
        return (chunks * frame.pixels + frame.chunks - 1) / frame.chunks;
    };
    frame.width = length(columns);
    frame.height = length(rows);
    return frame;
}

Picture ChunkPicture::draw() const {
    const auto at = frame();
    Picture picture(static_cast<std::uint32_t>(at.width), static_cast<std::uint32_t>(at.height), k_nothing);
    auto dots = chunks_;
    std::ranges::stable_sort(dots, {}, &Dot::rank);
    for (const auto& dot : dots) {
        const auto x = (dot.pos.x - at.x) * at.pixels / at.chunks;
        const auto z = (dot.pos.z - at.z) * at.pixels / at.chunks;
        picture.fill(x, z, at.pixels, at.pixels, dot.colour);
        if (at.pixels >= 4) { // a line to the next chunk
            picture.fill(x, z, at.pixels, 1, darker(dot.colour));
            picture.fill(x, z, 1, at.pixels, darker(dot.colour));
        }
        const auto found = at.pixels == k_side ? columns_.find(dot.pos) : columns_.end();
        if (found == columns_.end()) continue;
        for (int i = 0; i < k_columns; ++i)
            if (found->second.columns[static_cast<std::size_t>(i)])
                picture.set(x + ColumnIndex(i).x(), z + ColumnIndex(i).z(), found->second.colour);
    }
    for (const auto& mark : marks_) {
        const auto pixel = [&](std::int64_t block, std::int64_t origin) {
            return (block - origin * k_side) * at.pixels / k_side / at.chunks;
        };
        const auto x = pixel(mark.pos.x, at.x);
        const auto z = pixel(mark.pos.z, at.z);
        const std::int64_t arm = at.pixels >= 16 ? 9 : at.pixels >= 8 ? 5 : 3;
        picture.fill(x - arm - 1, z - 1, 2 * arm + 3, 3, 0x000000);
        picture.fill(x - 1, z - arm - 1, 3, 2 * arm + 3, 0x000000);
        picture.fill(x - arm, z, 2 * arm + 1, 1, mark.colour);
        picture.fill(x, z - arm, 1, 2 * arm + 1, mark.colour);
    }
    return picture;
}

std::string ChunkPicture::scale_text() const {
    const auto at = frame();
    if (at.chunks > 1) return fmt::format("a pixel is {0} × {0} chunks", at.chunks);
    if (at.pixels == k_side) return "a pixel is a block, a chunk 32 × 32 pixels";
    if (at.pixels == 1) return "a pixel is a chunk";
    return fmt::format("a chunk is {0} × {0} pixels", at.pixels);
}

} // namespace orbis::jobs

#include "map/channels.hpp"
#include "map/unshaded_chunk.hpp"

#include <algorithm>
#include <cmath>

/// The slope shade, the fluid over it and the height lines: what a pixel needs its neighbours for
/// (docs/formats/map.md). Every step is done for a row at once, so that the compiler can use vectors; each
/// operation is the one of the formula on 32-bit floats, so the bits are the same on every machine. The layer
/// is built without contraction of multiplications and additions for that reason.
namespace orbis::map {

namespace {

/// Light comes from the west, above and the south.
constexpr float k_light_x = -0.2F;
constexpr float k_light_y = 0.8F;
constexpr float k_light_z = 0.5F;
/// Steepness is relative to this.
constexpr float k_rise = 3.0F;
constexpr float k_ambient = 0.4F;
constexpr float k_diffuse = 0.6F;

/// Blocks between height lines, and between the heavier ones.
constexpr int k_line = 10;
constexpr int k_heavy_line = 50;

using Row = std::array<float, k_side>;
using Pixels = std::array<std::uint32_t, k_side>;

struct Slopes {
    Row x;
    Row z;
};

/// The heights of a chunk with those of the columns around it, as far as there are any.
class Heights {
public:
    Heights(const UnshadedChunk& unshaded, const Neighbours& around) : around_(around) {
        for (std::size_t z = 0; z < k_side; ++z)
            std::copy_n(&unshaded.height[z * k_side], k_side, &rows_[z + 1][1]);
        fill(around.north, &Edges::south, 0, true);
        fill(around.south, &Edges::north, k_side + 1, true);
        fill(around.west, &Edges::east, 0, false);
        fill(around.east, &Edges::west, k_side + 1, false);
        if (around.north_west != nullptr) rows_[0][0] = around.north_west->south[k_side - 1];
        if (around.north_east != nullptr) rows_[0][k_side + 1] = around.north_east->south[0];
        if (around.south_west != nullptr) rows_[k_side + 1][0] = around.south_west->north[k_side - 1];
        if (around.south_east != nullptr) rows_[k_side + 1][k_side + 1] = around.south_east->north[0];
        whole_ = around.north != nullptr && around.north_east != nullptr && around.east != nullptr
                 && around.south_east != nullptr && around.south != nullptr && around.south_west != nullptr
                 && around.west != nullptr && around.north_west != nullptr;
    }

    /// The height of a column that may be beside the chunk; `own` where no chunk is.
    [[nodiscard]] int at(int x, int z, int own) const {
        return exists(x, z) ? rows_[static_cast<std::size_t>(z + 1)][static_cast<std::size_t>(x + 1)] : own;
    }

    /// The slopes of the columns of a row.
    [[gnu::always_inline]] void slopes(int z, Slopes& out) const {
        const auto* above = rows_[static_cast<std::size_t>(z)].data();
        const auto* row = rows_[static_cast<std::size_t>(z) + 1].data();
        const auto* below = rows_[static_cast<std::size_t>(z) + 2].data();
        for (std::size_t x = 0; x < k_side; ++x) {
            out.x[x] = half(2 * (row[x + 2] - row[x]) + (below[x + 2] - above[x]));
            out.z[x] = half(2 * (below[x + 1] - above[x + 1]) + (below[x] - above[x + 2]));
        }
        if (whole_) return;
        if (z == 0 || z == k_side - 1) {
            for (int x = 0; x < k_side; ++x) slope(x, z, out);
        } else {
            slope(0, z, out);
            slope(k_side - 1, z, out);
        }
    }

private:
    using Line = std::array<std::int16_t, k_side + 8>; // two more, and room for whole vectors

    void fill(const Edges* edges, std::array<std::int16_t, k_side> Edges::* side, std::size_t line,
              bool is_row) {
        if (edges == nullptr) return;
        for (std::size_t i = 0; i < k_side; ++i)
            (is_row ? rows_[line][i + 1] : rows_[i + 1][line]) = (edges->*side)[i];
    }

    /// Sums of heights are whole and small, so this is exact.
    [[gnu::always_inline]] static float half(int twice) { return static_cast<float>(twice) * 0.5F; }

    [[nodiscard]] bool exists(int x, int z) const {
        if (z < 0)
            return (x < 0 ? around_.north_west : x < k_side ? around_.north : around_.north_east) != nullptr;
        if (z >= k_side)
            return (x < 0 ? around_.south_west : x < k_side ? around_.south : around_.south_east) != nullptr;
        return x < 0 ? around_.west != nullptr : x < k_side || around_.east != nullptr;
    }

    /// The slopes of one column, where some of those around it are not there.
    void slope(int x, int z, Slopes& out) const {
        const int own = at(x, z, 0);
        const auto height = [&](int east, int south) { return at(x + east, z + south, own); };
        const auto i = static_cast<std::size_t>(x);
        out.x[i] = half(2 * (height(1, 0) - height(-1, 0)) + (height(1, 1) - height(-1, -1)));
        out.z[i] = half(2 * (height(0, 1) - height(0, -1)) + (height(-1, 1) - height(1, -1)));
    }

    const Neighbours& around_;
    std::array<Line, k_side + 2> rows_{};
    bool whole_; ///< there is a chunk on every side
};

/// How much of its colour each pixel of a row keeps.
[[gnu::always_inline]] inline void brightness(const Slopes& slopes, Row& out) {
    const float length = std::sqrt(k_light_x * k_light_x + k_light_y * k_light_y + k_light_z * k_light_z);
    const float light_x = k_light_x / length;
    const float light_y = k_light_y / length;
    const float light_z = k_light_z / length;
    for (std::size_t i = 0; i < k_side; ++i) {
        const float dx = slopes.x[i];
        const float dz = slopes.z[i];
        const float size = std::sqrt(dx * dx + k_rise * k_rise + dz * dz);
        const float dot = dx / size * light_x + k_rise / size * light_y + dz / size * light_z;
        out[i] = k_ambient + k_diffuse * (dot > 0.0F ? dot : 0.0F);
    }
}

[[gnu::always_inline]] inline std::uint32_t shaded(std::uint32_t channel, float part) {
    const auto value = static_cast<int>(as_float(channel) * part);
    return static_cast<std::uint32_t>(value < 255 ? value : 255);
}

/// Pixels without alpha are zero and stay so.
[[gnu::always_inline]] inline void shade_row(const Pixels& colour, const Row& part, Pixels& out) {
    for (std::size_t i = 0; i < k_side; ++i)
        out[i] = join(shaded(red(colour[i]), part[i]), shaded(green(colour[i]), part[i]),
                      shaded(blue(colour[i]), part[i]), alpha(colour[i]));
}

[[gnu::always_inline]] inline std::uint32_t under(std::uint32_t channel, std::uint32_t fluid, float part) {
    const float f = as_float(fluid);
    return static_cast<std::uint32_t>(static_cast<int>(f + (as_float(channel) - f) * part));
}

[[gnu::always_inline]] inline void cover_row(const Pixels& fluid, const std::uint16_t* depth, Pixels& out) {
    for (std::size_t i = 0; i < k_side; ++i) {
        const auto c = out[i];
        const auto f = fluid[i];
        const float part = 1.0F / static_cast<float>(static_cast<int>(depth[i]));
        const auto mixed = join(under(red(c), red(f), part), under(green(c), green(f), part),
                                under(blue(c), blue(f), part), alpha(c));
        const auto covered = 0U - static_cast<std::uint32_t>(alpha(f) != 0); // all bits or none
        out[i] = (mixed & covered) | (c & ~covered);
    }
}

int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// A line runs on the higher side of where a neighbour is below a multiple of `k_line`.
void draw_lines(const Heights& heights, int z, Pixels& out) {
    for (int x = 0; x < k_side; ++x) {
        auto& pixel = out[static_cast<std::size_t>(x)];
        const int own = heights.at(x, z, 0);
        const int lowest = std::min({heights.at(x - 1, z, own), heights.at(x + 1, z, own),
                                     heights.at(x, z - 1, own), heights.at(x, z + 1, own)});
        const auto crosses = [&](int step) { return floor_div(own, step) > floor_div(lowest, step); };
        if (!crosses(k_line)) continue;
        const std::uint32_t kept = crosses(k_heavy_line) ? 2 : 3;
        pixel = join(red(pixel) * kept / 4, green(pixel) * kept / 4, blue(pixel) * kept / 4, alpha(pixel));
    }
}

[[gnu::always_inline]] inline void shade_all(const UnshadedChunk& unshaded, const Neighbours& around,
                                             Rgba* out, std::size_t stride) {
    const Heights heights(unshaded, around);
    Slopes slopes;
    Row part;
    Pixels colour;
    Pixels fluid;
    Pixels row;
    for (int z = 0; z < k_side; ++z, out += stride) {
        const auto first = static_cast<std::size_t>(z) * k_side;
        heights.slopes(z, slopes);
        brightness(slopes, part);
        std::memcpy(colour.data(), &unshaded.colour[first], sizeof colour);
        shade_row(colour, part, row);
        if (unshaded.has_fluid) {
            std::memcpy(fluid.data(), &unshaded.fluid[first], sizeof fluid);
            cover_row(fluid, &unshaded.depth[first], row);
        }
        if (unshaded.has_lines) draw_lines(heights, z, row);
        std::memcpy(static_cast<void*>(out), row.data(), sizeof row);
    }
}

#if defined(__x86_64__)
/// The same code again for processors with vectors of 32 bytes.
[[gnu::target("avx2")]] void shade_avx2(const UnshadedChunk& unshaded, const Neighbours& around, Rgba* out,
                                        std::size_t stride) {
    shade_all(unshaded, around, out, stride);
}
#endif

} // namespace

Edges UnshadedChunk::edges() const {
    Edges out;
    for (std::size_t i = 0; i < k_side; ++i) {
        out.north[i] = height[i];
        out.south[i] = height[(k_side - 1) * k_side + i];
        out.west[i] = height[i * k_side];
        out.east[i] = height[i * k_side + k_side - 1];
    }
    return out;
}

void shade_portably(const UnshadedChunk& unshaded, const Neighbours& around, Rgba* out, std::size_t stride) {
    shade_all(unshaded, around, out, stride);
}

void shade(const UnshadedChunk& unshaded, const Neighbours& around, Rgba* out, std::size_t stride) {
#if defined(__x86_64__)
    if (has_avx2()) return shade_avx2(unshaded, around, out, stride);
#endif
    shade_portably(unshaded, around, out, stride);
}

} // namespace orbis::map

#include "map/sheet.hpp"

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

struct Slopes {
    Row x;
    Row z;
};

/// The height of a column that may lie in another chunk; `own` where that chunk does not exist.
class Around {
public:
    Around(const Sheet& sheet, const Neighbours& around) : sheet_(sheet), around_(around) {}

    [[nodiscard]] int at(int x, int z, int own) const {
        const auto index = [](int i) { return static_cast<std::size_t>(i & 31); };
        const auto of = [&](const Edges* edges, const auto& side, int i) {
            return edges == nullptr ? own : int{(edges->*side)[index(i)]};
        };
        if (z < 0) {
            if (x < 0) return of(around_.north_west, &Edges::south, 31);
            if (x >= k_side) return of(around_.north_east, &Edges::south, 0);
            return of(around_.north, &Edges::south, x);
        }
        if (z >= k_side) {
            if (x < 0) return of(around_.south_west, &Edges::north, 31);
            if (x >= k_side) return of(around_.south_east, &Edges::north, 0);
            return of(around_.south, &Edges::north, x);
        }
        if (x < 0) return of(around_.west, &Edges::east, z);
        if (x >= k_side) return of(around_.east, &Edges::west, z);
        return sheet_.height[static_cast<std::size_t>(z * k_side + x)];
    }

    /// The slopes of one column, whatever lies beside it.
    void slope(int x, int z, Slopes& out) const {
        const int own = sheet_.height[static_cast<std::size_t>(z * k_side + x)];
        const auto height = [&](int east, int south) { return at(x + east, z + south, own); };
        const auto i = static_cast<std::size_t>(x);
        out.x[i] = static_cast<float>(height(1, 0) - height(-1, 0))
                   + static_cast<float>(height(1, 1) - height(-1, -1)) / 2.0F;
        out.z[i] = static_cast<float>(height(0, 1) - height(0, -1))
                   + static_cast<float>(height(-1, 1) - height(1, -1)) / 2.0F;
    }

private:
    const Sheet& sheet_;
    const Neighbours& around_;
};

/// The slopes of the columns 1 to 30 of an inner row; `row` is its first height.
[[gnu::always_inline]] inline void inner_slopes(const std::int16_t* row, Slopes& out) {
    const auto* above = row - k_side;
    const auto* below = row + k_side;
    for (std::size_t x = 1; x < k_side - 1; ++x) {
        out.x[x] = static_cast<float>(row[x + 1] - row[x - 1])
                   + static_cast<float>(below[x + 1] - above[x - 1]) * 0.5F;
        out.z[x] =
            static_cast<float>(below[x] - above[x]) + static_cast<float>(below[x - 1] - above[x + 1]) * 0.5F;
    }
}

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

[[gnu::always_inline]] inline std::uint8_t shaded(std::uint8_t channel, float part) {
    const auto value = static_cast<int>(static_cast<float>(channel) * part);
    return static_cast<std::uint8_t>(value < 255 ? value : 255);
}

[[gnu::always_inline]] inline std::uint8_t under(std::uint8_t channel, std::uint8_t fluid, float part) {
    const auto f = static_cast<float>(fluid);
    return static_cast<std::uint8_t>(static_cast<int>(f + (static_cast<float>(channel) - f) * part));
}

[[gnu::always_inline]] inline void shade_row(const Rgba* colour, const Row& part, Rgba* out) {
    for (std::size_t i = 0; i < k_side; ++i) {
        const auto c = colour[i];
        const bool there = c.a != 0;
        out[i].r = there ? shaded(c.r, part[i]) : std::uint8_t{0};
        out[i].g = there ? shaded(c.g, part[i]) : std::uint8_t{0};
        out[i].b = there ? shaded(c.b, part[i]) : std::uint8_t{0};
        out[i].a = c.a;
    }
}

void cover_row(const Rgba* fluid, const std::uint16_t* depth, Rgba* out) {
    for (std::size_t i = 0; i < k_side; ++i) {
        const auto f = fluid[i];
        if (f.a == 0 || depth[i] <= 1) continue; // a depth of one leaves the colour as it is
        const float part = 1.0F / static_cast<float>(depth[i]);
        out[i].r = under(out[i].r, f.r, part);
        out[i].g = under(out[i].g, f.g, part);
        out[i].b = under(out[i].b, f.b, part);
    }
}

int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// A line runs on the higher side of where a neighbour lies below a multiple of `k_line`.
void draw_lines(const Sheet& sheet, const Around& around, int z, Rgba* out) {
    for (int x = 0; x < k_side; ++x) {
        auto& pixel = out[x];
        if (pixel.a == 0) continue;
        const int own = sheet.height[static_cast<std::size_t>(z * k_side + x)];
        const int lowest = std::min({around.at(x - 1, z, own), around.at(x + 1, z, own),
                                     around.at(x, z - 1, own), around.at(x, z + 1, own)});
        const auto crosses = [&](int step) { return floor_div(own, step) > floor_div(lowest, step); };
        if (!crosses(k_line)) continue;
        const int kept = crosses(k_heavy_line) ? 2 : 3;
        pixel.r = static_cast<std::uint8_t>(pixel.r * kept / 4);
        pixel.g = static_cast<std::uint8_t>(pixel.g * kept / 4);
        pixel.b = static_cast<std::uint8_t>(pixel.b * kept / 4);
    }
}

[[gnu::always_inline]] inline void shade_all(const Sheet& sheet, const Neighbours& neighbours, Rgba* out,
                                             std::size_t stride) {
    const Around around(sheet, neighbours);
    Slopes slopes{};
    Row part;
    for (int z = 0; z < k_side; ++z, out += stride) {
        const auto first = static_cast<std::size_t>(z) * k_side;
        if (z == 0 || z == k_side - 1) {
            for (int x = 0; x < k_side; ++x) around.slope(x, z, slopes);
        } else {
            inner_slopes(&sheet.height[first], slopes);
            around.slope(0, z, slopes);
            around.slope(k_side - 1, z, slopes);
        }
        brightness(slopes, part);
        shade_row(&sheet.colour[first], part, out);
        if (sheet.has_fluid) cover_row(&sheet.fluid[first], &sheet.depth[first], out);
        if (sheet.has_lines) draw_lines(sheet, around, z, out);
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void shade_avx2(const Sheet& sheet, const Neighbours& around, Rgba* out,
                                        std::size_t stride) {
    shade_all(sheet, around, out, stride);
}

bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") != 0;
    return has;
}
#endif

} // namespace

Edges Sheet::edges() const {
    Edges out;
    for (std::size_t i = 0; i < k_side; ++i) {
        out.north[i] = height[i];
        out.south[i] = height[(k_side - 1) * k_side + i];
        out.west[i] = height[i * k_side];
        out.east[i] = height[i * k_side + k_side - 1];
    }
    return out;
}

void shade(const Sheet& sheet, const Neighbours& around, Rgba* out, std::size_t stride) {
#if defined(__x86_64__)
    if (has_avx2()) return shade_avx2(sheet, around, out, stride);
#endif
    shade_all(sheet, around, out, stride);
}

} // namespace orbis::map

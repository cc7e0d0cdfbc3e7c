#include "map/prefab_picture.hpp"

#include "map/guess.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace orbis::map {

namespace {

using jobs::prefab::Bounds;
using jobs::prefab::Prefab;

constexpr Rgb k_paper = 0xB8C4D0;
/// Between two views, in blocks.
constexpr std::int64_t k_gap = 2;
/// What a picture of a small prefab grows to, at most.
constexpr std::int64_t k_wanted_width = 1200;
constexpr std::int64_t k_largest_scale = 16;

// The shade of the map (docs/formats/map.md).
constexpr float k_from_left = -0.2F;
constexpr float k_from_front = 0.8F;
constexpr float k_from_below = 0.5F;
constexpr float k_rise_of_slope = 3.0F;
constexpr float k_always_lit = 0.4F;
constexpr float k_lit_by_slope = 0.6F;

/// Where a cell is as one looks at the prefab: `near` grows towards the one who looks.
struct Seen {
    std::int64_t right = 0;
    std::int64_t down = 0;
    std::int32_t near = 0;
};

enum class Side : std::uint8_t { above, south, east, north, west };

struct View {
    Side side = Side::above;
    std::int64_t width = 0;
    std::int64_t height = 0;
    // In the picture, in blocks.
    std::int64_t left = 0;
    std::int64_t top = 0;
};

Seen look(Side side, BlockPos at, const Bounds& bounds) {
    const std::int64_t east = std::int64_t{at.x} - bounds.least.x;
    const std::int64_t west = std::int64_t{bounds.most.x} - at.x;
    const std::int64_t south = std::int64_t{at.z} - bounds.least.z;
    const std::int64_t north = std::int64_t{bounds.most.z} - at.z;
    const std::int64_t down = std::int64_t{bounds.most.y} - at.y;
    switch (side) {
    case Side::above: return {east, south, at.y};
    case Side::south: return {east, down, at.z};
    case Side::east: return {north, down, at.x};
    case Side::north: return {west, down, -at.z};
    case Side::west: return {south, down, -at.x};
    }
    return {};
}

/// One picture of what is nearest.
class ViewPainter {
public:
    ViewPainter(const View& view, const Bounds& bounds) : view_(view), bounds_(bounds) {
        pixels_.resize(static_cast<std::size_t>(view.width * view.height));
    }

    void add_block(BlockPos at, Rgb colour) {
        const auto seen = look(view_.side, at, bounds_);
        auto& pixel = pixels_[index(seen.right, seen.down)];
        if (pixel.has_block && pixel.near >= seen.near) return;
        pixel.has_block = true;
        pixel.near = seen.near;
        pixel.colour = colour;
    }

    /// After all blocks.
    void add_fluid(BlockPos at, Rgb colour) {
        const auto seen = look(view_.side, at, bounds_);
        auto& pixel = pixels_[index(seen.right, seen.down)];
        if (pixel.has_block && pixel.near > seen.near) return;
        ++pixel.fluid_depth;
        if (pixel.fluid_depth == 1 || seen.near > pixel.fluid_near) {
            pixel.fluid_near = seen.near;
            pixel.fluid = colour;
        }
    }

    void paint(Picture& picture, std::int64_t scale) const {
        for (std::int64_t down = 0; down < view_.height; ++down)
            for (std::int64_t right = 0; right < view_.width; ++right) {
                const auto& pixel = pixels_[index(right, down)];
                if (!pixel.has_block && pixel.fluid_depth == 0) continue;
                picture.fill((view_.left + right) * scale, (view_.top + down) * scale, scale, scale,
                             colour_of(pixel, right, down));
            }
    }

private:
    struct Pixel {
        std::int32_t near = 0;
        std::int32_t fluid_near = 0;
        std::uint32_t fluid_depth = 0;
        Rgb colour = 0;
        Rgb fluid = 0;
        bool has_block = false;
    };

    [[nodiscard]] std::size_t index(std::int64_t right, std::int64_t down) const {
        return static_cast<std::size_t>(down * view_.width + right);
    }

    [[nodiscard]] int height(std::int64_t right, std::int64_t down, int own) const {
        if (right < 0 || down < 0 || right >= view_.width || down >= view_.height) return own;
        const auto& pixel = pixels_[index(right, down)];
        return pixel.has_block ? pixel.near : own;
    }

    [[nodiscard]] float brightness(const Pixel& pixel, std::int64_t right, std::int64_t down) const {
        const auto at = [&](int x, int y) {
            return static_cast<float>(height(right + x, down + y, pixel.near));
        };
        const float dx = (2 * (at(1, 0) - at(-1, 0)) + (at(1, 1) - at(-1, -1))) / 2;
        const float dy = (2 * (at(0, 1) - at(0, -1)) + (at(-1, 1) - at(1, -1))) / 2;
        const float light =
            std::sqrt(k_from_left * k_from_left + k_from_front * k_from_front + k_from_below * k_from_below);
        const float size = std::sqrt(dx * dx + k_rise_of_slope * k_rise_of_slope + dy * dy);
        const float dot =
            (dx * k_from_left + k_rise_of_slope * k_from_front + dy * k_from_below) / (size * light);
        return k_always_lit + k_lit_by_slope * std::max(dot, 0.0F);
    }

    [[nodiscard]] Rgb colour_of(const Pixel& pixel, std::int64_t right, std::int64_t down) const {
        if (!pixel.has_block) return pixel.fluid;
        const float lit = brightness(pixel, right, down);
        Rgb out = 0;
        for (const int shift : {16, 8, 0}) {
            auto channel = static_cast<float>(pixel.colour >> shift & 255) * lit;
            if (pixel.fluid_depth > 0) {
                const auto fluid = static_cast<float>(pixel.fluid >> shift & 255);
                channel = fluid + (channel - fluid) / static_cast<float>(pixel.fluid_depth);
            }
            out |= static_cast<Rgb>(std::clamp(channel, 0.0F, 255.0F)) << shift;
        }
        return out;
    }

    View view_;
    Bounds bounds_;
    std::vector<Pixel> pixels_;
};

Rgb packed_rgb(Colour colour) {
    return static_cast<Rgb>(colour.red) << 16 | static_cast<Rgb>(colour.green) << 8 | colour.blue;
}

/// What the keys of a prefab look like; nothing for air.
struct KeyColours {
    std::vector<std::optional<Rgb>> blocks;
    std::vector<std::optional<Rgb>> fluids;

    KeyColours(const Prefab& prefab, const Colours& colours) {
        const auto migrations = static_cast<std::size_t>(prefab.block_id_version);
        for (const auto& key : prefab.keys.all()) {
            const auto block = colours.block(key, migrations);
            blocks.push_back(block.empty ? std::nullopt : std::optional(packed_rgb(block.in_legend())));
            const auto fluid = colours.fluid(key);
            // A prefab has no environment that could tint its water.
            const auto colour = fluid.has_particle ? fluid.particle : guess_block_colour(key);
            fluids.push_back(fluid.fluid ? std::optional(packed_rgb(colour)) : std::nullopt);
        }
    }
};

std::array<View, 5> lay_out(const Bounds& bounds) {
    const auto wide = bounds.width();
    const auto high = bounds.height();
    const auto deep = bounds.depth();
    const auto below = deep + 2 * k_gap;
    return {{{Side::above, wide, deep, k_gap, k_gap},
             {Side::south, wide, high, k_gap, below},
             {Side::east, deep, high, wide + 2 * k_gap, below},
             {Side::north, wide, high, wide + deep + 3 * k_gap, below},
             {Side::west, deep, high, 2 * wide + deep + 4 * k_gap, below}}};
}

} // namespace

Result<PrefabPicture> draw_prefab(const Prefab& prefab, const Colours& colours) {
    const auto bounds = jobs::prefab::bounds_of(prefab);
    if (!bounds) return fail(Errc::not_found, "this prefab has no blocks, so there is nothing to draw");
    const auto width = 2 * bounds->width() + 2 * bounds->depth() + 5 * k_gap;
    const auto height = bounds->depth() + bounds->height() + 3 * k_gap;
    if (width > k_most_prefab_pixels || height > k_most_prefab_pixels
        || width * height > k_most_prefab_pixels)
        return fail(Errc::too_large, "the picture would have {} × {} pixels; {} in all are the most", width,
                    height, k_most_prefab_pixels);
    auto scale = std::clamp<std::int64_t>(k_wanted_width / width, 1, k_largest_scale);
    while (scale > 1 && width * height * scale * scale > k_most_prefab_pixels) --scale;
    PrefabPicture out{Picture(static_cast<std::uint32_t>(width * scale),
                              static_cast<std::uint32_t>(height * scale), k_paper),
                      static_cast<int>(scale)};
    const KeyColours keys(prefab, colours);
    for (const auto& view : lay_out(*bounds)) {
        ViewPainter painter(view, *bounds);
        for (const auto& block : prefab.blocks)
            if (const auto colour = keys.blocks[block.key]) painter.add_block(block.at, *colour);
        for (const auto& fluid : prefab.fluids)
            if (const auto colour = keys.fluids[fluid.key]; colour && fluid.level > 0)
                painter.add_fluid(fluid.at, *colour);
        painter.paint(out.picture, scale);
    }
    return out;
}

} // namespace orbis::map

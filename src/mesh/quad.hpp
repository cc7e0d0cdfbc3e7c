#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orbis::mesh {

/// The side of a cell that a face is on, by the direction in which it looks: +x is east, +y up, +z south.
enum class Face : std::uint8_t { up, down, north, south, west, east };
inline constexpr std::size_t k_faces = 6;

/// The box that a block fills in its cell.
enum class Shape : std::uint8_t {
    cube,   ///< all of it
    box,    ///< a model of which only its place is known: smaller on all sides, so that it stands free
    plant,  ///< narrow and not quite as high
    liquid, ///< not quite as high, below air
    half,   ///< the lower half
};
inline constexpr std::size_t k_shapes = 5;

/// In sixteenths of a block.
struct Extent {
    std::uint8_t side; ///< left free on each of the four sides
    std::uint8_t top;  ///< where it ends above
};
inline constexpr std::array<Extent, k_shapes> k_extents{{{0, 16}, {2, 14}, {5, 12}, {0, 14}, {0, 8}}};

/// A rectangle of equal faces in one chunk, eight bytes: as it is sent to a page, where a shader makes its
/// corners. `width` goes east, on faces that look west or east south; `height` goes up, on faces that look
/// up or down south. A rectangle does not leave its section.
///
///     place   x 5 | z 5 | y 9 | width - 1 5 | height - 1 5 | face 3
///     look    material 16 | shape 4 | light of lamps 12: red, green, blue, 4 each
struct Quad {
    std::uint32_t place = 0;
    std::uint32_t look = 0;

    static constexpr Quad make(Face face, int x, int y, int z, int width, int height, std::uint16_t material,
                               Shape shape, std::uint16_t light = 0) {
        const auto bits = [](auto value) { return static_cast<std::uint32_t>(value); };
        return {bits(x) | bits(z) << 5 | bits(y) << 10 | bits(width - 1) << 19 | bits(height - 1) << 24
                    | bits(face) << 29,
                bits(material) | bits(shape) << 16 | bits(light) << 20};
    }
    [[nodiscard]] constexpr int x() const { return static_cast<int>(place & 31); }
    [[nodiscard]] constexpr int z() const { return static_cast<int>(place >> 5 & 31); }
    [[nodiscard]] constexpr int y() const { return static_cast<int>(place >> 10 & 511); }
    [[nodiscard]] constexpr int width() const { return static_cast<int>(place >> 19 & 31) + 1; }
    [[nodiscard]] constexpr int height() const { return static_cast<int>(place >> 24 & 31) + 1; }
    [[nodiscard]] constexpr Face face() const { return static_cast<Face>(place >> 29); }
    [[nodiscard]] constexpr std::uint16_t material() const { return static_cast<std::uint16_t>(look); }
    [[nodiscard]] constexpr Shape shape() const { return static_cast<Shape>(look >> 16 & 15); }
    /// Of the cell that it looks at: red in the lowest four bits, then green, blue.
    [[nodiscard]] constexpr std::uint16_t light() const { return static_cast<std::uint16_t>(look >> 20); }
    friend bool operator==(const Quad&, const Quad&) = default;
};
static_assert(sizeof(Quad) == 8);

} // namespace orbis::mesh

#pragma once

#include "bytes/position.hpp"
#include "world/sample/canvas.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace orbis::world::sample {

/// One value per cell of a section: red, green, blue and sky with 4 bits each, from the lowest.
using SectionLight = std::array<std::uint16_t, k_cells>;

/// Full daylight, and nothing else.
inline constexpr std::uint16_t k_daylight = 0xF000;

/// The light of the whole sample world (docs/design/sample.md). A cell above the height of its column has sky
/// light 15, a block that gives light has its own colour; both get weaker by one with each step, and solid
/// blocks stop them.
class WorldLight {
public:
    /// Takes a moment: the light of all sections is spread at once.
    explicit WorldLight(const Canvas& canvas);

    /// With what comes in from the neighbours.
    void global(SectionPos at, SectionLight& out) const;
    /// From inside the section alone.
    void local(SectionPos at, SectionLight& out) const;

    [[nodiscard]] int height(int x, int z) const;

private:
    struct Cells;
    friend struct Cells;

    /// The highest cell under the sky in a column that can have a neighbour in the shade.
    [[nodiscard]] int highest_beside_shade(int x, int z) const;
    [[nodiscard]] std::uint16_t emitted(Block block) const { return emitted_[block]; }
    [[nodiscard]] bool passes(Block block) const { return passes_[block]; }

    const Canvas& canvas_;
    std::vector<std::int16_t> heights_;
    std::array<std::uint16_t, 256> emitted_{};
    std::array<bool, 256> passes_{};
    std::vector<std::unique_ptr<SectionLight>> sections_; ///< null if the whole section is uniform
    std::vector<std::uint16_t> uniform_;
};

} // namespace orbis::world::sample

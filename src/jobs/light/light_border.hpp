#pragma once

#include "orbis/position.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace orbis::jobs {

/// The local light that leaves a section through each of its outer cells, packed as it is stored.
class LightBorder {
public:
    /// Only for cells at the outside of the section.
    [[nodiscard]] std::uint16_t at(int x, int y, int z) const {
        return faces_[face(x, y, z)][place(x, y, z)];
    }
    /// In each face that the cell belongs to.
    void set(int x, int y, int z, std::uint16_t light) {
        if (x == 0) faces_[0][index(z, y)] = light;
        if (x == k_side - 1) faces_[1][index(z, y)] = light;
        if (y == 0) faces_[2][index(x, z)] = light;
        if (y == k_side - 1) faces_[3][index(x, z)] = light;
        if (z == 0) faces_[4][index(x, y)] = light;
        if (z == k_side - 1) faces_[5][index(x, y)] = light;
    }

private:
    static std::size_t index(int low, int high) {
        return static_cast<std::size_t>(high) * k_side + static_cast<std::size_t>(low);
    }
    static std::size_t face(int x, int y, int z) {
        if (x == 0) return 0;
        if (x == k_side - 1) return 1;
        if (y == 0) return 2;
        if (y == k_side - 1) return 3;
        return z == 0 ? 4 : 5;
    }
    static std::size_t place(int x, int y, int z) {
        if (x == 0 || x == k_side - 1) return index(z, y);
        return y == 0 || y == k_side - 1 ? index(x, z) : index(x, y);
    }

    std::array<std::array<std::uint16_t, std::size_t{k_side} * k_side>, 6> faces_{};
};

/// What a section gives to those around it: the least and the most that it can be. Without a border it is
/// dark.
struct LightGiver {
    std::shared_ptr<const LightBorder> least;
    std::shared_ptr<const LightBorder> most; ///< the same one if it is known
    bool is_known = true;                    ///< false if there are not even limits
};

/// The sections around one, and itself in the middle, which does not count. Below and above the world it is
/// dark.
class LightGivers {
public:
    [[nodiscard]] LightGiver& at(int x, int y, int z) { return givers_[index(x, y, z)]; }
    [[nodiscard]] const LightGiver& at(int x, int y, int z) const { return givers_[index(x, y, z)]; }

private:
    /// Each from -1 to 1.
    static std::size_t index(int x, int y, int z) {
        return static_cast<std::size_t>((y + 1) * 9 + (z + 1) * 3 + x + 1);
    }
    std::array<LightGiver, 27> givers_;
};

} // namespace orbis::jobs

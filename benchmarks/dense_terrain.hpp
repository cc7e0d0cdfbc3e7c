#pragma once

#include "bytes/position.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace orbis::bench {

/// One cell of the made dense world.
struct DenseCell {
    std::uint16_t block = 0; ///< index into `DenseTerrain::keys()`; 0 is `Empty`
    std::uint16_t filler = 0;
    std::uint8_t rotation = 0;
    std::uint8_t fluid = 0; ///< index into `k_dense_fluids`; its level is 1
    std::uint8_t support = 0;
    bool ticks = false;
};

inline constexpr std::array<std::string_view, 3> k_dense_fluids{"Empty", "Lava_Source", "Water_Source"};

/// Natural terrain as heavy as that of the game: layers of rock with pockets of others, caves with things
/// that lie and hang in them, lava, ores, ruins, soil, plants and trees. Whole numbers only and always the
/// same, as in the sample (docs/design/sample.md). Each chunk is made alone: trees and ruins end at its
/// borders.
class DenseTerrain {
public:
    /// Everything lies below this.
    static constexpr int k_height = 6 * k_side;

    DenseTerrain();

    /// Makes the cells of a chunk in place of those of the one before.
    void make(ChunkPos pos);

    [[nodiscard]] std::span<const std::string_view> keys() const { return keys_; }
    [[nodiscard]] const DenseCell& at(int x, int y, int z) const {
        return cells_[static_cast<std::size_t>(y << 10 | z << 5 | x)];
    }
    /// y of the highest block of the ground.
    [[nodiscard]] int ground(ColumnIndex column) const {
        return grounds_[static_cast<std::size_t>(column.value)];
    }
    /// Bushes that grow, and chests.
    [[nodiscard]] std::span<const BlockPos> bushes() const { return bushes_; }
    [[nodiscard]] std::span<const BlockPos> chests() const { return chests_; }

private:
    struct Fields;

    std::uint16_t key(std::string_view name);
    DenseCell& cell(int x, int y, int z) { return cells_[static_cast<std::size_t>(y << 10 | z << 5 | x)]; }
    [[nodiscard]] int chance(int x, int z, int salt, int limit) const;
    [[nodiscard]] std::uint16_t rock(const Fields& fields, int x, int y, int z, int ground);
    void lay_rock(const Fields& fields);
    void lay_ores();
    void furnish(DenseCell& here, int x, int y, int z);
    void furnish_caves();
    void build_ruin(int number);
    void plant();
    void grow_tree(int x, int z, int kind);

    std::vector<std::string_view> keys_{"Empty"};
    std::map<std::string_view, std::uint16_t> numbers_;
    ChunkPos pos_;
    std::vector<DenseCell> cells_;
    std::array<std::int16_t, k_columns> grounds_{};
    std::vector<BlockPos> bushes_;
    std::vector<BlockPos> chests_;
};

} // namespace orbis::bench

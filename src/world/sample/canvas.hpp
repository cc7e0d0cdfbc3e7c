#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "world/assets.hpp"
#include "world/sample/landscape.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::world::sample {

/// A block key as a number: an index into `Canvas::keys()`. 0 is `Empty`.
using Block = std::uint8_t;

/// What fills the rest of a cell. The number is the index into `k_fluid_keys`.
enum class Fluid : std::uint8_t { none, water_source, water, lava_source };
inline constexpr std::array<std::string_view, 4> k_fluid_keys{"Empty", "Water_Source", "Water",
                                                              "Lava_Source"};

/// Which way a turned block looks: stairs and roofs rise that way, a torch hangs on the wall there.
enum class Facing : std::uint8_t { north = 0, west = 1, south = 2, east = 3 };
[[nodiscard]] constexpr int step_x(Facing facing) {
    return facing == Facing::west ? -1 : facing == Facing::east ? 1 : 0;
}
[[nodiscard]] constexpr int step_z(Facing facing) {
    return facing == Facing::north ? -1 : facing == Facing::south ? 1 : 0;
}
[[nodiscard]] constexpr Facing turned(Facing facing, int quarters) {
    return static_cast<Facing>((static_cast<int>(facing) + quarters) & 3);
}

/// An offset in a block that takes more than one cell, as it is when the block is not turned.
struct Offset {
    int x = 0;
    int y = 0;
    int z = 0;
};

/// The blocks of the whole sample world while it is built. What lies outside it is ignored.
class Canvas {
public:
    /// One section; cells in the order of `CellIndex`.
    struct Section {
        std::array<Block, k_cells> blocks{};
        std::unique_ptr<std::array<std::uint8_t, k_cells>>
            fluids; ///< fluid << 4 | level; none while all are empty
        std::unordered_map<std::uint16_t, std::uint8_t> rotations;
        std::unordered_map<std::uint16_t, std::uint16_t> fillers;
    };

    explicit Canvas(const Assets& assets);

    /// The number of a key. The key must be in the tables; there is room for 255 of them.
    Block block(std::string_view key);
    [[nodiscard]] std::span<const std::string> keys() const { return keys_; }
    /// The type of a block, null for `Empty`.
    [[nodiscard]] const BlockType* type(Block block) const { return types_[block]; }

    [[nodiscard]] Block at(int x, int y, int z) const;
    [[nodiscard]] bool empty(int x, int y, int z) const { return at(x, y, z) == 0; }
    [[nodiscard]] Fluid fluid_at(int x, int y, int z) const;

    /// Puts a block into a cell: whatever was there is gone, fluid and component too.
    void set(int x, int y, int z, Block block, Facing facing = Facing::north);
    void set(int x, int y, int z, std::string_view key, Facing facing = Facing::north) {
        set(x, y, z, block(key), facing);
    }
    /// Puts a block that takes several cells; `more` are the cells besides the first, before it is turned.
    void set_large(int x, int y, int z, std::string_view key, Facing facing, std::span<const Offset> more);
    /// Gives the block in a cell a rotation index (roll · 16 + pitch · 4 + yaw, in quarter turns).
    void turn(int x, int y, int z, int rotation);
    /// Fills the box between two corners, both inside.
    void fill(int x0, int y0, int z0, int x1, int y1, int z1, Block block);
    /// Lets fluid into a cell, beside the block that is there.
    void pour(int x, int y, int z, Fluid fluid, int level = 1);

    /// Gives the block in a cell its components: a document `{"Components": {…}}`.
    void attach(int x, int y, int z, Buffer holder);
    /// Adds an entity to the chunk that it stands in.
    void add_entity(ChunkPos chunk, Buffer holder);

    /// A section, null if it is empty.
    [[nodiscard]] const Section* section(SectionPos at) const;
    [[nodiscard]] const std::map<int, Buffer>& components(ChunkPos chunk) const;
    [[nodiscard]] const std::vector<Buffer>& entities(ChunkPos chunk) const;

    /// y of the highest block of a column that is not transparent, 0 for none.
    [[nodiscard]] int height(int x, int z) const;

private:
    struct Chunk {
        std::array<std::unique_ptr<Section>, k_sections> sections;
        std::map<int, Buffer> components; ///< by cell in the column
        std::vector<Buffer> entities;
    };

    [[nodiscard]] static std::size_t index(int x, int z);
    [[nodiscard]] const Chunk* chunk(int x, int z) const;
    Section* writable(int x, int y, int z);

    const Assets& assets_;
    std::vector<std::string> keys_;
    std::vector<const BlockType*> types_;
    std::unordered_map<std::string, Block, TextHash, std::equal_to<>> numbers_;
    std::vector<Chunk> chunks_;
};

} // namespace orbis::world::sample

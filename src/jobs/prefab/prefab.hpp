#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Prefabs: parts of worlds in files of their own (docs/formats/prefab.md).
namespace orbis::jobs::prefab {

/// What no prefab may have more of: it is a part of a world that people handle, not a world.
inline constexpr std::size_t k_most_cells = 10'000'000;
/// Coordinates that the game can store in its 64-bit block positions.
inline constexpr std::int32_t k_farthest = (1 << 26) - 1;
inline constexpr std::int32_t k_lowest = -512;
inline constexpr std::int32_t k_highest = 511;

/// Files of the game count the migrations of their block keys. Up to this count the angles of entities are in
/// degrees, from it on in radians.
inline constexpr int k_first_with_radians = 11;
/// What a file means that does not say.
inline constexpr int k_default_block_id_version = 8;

/// A text that is stored once for all who use it.
class Names {
public:
    std::uint32_t id_of(std::string_view name);
    [[nodiscard]] const std::string& operator[](std::uint32_t id) const { return names_[id]; }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

/// A prefab as its file has it: with the file's own coordinates, keys and units.
struct Prefab {
    static constexpr std::int32_t k_no_components = -1;

    struct Block {
        BlockPos at;
        std::uint32_t key = 0;                     ///< in `keys`
        std::int32_t components = k_no_components; ///< in `components`
        std::optional<float> chance;               ///< of `.lpf` only
        Filler filler;
        Rotation rotation;
        std::uint8_t support = 0;
        friend bool operator==(const Block&, const Block&) = default;
    };
    struct Fluid {
        BlockPos at;
        std::uint32_t key = 0; ///< in `keys`
        std::uint8_t level = 0;
        friend bool operator==(const Fluid&, const Fluid&) = default;
    };
    enum class Format : std::uint8_t { json, lpf };

    Format format = Format::json;
    int version = 0; ///< of the file
    int block_id_version = k_default_block_id_version;
    BlockPos anchor; ///< what lands where the prefab is put
    Names keys;      ///< of blocks and fluids
    std::vector<Block> blocks;
    std::vector<Fluid> fluids;
    std::vector<Buffer> components; ///< holders of blocks, as BSON
    std::vector<Buffer> entities;   ///< holders, as BSON

    /// The text of a JSON file of today's version, so that it can be written again to the letter.
    std::string source;
    /// What the file has that is not in this, one sentence each, for people.
    std::vector<std::string> notes;
};

/// The cuboid around all blocks and fluids.
struct Bounds {
    BlockPos least;
    BlockPos most;
    [[nodiscard]] std::int64_t width() const { return std::int64_t{most.x} - least.x + 1; }
    [[nodiscard]] std::int64_t height() const { return std::int64_t{most.y} - least.y + 1; }
    [[nodiscard]] std::int64_t depth() const { return std::int64_t{most.z} - least.z + 1; }
};
/// Nothing for a prefab without cells.
[[nodiscard]] std::optional<Bounds> bounds_of(const Prefab& prefab);

/// An error if two blocks or two fluids are in one cell. Takes the time of a sort only where cells are not in
/// the order of the game: by x, z, y.
Result<void> check_cells(const Prefab& prefab);

/// Brings cells into the order of the game.
void sort_cells(Prefab& prefab);

} // namespace orbis::jobs::prefab

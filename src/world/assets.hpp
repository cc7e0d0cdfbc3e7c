#pragma once

#include "bytes/result.hpp"
#include "chunk/block_cells.hpp"
#include "world/colour.hpp"
#include "world/migrations.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// What the game's assets say about blocks, fluids and environments (docs/formats/tables.md).
namespace orbis::world {

enum class DrawType : std::uint8_t { empty, cube, model, cube_with_model };
enum class Material : std::uint8_t { empty, solid };
/// Everything but `transparent` counts for the height of a column.
enum class Opacity : std::uint8_t { solid, semitransparent, cutout, transparent };

[[nodiscard]] std::string_view name(DrawType type);
[[nodiscard]] std::string_view name(Material material);
[[nodiscard]] std::string_view name(Opacity opacity);
[[nodiscard]] std::optional<DrawType> parse_draw_type(std::string_view text);
[[nodiscard]] std::optional<Material> parse_material(std::string_view text);
[[nodiscard]] std::optional<Opacity> parse_opacity(std::string_view text);

/// One block key: a block, or one of its states (`*<Block>_State_Definitions_<State>`).
struct BlockType {
    std::string key;
    DrawType draw_type = DrawType::cube;
    Material material = Material::empty;
    Opacity opacity = Opacity::solid;
    std::string group;               ///< `Stone`, `Wood` …; empty for most
    std::optional<Colour> particle;  ///< the colour of its dust, and its colour on a map
    std::vector<Colour> tint_up;     ///< colours that the top face is multiplied with
    int biome_tint_up = 0;           ///< 0…100: how much the column's tint replaces `tint_up`
    std::optional<Colour> light;     ///< the light it gives
    std::optional<int> light_radius; ///< in blocks; nothing if the asset leaves it open
    std::string hitbox;              ///< the key of its boxes; empty if only the built-in tables know it
    chunk::BlockExtent extent;       ///< the cells that it takes
};

struct FluidType {
    std::string key;
    int max_level = 8;
    std::vector<std::string> effects; ///< `Water`, `Lava`, `Slime`
    std::optional<Colour> particle;
    [[nodiscard]] bool has_effect(std::string_view effect) const;
};

struct EnvironmentType {
    std::string key;
    std::optional<Colour> water_tint;
};

/// Types by key, in the order in which they came. A pointer to one stays valid while the table lives.
template <typename Type>
class Table {
public:
    /// Constant time; null for a key that the table does not know.
    [[nodiscard]] const Type* find(std::string_view key) const {
        const auto found = by_key_.find(key);
        return found == by_key_.end() ? nullptr : found->second;
    }

    /// Adds a type, or puts it in place of the one with the same key.
    void put(Type type) {
        if (const auto found = by_key_.find(type.key); found != by_key_.end()) {
            auto* known = found->second;
            by_key_.erase(found); // its key is in what is replaced
            *known = std::move(type);
            by_key_.emplace(known->key, known);
            return;
        }
        auto& kept = types_.emplace_back(std::move(type));
        by_key_.emplace(kept.key, &kept);
    }

    [[nodiscard]] const std::deque<Type>& all() const { return types_; }
    [[nodiscard]] std::size_t size() const { return types_.size(); }

    Table() = default;
    Table(const Table& other) { *this = other; }
    Table& operator=(const Table& other) {
        if (this == &other) return *this;
        types_ = other.types_;
        by_key_.clear();
        for (auto& type : types_) by_key_.emplace(type.key, &type);
        return *this;
    }
    Table(Table&&) noexcept = default;
    Table& operator=(Table&&) noexcept = default;

private:
    std::deque<Type> types_;
    std::unordered_map<std::string_view, Type*> by_key_; ///< the keys are those in `types_`
};

/// All tables together. `built_in()` has the game's own blocks; `load_assets` lays a user's over them.
class Assets {
public:
    /// The tables of data/, read once. Shared by all threads.
    static const Assets& built_in();

    [[nodiscard]] const BlockType* block(std::string_view key) const { return blocks.find(key); }
    [[nodiscard]] const FluidType* fluid(std::string_view key) const { return fluids.find(key); }
    [[nodiscard]] const EnvironmentType* environment(std::string_view key) const {
        return environments.find(key);
    }
    /// Whether a block does not count for the height of its column. One that no table knows counts: the game
    /// shows a solid placeholder for it.
    [[nodiscard]] bool is_transparent(std::string_view key) const { return is_transparent(key, block(key)); }
    /// The same for a type that was looked up already.
    [[nodiscard]] static bool is_transparent(std::string_view key, const BlockType* type) {
        return type == nullptr ? key == "Empty" : type->opacity == Opacity::transparent;
    }

    Table<BlockType> blocks;
    Table<FluidType> fluids;
    Table<EnvironmentType> environments;
    Migrations migrations;
};

/// Reads tables in the format of data/blocks.tsv, data/fluids.tsv and data/environments.tsv into `assets`.
/// The first line names the columns; unknown columns are skipped, a missing one is an error.
Result<void> read_blocks_table(std::string_view text, Assets& assets);
/// To be read after the table of blocks, of which every key must be.
Result<void> read_block_cells_table(std::string_view text, Assets& assets);
Result<void> read_fluids_table(std::string_view text, Assets& assets);
Result<void> read_environments_table(std::string_view text, Assets& assets);

} // namespace orbis::world

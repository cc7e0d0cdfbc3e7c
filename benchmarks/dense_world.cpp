#include "dense_world.hpp"

#include "chunk/chunk.hpp"
#include "dense_terrain.hpp"
#include "storage/region_store.hpp"
#include "world/assets.hpp"
#include "world/sample/holders.hpp"
#include "world/sample/noise.hpp"

#include <algorithm>

namespace orbis::bench {

namespace {

using world::sample::noise;
using world::sample::pick;

constexpr std::uint64_t k_seed = 8;

/// Chunks of three tiles of a map and of two regions.
constexpr ChunkPos k_first{-20, 36};
constexpr ChunkPos k_end{2, 44};

/// A palette of a section: the values in the order in which they appear.
template <typename Value>
class Collected {
public:
    void clear() { values_.clear(); }
    std::uint16_t number(Value value) {
        auto found = std::ranges::find(values_, value);
        if (found == values_.end()) found = values_.insert(found, value);
        return static_cast<std::uint16_t>(found - values_.begin());
    }
    [[nodiscard]] std::span<const Value> values() const { return values_; }
    /// Whether there is anything but this value.
    [[nodiscard]] bool is_only(Value value) const {
        return std::ranges::all_of(values_, [&](const Value& each) { return each == value; });
    }

private:
    std::vector<Value> values_;
};

class DenseWriter {
public:
    /// The document of a chunk, in place of what `out` held.
    Result<void> write(ChunkPos pos, Buffer& out) {
        terrain_.make(pos);
        auto chunk = chunk::Chunk::create();
        for (int y = 0; y < k_sections; ++y) {
            TRY(auto* section, chunk.edit_section(y));
            section->migration_count = migrations_;
            section->counters_changed = true;
            if (y * k_side < DenseTerrain::k_height) fill(*section, y * k_side);
        }
        const auto& assets = world::Assets::built_in();
        TRY_DO(chunk.recompute_heights([&](std::string_view key) { return assets.is_transparent(key); }));
        // Most chunks of a world that nobody is in have no light yet.
        if (pick(k_seed, pos.x, pos.z, 1, 24) == 0) TRY_DO(shine(chunk));
        TRY_DO(colour(pos, chunk));
        TRY_DO(inhabit(pos, chunk));
        TRY(const auto document, chunk.encode(out));
        if (document.data() != out.data()) out.assign(document.begin(), document.end());
        return {};
    }

private:
    using Cells = std::array<std::uint16_t, k_cells>;

    template <typename Value, typename Get>
    void collect(int base, Collected<Value>& values, Get get) {
        values.clear();
        for (int i = 0; i < k_cells; ++i) {
            const CellIndex at(i);
            cells_[static_cast<std::size_t>(i)] =
                values.number(get(terrain_.at(at.x(), base + at.y(), at.z())));
        }
    }

    void fill(chunk::Section& section, int base) {
        collect(base, keys_, [&](const DenseCell& cell) { return terrain_.keys()[cell.block]; });
        if (!keys_.is_only("Empty")) section.blocks.assign(cells_, keys_.values());
        collect(base, fillers_, [](const DenseCell& cell) { return cell.filler; });
        if (!fillers_.is_only(0)) section.fillers.assign(cells_, fillers_.values());
        collect(base, rotations_, [](const DenseCell& cell) { return cell.rotation; });
        if (!rotations_.is_only(0)) section.rotations.assign(cells_, rotations_.values());
        collect(base, keys_, [](const DenseCell& cell) { return k_dense_fluids[cell.fluid]; });
        if (!keys_.is_only("Empty")) section.fluids.assign(cells_, keys_.values());
        for (int i = 0; i < k_cells; ++i) {
            const CellIndex at(i);
            const auto& cell = terrain_.at(at.x(), base + at.y(), at.z());
            if (cell.fluid != 0) section.levels.set(at, 1);
            if (cell.support != 0) section.supports.set(at, cell.support);
            if (cell.ticks) section.ticking.set(at, true);
        }
    }

    /// Daylight above the heights, weaker with each step down into what is not blocked.
    Result<void> shine(chunk::Chunk& chunk) {
        for (int y = 0; y < k_sections; ++y) {
            TRY(auto* section, chunk.edit_section(y));
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex at(i);
                const int depth = chunk.heights().at(at.column()) - (y * k_side + at.y());
                const int sky = depth < 0                           ? 15
                                : section->blocks.at(at) == "Empty" ? std::max(0, 14 - depth)
                                                                    : 0;
                cells_[static_cast<std::size_t>(i)] = chunk::LightValue::of(0, 0, 0, sky).packed;
            }
            section->local_light.set(cells_, section->local_counter);
            section->global_light.set(cells_, section->global_counter);
        }
        return {};
    }

    /// Tints and environments.
    static Result<void> colour(ChunkPos pos, chunk::Chunk& chunk) {
        static constexpr std::array<std::array<std::string_view, 2>, 6> k_environments{{
            {"Env_Zone1_Caves_Volcanic_T1", "Env_Zone2_Caves_Volcanic_T2"},
            {"Env_Zone2_Caves", "Env_Zone2_Caves_Scrub"},
            {"Env_Zone2_Caves_Deserts", "Env_Zone2_Caves"},
            {"Env_Zone2_Caves_Scrub", "Env_Zone2_Caves_Savanna"},
            {"Env_Zone2_Shores", "Env_Zone2_Caves_Savanna"},
            {"Env_Zone2_Deserts", "Env_Zone2_Scrub"},
        }};
        TRY(auto* tints, chunk.edit_tints());
        TRY(auto* environments, chunk.edit_environments());
        std::array<std::int32_t, k_columns> tint{};
        std::array<chunk::EnvironmentRun, 6> runs;
        for (int i = 0; i < k_columns; ++i) {
            const ColumnIndex column(i);
            const int x = pos.x * k_side + column.x();
            const int z = pos.z * k_side + column.z();
            const auto green = static_cast<std::uint32_t>(noise(k_seed, x, z, 5) >> 12);
            tint[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(0xFF8A'6030U + (green << 10));
            const int bend = noise(k_seed + 1, x, z, 4) >> 13;
            for (int run = 0; run < 6; ++run) {
                const int side = noise(k_seed + 2 + static_cast<unsigned>(run), x, z, 5) >> 15 & 1;
                runs[static_cast<std::size_t>(run)] = {
                    run == 5 ? chunk::EnvironmentRun::k_no_end : 18 + run * 22 + bend,
                    k_environments[static_cast<std::size_t>(run)][static_cast<std::size_t>(side)]};
            }
            environments->set_runs(column, runs);
        }
        tints->assign(tint);
        return {};
    }

    /// Components of blocks, and somebody who stands there.
    Result<void> inhabit(ChunkPos pos, chunk::Chunk& chunk) {
        TRY(auto* components, chunk.edit_block_components());
        for (const auto bush : terrain_.bushes())
            TRY_DO(components->set(chunk::BlockIndex(bush), world::sample::farming(40)));
        const std::array<world::sample::Item, 3> items{
            {{"Ingredient_Bar_Copper", 4}, {"Weapon_Sword_Crude", 1, 120}, {"Food_Bread", 6}}};
        for (const auto chest : terrain_.chests())
            TRY_DO(components->set(chunk::BlockIndex(chest), world::sample::chest(18, items)));
        TRY(auto* entities, chunk.edit_entities());
        const int ground = terrain_.ground(ColumnIndex(16, 16));
        return entities->add(
            world::sample::figure({pos.x * k_side + 16.5, ground + 1.0, pos.z * k_side + 16.5, 3,
                                   "Kweebec_Sapling", "Spawn marker"},
                                  world::sample::make_uuid(k_seed, pos.x * 1'000 + pos.z)));
    }

    DenseTerrain terrain_;
    int migrations_ = static_cast<int>(world::Assets::built_in().migrations.count());
    Cells cells_{};
    Collected<std::string_view> keys_;
    Collected<std::uint16_t> fillers_;
    Collected<std::uint8_t> rotations_;
};

} // namespace

Result<void> write_dense_world(const std::filesystem::path& chunks) {
    storage::StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = storage::SyncPolicy::batch;
    TRY(const auto store,
        storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)), options));
    DenseWriter writer;
    Buffer document;
    for (int z = k_first.z; z < k_end.z; ++z)
        for (int x = k_first.x; x < k_end.x; ++x) {
            TRY_DO(writer.write({x, z}, document));
            TRY_DO(store->write({x, z}, document));
        }
    return store->sync();
}

} // namespace orbis::bench

#include "jobs/edit/merge_chunks.hpp"

#include "bson/compare.hpp"
#include "jobs/compare/diff_holders.hpp"

#include <algorithm>
#include <set>

namespace orbis::jobs {
namespace {

using chunk::BlockIndex;
using chunk::Chunk;
using chunk::PartState;
using chunk::Section;

Buffer copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

class ChunkMergeJob {
public:
    ChunkMergeJob(ChunkPos pos, Chunk& to, const Chunk& from, const MergeParts& parts,
                  const std::optional<BlockBox>& box, const world::Assets& assets, CellComparer& cells)
        : pos_(pos), to_(to), from_(from), parts_(parts), box_(box), assets_(assets), cells_(cells) {}

    Result<ChunkMerge> run() {
        if (parts_.blocks || parts_.fluids)
            for (int y = 0; y < k_sections; ++y) TRY_DO(section(y));
        if (parts_.components) TRY_DO(components());
        if (parts_.entities) TRY_DO(entities());
        if (parts_.tints) TRY_DO(tints());
        if (parts_.environments) TRY_DO(environments());
        if (parts_.health) TRY_DO(health());
        if (parts_.other && !box_) TRY_DO(others());
        TRY_DO(to_.update_heights([&](std::string_view key) { return assets_.is_transparent(key); }));
        return out_;
    }

private:
    [[nodiscard]] bool inside(BlockPos pos) const { return !box_ || box_->contains(pos); }
    [[nodiscard]] bool inside(ColumnIndex column) const {
        const auto at = block_in(pos_, 0, CellIndex(column.x(), 0, column.z()));
        return !box_ || box_->contains_column(at.x, at.z);
    }

    static Result<void> need(std::string_view part, PartState state) {
        if (state != PartState::broken) return {};
        return fail(error(Errc::bad_value, "{} is damaged", part).in_file(k_other_world));
    }

    /// The cells that differ and are in the box.
    std::vector<CellIndex> differing(int y) const {
        std::vector<CellIndex> found;
        cells_.for_each([&](CellIndex cell) {
            if (inside(block_in(pos_, y, cell))) found.push_back(cell);
        });
        return found;
    }

    Result<void> section(int y) {
        const auto& from = from_.section(y);
        const auto& to = to_.section(y);
        if (parts_.blocks) {
            TRY_DO(need("Block", from.block_state));
            TRY_DO(need("BlockPhysics", from.physics_state));
            std::set<CellIndex> changed;
            // A cell that only differs in support or ticking is taken over too.
            if (cells_.blocks(to, from)) add(changed, differing(y));
            out_.blocks += changed.size();
            if (cells_.supports(to, from)) add(changed, differing(y));
            if (cells_.ticking(to, from)) add(changed, differing(y));
            if (!changed.empty()) TRY_DO(copy_blocks(y, changed));
        }
        if (!parts_.fluids) return {};
        TRY_DO(need("Fluid", from.fluid_state));
        if (!cells_.fluids(to_.section(y), from)) return {};
        for (const auto cell : differing(y)) {
            const auto fluid = from.fluid_at(cell);
            TRY_DO(to_.set_fluid(block_in(pos_, y, cell), fluid.level == 0 || fluid.key == chunk::k_empty_key
                                                              ? chunk::FluidState{}
                                                              : fluid));
            ++out_.fluids;
        }
        return {};
    }

    static void add(std::set<CellIndex>& to, const std::vector<CellIndex>& cells) {
        to.insert(cells.begin(), cells.end());
    }

    /// Keys are stored with the number of migrations that they have been through, one number per section.
    Result<chunk::Migrations> agree_on_keys(int y) {
        const auto from_count = from_.section(y).migration_count;
        TRY(auto* section, to_.edit_section(y));
        chunk::Migrations same{from_count, [](std::string_view key, int) { return key; }};
        if (section->migration_count == from_count) return same;
        const auto entries = section->blocks.entries();
        if (std::ranges::all_of(entries, [](const auto& e) { return e.value == chunk::k_empty_key; })) {
            section->migration_count = from_count;
            return same;
        }
        auto table = assets_.migrations.for_chunks();
        if (std::max(from_count, section->migration_count) > table.count)
            return fail(error(Errc::unsupported,
                              "section {} has block keys after {} migrations here and {} in the other world, "
                              "but only {} are known",
                              y, section->migration_count, from_count, table.count)
                            .advise("open both worlds with the same version of the game first"));
        section->modernise(&table);
        return table;
    }

    Result<void> copy_blocks(int y, const std::set<CellIndex>& changed) {
        TRY(const auto table, agree_on_keys(y));
        const auto& from = from_.section(y);
        for (const auto cell : changed) {
            const auto pos = block_in(pos_, y, cell);
            auto block = from.block_at(cell);
            const auto before = to_.block(pos);
            block.key = table.apply(block.key, from.migration_count);
            if (box_
                && ((block.filler && !box_->contains(block.filler.base(pos)))
                    || (before.filler && !box_->contains(before.filler.base(pos)))))
                ++out_.cut;
            const bool other = before != block;
            TRY_DO(to_.set_block(pos, block));
            TRY_DO(to_.set_support(pos, from.support_at(cell)));
            if (block.key != chunk::k_empty_key) TRY_DO(to_.set_ticking(pos, from.ticking.contains(cell)));
            // What a block holds goes with it: a chest must not leave its content in a stone.
            if (other && !parts_.components) TRY_DO(copy_component(BlockIndex(pos)));
        }
        return {};
    }

    Result<void> copy_component(BlockIndex index) {
        const auto wanted = from_.block_components().find(index);
        const auto present = to_.block_components().find(index);
        if (!wanted && !present) return {};
        if (wanted && present && bson::same_content(*wanted, *present)) return {};
        TRY_DO(need("BlockComponentChunk", from_.block_components_state()));
        TRY(auto* components, to_.edit_block_components());
        ++out_.components;
        if (wanted) return components->set(index, copy_of(wanted->bytes()));
        components->remove(index);
        return {};
    }

    Result<void> components() {
        TRY_DO(need("BlockComponentChunk", from_.block_components_state()));
        std::set<BlockIndex> indices;
        for (const auto* chunk : {&from_, static_cast<const Chunk*>(&to_)})
            for (const auto& entry : chunk->block_components().entries())
                if (inside(block_in(pos_, entry.index))) indices.insert(entry.index);
        for (const auto index : indices) TRY_DO(copy_component(index));
        return {};
    }

    [[nodiscard]] bool inside(const bson::Document& entity) const {
        if (!box_) return true;
        const auto at = describe_entity(entity);
        const auto between = [](double value, std::int32_t least, std::int32_t most) {
            return value >= least && value < double{1} + most;
        };
        return between(at.x, box_->least.x, box_->most.x) && between(at.y, box_->least.y, box_->most.y)
               && between(at.z, box_->least.z, box_->most.z);
    }

    /// The entities inside become those of the other world; one that it has elsewhere must not be there
    /// twice.
    Result<void> entities() {
        TRY_DO(need("EntityChunk", from_.entities_state()));
        std::multiset<std::string_view> wanted;
        std::set<std::string_view> ids;
        for (const auto& holder : from_.entities().holders()) {
            if (!inside(holder)) continue;
            wanted.insert(as_text(holder.bytes()));
            if (const auto id = entity_id(holder); !id.empty()) ids.insert(id);
        }
        std::vector<std::size_t> gone;
        const auto present = to_.entities().holders();
        for (std::size_t i = 0; i < present.size(); ++i) {
            if (!inside(present[i]) && !ids.contains(entity_id(present[i]))) continue;
            if (const auto same = wanted.find(as_text(present[i].bytes())); same != wanted.end())
                wanted.erase(same); // it is there already
            else
                gone.push_back(i);
        }
        if (gone.empty() && wanted.empty()) return {};
        TRY(auto* entities, to_.edit_entities());
        for (auto i = gone.rbegin(); i != gone.rend(); ++i) entities->remove(*i);
        for (const auto& holder : from_.entities().holders()) {
            const auto left = inside(holder) ? wanted.find(as_text(holder.bytes())) : wanted.end();
            if (left == wanted.end()) continue;
            wanted.erase(left);
            TRY_DO(entities->add(copy_of(holder.bytes())));
            ++out_.entities;
        }
        out_.entities = std::max<std::uint64_t>(out_.entities, gone.size());
        return {};
    }

    Result<void> tints() {
        TRY_DO(need("BlockChunk", from_.columns_state()));
        for (int i = 0; i < k_columns; ++i) {
            const ColumnIndex column(i);
            const auto tint = from_.tints().at(column);
            if (!inside(column) || to_.tints().at(column) == tint) continue;
            TRY(auto* tints, to_.edit_tints());
            tints->set(column, tint);
            ++out_.columns;
        }
        return {};
    }

    using Column = std::array<std::string_view, k_world_height>;

    static Column environment_column(const chunk::Environments& environments, ColumnIndex column) {
        Column keys{};
        std::int32_t y = 0;
        for (const auto& run : environments.runs(column))
            for (; y < k_world_height && y <= run.max_y; ++y) keys[static_cast<std::size_t>(y)] = run.key;
        return keys;
    }

    Result<void> environments() {
        constexpr std::string_view k_name = "EnvironmentChunk";
        TRY_DO(need(k_name, from_.environments_state()));
        const auto a = to_.component(k_name);
        const auto b = from_.component(k_name);
        if (a && b && std::ranges::equal(a->bytes(), b->bytes())) return {};
        for (int i = 0; i < k_columns; ++i) {
            const ColumnIndex column(i);
            if (!inside(column)) continue;
            if (std::ranges::equal(to_.environments().runs(column), from_.environments().runs(column)))
                continue;
            auto keys = environment_column(to_.environments(), column);
            const auto before = keys;
            const auto wanted = environment_column(from_.environments(), column);
            for (std::size_t y = 0; y < keys.size(); ++y)
                if (!box_ || (static_cast<int>(y) >= box_->least.y && static_cast<int>(y) <= box_->most.y))
                    keys[y] = wanted[y];
            if (keys == before) continue;
            std::vector<std::string> owned; // the runs of `to` may move while they are replaced
            std::vector<std::int32_t> tops;
            for (std::size_t y = 0; y < keys.size(); ++y) {
                if (y + 1 < keys.size() && keys[y + 1] == keys[y]) continue;
                owned.emplace_back(keys[y]);
                tops.push_back(y + 1 == keys.size() ? chunk::EnvironmentRun::k_no_end
                                                    : static_cast<std::int32_t>(y));
            }
            std::vector<chunk::EnvironmentRun> runs;
            for (std::size_t k = 0; k < owned.size(); ++k) runs.push_back({tops[k], owned[k]});
            TRY(auto* environments, to_.edit_environments());
            environments->set_runs(column, runs);
            ++out_.columns;
        }
        return {};
    }

    Result<void> health() {
        TRY_DO(need("BlockHealthChunk", from_.health_state()));
        auto damaged = taken_over(to_.health().damaged(), from_.health().damaged());
        auto fragile = taken_over(to_.health().fragile(), from_.health().fragile());
        if (damaged == to_.health().damaged() && fragile == to_.health().fragile()) return {};
        TRY(auto* health, to_.edit_health());
        health->set(std::move(damaged), std::move(fragile));
        ++out_.other;
        return {};
    }

    template <typename Entry>
    std::vector<Entry> taken_over(const std::vector<Entry>& to, const std::vector<Entry>& from) const {
        if (!box_) return from;
        std::vector<Entry> out;
        for (const auto& entry : to)
            if (!box_->contains(entry.pos)) out.push_back(entry);
        for (const auto& entry : from)
            if (box_->contains(entry.pos)) out.push_back(entry);
        return out;
    }

    Result<void> others() {
        constexpr std::array<std::string_view, 6> k_modelled{"BlockChunk",       "ChunkColumn",
                                                             "EnvironmentChunk", "BlockHealthChunk",
                                                             "EntityChunk",      "BlockComponentChunk"};
        for (const auto& name : differing_names(to_.components(), from_.components())) {
            if (std::ranges::find(k_modelled, name) != k_modelled.end()) continue;
            const auto wanted = from_.component(name);
            if (wanted) {
                TRY_DO(to_.set_component(name, copy_of(wanted->bytes())));
            } else if (to_.component(name)) {
                TRY_DO(to_.remove_component(name));
            }
            ++out_.other;
        }
        return {};
    }

    ChunkPos pos_;
    Chunk& to_;
    const Chunk& from_;
    const MergeParts& parts_;
    const std::optional<BlockBox>& box_;
    const world::Assets& assets_;
    CellComparer& cells_;
    ChunkMerge out_;
};

} // namespace

Result<MergeParts> MergeParts::parse(std::string_view names) {
    MergeParts parts{false, false, false, false, false, false, false, false};
    const std::pair<std::string_view, bool*> known[] = {
        {"blocks", &parts.blocks},     {"fluids", &parts.fluids}, {"components", &parts.components},
        {"entities", &parts.entities}, {"tints", &parts.tints},   {"environments", &parts.environments},
        {"health", &parts.health},     {"other", &parts.other}};
    while (true) {
        const auto name = names.substr(0, names.find(','));
        const auto found = std::ranges::find(known, name, [](const auto& entry) { return entry.first; });
        if (found == std::end(known))
            return fail(error(Errc::usage, "not a part of a chunk: {}", name.empty() ? "nothing" : name)
                            .advise("the parts are blocks, fluids, components, entities, tints, "
                                    "environments, health and other, separated by commas"));
        *found->second = true;
        if (name.size() == names.size()) return parts;
        names.remove_prefix(name.size() + 1);
    }
}

Result<ChunkMerge> merge_chunk(ChunkPos pos, Chunk& to, const Chunk& from, const MergeParts& parts,
                               const std::optional<BlockBox>& box, const world::Assets& assets,
                               CellComparer& cells) {
    return ChunkMergeJob(pos, to, from, parts, box, assets, cells).run();
}

} // namespace orbis::jobs

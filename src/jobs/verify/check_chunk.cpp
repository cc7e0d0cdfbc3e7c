#include "jobs/verify/check_chunk.hpp"

#include "bson/view.hpp"
#include "bytes/joined.hpp"
#include "jobs/verify/misspelt.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orbis::jobs {

namespace {

using chunk::PartState;

std::string part_name(int section, std::string_view component) {
    return section < 0 ? std::string(component) : fmt::format("section {}, {}", section, component);
}

Code code_of(const chunk::Problem& problem) {
    switch (problem.error.code) {
    case Errc::unsupported: return Code::component_too_new;
    case Errc::overlap: return Code::component_twice;
    default: break;
    }
    if (problem.component == "ChunkColumn" && problem.section >= k_sections) return Code::section_surplus;
    return Code::component_unreadable;
}

/// Plain cubes of the ground: no chest, bench or bed is one.
bool is_terrain(const world::BlockType* type) {
    constexpr std::array<std::string_view, 14> groups{"Stone", "Dirt", "Gravel",      "Grass",       "Moss",
                                                      "Sand",  "Soil", "Mud",         "Ice",         "Snow",
                                                      "Slime", "Lava", "Fluid_Water", "LeavesGround"};
    return type != nullptr && type->draw_type == world::DrawType::cube
           && std::ranges::find(groups, type->group) != groups.end();
}

/// Whether a holder has a component that only furniture can have (docs/formats/chunk.md).
bool is_furniture(const bson::Document& holder) {
    constexpr std::array<std::string_view, 7> names{
        "container",       "ItemContainerBlock",   "crafting",    "BenchBlock",
        "processingBench", "ProcessingBenchBlock", "RespawnBlock"};
    return std::ranges::any_of(
        names, [&](std::string_view name) { return chunk::component(holder, name).has_value(); });
}

/// The entity's position in the world.
std::optional<std::array<double, 3>> position_of(const bson::Document& holder) {
    const auto transform = chunk::component(holder, "Transform");
    const auto position = transform ? transform->document("Position") : std::nullopt;
    if (!position) return std::nullopt;
    std::array<double, 3> at{};
    constexpr std::array<std::string_view, 3> names{"X", "Y", "Z"};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto element = position->find(names[i]);
        const auto number = element ? element->number() : std::nullopt;
        if (!number || !std::isfinite(*number)) return std::nullopt;
        at[i] = *number;
    }
    return at;
}

/// The chunk of a coordinate, clamped to what a chunk can have.
std::int32_t chunk_of(double coordinate) {
    return static_cast<std::int32_t>(
        std::clamp(std::floor(coordinate / k_side), -2147483648.0, 2147483647.0));
}

} // namespace

Finding& ChunkChecks::add(Code code, std::string part, std::uint64_t count, std::string text) {
    auto& finding = out_->emplace_back();
    finding.code = code;
    finding.chunk = pos_;
    finding.part = std::move(part);
    finding.count = count;
    finding.text = std::move(text);
    return finding;
}

void ChunkChecks::add_up(Code code, std::uint64_t count, std::string_view example) {
    const auto found = std::find_if(out_->begin(), out_->end(), [&](const Finding& finding) {
        return finding.code == code && finding.chunk == pos_;
    });
    if (found == out_->end())
        add(code, {}, count, std::string(example));
    else
        found->count += count;
}

void ChunkChecks::run(const chunk::Chunk& chunk, ChunkPos pos, const NeighbourLookup& neighbour,
                      std::vector<Finding>& out) {
    pos_ = pos;
    out_ = &out;
    const auto whole = bson::open_validated(chunk.document());
    if (!whole) {
        auto& finding = add(Code::document_bson, {}, 1, whole.error().problem);
        finding.in_chunk = whole.error().offset;
    }
    problems(chunk);
    components(chunk);
    for (int y = 0; y < k_sections; ++y) section(chunk.section(y), y);
    columns(chunk);
    heights(chunk);
    fillers(chunk, neighbour);
    entities(chunk);
    block_components(chunk);
    health(chunk);
}

void ChunkChecks::problems(const chunk::Chunk& chunk) {
    for (const auto& problem : chunk.problems()) {
        auto& finding =
            add(code_of(problem), part_name(problem.section, problem.component), 1, problem.error.problem);
        finding.in_chunk = problem.error.offset;
    }
}

void ChunkChecks::components(const chunk::Chunk& chunk) {
    const auto misspelt = find_misspelt(chunk);
    for (const auto& name : misspelt) {
        auto& finding = add(Code::component_misspelt, name.part, 1,
                            fmt::format("expected {}, found {}{}", name.meant, name.found,
                                        name.is_beside ? " beside it" : ""));
        finding.in_chunk = name.offset;
    }
    for (const std::string_view name : {"WorldChunk", "BlockChunk", "ChunkColumn"}) {
        if (chunk.components().find(name)) continue;
        if (std::ranges::find(misspelt, name, &Misspelt::meant) != misspelt.end()) continue;
        if (name == "ChunkColumn" && chunk.block_chunk_version() <= 2) continue; // its sections are inside
        add(Code::component_missing, std::string(name), 1, "this component is missing");
    }
}

template <typename Palette>
void ChunkChecks::palette(const Palette& palette, int y, std::string_view part) {
    if (palette.kind() == chunk::PaletteKind::empty) return;
    const auto counts = palette.histogram();
    const auto entries = palette.entries();
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (counts[i] == entries[i].cells) continue;
        if (wrong++ == 0)
            first = fmt::format("expected {} cells of {}, found {}", entries[i].cells, entries[i].value,
                                counts[i]);
    }
    if (wrong > 0) add(Code::palette_count, part_name(y, part), wrong, first);
    if (counts.back() > 0)
        add(Code::palette_id, part_name(y, part), counts.back(),
            fmt::format("{1} cells have an id that none of the {0} entries has", entries.size(),
                        counts.back()));
}

void ChunkChecks::section(const chunk::Section& section, int y) {
    opaque_[static_cast<std::size_t>(y)].clear();
    if (section.block_state == PartState::decoded) {
        palette(section.blocks, y, "blocks");
        palette(section.fillers, y, "fillers");
        palette(section.rotations, y, "rotations");
        keys(section, y);
        for (const auto& entry : section.rotations.entries())
            if (!chunk::Rotation{entry.value}.valid())
                add(Code::rotation_range, part_name(y, "rotations"), entry.cells,
                    fmt::format("expected rotations up to 63, found {}", entry.value));
        if (const auto count = section.ticking.count(); count != section.ticking.stored_count())
            add(Code::ticking_count, part_name(y, "ticking"), 1,
                fmt::format("expected {} ticking cells, found {}", section.ticking.stored_count(), count));
        if (section.fluid_state == PartState::decoded || section.fluid_state == PartState::absent) {
            std::size_t idle = 0;
            section.ticking.for_each([&](CellIndex cell) {
                idle += section.block_key(section.blocks.entry_at(cell)) == chunk::k_empty_key
                        && section.fluid_at(cell).level == 0;
            });
            if (idle > 0) add_up(Code::ticking_empty, idle, "a ticking cell has neither a block nor a fluid");
        }
        if ((!section.local_light_valid() && section.local_light.present())
            || (!section.global_light_valid() && section.global_light.present()))
            add_up(Code::light_stale, 1, "blocks were changed after the light was calculated");
    }
    if (section.fluid_state == PartState::decoded) fluids(section, y);
}

void ChunkChecks::fluids(const chunk::Section& section, int y) {
    if (section.fluids.kind() == chunk::PaletteKind::empty && !section.levels.present()) return;
    palette(section.fluids, y, "fluids");
    std::size_t wrong = 0;
    std::optional<CellIndex> first;
    if (!levels_fit(section.fluids, section.levels))
        section.fluids.for_each_run([&](CellIndex begin, CellIndex end, std::uint32_t entry) {
            const bool is_empty = entry == section.fluids.entries().size()
                                  || section.fluids.entries()[entry].value == chunk::k_empty_key;
            if (!(is_empty ? section.levels.any_nonzero(begin, end) : section.levels.any_zero(begin, end)))
                return;
            for (int i = begin.value; i < end.value; ++i) {
                if ((section.levels.at(CellIndex(i)) == 0) == is_empty) continue;
                if (wrong++ == 0) first = CellIndex(i);
            }
        });
    if (wrong > 0)
        add(Code::fluid_level, part_name(y, "Fluid"), wrong,
            fmt::format("such as {} with level {} at {:n}", section.fluids.at(*first),
                        section.levels.at(*first),
                        BlockPos{pos_.x * k_side + first->x(), y * k_side + first->y(),
                                 pos_.z * k_side + first->z()}));
    for (const auto& entry : section.fluids.entries())
        if (entry.cells > 0 && entry.value != chunk::k_empty_key && assets_.fluid(entry.value) == nullptr)
            add_up(Code::fluid_unknown, entry.cells, fmt::format("such as {}", entry.value));
}

void ChunkChecks::keys(const chunk::Section& section, int y) {
    const auto entries = section.blocks.entries();
    auto& opaque = opaque_[static_cast<std::size_t>(y)];
    opaque.assign(entries.size() + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto key = section.block_key(i);
        const auto* type = assets_.block(key);
        opaque[i] = world::Assets::is_transparent(key, type) ? 0 : 1;
        if (entries[i].cells == 0 || key == chunk::k_empty_key || type != nullptr) continue;
        const auto stored = static_cast<std::size_t>(std::max(section.migration_count, 0));
        if (assets_.block(assets_.migrations.apply(key, stored)) != nullptr) continue; // an old name
        add_up(Code::block_unknown, entries[i].cells, fmt::format("such as {}", key));
    }
    if (std::ranges::find(opaque, 1) == opaque.end()) opaque.clear();
}

void ChunkChecks::columns(const chunk::Chunk& chunk) {
    if (chunk.columns_state() == PartState::decoded) {
        if (const auto checked = chunk.heights().check(); !checked)
            add(Code::column_key, "BlockChunk, heights", 1, checked.error().problem);
        if (const auto checked = chunk.tints().check(); !checked)
            add(Code::column_key, "BlockChunk, tints", 1, checked.error().problem);
    }
    if (chunk.environments_state() != PartState::decoded) return;
    if (const auto checked = chunk.environments().check(); !checked)
        add(Code::environment_runs, "EnvironmentChunk", 1, checked.error().problem);
}

void ChunkChecks::heights(const chunk::Chunk& chunk) {
    if (chunk.columns_state() != PartState::decoded) return;
    std::array<std::int16_t, k_columns> stored{};
    chunk.heights().expand(stored);
    if (heights_hold(chunk, opaque_, stored)) return;
    const auto truth = heights_by_blocks(chunk, assets_);
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < k_columns; ++i) {
        const ColumnIndex column(static_cast<int>(i));
        if (!truth.known[i] || !is_wrong_height(chunk, column, stored[i], truth.height[i])) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return;
    const ColumnIndex column(static_cast<int>(first));
    add(Code::height_wrong, "BlockChunk", wrong,
        fmt::format("expected {} at {:c}, found {}", truth.height[first],
                    BlockPos{pos_.x * k_side + column.x(), 0, pos_.z * k_side + column.z()}, stored[first]));
}

void ChunkChecks::fillers(const chunk::Chunk& chunk, const NeighbourLookup& neighbour) {
    const auto faults = find_filler_faults(chunk, pos_, neighbour);
    if (!faults.dangling.empty()) {
        const auto cell = faults.dangling.front();
        const auto block = chunk.block(cell);
        add(Code::filler_dangling, {}, faults.dangling.size(),
            fmt::format("the base of {} should be at {:n} for the cell {:n}, but another block is there",
                        block.key, block.filler.base(cell), cell));
    }
    if (!faults.lost.empty())
        add(Code::filler_lost, {}, faults.lost.size(),
            fmt::format("such as the cell {:n}", faults.lost.front()));
}

void ChunkChecks::entities(const chunk::Chunk& chunk) {
    if (chunk.entities_state() != PartState::decoded) return;
    std::size_t outside = 0;
    std::size_t without = 0;
    std::string example;
    std::optional<ChunkPos> where;
    bool all_in_one = true;
    for (const auto& holder : chunk.entities().holders()) {
        const auto at = position_of(holder);
        if (!at) {
            ++without;
            continue;
        }
        const ChunkPos home{chunk_of((*at)[0]), chunk_of((*at)[2])};
        if (home == pos_) {
            all_in_one = false;
            continue;
        }
        all_in_one = all_in_one && (!where || *where == home);
        where = home;
        if (outside++ == 0)
            example = fmt::format("stored in {}, but its position is {:.1f},{:.1f},{:.1f} in {}", pos_,
                                  (*at)[0], (*at)[1], (*at)[2], home);
    }
    if (outside > 0) add(Code::entity_outside, "EntityChunk", outside, example);
    // One that strayed is wrong; when everything in a chunk stands in one other chunk, the chunk itself is
    // probably in the wrong place.
    if (outside > 1 && all_in_one)
        add(Code::chunk_misplaced, {}, outside,
            fmt::format("stored as {}, but all its entities are in {}", pos_, *where))
            .home = where;
    if (without > 0) add(Code::entity_no_position, "EntityChunk", without, "Transform.Position is missing");
}

void ChunkChecks::block_components(const chunk::Chunk& chunk) {
    if (chunk.block_components_state() != PartState::decoded) return;
    std::map<Code, std::pair<std::size_t, std::string>> found;
    for (const auto& entry : chunk.block_components().entries()) {
        if (entry.index.value < 0 || entry.index.y() >= k_world_height) {
            auto& [count, text] = found[Code::block_component_place];
            if (count++ == 0)
                text = fmt::format("expected an index below 327680, found {}", entry.index.value);
            continue;
        }
        const auto pos = entry.index.pos(pos_);
        if (chunk.section(pos.y >> 5).block_state == PartState::broken) continue;
        const auto block = chunk.block(pos);
        const bool is_part = static_cast<bool>(block.filler);
        if (block.key != chunk::k_empty_key && !is_part
            && !(is_terrain(assets_.block(block.key)) && is_furniture(entry.holder)))
            continue;
        auto& [count, text] = found[Code::block_component_host];
        if (count++ == 0)
            text = fmt::format("the components {} at {:n} are on {}{}",
                               joined(chunk::component_names(entry.holder), ", "), pos,
                               is_part ? "a part of " : "", block.key);
    }
    for (auto& [code, what] : found) add(code, "BlockComponentChunk", what.first, std::move(what.second));
}

void ChunkChecks::health(const chunk::Chunk& chunk) {
    if (chunk.health_state() != PartState::decoded) return;
    std::size_t outside = 0;
    BlockPos first;
    const auto look = [&](const auto& entries) {
        for (const auto& entry : entries)
            if (entry.pos.chunk() != pos_ && outside++ == 0) first = entry.pos;
    };
    look(chunk.health().damaged());
    look(chunk.health().fragile());
    if (outside > 0)
        add(Code::health_outside, "BlockHealthChunk", outside, fmt::format("{} is not in this chunk", first));
}

} // namespace orbis::jobs

#include "jobs/inspect/describe_block.hpp"

#include "bson/extended_json.hpp"
#include "chunk/chunk_reader.hpp"

namespace orbis::jobs {
namespace {

void add_components(const chunk::Chunk& chunk, BlockPos pos, BlockDescription& out) {
    const auto holder = chunk.block_components().find(chunk::BlockIndex(pos));
    const auto components = holder ? holder->document("Components") : std::nullopt;
    if (!components) return;
    for (bson::Cursor at(*components); at.next();) {
        const auto document = at->document();
        auto json = document ? bson::to_extended_json(*document) : Result<std::string>("null");
        if (!json) out.problems.push_back(json.error().text());
        out.components.push_back({std::string(at->key()), json.value_or("null")});
    }
}

} // namespace

Result<std::optional<BlockDescription>> describe_block(const storage::Store& store,
                                                       const world::Assets& assets, BlockPos pos) {
    chunk::ChunkReader reader;
    TRY(const auto* chunk, reader.read(store, pos.chunk()));
    if (chunk == nullptr) return std::nullopt;
    BlockDescription out;
    out.pos = pos;
    for (const auto& problem : chunk->problems()) out.problems.push_back(problem.text());
    const auto block = chunk->block(pos);
    out.key = block.key;
    out.type = assets.block(block.key);
    out.rotation = block.rotation;
    out.filler = block.filler;
    out.base = block.filler.base(pos);
    const auto fluid = chunk->fluid(pos);
    out.fluid = fluid.key;
    out.fluid_level = fluid.level;
    out.support = chunk->support(pos);
    out.environment = chunk->environment(pos);
    out.tint = static_cast<std::uint32_t>(chunk->tints().at(pos.column()));
    out.height = chunk->heights().at(pos.column());
    if (pos.y >= 0 && pos.y < k_world_height) {
        const auto& section = chunk->section(pos.y >> 5);
        out.ticks = section.ticking.contains(pos.cell());
        out.light = section.global_light.at(pos.cell());
        out.local_light = section.local_light.at(pos.cell());
        out.light_valid = section.local_light_valid() && section.global_light_valid();
    }
    if (out.base == pos) {
        add_components(*chunk, pos, out);
    } else if (out.base.chunk() == pos.chunk()) {
        out.base_key = chunk->block(out.base).key;
        add_components(*chunk, out.base, out);
    } else if (const auto other = reader.read(store, out.base.chunk()); other && *other != nullptr) {
        out.base_key = (*other)->block(out.base).key;
        add_components(**other, out.base, out);
    } else if (!other) {
        out.problems.push_back(other.error().text());
    }
    return out;
}

} // namespace orbis::jobs

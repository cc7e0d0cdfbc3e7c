#include "chunk/chunk.hpp"

#include "bson/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::chunk {

namespace {

/// Which section a block is in, nothing above and below the world.
std::optional<std::size_t> section_of(BlockPos pos) {
    if (pos.y < 0 || pos.y >= k_world_height) return std::nullopt;
    return static_cast<std::size_t>(pos.y >> 5);
}

} // namespace

std::string Problem::text() const {
    auto copy = error;
    if (section >= 0) copy.section = section;
    copy.part = copy.part.empty() ? component : component + ", " + copy.part;
    return copy.text();
}

Error Problem::as_error() const { return orbis::error(error.code, "{}", text()); }

Chunk::Chunk() : sections_(std::make_unique<Sections>()) {}
Chunk::~Chunk() = default;
Chunk::Chunk(Chunk&&) noexcept = default;
Chunk& Chunk::operator=(Chunk&&) noexcept = default;

Result<Chunk> Chunk::decode(Bytes document, Parts parts) {
    Chunk chunk;
    TRY_DO(chunk.read(document, parts));
    return chunk;
}

Result<Chunk> Chunk::decode(Buffer&& document, Parts parts) {
    Chunk chunk;
    chunk.own_ = std::move(document); // a moved vector keeps its memory, so views of it stay right
    TRY_DO(chunk.read(chunk.own_, parts));
    return chunk;
}

Chunk Chunk::create() {
    static constexpr std::array<std::uint8_t, 9> k_no_health = {2};
    Buffer document;
    Buffer blob;
    bson::Writer root(document);
    root.document("Components");
    blob.push_back(0);
    Heights().append_to(blob);
    Tints().append_to(blob);
    root.document("BlockChunk").int32("Version", 3).binary("Data", blob).end();
    root.document("ChunkColumn").array("Sections");
    for (std::size_t y = 0; y < k_sections; ++y) {
        const Section empty;
        root.document(bson::index_key(y)).document("Components");
        root.document("ChunkSection").end();
        blob.clear();
        empty.append_block(blob);
        root.document("Block").int32("Version", Section::k_version).binary("Data", blob).end();
        blob.clear();
        empty.append_fluid(blob);
        root.document("Fluid").binary("Data", blob).end();
        blob.clear();
        empty.append_physics(blob);
        root.document("BlockPhysics").binary("Data", blob).end();
        root.end().end();
    }
    root.end().end();
    blob.clear();
    Environments environments;
    environments.reset();
    environments.append_to(blob);
    root.document("EnvironmentChunk").binary("Data", blob).end();
    root.document("BlockHealthChunk").binary("Data", k_no_health).end();
    root.document("BlockComponentChunk").document("BlockComponents").end().end();
    root.document("EntityChunk").array("Entities").end().end();
    root.document("WorldChunk").end();
    root.finish();
    return *decode(std::move(document));
}

std::vector<bson::Document> Chunk::old_block_states() const {
    std::vector<bson::Document> out;
    const auto data = component("BlockStateChunk");
    if (const auto states = data ? data->array("States") : std::nullopt)
        for (bson::Cursor at(*states); at.next();)
            if (const auto holder = at->document()) out.push_back(*holder);
    return out;
}

BlockState Chunk::block(BlockPos pos) const {
    const auto y = section_of(pos);
    return y ? (*sections_)[*y].block_at(pos.cell()) : BlockState{};
}

FluidState Chunk::fluid(BlockPos pos) const {
    const auto y = section_of(pos);
    return y ? (*sections_)[*y].fluid_at(pos.cell()) : FluidState{};
}

std::uint8_t Chunk::support(BlockPos pos) const {
    const auto y = section_of(pos);
    return y ? (*sections_)[*y].support_at(pos.cell()) : std::uint8_t{0};
}

std::vector<BlockPos> Chunk::cells_of(BlockPos base) const {
    std::vector<BlockPos> cells = {base};
    const auto key = block(base).key;
    // Only offsets that some section around knows can lead to a cell.
    std::vector<std::uint16_t> offsets;
    for (int y = std::max(base.y - 16, 0) >> 5; y <= std::min(base.y + 15, k_world_height - 1) >> 5; ++y) {
        const auto& around = section(y);
        around.with_fillers([&](const auto& palette, const auto& value_of) {
            for (std::size_t i = 0; i < palette.entries().size(); ++i) offsets.push_back(value_of(i));
        });
    }
    std::ranges::sort(offsets);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    for (const auto stored : offsets) {
        const Filler filler{stored};
        if (!filler) continue;
        const auto cell = filler.cell(base);
        if (cell.chunk() != base.chunk()) continue;
        const auto there = block(cell);
        if (there.filler == filler && there.key == key) cells.push_back(cell);
    }
    return cells;
}

bool Chunk::changed() const {
    for (const auto& section : *sections_)
        if (section.block_changed() || section.fluid_changed() || section.physics_changed()) return true;
    return moves_sections_ || heights_.changed() || tints_.changed() || environments_.changed()
           || health_.changed() || block_components_.changed() || entities_.changed()
           || !other_components_.empty();
}

std::vector<Problem> Chunk::check() const {
    std::vector<Problem> found;
    const auto note = [&](std::string_view component, int section, Error&& error) {
        found.push_back({std::string(component), section, std::move(error)});
    };
    if (auto whole = bson::validate(root_); !whole) note("document", -1, std::move(whole.error()));
    for (int y = 0; y < k_sections; ++y)
        for (auto& error : section(y).check()) note("Block", y, std::move(error));
    if (auto heights = heights_.check(); !heights)
        note("BlockChunk", -1, std::move(heights.error()).about("heights"));
    if (auto tints = tints_.check(); !tints) note("BlockChunk", -1, std::move(tints.error()).about("tints"));
    if (auto runs = environments_.check(); !runs) note("EnvironmentChunk", -1, std::move(runs.error()));
    return found;
}

} // namespace orbis::chunk

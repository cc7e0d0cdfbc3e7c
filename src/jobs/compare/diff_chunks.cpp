#include "jobs/compare/diff_chunks.hpp"

#include "bson/compare.hpp"
#include "jobs/compare/diff_cells.hpp"
#include "jobs/compare/diff_holders.hpp"

#include <algorithm>
#include <array>

namespace orbis::jobs {

using chunk::Chunk;
using chunk::PartState;
using chunk::Section;

namespace {

using SectionDocuments = std::array<std::optional<bson::Document>, k_sections>;

/// The components of each section as they are stored; nothing for sections inside `BlockChunk`.
SectionDocuments section_documents(const Chunk& chunk) {
    SectionDocuments documents;
    const auto sections = chunk.components().find_path({"ChunkColumn", "Sections"});
    const auto array = sections ? sections->array() : std::nullopt;
    if (!array) return documents;
    std::size_t y = 0;
    for (bson::Cursor at(*array); y < documents.size() && at.next(); ++y)
        if (const auto holder = at->document()) documents[y] = holder->document("Components");
    return documents;
}

bool same_bytes(const std::optional<bson::Document>& a, const std::optional<bson::Document>& b) {
    return a && b && std::ranges::equal(a->bytes(), b->bytes());
}

std::optional<bson::Document> part(const std::optional<bson::Document>& components, std::string_view name) {
    return components ? components->document(name) : std::nullopt;
}

void add_once(std::vector<std::string>& names, std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

/// The runs of a column inside the world, neighbours with the same key as one.
std::vector<chunk::EnvironmentRun> plain_runs(const chunk::Environments& environments, ColumnIndex column) {
    std::vector<chunk::EnvironmentRun> plain;
    std::int32_t from = 0;
    for (auto run : environments.runs(column)) {
        if (from >= k_world_height) break;
        if (run.max_y < from) continue;
        run.max_y = std::min(run.max_y, k_world_height - 1);
        from = run.max_y + 1;
        if (!plain.empty() && plain.back().key == run.key)
            plain.back().max_y = run.max_y;
        else
            plain.push_back(run);
    }
    return plain;
}

} // namespace

std::string_view name(ChangeKind kind) {
    switch (kind) {
    case ChangeKind::added: return "added";
    case ChangeKind::removed: return "removed";
    case ChangeKind::changed: return "changed";
    }
    return "changed";
}

bool ChunkDiff::empty() const {
    return blocks == 0 && fluids == 0 && supports == 0 && ticking == 0 && light_sections == 0 && heights == 0
           && tints == 0 && environments == 0 && components == 0 && entities == 0 && !health && other.empty()
           && unreadable.empty();
}

struct ChunkComparer::Scratch {
    CellComparer cells;
    std::unordered_map<std::uint64_t, std::uint64_t> pairs;
};

class ChunkComparer::Job {
public:
    Job(ChunkPos pos, const Chunk& a, const Chunk& b, const DiffOptions& options, Scratch& scratch)
        : pos_(pos), a_(a), b_(b), options_(options), scratch_(scratch) {}

    ChunkDiff run() {
        sections();
        columns();
        environments();
        if (options_.terrain) return std::move(out_);
        if (can_compare("BlockHealthChunk", a_.health_state(), b_.health_state()))
            out_.health = a_.health().damaged() != b_.health().damaged()
                          || a_.health().fragile() != b_.health().fragile();
        if (can_compare("BlockComponentChunk", a_.block_components_state(), b_.block_components_state()))
            diff_block_components(pos_, a_.block_components(), b_.block_components(), options_.most_details,
                                  out_);
        if (can_compare("EntityChunk", a_.entities_state(), b_.entities_state()))
            diff_entities(a_.entities(), b_.entities(), options_.most_details, out_);
        constexpr std::array<std::string_view, 6> k_modelled{"BlockChunk",       "ChunkColumn",
                                                             "EnvironmentChunk", "BlockHealthChunk",
                                                             "EntityChunk",      "BlockComponentChunk"};
        add_others(a_.components(), b_.components(), k_modelled);
        if (a_.needs_physics() != b_.needs_physics()) add_once(out_.other, "needs_physics");
        return std::move(out_);
    }

private:
    /// Whether both could read a component of the chunk; tells of it where one could not and they differ.
    bool can_compare(std::string_view component, PartState a, PartState b) {
        if (a != PartState::broken && b != PartState::broken) return true;
        if (!same_bytes(a_.component(component), b_.component(component)))
            add_once(out_.unreadable, std::string(component));
        return false;
    }

    void sections() {
        const auto left = section_documents(a_);
        const auto right = section_documents(b_);
        for (int y = 0; y < k_sections; ++y) {
            const auto& a = left[static_cast<std::size_t>(y)];
            const auto& b = right[static_cast<std::size_t>(y)];
            if (!same_bytes(a, b)) section(y, a, b);
        }
    }

    void section(int y, const std::optional<bson::Document>& left,
                 const std::optional<bson::Document>& right) {
        const auto& a = a_.section(y);
        const auto& b = b_.section(y);
        const bool same_block = same_bytes(part(left, "Block"), part(right, "Block"));
        const auto readable = [&](std::string_view name, PartState x, PartState z) {
            if (x != PartState::broken && z != PartState::broken) return true;
            if (!same_bytes(part(left, name), part(right, name)))
                add_once(out_.unreadable, fmt::format("section {} {}", y, name));
            return false;
        };
        const bool blocks_readable = readable("Block", a.block_state, b.block_state);
        if (!same_block && blocks_readable) {
            if (scratch_.cells.blocks(a, b)) blocks(y, a, b);
            if (!options_.terrain && scratch_.cells.ticking(a, b)) out_.ticking += count();
            if (!options_.terrain && scratch_.cells.light(a, b)) ++out_.light_sections;
        }
        if (readable("Fluid", a.fluid_state, b.fluid_state) && blocks_readable && scratch_.cells.fluids(a, b))
            fluids(y, a, b);
        if (options_.terrain) return;
        if (readable("BlockPhysics", a.physics_state, b.physics_state) && blocks_readable
            && scratch_.cells.supports(a, b))
            out_.supports += count();
        constexpr std::array<std::string_view, 4> k_modelled{"Block", "Fluid", "BlockPhysics",
                                                             "ChunkSection"};
        add_others(left.value_or(bson::Document()), right.value_or(bson::Document()), k_modelled);
    }

    std::uint64_t count() const {
        std::uint64_t cells = 0;
        scratch_.cells.for_each([&](CellIndex) { ++cells; });
        return cells;
    }

    void blocks(int y, const Section& a, const Section& b) {
        scratch_.pairs.clear();
        scratch_.cells.for_each([&](CellIndex cell) {
            ++out_.blocks;
            ++scratch_.pairs[scratch_.cells.pair_at(cell)];
            out_.columns.set(static_cast<std::size_t>(cell.column().value));
            if (out_.block_changes.size() < options_.most_details)
                out_.block_changes.push_back(
                    {block_in(pos_, y, cell), value(a.block_at(cell)), value(b.block_at(cell))});
        });
        for (const auto& [pair, cells] : scratch_.pairs)
            out_.block_pairs[{std::string(scratch_.cells.first_key(pair)),
                              std::string(scratch_.cells.second_key(pair))}] += cells;
    }

    static BlockValue value(const chunk::BlockState& state) {
        return {std::string(state.key), state.rotation, state.filler};
    }

    void fluids(int y, const Section& a, const Section& b) {
        scratch_.cells.for_each([&](CellIndex cell) {
            ++out_.fluids;
            out_.columns.set(static_cast<std::size_t>(cell.column().value));
            if (out_.fluid_changes.size() >= options_.most_details) return;
            const auto before = a.fluid_at(cell);
            const auto after = b.fluid_at(cell);
            out_.fluid_changes.push_back({block_in(pos_, y, cell),
                                          {std::string(before.key), before.level},
                                          {std::string(after.key), after.level}});
        });
    }

    void columns() {
        if (same_bytes(a_.component("BlockChunk"), b_.component("BlockChunk"))) return;
        if (!can_compare("BlockChunk", a_.columns_state(), b_.columns_state())) return;
        for (int i = 0; i < k_columns; ++i) {
            const ColumnIndex column(i);
            const bool height = a_.heights().at(column) != b_.heights().at(column);
            const bool tint = a_.tints().at(column) != b_.tints().at(column);
            out_.heights += height ? 1U : 0U;
            out_.tints += tint ? 1U : 0U;
            if (height || tint) out_.columns.set(static_cast<std::size_t>(i));
        }
    }

    void environments() {
        constexpr std::string_view k_name = "EnvironmentChunk";
        if (same_bytes(a_.component(k_name), b_.component(k_name))) return;
        if (!can_compare(k_name, a_.environments_state(), b_.environments_state())) return;
        for (int i = 0; i < k_columns; ++i) {
            if (plain_runs(a_.environments(), ColumnIndex(i))
                == plain_runs(b_.environments(), ColumnIndex(i)))
                continue;
            ++out_.environments;
            out_.columns.set(static_cast<std::size_t>(i));
        }
    }

    void add_others(const bson::Document& a, const bson::Document& b,
                    std::span<const std::string_view> modelled) {
        for (auto& name : differing_names(a, b))
            if (std::ranges::find(modelled, name) == modelled.end()) add_once(out_.other, std::move(name));
    }

    ChunkPos pos_;
    const Chunk& a_;
    const Chunk& b_;
    const DiffOptions& options_;
    Scratch& scratch_;
    ChunkDiff out_;
};

ChunkComparer::ChunkComparer() : scratch_(std::make_unique<Scratch>()) {}
ChunkComparer::~ChunkComparer() = default;
ChunkComparer::ChunkComparer(ChunkComparer&&) noexcept = default;
ChunkComparer& ChunkComparer::operator=(ChunkComparer&&) noexcept = default;

chunk::Parts ChunkComparer::parts(const DiffOptions& options) {
    if (!options.terrain) return chunk::k_everything;
    return chunk::k_blocks | chunk::k_shapes | chunk::k_fluids | chunk::k_column_maps | chunk::k_environments;
}

ChunkDiff ChunkComparer::compare(ChunkPos pos, const Chunk& before, const Chunk& after,
                                 const DiffOptions& options) {
    return Job(pos, before, after, options, *scratch_).run();
}

} // namespace orbis::jobs

#include "jobs/cells/edit_chunks.hpp"

#include "bytes/recent_map.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/cells/cut_blocks.hpp"
#include "jobs/undo/writable_regions.hpp"
#include "storage/walk.hpp"

#include <map>
#include <set>
#include <utility>

namespace orbis::jobs {
namespace {

/// Light goes this far.
constexpr int k_light_reach = 15;
/// A cell is at most this far from its base.
constexpr int k_filler_reach = 16;

constexpr std::array<ChunkPos, 8> k_around{
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

std::optional<ChunkPos> beside(ChunkPos pos, ChunkPos step) {
    const auto x = std::int64_t{pos.x} + step.x;
    const auto z = std::int64_t{pos.z} + step.z;
    constexpr std::int64_t k_last = std::numeric_limits<std::int32_t>::max() >> 5;
    if (x < -k_last || x > k_last || z < -k_last || z > k_last) return std::nullopt;
    return ChunkPos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)};
}

/// Whether a cell of these columns is at most `reach` blocks from the neighbour in that direction.
bool is_near(const std::array<std::uint32_t, k_side>& columns, ChunkPos step, int reach) {
    const auto low = (std::uint32_t{1} << reach) - 1;
    const auto x_bits = step.x < 0 ? low : step.x > 0 ? low << (k_side - reach) : ~std::uint32_t{0};
    for (int z = 0; z < k_side; ++z) {
        if (step.z < 0 && z >= reach) continue;
        if (step.z > 0 && z < k_side - reach) continue;
        if ((columns[static_cast<std::size_t>(z)] & x_bits) != 0) return true;
    }
    return false;
}

/// What was found out about one chunk.
struct LookedAt {
    bool is_outside = false; ///< not touched by the edit
    bool is_there = false;
    bool is_new = false;
    bool changes = false;
    EditCounts counts{};
    CutBlocks cut{};
    std::uint16_t stale = 0; ///< sections whose light is another one
    std::array<std::uint32_t, k_side> columns{};
    std::optional<Error> problem{};
};

/// What is to be done with one chunk.
struct PlannedChunk {
    bool edited = false;
    bool created = false;
    std::uint16_t stale = 0; ///< sections whose global light depends on a chunk around
    std::set<BlockPos> emptied;
};

struct WrittenChunk {
    bool changed = false;
    Buffer bytes; ///< a frame, or the document for a preview
    std::uint32_t raw_size = 0;
    std::optional<Error> problem;
};

/// What a thread keeps from chunk to chunk.
struct EditTool {
    struct Other {
        std::unique_ptr<chunk::ChunkReader> reader;
        const chunk::Chunk* chunk = nullptr;
        CellSet cells;
    };
    chunk::ChunkReader reader;
    chunk::Chunk made; ///< in place of one that is not there
    CellSet cells;
    CellSet extra;
    Buffer out;
    RecentMap<ChunkPos, std::unique_ptr<Other>> others{RecentMap<ChunkPos, int>::k_unlimited, 9};
};

class ChunkEditJob {
public:
    ChunkEditJob(const storage::Store& store, const world::Assets& assets, const ChunkEdit& edit,
                 const EditOptions& options)
        : store_(store), assets_(assets), edit_(edit), options_(options) {}

    /// What the edit would do with a chunk.
    [[nodiscard]] LookedAt look(ChunkPos pos, EditTool& tool) const {
        LookedAt found;
        if (auto done = plan(pos, tool, found); !done) found.problem = placed(pos, std::move(done).error());
        return found;
    }

    /// Which blocks of several cells reach from a chunk beside the area into it.
    [[nodiscard]] LookedAt look_beside(ChunkPos pos, EditTool& tool) const {
        LookedAt found;
        const auto chunk = tool.reader.read(store_, pos, chunk::k_blocks | chunk::k_shapes);
        if (!chunk || *chunk == nullptr) return found; // what cannot be read is not touched
        tool.cells.clear();
        found.cut = find_cut_blocks(pos, **chunk, world_cells(pos, **chunk, tool));
        return found;
    }

    [[nodiscard]] WrittenChunk write(ChunkPos pos, const PlannedChunk& planned, EditTool& tool) const {
        WrittenChunk written;
        if (auto done = make(pos, planned, tool, written); !done)
            written.problem = placed(pos, std::move(done).error());
        return written;
    }

private:
    [[nodiscard]] Error placed(ChunkPos pos, Error&& error) const {
        return std::move(error).in_file(store_.file_of(pos)).at(pos);
    }

    /// Null if there is no such chunk.
    Result<chunk::Chunk*> read(ChunkPos pos, EditTool& tool, bool& is_new) const {
        TRY(auto* chunk, tool.reader.read(store_, pos));
        is_new = chunk == nullptr && options_.create_chunks;
        if (!is_new) return chunk;
        tool.made = chunk::Chunk::create();
        return &tool.made;
    }

    Result<void> plan(ChunkPos pos, EditTool& tool, LookedAt& found) const {
        TRY(auto* chunk, read(pos, tool, found.is_new));
        if (chunk == nullptr) {
            edit_.miss(pos);
            return {};
        }
        found.is_there = true;
        tool.cells.clear();
        TRY(const auto work, edit_.look(pos, *chunk, tool.cells));
        // Also where nothing is to be done here: blocks may reach into chunks beside this one.
        found.cut = find_cut_blocks(pos, *chunk, world_cells(pos, *chunk, tool));
        if (!work) return {};
        found.columns = tool.cells.columns();
        for (std::size_t z = 0; z < k_side; ++z) found.columns[z] |= work->reach[z];
        TRY_DO(work->apply(*chunk, tool.cells, found.counts));
        TRY_DO(settle(*chunk));
        found.changes = chunk->changed() || (found.is_new && !tool.cells.empty());
        found.stale = stale_lights(*chunk);
        return {};
    }

    Result<void> settle(chunk::Chunk& chunk) const {
        TRY_DO(chunk.update_heights([this](std::string_view key) { return assets_.is_transparent(key); }));
        return {};
    }

    /// Sections whose light the game has to compute: what is around them depends on it.
    static std::uint16_t stale_lights(const chunk::Chunk& chunk) {
        std::uint16_t stale = 0;
        for (int y = 0; y < k_sections; ++y)
            if (!chunk.section(y).local_light_valid()) stale = static_cast<std::uint16_t>(stale | 1U << y);
        return stale;
    }

    [[nodiscard]] const EditTool::Other* other(ChunkPos pos, EditTool& tool) const {
        if (const auto* known = tool.others.find(pos)) return known->get();
        auto made = std::make_unique<EditTool::Other>();
        made->reader = std::make_unique<chunk::ChunkReader>();
        if (const auto chunk = made->reader->read(store_, pos); chunk && *chunk != nullptr) {
            made->chunk = *chunk;
            if (edit_.touches(pos))
                if (!edit_.look(pos, *made->chunk, made->cells)) made->cells.clear();
        }
        return tool.others.put(pos, std::move(made)).get();
    }

    [[nodiscard]] WorldCells world_cells(ChunkPos pos, const chunk::Chunk& chunk, EditTool& tool) const {
        return {.block = [this, pos, &chunk, &tool](BlockPos at) -> std::optional<chunk::BlockState> {
                    if (at.chunk() == pos) return chunk.block(at);
                    const auto* there = other(at.chunk(), tool);
                    if (there->chunk == nullptr) return std::nullopt;
                    return there->chunk->block(at);
                },
                .is_chosen =
                    [this, pos, &tool](BlockPos at) {
                        if (at.chunk() == pos) return tool.cells.contains(at);
                        return edit_.touches(at.chunk()) && other(at.chunk(), tool)->cells.contains(at);
                    }};
    }

    Result<void> make(ChunkPos pos, const PlannedChunk& planned, EditTool& tool, WrittenChunk& out) const {
        bool is_new = false;
        TRY(auto* chunk, read(pos, tool, is_new));
        if (chunk == nullptr) return fail(Errc::not_found, "the chunk was removed in the meantime");
        tool.cells.clear();
        EditCounts counts;
        if (planned.edited) {
            TRY(const auto work, edit_.look(pos, *chunk, tool.cells));
            if (work) TRY_DO(work->apply(*chunk, tool.cells, counts));
        }
        if (!planned.emptied.empty()) {
            tool.extra.clear();
            for (const auto cell : planned.emptied)
                if (!tool.cells.contains(cell)) tool.extra.insert(cell);
            TRY_DO(put_block(*chunk, tool.extra, {}, counts));
        }
        TRY_DO(settle(*chunk));
        for (int y = 0; y < k_sections; ++y)
            if ((planned.stale >> y & 1) != 0 && chunk->section(y).has_current_block())
                if (auto section = chunk->edit_section(y)) (*section)->invalidate_global_light();
        if (!chunk->changed() && !is_new) return {};
        tool.out.clear();
        TRY(const auto document, chunk->encode(tool.out));
        // Read it as the game would, before anything is replaced.
        TRY(const auto again, chunk::Chunk::decode(document));
        if (again.problems().size() > chunk->problems().size())
            return fail(Errc::mismatch, "the changed chunk would not be readable: {}",
                        again.problems().back().text());
        out.changed = true;
        out.raw_size = static_cast<std::uint32_t>(document.size());
        if (options_.dry_run) {
            out.bytes.assign(document.begin(), document.end());
        } else {
            TRY(const auto frame, tool.reader.context().compressor.compress(document));
            out.bytes.assign(frame.begin(), frame.end());
        }
        return {};
    }

    const storage::Store& store_;
    const world::Assets& assets_;
    const ChunkEdit& edit_;
    const EditOptions& options_;
};

/// The plan of an edit as it grows.
class EditPlan {
public:
    explicit EditPlan(const storage::Store& store) : store_(store) {}

    void add(ChunkPos pos, LookedAt& found, EditReport& report) {
        if (found.is_outside) return;
        walked_.insert(pos);
        if (found.problem) {
            report.problems.push_back(*std::move(found.problem));
            damaged_.insert(pos);
            return;
        }
        if (!found.is_there) {
            ++report.missing;
            return;
        }
        report.counts += found.counts;
        add_cut(found.cut);
        for (const auto step : k_around)
            if (const auto next = beside(pos, step);
                next && found.stale != 0 && is_near(found.columns, step, k_light_reach))
                stale_[*next] = static_cast<std::uint16_t>(stale_[*next] | found.stale | found.stale << 1
                                                           | found.stale >> 1);
        if (!found.changes) return;
        ++report.chunks;
        report.created += found.is_new ? 1U : 0U;
        auto& planned = chunks_[pos];
        planned.edited = true;
        planned.created = found.is_new;
        for (const auto step : k_around) {
            const auto next = beside(pos, step);
            if (!next) continue;
            if (is_near(found.columns, step, k_filler_reach)) beside_.insert(*next);
        }
    }

    void add_cut(CutBlocks& cut) {
        bases_.merge(cut.bases);
        cut_cells_.merge(cut.cells);
    }

    /// Chunks around the edited ones, which were not looked at.
    [[nodiscard]] std::vector<ChunkPos> beside_edited() const {
        std::vector<ChunkPos> out;
        for (const auto pos : beside_)
            if (!walked_.contains(pos)) out.push_back(pos);
        return storage::in_region_order(out);
    }

    void finish(EditReport& report) {
        report.cut_blocks = bases_.size();
        for (const auto cell : cut_cells_) {
            if (damaged_.contains(cell.chunk())) continue;
            ++report.counts.cut_cells;
            auto& planned = chunks_[cell.chunk()];
            if (planned.emptied.empty() && !planned.edited) ++report.chunks;
            planned.emptied.insert(cell);
        }
        for (const auto& [pos, stale] : stale_) {
            if (damaged_.contains(pos)) continue;
            const auto known = chunks_.find(pos);
            if (known == chunks_.end() && !store_.contains(pos).value_or(false)) continue;
            chunks_[pos].stale |= stale;
        }
    }

    [[nodiscard]] std::vector<ChunkPos> positions() const {
        std::vector<ChunkPos> out;
        out.reserve(chunks_.size());
        for (const auto& [pos, planned] : chunks_) out.push_back(pos);
        return storage::in_region_order(out);
    }
    [[nodiscard]] const PlannedChunk& of(ChunkPos pos) const { return chunks_.at(pos); }

private:
    const storage::Store& store_;
    std::map<ChunkPos, PlannedChunk> chunks_;
    std::map<ChunkPos, std::uint16_t> stale_;
    std::set<ChunkPos> walked_;
    std::set<ChunkPos> damaged_;
    std::set<ChunkPos> beside_;
    std::set<BlockPos> bases_;
    std::set<BlockPos> cut_cells_;
};

void make_plan(const storage::Store& store, const ChunkEditJob& job, const ChunkEdit& edit,
               const EditOptions& options, EditPlan& plan, EditReport& report, Progress& progress) {
    const auto listed = edit.chunks();
    progress.begin("Planning", listed ? listed->size() : storage::count_chunks(store));
    const auto emit = [&](ChunkPos pos, LookedAt& found) {
        progress.step();
        plan.add(pos, found, report);
        return true;
    };
    const auto on_error = [&](const Error& error) { report.problems.push_back(error); };
    const storage::Walk<LookedAt, EditTool> walk{.work =
                                                     [&](ChunkPos pos, EditTool& tool) {
                                                         return edit.touches(pos)
                                                                    ? job.look(pos, tool)
                                                                    : LookedAt{.is_outside = true};
                                                     },
                                                 .emit = emit,
                                                 .on_error = on_error};
    if (listed) {
        const auto ordered = storage::in_region_order(*listed);
        storage::walk<LookedAt, EditTool>(*storage::make_list_cursor(ordered), options.threads, walk);
    } else {
        storage::walk<LookedAt, EditTool>(store, options.threads, walk);
    }
    const auto around = plan.beside_edited();
    if (around.empty()) return;
    storage::walk<LookedAt, EditTool>(
        *storage::make_list_cursor(around), options.threads,
        {.work = [&](ChunkPos pos, EditTool& tool) { return job.look_beside(pos, tool); },
         .emit =
             [&](ChunkPos, LookedAt& found) {
                 plan.add_cut(found.cut);
                 return true;
             },
         .on_error = on_error});
}

Result<void> carry_out(Target& target, const ChunkEditJob& job, const EditPlan& plan,
                       const EditOptions& options, EditReport& report, Progress& progress) {
    const auto positions = plan.positions();
    std::optional<WritableRegions> writable;
    if (target.change) {
        // All of them before the first write: nothing is half done because of the last one.
        writable.emplace(*target.change);
        for (const auto pos : positions)
            if (const auto& problem = writable->problem_of(pos)) return fail(Error(*problem));
    }
    progress.begin(options.dry_run ? "Drawing" : "Writing", positions.size());
    Result<void> outcome;
    const auto emit = [&](ChunkPos pos, WrittenChunk& written) {
        progress.step();
        const bool light_only = !plan.of(pos).edited && plan.of(pos).emptied.empty();
        if (written.problem) {
            // The light of a chunk that cannot be read is nobody's concern.
            if (light_only) return true;
            report.problems.push_back(*std::move(written.problem));
            if (options.skip_damaged) return true;
            outcome = fail(Error(report.problems.back()));
            return false;
        }
        if (!written.changed) return true;
        report.light_chunks += light_only ? 1U : 0U;
        if (target.change)
            outcome = target.change->write(pos, {written.bytes, written.raw_size});
        else if (options.preview)
            outcome = options.preview(pos, written.bytes);
        return outcome.has_value();
    };
    storage::walk<WrittenChunk, EditTool>(
        *storage::make_list_cursor(positions), options.threads,
        {.work = [&](ChunkPos pos, EditTool& tool) { return job.write(pos, plan.of(pos), tool); },
         .emit = emit,
         .on_error = [&](const Error& error) { report.problems.push_back(error); }});
    return outcome;
}

} // namespace

Result<EditReport> edit_chunks(const world::World& world, const world::Assets& assets, const ChunkEdit& edit,
                               const EditOptions& options, Progress& progress) {
    EditReport report;
    TRY(auto target,
        Target::open(world, options.dry_run,
                     {.verb = options.verb, .command = options.command, .force = options.force}));
    const auto& store = target.store();
    edit.begin(store);
    const ChunkEditJob job(store, assets, edit, options);
    EditPlan plan(store);
    make_plan(store, job, edit, options, plan, report, progress);
    plan.finish(report);
    if (!report.problems.empty() && !options.skip_damaged) {
        report.refused = true;
        return report;
    }
    if (!options.dry_run || options.preview) TRY_DO(carry_out(target, job, plan, options, report, progress));
    if (target.change) {
        TRY(report.change, target.change->finish());
    }
    return report;
}

} // namespace orbis::jobs

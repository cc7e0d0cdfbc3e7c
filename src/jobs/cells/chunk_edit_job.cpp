#include "jobs/cells/chunk_edit_job.hpp"

#include "chunk/light_marks.hpp"

#include <algorithm>
#include <utility>

namespace orbis::jobs {
namespace {

/// Sections whose light the game has to compute: what is around them depends on it.
SectionBits stale_lights(const chunk::Chunk& chunk) {
    SectionBits stale = 0;
    for (int y = 0; y < k_sections; ++y)
        if (!chunk.section(y).local_light_valid()) stale = static_cast<SectionBits>(stale | 1U << y);
    return stale;
}

constexpr SectionBits k_all_sections = (1U << k_sections) - 1;

bool can_be_marked(const chunk::Section& section) {
    return section.has_current_block() && section.global_light_valid() && section.global_light_computed();
}

SectionBits settled_lights(const chunk::Chunk& chunk) {
    SectionBits settled = 0;
    for (int y = 0; y < k_sections; ++y)
        if (!can_be_marked(chunk.section(y))) settled = static_cast<SectionBits>(settled | 1U << y);
    return settled;
}

} // namespace

ChunkEditJob::ChunkEditJob(const storage::Store& store, const world::Assets& assets, const ChunkEdit& edit,
                           const EditOptions& options)
    : store_(store),
      assets_(assets),
      edit_(edit),
      options_(options),
      parts_(edit.parts()),
      writes_(!options.dry_run || options.preview) {}

LookedAt ChunkEditJob::look(ChunkPos pos, EditTool& tool) const {
    LookedAt found;
    if (auto done = plan(pos, tool, found); !done) found.problem = placed(pos, std::move(done).error());
    return found;
}

LookedAt ChunkEditJob::look_beside(ChunkPos pos, EditTool& tool) const {
    LookedAt found;
    const auto chunk = tool.reader.read(store_, pos, chunk::k_blocks | chunk::k_shapes);
    if (!chunk || *chunk == nullptr) return found; // what cannot be read is not touched
    tool.cells.clear();
    found.cut = find_cut_blocks(pos, **chunk, world_cells(pos, **chunk, nullptr, tool));
    return found;
}

WrittenChunk ChunkEditJob::write(ChunkPos pos, PlannedChunk& planned, EditTool& tool) const {
    WrittenChunk written;
    auto frame = std::exchange(planned.frame, std::nullopt);
    if (frame && planned.emptied.empty()) {
        if ((planned.stale & ~frame->settled) == 0)
            written.frame = std::move(frame);
        else if (auto marked = mark_again(*frame, planned.stale, tool))
            written.frame = *std::move(marked);
        if (written.frame) return written;
    }
    if (auto done = make(pos, planned, tool, written); !done)
        written.problem = placed(pos, std::move(done).error());
    return written;
}

std::optional<ChunkFrame> ChunkEditJob::compress(ChunkDraft&& draft, SectionBits stale,
                                                 EditTool& tool) const {
    auto frame = finish(std::move(draft), stale, tool);
    if (!frame) return std::nullopt; // said when it is made again
    const auto size = frame->bytes.size();
    if (kept_.fetch_add(size, std::memory_order_relaxed) + size > options_.keep) return std::nullopt;
    return *std::move(frame);
}

Error ChunkEditJob::placed(ChunkPos pos, Error&& error) const {
    return std::move(error).in_file(store_.file_of(pos)).at(pos);
}

/// Null if there is no such chunk.
Result<chunk::Chunk*> ChunkEditJob::read(ChunkPos pos, EditTool& tool, bool& is_new) const {
    TRY(auto* chunk, tool.reader.read(store_, pos, parts_));
    is_new = chunk == nullptr && options_.create_chunks;
    if (!is_new) return chunk;
    tool.made = chunk::Chunk::create();
    return &tool.made;
}

Result<void> ChunkEditJob::plan(ChunkPos pos, EditTool& tool, LookedAt& found) const {
    TRY(auto* chunk, read(pos, tool, found.is_new));
    if (chunk == nullptr) {
        edit_.miss(pos);
        return {};
    }
    found.is_there = true;
    tool.cells.clear();
    TRY(const auto work, edit_.look(pos, *chunk, tool.cells));
    // Also where nothing is to be done here: blocks may reach into chunks beside this one.
    found.cut = find_cut_blocks(pos, *chunk, world_cells(pos, *chunk, work.get(), tool));
    if (!work) return {};
    found.columns = work->reach;
    if (std::ranges::any_of(work->reach, [](auto row) { return row != ~std::uint32_t{0}; })) {
        const auto columns = tool.cells.columns();
        for (std::size_t z = 0; z < k_side; ++z) found.columns[z] |= columns[z];
    }
    TRY_DO(work->apply(*chunk, tool.cells, found.counts));
    TRY_DO(settle(*chunk));
    found.changes = chunk->changed() || (found.is_new && (work->chooses_later || !tool.cells.empty()));
    found.stale = stale_lights(*chunk);
    const bool has_to_wait = may_become_stale(pos, found);
    if (!found.changes || !writes_ || kept_.load(std::memory_order_relaxed) >= options_.keep) return {};
    TRY(auto draft, encode(*chunk, tool));
    if (draft.settled == k_all_sections || !has_to_wait)
        found.frame = compress(std::move(draft), 0, tool);
    else
        found.draft = std::move(draft);
    return {};
}

/// Whether it is likely that a chunk around makes light of this one stale, as chunks with stale light are
/// seldom alone: this one has stale light itself, or one of those beside it that came before. Where that
/// guess fails a frame is compressed again.
bool ChunkEditJob::may_become_stale(ChunkPos pos, const LookedAt& found) const {
    const auto x = static_cast<std::uint32_t>(pos.x) % k_side;
    const auto z = static_cast<std::uint32_t>(pos.z) % k_side;
    const auto here = std::uint32_t{1} << x;
    auto& row = stale_places_[z];
    if (found.stale == 0)
        row.fetch_and(~here, std::memory_order_relaxed);
    else
        row.fetch_or(here, std::memory_order_relaxed);
    const auto west = row.load(std::memory_order_relaxed) & here >> 1;
    const auto north = z == 0 ? 0 : stale_places_[z - 1].load(std::memory_order_relaxed);
    return found.stale != 0 || west != 0 || (north & (here | here << 1 | here >> 1)) != 0;
}

Result<void> ChunkEditJob::settle(chunk::Chunk& chunk) const {
    TRY_DO(chunk.update_heights([this](std::string_view key) { return assets_.is_transparent(key); }));
    return {};
}

const EditTool::Other* ChunkEditJob::other(ChunkPos pos, EditTool& tool) const {
    if (const auto* known = tool.others.find(pos)) return known->get();
    auto made = std::make_unique<EditTool::Other>();
    made->reader = std::make_unique<chunk::ChunkReader>();
    if (const auto chunk = made->reader->read(store_, pos, parts_); chunk && *chunk != nullptr) {
        made->chunk = *chunk;
        if (edit_.touches(pos)) {
            const auto work = edit_.look(pos, *made->chunk, made->cells);
            if (!work) made->cells.clear();
            if (work && *work && (*work)->chooses_later) (*work)->choose_now(*made->chunk, made->cells);
        }
    }
    return tool.others.put(pos, std::move(made)).get();
}

WorldCells ChunkEditJob::world_cells(ChunkPos pos, const chunk::Chunk& chunk, const ChunkWork* work,
                                     EditTool& tool) const {
    const auto* asked = work != nullptr && work->chooses_later ? work : nullptr;
    return {.block = [this, pos, &chunk, &tool](BlockPos at) -> std::optional<chunk::BlockState> {
                if (at.chunk() == pos) return chunk.block(at);
                const auto* there = other(at.chunk(), tool);
                if (there->chunk == nullptr) return std::nullopt;
                return there->chunk->block(at);
            },
            .is_chosen =
                [this, pos, &chunk, asked, &tool](BlockPos at) {
                    if (at.chunk() == pos)
                        return asked != nullptr ? asked->is_chosen(chunk, at) : tool.cells.contains(at);
                    return edit_.touches(at.chunk()) && other(at.chunk(), tool)->cells.contains(at);
                }};
}

Result<void> ChunkEditJob::make(ChunkPos pos, const PlannedChunk& planned, EditTool& tool,
                                WrittenChunk& out) const {
    bool is_new = false;
    TRY(auto* chunk, read(pos, tool, is_new));
    if (chunk == nullptr) return fail(Errc::not_found, "the chunk was removed in the meantime");
    tool.cells.clear();
    EditCounts counts;
    if (planned.edited) {
        TRY(const auto work, edit_.look(pos, *chunk, tool.cells));
        if (work && work->chooses_later && !planned.emptied.empty()) work->choose_now(*chunk, tool.cells);
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
        if ((planned.stale >> y & 1) != 0 && can_be_marked(chunk->section(y)))
            if (auto section = chunk->edit_section(y)) (*section)->invalidate_global_light();
    if (!chunk->changed() && !is_new) return {};
    TRY(auto draft, encode(*chunk, tool));
    TRY(out.frame, finish(std::move(draft), 0, tool));
    return {};
}

Result<ChunkDraft> ChunkEditJob::encode(const chunk::Chunk& chunk, EditTool& tool) {
    auto memory = tool.take_memory();
    TRY(const auto document, chunk.encode(memory));
    TRY_DO(chunk.read_back(document, tool.again)); // before anything is replaced
    if (document.data() != memory.data())          // one that was made and stays as it is
        memory.assign(document.begin(), document.end());
    return ChunkDraft{std::move(memory), settled_lights(chunk)};
}

/// A frame that was made before it was known that the light of these sections is stale.
Result<ChunkFrame> ChunkEditJob::mark_again(const ChunkFrame& frame, SectionBits stale, EditTool& tool) {
    TRY(const auto document,
        tool.reader.context().decompressor.decompress(frame.bytes, frame.raw_size, frame.raw_size));
    auto memory = tool.take_memory();
    memory.assign(document.begin(), document.end());
    return finish({std::move(memory), frame.settled}, stale, tool);
}

/// Leaves the memory of the draft for others.
Result<ChunkFrame> ChunkEditJob::finish(ChunkDraft&& draft, SectionBits stale, EditTool& tool) {
    auto& document = tool.spare.emplace_back(std::move(draft.document));
    TRY_DO(chunk::mark_global_light(document, stale & ~static_cast<unsigned>(draft.settled)));
    TRY(const auto frame, tool.reader.context().compressor.compress(document));
    return ChunkFrame{.bytes = {frame.begin(), frame.end()},
                      .raw_size = static_cast<std::uint32_t>(document.size()),
                      .settled = static_cast<SectionBits>(draft.settled | stale)};
}

} // namespace orbis::jobs

#include "library/chunk_state.hpp"

#include "bson/extended_json.hpp"

namespace orbis {
namespace {

constexpr std::array<chunk::Parts, ChunkState::k_groups> k_group_parts{
    chunk::k_blocks,
    chunk::k_blocks | chunk::k_shapes | chunk::k_light | chunk::k_fluids | chunk::k_physics,
    chunk::k_column_maps,
    chunk::k_environments,
    chunk::k_block_components,
    chunk::k_entities,
    chunk::k_everything,
};

} // namespace

Result<bool> ChunkState::load(std::shared_ptr<storage::Store> from, ChunkPos at) {
    store = std::move(from);
    pos = at;
    for (auto& model : models_) model.is_ready = false;
    for (auto& section : unpacked_) {
        section.has_keys = false;
        section.has_cells = false;
    }
    auto found = store->read(pos, context_);
    if (!found) return fail(placed(std::move(found).error()));
    if (!*found) return false;
    document = **found;
    // Only the outermost form is looked at here, so that a chunk that is none is known at once.
    auto& outermost = models_[static_cast<std::size_t>(Group::components)].chunk;
    if (auto read = outermost.read(document, chunk::Parts{}); !read)
        return fail(placed(std::move(read).error()));
    return true;
}

const chunk::Chunk& ChunkState::model(Group group) {
    auto& model = models_[static_cast<std::size_t>(group)];
    if (model.is_ready.load(std::memory_order_acquire)) return model.chunk;
    const std::lock_guard lock(mutex_);
    if (model.is_ready.load(std::memory_order_relaxed)) return model.chunk;
    if (auto read = model.chunk.read(document, k_group_parts[static_cast<std::size_t>(group)]); !read)
        world->note(placed(std::move(read).error())); // cannot be, as `load` has read it
    for (const auto& problem : model.chunk.problems()) world->note(placed(problem.as_error()));
    model.is_ready.store(true, std::memory_order_release);
    return model.chunk;
}

ChunkState::Unpacked& ChunkState::with_keys(int y) {
    const auto& section = model(Group::blocks).section(y);
    auto& out = unpacked_[static_cast<std::size_t>(y)];
    if (out.has_keys.load(std::memory_order_acquire)) return out;
    const std::lock_guard lock(mutex_);
    if (out.has_keys.load(std::memory_order_relaxed)) return out;
    const auto entries = section.blocks.entries().size();
    out.keys.clear();
    for (std::size_t entry = 0; entry < entries; ++entry) out.keys.push_back(section.block_key(entry));
    out.keys.push_back(chunk::k_empty_key); // cells without an entry
    out.has_keys.store(true, std::memory_order_release);
    return out;
}

ChunkState::Unpacked& ChunkState::with_cells(int y) {
    const auto& section = model(Group::blocks).section(y);
    auto& out = unpacked_[static_cast<std::size_t>(y)];
    if (out.has_cells.load(std::memory_order_acquire)) return out;
    const std::lock_guard lock(mutex_);
    if (out.has_cells.load(std::memory_order_relaxed)) return out;
    if (!out.cells) out.cells = std::make_unique_for_overwrite<std::array<std::uint16_t, k_cells>>();
    section.blocks.expand(*out.cells);
    out.has_cells.store(true, std::memory_order_release);
    return out;
}

std::string ChunkState::json(const bson::Document& of) const {
    auto text = bson::to_extended_json(of);
    if (text) return *std::move(text);
    world->note(placed(std::move(text).error()));
    return "{}";
}

Error ChunkState::placed(Error&& error) const {
    if (error.file.empty()) error.file = store->file_of(pos);
    return std::move(error).at(pos);
}

Result<std::optional<Chunk>> ChunkSource::read(std::shared_ptr<storage::Store> store, ChunkPos pos) {
    if (!last_ || last_.use_count() > 1)
        last_ = std::make_shared<ChunkState>(world_);
    else
        std::atomic_thread_fence(std::memory_order_acquire); // after what others did with their copies
    TRY(const bool is_there, last_->load(std::move(store), pos));
    if (!is_there) return std::nullopt;
    return Chunk(last_);
}

} // namespace orbis

#include "map/area.hpp"

#include <algorithm>

namespace orbis::map {
namespace {

constexpr std::int32_t k_edge_rows = 3;

chunk::Parts parts_of_all(std::span<const Layer> layers, chunk::Parts extra) {
    for (const auto layer : layers) extra = extra | parts_of(layer);
    return extra;
}

} // namespace

bool AreaVisitor::may_have_chunks(RegionPos) const { return true; }
void AreaVisitor::on_chunk(ChunkPos, const storage::StoredChunk&, ChunkPainter&) {}
void AreaVisitor::on_unreadable(ChunkPos, const storage::StoredChunk&, const Error&) {}
void AreaVisitor::on_neighbour(ChunkPos, std::uint64_t) {}

AreaRenderer::AreaRenderer(const storage::Store& store, const Colours& colours, std::vector<Layer> layers,
                           EdgeCache* cache, chunk::Parts extra)
    : reader_(store),
      painter_(colours),
      layers_(std::move(layers)),
      cache_(cache),
      parts_(parts_of_all(layers_, extra)) {}

bool AreaRenderer::wanted(ChunkPos pos) const { return tiles_.contains(TilePos::of(pos)); }

bool AreaRenderer::is_beside_wanted(ChunkPos pos) const {
    for (int dz = -1; dz <= 1; ++dz)
        for (int dx = -1; dx <= 1; ++dx)
            if (wanted({pos.x + dx, pos.z + dz})) return true;
    return false;
}

std::size_t AreaRenderer::place(std::int32_t z, std::size_t column) const {
    const auto row = static_cast<std::size_t>((z - first_.z) % k_edge_rows);
    return row * width_ + column;
}

UnshadedChunk& AreaRenderer::unshaded(std::int32_t z, std::size_t column, std::size_t layer) {
    // A chunk is finished when the one to the south-east of it is known, and its place is free then.
    const auto number = static_cast<std::size_t>(z - first_.z) * width_ + column;
    return unshaded_[number % (width_ + 2) * layers_.size() + layer];
}

TilePixels& AreaRenderer::tile(std::int32_t tile_x, std::size_t layer) {
    return row_of_tiles_[tile_column(tile_x) * layers_.size() + layer];
}

std::size_t AreaRenderer::tile_column(std::int32_t tile_x) const {
    return static_cast<std::size_t>(tile_x - ((first_.x + 1) >> 4));
}

void AreaRenderer::clear_used(std::int32_t tile_x) {
    auto& paper = papers_[tile_column(tile_x)];
    if (paper != Paper::used) return;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) tile(tile_x, layer).clear();
    paper = Paper::blank;
}

const Edges* AreaRenderer::edges_of(std::int32_t z, std::size_t column, std::size_t layer) const {
    const auto at = place(z, column);
    return known_[at] == ChunkKnowledge::absent ? nullptr : &edges_[at * layers_.size() + layer];
}

void AreaRenderer::load(ChunkPos pos, std::size_t column, AreaVisitor& visitor) {
    if (!visitor.may_have_chunks(pos.region())) return;
    const auto stored = reader_.read(pos);
    if (!stored) return;
    ++chunks_read_;
    if (!stored->document) return visitor.on_unreadable(pos, *stored, stored->problem);
    if (auto read = painter_.read(*stored->document, parts_); !read)
        return visitor.on_unreadable(pos, *stored, std::move(read).error().at(pos));
    const auto at = place(pos.z, column);
    known_[at] = ChunkKnowledge::unshaded;
    const std::span edges(&edges_[at * layers_.size()], layers_.size());
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        auto& drawn = unshaded(pos.z, column, layer);
        painter_.draw(layers_[layer], drawn);
        edges[layer] = drawn.edges();
    }
    visitor.on_chunk(pos, *stored, painter_);
    const auto x = pos.x & (k_tile_chunks - 1);
    const auto z = pos.z & (k_tile_chunks - 1);
    const bool at_border = x == 0 || z == 0 || x == k_tile_chunks - 1 || z == k_tile_chunks - 1;
    if (cache_ != nullptr && at_border) cache_->put(pos, stored->hash, edges);
}

void AreaRenderer::load_edges(ChunkPos pos, std::size_t column, AreaVisitor& visitor) {
    const auto at = place(pos.z, column);
    const std::span edges(&edges_[at * layers_.size()], layers_.size());
    if (cache_ != nullptr) {
        if (const auto hash = cache_->get(pos, edges); hash != 0) {
            known_[at] = ChunkKnowledge::edges;
            return visitor.on_neighbour(pos, hash);
        }
    }
    const auto stored = visitor.may_have_chunks(pos.region()) ? reader_.read(pos) : std::nullopt;
    visitor.on_neighbour(pos, stored ? stored->hash : 0);
    if (!stored) return;
    ++chunks_read_;
    if (!stored->document || !painter_.read(*stored->document, parts_)) return; // reported elsewhere
    for (std::size_t layer = 0; layer < layers_.size(); ++layer)
        edges[layer] = painter_.edges(layers_[layer]);
    known_[at] = ChunkKnowledge::edges;
    if (cache_ != nullptr) cache_->put(pos, stored->hash, edges);
}

void AreaRenderer::load_row(std::int32_t z, AreaVisitor& visitor) {
    for (std::size_t column = 0; column < width_; ++column) {
        const ChunkPos pos{first_.x + static_cast<std::int32_t>(column), z};
        known_[place(z, column)] = ChunkKnowledge::absent;
        if (wanted(pos))
            load(pos, column, visitor);
        else if (is_beside_wanted(pos))
            load_edges(pos, column, visitor);
        if (column > 1 && z - 1 > first_.z) shade_chunk(z - 1, column - 1);
    }
}

void AreaRenderer::shade_chunk(std::int32_t z, std::size_t column) {
    if (known_[place(z, column)] != ChunkKnowledge::unshaded) return;
    const auto x = first_.x + static_cast<std::int32_t>(column);
    clear_used(x >> 4);
    papers_[tile_column(x >> 4)] = Paper::drawn;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        const auto around = [&](std::int32_t dz, std::size_t at) { return edges_of(z + dz, at, layer); };
        const Neighbours neighbours{.north = around(-1, column),
                                    .north_east = around(-1, column + 1),
                                    .east = around(0, column + 1),
                                    .south_east = around(1, column + 1),
                                    .south = around(1, column),
                                    .south_west = around(1, column - 1),
                                    .west = around(0, column - 1),
                                    .north_west = around(-1, column - 1)};
        auto& pixels = tile(x >> 4, layer);
        shade(unshaded(z, column, layer), neighbours,
              pixels.at((x & (k_tile_chunks - 1)) * k_side, (z & (k_tile_chunks - 1)) * k_side), k_tile_side);
    }
}

Result<void> AreaRenderer::hand_over_tiles(std::int32_t tile_z, AreaVisitor& visitor) {
    for (const auto pos : tiles_) {
        if (pos.z != tile_z) continue;
        clear_used(pos.x);
        auto& paper = papers_[tile_column(pos.x)];
        if (paper == Paper::drawn) paper = Paper::used;
        for (std::size_t layer = 0; layer < layers_.size(); ++layer)
            TRY_DO(visitor.on_tile(layer, pos, tile(pos.x, layer)));
    }
    return {};
}

Result<void> AreaRenderer::render(std::span<const TilePos> tiles, AreaVisitor& visitor) {
    if (tiles.empty()) return {};
    tiles_ = std::set(tiles.begin(), tiles.end());
    const auto [west, east] = std::ranges::minmax(tiles, {}, &TilePos::x);
    const auto [north, south] = std::ranges::minmax(tiles, {}, &TilePos::z);
    first_ = {west.x * k_tile_chunks - 1, north.z * k_tile_chunks - 1};
    const auto tile_columns = static_cast<std::size_t>(east.x - west.x + 1);
    width_ = tile_columns * k_tile_chunks + 2;
    known_.assign(k_edge_rows * width_, ChunkKnowledge::absent);
    edges_.resize(k_edge_rows * width_ * layers_.size());
    unshaded_.resize((width_ + 2) * layers_.size());
    if (papers_.size() < tile_columns) {
        row_of_tiles_.resize(tile_columns * layers_.size());
        papers_.resize(tile_columns, Paper::blank);
    }
    std::ranges::replace(papers_, Paper::drawn, Paper::used); // a render before may have ended early
    const auto last = (south.z + 1) * k_tile_chunks;
    for (auto z = first_.z; z <= last; ++z) {
        load_row(z, visitor);
        const auto finished = z - 1;
        if (finished > first_.z && (finished & (k_tile_chunks - 1)) == k_tile_chunks - 1)
            TRY_DO(hand_over_tiles(finished >> 4, visitor));
    }
    return {};
}

} // namespace orbis::map

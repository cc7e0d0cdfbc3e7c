#include "inspect/chunk_pictures.hpp"

#include <algorithm>
#include <array>

namespace orbis::inspect {

namespace {

constexpr map::Layer k_surface{map::LayerKind::surface, 0};
/// Chunks to which nothing was added for so long are drawn.
constexpr net::Duration k_quiet = std::chrono::milliseconds(300);

} // namespace

/// Draws chunks that are whole, and keeps the latest of them for changes.
class ChunkPictures::Shelf final : public game::ChunkCollector::Shelf {
public:
    explicit Shelf(ChunkPictures& owner) : owner_(owner), documents_(k_most_documents) {}

    Result<void> put(ChunkPos pos, const chunk::Chunk& chunk) override {
        Buffer memory;
        TRY(const auto document, chunk.encode(memory));
        owner_.put(pos, document);
        documents_.put(pos, Buffer(document.begin(), document.end()), document.size());
        return {};
    }
    Result<std::optional<chunk::Chunk>> take_back(ChunkPos pos) override {
        const auto* document = documents_.find(pos);
        if (document == nullptr) return std::nullopt;
        TRY(auto chunk, chunk::Chunk::decode(Buffer(*document)));
        return chunk;
    }

    void clear() {
        documents_.erase_if([](ChunkPos, const Buffer&) { return true; });
    }

private:
    ChunkPictures& owner_;
    RecentMap<ChunkPos, Buffer> documents_;
};

ChunkPictures::ChunkPictures(const map::Colours& colours, chunk::IsTransparent is_transparent,
                             Decompressor& decompressor, std::size_t most_bytes_in_work)
    : decompressor_(decompressor),
      painter_(colours),
      shelf_(std::make_unique<Shelf>(*this)),
      is_transparent_(std::move(is_transparent)),
      most_bytes_in_work_(most_bytes_in_work),
      full_at_(most_bytes_in_work / 2) {}
ChunkPictures::~ChunkPictures() = default;

void ChunkPictures::begin_world() {
    shelf_->clear();
    if (collector_) collector_->begin_world();
    const std::lock_guard lock(mutex_);
    pictures_.for_each([&](ChunkPos pos, const Picture&) { changed_.insert(TilePos::of(pos)); });
    pictures_.erase_if([](ChunkPos, const Picture&) { return true; });
}

void ChunkPictures::add(const capture::Record& record) {
    if (record.to != protocol::Side::client) return;
    if (collector_ && collector_->remembered() > k_most_remembered) collector_->begin_world();
    if (!collector_) {
        game::ChunkCollector::Limits limits;
        limits.chunks = k_most_pictures;
        limits.bytes = most_bytes_in_work_;
        limits.held_bytes = most_bytes_in_work_;
        collector_.emplace(*shelf_, is_transparent_, decompressor_, arena_, limits);
    }
    const net::Time now{net::Duration(record.time)};
    (void)frames_.hear(record, [&](const protocol::Frame& frame) {
        arena_.reset();
        (void)collector_->take(frame, now);
    });
    if (collector_->bytes() >= full_at_) make_room(now);
}

/// Many packets may come before anybody draws: what is whole is drawn earlier then. Where nothing is, this is
/// not tried again before much more has come.
void ChunkPictures::make_room(net::Time now) {
    draw(now, true);
    full_at_ = std::max(most_bytes_in_work_ / 2, collector_->bytes() + most_bytes_in_work_ / 8);
}

void ChunkPictures::draw(net::Time now, bool everything) {
    if (!collector_) return;
    if (everything)
        (void)collector_->hand_out_rest(now);
    else
        (void)collector_->hand_out(now - k_quiet);
}

void ChunkPictures::put(ChunkPos pos, Bytes document) {
    if (!is_drawable(pos) || !painter_.read(document, map::parts_of(k_surface))) return;
    auto picture = std::make_shared<map::UnshadedChunk>();
    painter_.draw(k_surface, *picture);
    {
        const std::lock_guard lock(mutex_);
        pictures_.put(pos, std::move(picture), 1);
    }
    // The heights of a chunk shade those beside it.
    for (const int z : {-1, 0, 1})
        for (const int x : {-1, 0, 1}) changed_.insert(TilePos::of({pos.x + x, pos.z + z}));
}

std::optional<ChunkPictures::Bounds> ChunkPictures::bounds() const {
    std::optional<Bounds> bounds;
    const std::lock_guard lock(mutex_);
    pictures_.for_each([&](ChunkPos pos, const Picture&) {
        if (!bounds) bounds = Bounds{pos, {pos.x + 1, pos.z + 1}};
        bounds->min = {std::min(bounds->min.x, pos.x), std::min(bounds->min.z, pos.z)};
        bounds->max = {std::max(bounds->max.x, pos.x + 1), std::max(bounds->max.z, pos.z + 1)};
    });
    return bounds;
}

std::size_t ChunkPictures::size() const {
    const std::lock_guard lock(mutex_);
    return pictures_.size();
}

bool ChunkPictures::paint(TilePos tile, map::TilePixels& out) const {
    out.clear();
    // The chunks of the tile and those around it, so that shading needs no lock.
    constexpr int k_side_with_border = k_tile_chunks + 2;
    std::array<Picture, static_cast<std::size_t>(k_side_with_border * k_side_with_border)> near;
    const auto at = [&](int x, int z) -> Picture& {
        return near[static_cast<std::size_t>((z + 1) * k_side_with_border + x + 1)];
    };
    {
        const std::lock_guard lock(mutex_);
        for (int z = -1; z <= k_tile_chunks; ++z)
            for (int x = -1; x <= k_tile_chunks; ++x)
                if (const auto* found =
                        pictures_.find({tile.x * k_tile_chunks + x, tile.z * k_tile_chunks + z}))
                    at(x, z) = *found;
    }
    bool has_any = false;
    for (int z = 0; z < k_tile_chunks; ++z)
        for (int x = 0; x < k_tile_chunks; ++x) {
            const auto& picture = at(x, z);
            if (!picture) continue;
            std::array<map::Edges, 8> edges;
            const auto beside = [&](std::size_t number, int dx, int dz) -> const map::Edges* {
                const auto& other = at(x + dx, z + dz);
                if (!other) return nullptr;
                edges[number] = other->edges();
                return &edges[number];
            };
            const map::Neighbours around{
                .north = beside(0, 0, -1),
                .north_east = beside(1, 1, -1),
                .east = beside(2, 1, 0),
                .south_east = beside(3, 1, 1),
                .south = beside(4, 0, 1),
                .south_west = beside(5, -1, 1),
                .west = beside(6, -1, 0),
                .north_west = beside(7, -1, -1),
            };
            map::shade(*picture, around, out.at(x * k_side, z * k_side), map::k_tile_side);
            has_any = true;
        }
    return has_any;
}

} // namespace orbis::inspect

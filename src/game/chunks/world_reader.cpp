#include "game/chunks/world_reader.hpp"

#include "game/chunks/disk_watch.hpp"

#include <algorithm>
#include <utility>

namespace orbis::game {

/// Chunks as the watch found them last.
class WorldReader::Source final : public ChunkSource {
public:
    explicit Source(const world::World& served) : world(served) {}

    Result<std::optional<LoadedChunk>> load(ChunkPos pos, storage::ReadContext& context) override {
        TRY(const auto document, watch->store()->read(pos, context));
        if (!document) return std::nullopt;
        return LoadedChunk{*document};
    }

    world::World world;
    std::unique_ptr<DiskWatch> watch; ///< of that world
};

WorldReader::WorldReader(Post post, Changed changed) : post_(std::move(post)), changed_(std::move(changed)) {}

template <typename Act>
void WorldReader::post(Act act) {
    post_([self = self_.ref(), act = std::move(act)]() mutable {
        if (self) act(*self);
    });
}

Result<std::unique_ptr<WorldReader>> WorldReader::open(const world::World& world, WireIds& ids,
                                                       WatchSettings settings, Post post, Changed changed) {
    std::unique_ptr<WorldReader> reader(new WorldReader(std::move(post), std::move(changed)));
    auto* self = reader.get();
    self->source_ = std::make_shared<Source>(world);
    TRY(self->source_->watch,
        DiskWatch::start(self->source_->world, std::move(settings), [self](std::vector<ChunkPos> chunks) {
            self->post([chunks = std::move(chunks)](WorldReader& now) { now.changed_(chunks); });
        }));
    self->lookup_ =
        std::make_unique<BlockLookup>(self->source_, ids, [self](std::vector<BlockLookup::Answer> answers) {
            self->post([answers = std::move(answers)](WorldReader& now) mutable {
                std::ranges::move(answers, std::back_inserter(now.answers_));
            });
        });
    return reader;
}

WorldReader::~WorldReader() {
    stop();
    self_.end();
}

/// Threads that call back end here; chunks that are being encoded may still be read.
void WorldReader::stop() {
    lookup_.reset();
    if (source_->watch) source_->watch->stop();
}

std::shared_ptr<ChunkSource> WorldReader::source() const { return source_; }

void WorldReader::submit(const EditRequest& request) {
    if (request.pos.y < 0 || request.pos.y >= k_world_height) return; // nothing is there to change
    ++refused_;
    if (!lookup_) return;
    // Its client may have put the block into all of its cells.
    for (const auto filler : chunk::fillers_of(request.extent, request.rotation)) {
        const auto cell = filler.cell(request.pos);
        if (cell.y >= 0 && cell.y < k_world_height)
            lookup_->ask({request.player, cell, filler ? 0 : request.ticket});
    }
}

BlockNews WorldReader::end_tick(ServerTools& tools) {
    BlockNews news;
    for (const auto& [player, pos, block, ticket] : std::exchange(answers_, {})) {
        if (auto frame = block_frame(pos, block, tools)) news.answers.push_back({player, *std::move(frame)});
        if (ticket != 0) news.results.push_back({player, ticket, block});
    }
    return news;
}

} // namespace orbis::game

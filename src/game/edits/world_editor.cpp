#include "game/edits/world_editor.hpp"

#include "game/codec/chunk_packets.hpp"
#include "jobs/undo/change.hpp"
#include "world/assets.hpp"

namespace orbis::game {

/// What threads use that may outlive the editor for a moment.
struct WorldEditor::Shared {
    explicit Shared(const world::World& served) : world(served) {}

    /// What a chunk is to be read from now. The saver's store knows what it has written itself, also what is
    /// past the end that a file had; that of the watch knows what others have done to a file. Null for a
    /// moment, while a database is opened.
    [[nodiscard]] std::shared_ptr<const storage::Store> store_for(ChunkPos pos) const {
        if (auto store = saver->store_for(pos)) return store;
        return saver->is_shared() ? watch->store() : nullptr;
    }

    Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext& context) const {
        while (true) {
            const auto store = store_for(pos);
            if (!store) return fail(Errc::busy, "the chunks of the world cannot be read now");
            auto document = store->read(pos, context);
            // Where it is another one by now, others have written while this one was read.
            if (store == watch->store() || store_for(pos) == store) return document;
        }
    }

    world::World world;
    chunk::IsTransparent is_transparent;
    EditedChunks chunks;
    std::mutex mutex;                ///< guards `reports`
    std::vector<SaveReport> reports; ///< that the game does not know yet
    std::unique_ptr<ChunkSaver> saver;
    std::unique_ptr<DiskWatch> watch; ///< gone first: it asks the saver
};

/// Chunks as they are stored, or as they are in memory where that is newer.
class WorldEditor::Source final : public ChunkSource {
public:
    explicit Source(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

    Result<std::optional<LoadedChunk>> load(ChunkPos pos, storage::ReadContext& context) override {
        // Asked before anything is read: what is read has these edits, and maybe more.
        const auto saved = shared_->saver->saved_up_to();
        if (const auto chunk = shared_->chunks.find(pos); chunk && chunk->first_unsaved()) {
            TRY(auto content, chunk->encode(shared_->is_transparent));
            context.gathered = std::move(content.document);
            return LoadedChunk{context.gathered, std::max(content.number, saved)};
        }
        TRY(const auto document, shared_->read(pos, context));
        if (!document) return std::nullopt;
        return LoadedChunk{*document, saved};
    }

private:
    std::shared_ptr<Shared> shared_;
};

WorldEditor::WorldEditor(WireIds& ids, Post post, EditorSettings settings, EditHandler& handler)
    : ids_(ids),
      post_(std::move(post)),
      settings_(settings),
      handler_(handler),
      packets_(std::make_unique<ChunkPackets>()) {}

Result<std::unique_ptr<WorldEditor>> WorldEditor::open(const world::World& world, WireIds& ids,
                                                       const world::Assets& assets, Post post,
                                                       EditorSettings settings, WatchSettings watching,
                                                       EditHandler& handler) {
    std::unique_ptr<WorldEditor> editor(new WorldEditor(ids, std::move(post), settings, handler));
    TRY_DO(editor->begin(world, assets, std::move(watching)));
    return editor;
}

template <typename Act>
void WorldEditor::post(Act act) {
    post_([self = self_.ref(), act = std::move(act)]() mutable {
        if (self) act(*self);
    });
}

Result<void> WorldEditor::begin(const world::World& world, const world::Assets& assets,
                                WatchSettings watching) {
    shared_ = std::make_shared<Shared>(world);
    auto& shared = *shared_;
    shared.is_transparent = [&assets](std::string_view key) { return assets.is_transparent(key); };
    TRY(shared.saver, ChunkSaver::start(shared.world, shared.chunks, shared.is_transparent, settings_.saving,
                                        [this](const SaveReport& report) {
                                            {
                                                const std::lock_guard lock(shared_->mutex);
                                                shared_->reports.push_back(report);
                                            }
                                            post([](WorldEditor& self) { self.hear_reports(); });
                                        }));
    const auto is_own = [saver = shared.saver.get()](ChunkPos pos, const storage::Store& store) {
        storage::ReadContext context;
        const auto stored = jobs::stored_hash(store, pos, context);
        return stored && *stored && saver->is_own(pos, **stored);
    };
    TRY(shared.watch,
        DiskWatch::start(
            shared.world, std::move(watching),
            [this](std::vector<ChunkPos> chunks) {
                post([chunks = std::move(chunks)](WorldEditor& self) { self.on_changed(chunks); });
            },
            is_own));
    loader_ =
        std::make_unique<ChunkLoader>([kept = shared_](ChunkPos pos) { return kept->store_for(pos); },
                                      [this](ChunkPos pos, Result<EditedChunks::Ptr> chunk) {
                                          post([pos, chunk = std::move(chunk)](WorldEditor& self) mutable {
                                              if (!self.is_stopped_)
                                                  self.queue_->loaded(pos, std::move(chunk));
                                          });
                                      });
    queue_.emplace(shared.chunks, [this](ChunkPos pos) {
        if (loader_) loader_->load(pos);
    });
    return {};
}

WorldEditor::~WorldEditor() {
    if (shared_) stop();
    self_.end();
}

/// Threads that call back end here; chunks that are being encoded may still be read.
void WorldEditor::stop() {
    is_stopped_ = true; // what still waits for its chunk is not made: it would not be saved
    loader_.reset();
    if (shared_->watch) shared_->watch->stop();
    if (shared_->saver) shared_->saver->stop();
    if (queue_) hear_reports();
}

std::shared_ptr<ChunkSource> WorldEditor::source() const { return std::make_shared<Source>(shared_); }

std::span<const net::OutgoingFrame> WorldEditor::frames_behind(const EncodedChunk& encoded,
                                                               ServerTools& tools) {
    return tails_.frames_behind(encoded, tools).value_or(std::span<const net::OutgoingFrame>());
}

EditCounts WorldEditor::counts() const {
    return {queue_->last_edit(), shared_->saver->saved_up_to(), refused_,
            is_stopped_ ? 0 : queue_->waiting()};
}

void WorldEditor::save_soon() { shared_->saver->save_soon(); }

std::optional<Error> WorldEditor::refusal_of(const EditRequest& request) const {
    if (is_stopped_) return error(Errc::read_only, "the world is closed");
    if (!request.may_edit) return error(Errc::read_only, "the player is not in creative mode");
    if (!(request.distance <= settings_.reach))
        return error(Errc::out_of_range, "the place is {:.0f} blocks away, at most {:.0f} are allowed",
                     request.distance, settings_.reach);
    if (!request.rotation.valid())
        return error(Errc::out_of_range, "unknown rotation {}", request.rotation.index);
    if (!ids_.blocks.name(request.block)) return error(Errc::bad_value, "unknown block {}", request.block);
    return std::nullopt;
}

void WorldEditor::submit(const EditRequest& request) {
    if (request.pos.y < 0 || request.pos.y >= k_world_height) { // nothing is there to change
        if (request.ticket != 0) results_.push_back({request.player, request.ticket, {}});
        return;
    }
    const auto key = ids_.blocks.name(request.block).value_or(chunk::k_empty_key);
    const auto rotation = key == chunk::k_empty_key ? chunk::Rotation{} : request.rotation;
    queue_->submit({request.pos,
                    {key, rotation, {}},
                    refusal_of(request),
                    [this, player = request.player, pos = request.pos,
                     ticket = request.ticket](const EditOutcome& outcome) {
                        on_outcome(player, pos, outcome);
                        if (ticket != 0) results_.push_back({player, ticket, wire_block(outcome)});
                    },
                    request.player,
                    request.extent});
}

std::optional<WireBlock> WorldEditor::wire_block(const EditOutcome& outcome) {
    if (!outcome.found) return std::nullopt;
    return WireBlock{ids_.blocks.id_of(outcome.found->key), outcome.found->filler, outcome.found->rotation};
}

void WorldEditor::on_outcome(const protocol::Uuid& player, BlockPos pos, const EditOutcome& outcome) {
    if (outcome.refusal) ++refused_;
    for (const auto& [cell, block, number] : outcome.cells) {
        const WireBlock now{ids_.blocks.id_of(block.key), block.filler, block.rotation};
        changes_.set_block(cell, now);
        tails_.set_block(cell, now, number);
    }
    if (outcome.number != 0) handler_.on_edit(player, outcome);
    if (!outcome.cells.empty()) return;
    if (outcome.found) questions_.push_back({player, pos, *wire_block(outcome)});
    for (const auto& [cell, held] : outcome.others)
        questions_.push_back({player, cell, {ids_.blocks.id_of(held.key), held.filler, held.rotation}});
}

Result<net::OutgoingFrame> WorldEditor::section(SectionPos pos, SectionKind kind, ServerTools& tools) {
    const auto chunk = shared_->chunks.find(pos.chunk());
    if (!chunk) return fail(Errc::not_found, "{} is not in memory", pos.chunk());
    return chunk->look([&](const chunk::Chunk& now) -> Result<net::OutgoingFrame> {
        TRY_DO(packets_->make(pos.chunk(), now, ids_));
        if (kind == SectionKind::blocks)
            return net::OutgoingFrame::make(tools.writer,
                                            packets_->sections()[static_cast<std::size_t>(pos.y)]);
        for (const auto& fluids : packets_->fluids())
            if (fluids.y == pos.y) return net::OutgoingFrame::make(tools.writer, fluids);
        return fail(Errc::not_found, "section {} of {} has no fluids", pos.y, pos.chunk());
    });
}

BlockNews WorldEditor::end_tick(ServerTools& tools) {
    BlockNews news;
    std::optional<Error> problem; // a section that cannot be sent is in the chunk when that is made again
    news.chunks = changes_.take(
        tools, [&](SectionPos pos, SectionKind kind) { return section(pos, kind, tools); }, problem);
    for (const auto& [player, pos, block] : questions_)
        if (auto frame = block_frame(pos, block, tools)) news.answers.push_back({player, *std::move(frame)});
    questions_.clear();
    news.results = std::exchange(results_, {});
    return news;
}

void WorldEditor::hear_reports() {
    std::vector<SaveReport> reports;
    {
        const std::lock_guard lock(shared_->mutex);
        reports.swap(shared_->reports);
    }
    for (const auto& report : reports) on_report(report);
}

void WorldEditor::on_report(const SaveReport& report) {
    queue_->after_save();
    std::vector<ChunkPos> changed = report.merged;
    for (const auto& lost : report.lost) changed.push_back(lost.pos);
    if (!changed.empty()) handler_.on_disk_changed(changed);
    handler_.on_saved(report, tails_.chunks());
    tails_.forget(report.saved_up_to);
}

void WorldEditor::on_changed(const std::vector<ChunkPos>& chunks) {
    queue_->changed_by_others(chunks);
    handler_.on_disk_changed(chunks);
}

} // namespace orbis::game

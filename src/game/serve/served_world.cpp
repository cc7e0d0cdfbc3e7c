#include "game/serve/served_world.hpp"

#include "bytes/content_hash.hpp"
#include "game/chunks/world_reader.hpp"
#include "game/content/registries.hpp"
#include "game/player/player.hpp"
#include "packets/shared.hpp"
#include "packets/world.hpp"
#include "protocol/uuid.hpp"

#include <cstring>

namespace orbis::game {
namespace {

/// That of the configuration; a world without one always gets the same, made from its name.
protocol::Uuid uuid_of(const world::World& world) {
    if (const auto uuid = protocol::parse_uuid(world.config.uuid)) return *uuid;
    protocol::Uuid made{};
    const auto hash = content_hash(as_bytes(world.name));
    std::memcpy(made.data(), &hash, sizeof hash);
    made[6] = static_cast<std::uint8_t>((made[6] & 0x0F) | 0x80); // version 8: made in a way of its own
    made[8] = 0x80;
    return made;
}

} // namespace

Result<std::unique_ptr<ServedWorld>> ServedWorld::open(const world::World& world,
                                                       const WorldServices& services) {
    std::unique_ptr<ServedWorld> served(new ServedWorld(services));
    auto* self = served.get();
    self->name_ = world.name;
    self->uuid_ = uuid_of(world);
    if (world.config.game_mode == "Adventure") self->mode_ = packets::GameMode::adventure;
    self->effects_ = world.config.effects;
    self->time_.emplace(WorldClock::settings_of(world.config), services.clock.now());
    self->ids_ = &services.ids;
    self->assets_ = &services.assets;
    self->registries_ = &services.registries;
    self->weather_seed_ = static_cast<std::uint64_t>(world.config.seed.value_or(0));
    if (!world.config.forced_weather.empty())
        self->forced_weather_ = services.registries.weathers().id_of(world.config.forced_weather);

    TRY(const auto store, world.open({}));
    self->spawn_ = find_spawn(world, *store);
    TRY_DO(self->open_access(world, services));
    const auto source = self->access_->source();
    self->chunks_ = std::make_unique<EncodedChunkCache>(services.workers, source, services.ids,
                                                        services.clock, services.post, services.rules.cache);
    self->chunks_->set_models(services.models);
    self->chunks_->set_changed([self](ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now) {
        self->on_changed(pos, before, now);
    });
    self->chunks_->set_made([self, announce = services.announce_names](const EncodedChunkPtr& encoded) {
        announce(); // before anybody gets the chunk that has them
        self->access_->note_made(encoded);
    });
    self->chunks_->set_seen([self](ChunkPos pos, bool is_seen) { self->on_seen(pos, is_seen); });
    if (services.rules.has_map)
        self->map_ = std::make_unique<MapImages>(
            services.colours,
            [source](ChunkPos pos, storage::ReadContext& context) -> Result<std::optional<Bytes>> {
                TRY(const auto loaded, source->load(pos, context));
                return loaded ? std::optional(loaded->document) : std::nullopt;
            });
    return served;
}

/// Only where players may edit does anything go through the editor.
Result<void> ServedWorld::open_access(const world::World& world, const WorldServices& services) {
    const auto& rules = services.rules;
    if (rules.can_edit) {
        TRY(access_, WorldEditor::open(world, services.ids, services.assets, services.post, rules.editing,
                                       rules.watching, *this));
    } else {
        TRY(access_,
            WorldReader::open(world, services.ids, rules.watching, services.post,
                              [this](std::span<const ChunkPos> chunks) { on_disk_changed(chunks); }));
    }
    return {};
}

packets::Position ServedWorld::spawn_of(const std::string& player) const {
    const auto found = spawn_.players.find(player);
    return found == spawn_.players.end() ? spawn_.newcomers : found->second;
}

void ServedWorld::broadcast(const net::OutgoingFrame& frame) {
    for (auto* player : players_) player->send(frame);
}

std::int32_t ServedWorld::weather_at(BlockPos pos, net::Time now) const {
    if (forced_weather_ >= 0) return forced_weather_;
    const auto encoded = chunks_->peek(pos.chunk());
    const auto name = encoded ? ids_->environments.name(environment_at(*encoded, pos)) : std::nullopt;
    return registries_->weathers().at(name.value_or(std::string_view()), time_->time(now), weather_seed_);
}

void ServedWorld::submit(const EditRequest& request) {
    constexpr auto edge = std::numeric_limits<std::int32_t>::max() - 64; // cells beyond have no coordinates
    const auto* type = assets_->block(ids_->blocks.name(request.block).value_or(std::string_view()));
    auto whole = request;
    if (type != nullptr && std::abs(std::int64_t{request.pos.x}) < edge
        && std::abs(std::int64_t{request.pos.z}) < edge)
        whole.extent = type->extent;
    access_->submit(whole);
}

void ServedWorld::on_chunk_changed(ChunkPos pos) {
    chunks_->refresh(pos);
    if (map_) map_->invalidate(pos);
}

ServedWorld::~ServedWorld() {
    if (access_ && chunks_) access_->stop();
}

void ServedWorld::on_disk_changed(std::span<const ChunkPos> chunks) {
    for (const auto pos : chunks) on_chunk_changed(pos);
}

/// Chunks with a tail are encoded again, so that tails stay short; players have had the changes.
void ServedWorld::on_saved(const SaveReport& report, std::span<const ChunkPos> tailed) {
    for (const auto pos : tailed) chunks_->refresh(pos, false);
    if (map_)
        for (const auto pos : report.written) map_->invalidate(pos);
    if (saved_) saved_(*this, report);
}

void ServedWorld::on_edit(const protocol::Uuid& player, const EditOutcome& outcome) {
    if (edited_) edited_(*this, player, outcome);
}

void ServedWorld::tell_changes() {
    const auto news = access_->end_tick(tools_);
    for (const auto& [pos, frames] : news.chunks)
        for (auto* player : players_) {
            if (!player->has_chunk(pos)) continue;
            for (const auto& frame : frames) player->send(frame);
        }
    for (const auto& answer : news.answers)
        for (auto* player : players_)
            if (player->uuid() == answer.player && player->is_in_world()) player->send(answer.frame);
    for (const auto& result : news.results)
        for (auto* player : players_)
            if (player->uuid() == result.player) player->on_edit(result.ticket, result.now_there);
}

void ServedWorld::on_changed(ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now) {
    // With a tail, players have something else than the frames of before.
    if (before && access_->has_tail(pos)) return on_changed(pos, nullptr, now);
    for (auto* player : players_)
        if (auto* stream = player->chunk_stream()) stream->on_changed(pos, before, now);
    on_seen(pos, chunks_->is_held(pos));
}

void ServedWorld::on_seen(ChunkPos pos, bool is_seen) {
    const auto encoded = is_seen ? chunks_->peek(pos) : nullptr;
    stored_.set(pos,
                encoded ? std::span<const EntityState>(encoded->entities) : std::span<const EntityState>());
}

void ServedWorld::tick(net::Time now, EntityUpdater& updater, net::FrameTools<net::Side::server>& tools) {
    if (players_.empty()) return;
    markers_.clear();
    for (auto* player : players_) {
        player->publish();
        if (player->is_in_world() && map_)
            markers_.push_back(
                {player->uuid(), player->name(), player->movement().position(), player->movement().look()});
    }
    entities_.end_tick();
    tell_changes();
    if (time_->is_due(now))
        if (const auto frame = net::OutgoingFrame::make(tools.writer, time_->now(now)))
            for (auto* player : players_)
                if (player->is_in_world()) player->send(*frame);
    for (auto* player : players_) player->tick(now, updater, tools);
}

} // namespace orbis::game

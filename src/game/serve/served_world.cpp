#include "game/serve/served_world.hpp"

#include "game/serve/player.hpp"
#include "map/content_hash.hpp"
#include "protocol/uuid.hpp"

#include <cstring>

namespace orbis::game {
namespace {

/// That of the configuration; a world without one always gets the same, made from its name.
protocol::Uuid uuid_of(const world::World& world) {
    if (const auto uuid = protocol::parse_uuid(world.config.uuid)) return *uuid;
    protocol::Uuid made{};
    const auto hash = map::content_hash(as_bytes(world.name));
    std::memcpy(made.data(), &hash, sizeof hash);
    made[6] = static_cast<std::uint8_t>((made[6] & 0x0F) | 0x80); // version 8: made in a way of its own
    made[8] = 0x80;
    return made;
}

} // namespace

Result<std::unique_ptr<ServedWorld>> ServedWorld::open(const world::World& world,
                                                       const Surroundings& surroundings) {
    std::unique_ptr<ServedWorld> served(new ServedWorld);
    served->name_ = world.name;
    served->uuid_ = uuid_of(world);
    if (world.config.game_mode == "Adventure") served->mode_ = packets::GameMode::adventure;
    TRY(auto store, world.open({}));
    served->spawn_ = find_spawn(world, *store);
    served->columns_ = std::make_unique<ColumnCache>(
        surroundings.workers, std::make_shared<StoreSource>(std::move(store)), surroundings.ids,
        surroundings.clock, surroundings.post, surroundings.cache);
    served->columns_->set_changed(
        [self = served.get()](ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now) {
            self->on_changed(pos, before, now);
        });
    return served;
}

packets::Position ServedWorld::spawn_of(const std::string& player) const {
    const auto found = spawn_.players.find(player);
    return found == spawn_.players.end() ? spawn_.newcomers : found->second;
}

void ServedWorld::broadcast(const net::OutgoingFrame& frame) {
    for (auto* player : players_) player->send(frame);
}

void ServedWorld::on_changed(ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now) {
    for (auto* player : players_)
        if (auto* stream = player->columns()) stream->on_changed(pos, before, now);
}

void ServedWorld::tick(net::Time now, EntityUpdater& updater) {
    for (auto* player : players_) player->publish_movement();
    entities_.end_tick();
    for (auto* player : players_) player->tick(now, updater);
}

} // namespace orbis::game

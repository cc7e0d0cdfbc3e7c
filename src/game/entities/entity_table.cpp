#include "game/entities/entity_table.hpp"

#include "bytes/writer.hpp"
#include "packets/entities.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace orbis::game {

namespace {

constexpr std::size_t k_transform_bytes = 1 + packets::TransformUpdate::k_fixed;
constexpr std::size_t k_movement_bytes = 1 + packets::MovementStatesUpdate::k_fixed;

/// Worlds can hold what is no place; some builds do not read it.
template <typename Number>
Number finite(Number number) {
    return std::isfinite(number) ? number : Number{0};
}

Transform finite(const Transform& transform) {
    const auto direction = [](const packets::Direction& of) {
        return packets::Direction{finite(of.yaw), finite(of.pitch), finite(of.roll)};
    };
    const auto& at = transform.position;
    return {{finite(at.x), finite(at.y), finite(at.z)}, direction(transform.body), direction(transform.look)};
}

std::uint8_t* store_direction(std::uint8_t* at, const packets::Direction& direction) {
    store_le(at, direction.yaw);
    store_le(at + 4, direction.pitch);
    store_le(at + 8, direction.roll);
    return at + 12;
}

/// In this order a player is told of itself when it enters a world; other components come behind these.
std::ptrdiff_t own_rank(ComponentType type) {
    using enum packets::ComponentUpdateType;
    constexpr std::array k_order{interactable, intangible, invulnerable,   respond_to_hit,
                                 nameplate,    prediction, model,          player_skin,
                                 equipment,    transform,  entity_effects, entity_stats};
    return std::ranges::find(k_order, type) - k_order.begin();
}

/// An update without removed components begins so; the slot of those is −1.
constexpr std::size_t k_update_head = packets::EntityUpdate::k_var_start;

} // namespace

std::int32_t EntityTable::cell_of(double coordinate) {
    // Positions come from players: whatever they are, a cell can be counted from.
    constexpr double k_most = 1 << 24;
    return static_cast<std::int32_t>(std::floor(std::clamp(coordinate / k_cell, -k_most, k_most)));
}

NetworkId EntityTable::add(EntityState state) {
    state.transform = finite(state.transform);
    const auto id = static_cast<NetworkId>(next_id_++);
    Slot slot = 0;
    if (free_.empty()) {
        slot = static_cast<Slot>(entities_.size());
        entities_.emplace_back();
        news_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    slots_by_id_.emplace(id, slot);

    auto& entity = entities_[slot];
    entity = Entity{};
    entity.id = id;
    news_[slot] = News{.id = id};
    entity.parts.reserve(state.components.size() + 2);
    put_transform(entity, state.transform);
    if (state.movement) put_movement(entity, *state.movement);
    for (auto& component : state.components) {
        auto& part = this->part(entity, component.type);
        part.set(component.bytes);
        touch(entity, part);
    }
    enter_cell(entity, Spot{state.transform.position, state.box_side, slot, state.is_for_builders});
    return id;
}

void EntityTable::remove(NetworkId id) {
    auto* entity = find(id);
    if (entity == nullptr) return;
    leave_cell(*entity);
    const auto slot = slot_of(*entity);
    *entity = Entity{};
    news_[slot] = News{};
    slots_by_id_.erase(id);
    free_.push_back(slot);
    has_changed_ = true;
}

void EntityTable::move(NetworkId id, const Transform& to) {
    auto* entity = find(id);
    if (entity == nullptr) return;
    const auto transform = finite(to);
    put_transform(*entity, transform);
    const auto& at = transform.position;
    if (cell_key(cell_of(at.x), cell_of(at.z)) == entity->cell) {
        spot(*entity).at = at;
        return;
    }
    auto moved = spot(*entity);
    moved.at = at;
    leave_cell(*entity);
    enter_cell(*entity, moved);
}

void EntityTable::move(NetworkId id, const Transform& transform, const packets::MovementStates& movement) {
    move(id, transform);
    if (auto* entity = find(id)) put_movement(*entity, movement);
}

void EntityTable::set(NetworkId id, Component component) {
    auto* entity = find(id);
    if (entity == nullptr) return;
    auto& part = this->part(*entity, component.type);
    if (part.present && part.component.bytes == component.bytes) return;
    part.set(component.bytes);
    part.present = true;
    touch(*entity, part);
}

void EntityTable::unset(NetworkId id, ComponentType type) {
    auto* entity = find(id);
    if (entity == nullptr) return;
    const auto found =
        std::ranges::find(entity->parts, type, [](const Part& part) { return part.component.type; });
    if (found == entity->parts.end() || !found->present) return;
    found->present = false;
    found->set({});
    touch(*entity, *found);
}

void EntityTable::end_tick() {
    if (!has_changed_) return;
    written_.clear();
    const auto before = revision_++;
    for (const auto slot : dirty_) {
        if (!std::exchange(entities_[slot].is_dirty, false)) continue; // was removed
        news_[slot].begin = static_cast<std::uint32_t>(written_.size());
        write_since(slot, before, Reader::other, nullptr, written_);
        news_[slot].types = 0;
        for (const auto& part : entities_[slot].parts)
            if (part.changed > before) news_[slot].types |= 1U << static_cast<unsigned>(part.component.type);
        news_[slot].size = static_cast<std::uint32_t>(written_.size() - news_[slot].begin);
    }
    dirty_.clear();
    has_changed_ = false;
}

const Transform* EntityTable::transform(NetworkId id) const {
    const auto found = slots_by_id_.find(id);
    return found == slots_by_id_.end() ? nullptr : &entities_[found->second].transform;
}

EntityTable::Entity* EntityTable::find(NetworkId id) {
    const auto found = slots_by_id_.find(id);
    return found == slots_by_id_.end() ? nullptr : &entities_[found->second];
}

EntityTable::Part& EntityTable::part(Entity& entity, ComponentType type) {
    const auto found =
        std::ranges::find(entity.parts, type, [](const Part& part) { return part.component.type; });
    if (found != entity.parts.end()) return *found;
    entity.parts.push_back(Part{.component = {.type = type}, .changed = 0, .present = false});
    return entity.parts.back();
}

void EntityTable::touch(Entity& entity, Part& part) {
    part.present = part.present || !part.component.bytes.empty();
    part.changed = revision_ + 1;
    const auto slot = slot_of(entity);
    news_[slot].changed = part.changed;
    has_changed_ = true;
    if (std::exchange(entity.is_dirty, true)) return;
    dirty_.push_back(slot);
}

void EntityTable::put_transform(Entity& entity, const Transform& transform) {
    std::array<std::uint8_t, k_transform_bytes> bytes;
    bytes[0] = static_cast<std::uint8_t>(ComponentType::transform);
    bytes[1] = 7; // all three parts are there
    store_le(&bytes[2], transform.position.x);
    store_le(&bytes[10], transform.position.y);
    store_le(&bytes[18], transform.position.z);
    store_direction(store_direction(&bytes[26], transform.body), transform.look);

    entity.transform = transform;
    auto& part = this->part(entity, ComponentType::transform);
    if (std::ranges::equal(part.component.bytes, bytes)) return;
    part.set(bytes);
    touch(entity, part);
}

void EntityTable::put_movement(Entity& entity, const packets::MovementStates& movement) {
    static_assert(sizeof movement == packets::MovementStates::k_fixed, "flags lie in memory as on the wire");
    std::array<std::uint8_t, k_movement_bytes> bytes;
    bytes[0] = static_cast<std::uint8_t>(ComponentType::movement_states);
    std::memcpy(&bytes[1], &movement, sizeof movement);

    auto& part = this->part(entity, ComponentType::movement_states);
    if (std::ranges::equal(part.component.bytes, bytes)) return;
    part.set(bytes);
    touch(entity, part);
}

void EntityTable::enter_cell(Entity& entity, Spot spot) {
    const auto x = cell_of(spot.at.x);
    const auto z = cell_of(spot.at.z);
    entity.cell = cell_key(x, z);
    auto& cell = cells_.try_emplace(entity.cell, Cell{x, z, {}}).first->second;
    entity.place = static_cast<std::uint32_t>(cell.spots.size());
    cell.spots.push_back(spot);
}

void EntityTable::leave_cell(Entity& entity) {
    const auto cell = cells_.find(entity.cell);
    auto& spots = cell->second.spots;
    spots[entity.place] = spots.back();
    entities_[spots[entity.place].slot].place = entity.place;
    spots.pop_back();
    if (spots.empty()) cells_.erase(cell);
}

Bytes EntityTable::Part::in(const Wording* wording) const {
    if (wording == nullptr || !wording->differs(component.type)) return component.bytes;
    if (said.size() <= wording->number()) said.resize(wording->number() + 1);
    auto& bytes = said[wording->number()];
    if (!bytes) bytes = wording->said(component);
    return *bytes;
}

Bytes EntityTable::last_update(Slot slot, const Wording& wording) const {
    if (worded_.size() <= wording.number()) worded_.resize(wording.number() + 1);
    auto& [revision, bytes, places] = worded_[wording.number()];
    if (std::exchange(revision, revision_) != revision_) bytes.clear();
    if (places.size() < entities_.size()) places.resize(entities_.size());
    auto& place = places[slot];
    if (place.written != revision_) {
        const auto begin = bytes.size();
        write_since(slot, revision_ - 1, Reader::other, &wording, bytes);
        place = {revision_, static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(bytes.size() - begin)};
    }
    return Bytes(bytes).subspan(place.begin, place.size);
}

bool EntityTable::write_all(Slot slot, Reader reader, const Wording* wording, Buffer& out) const {
    return write_since(slot, 0, reader, wording, out);
}

bool EntityTable::write_since(Slot slot, Revision since, Reader reader, const Wording* wording,
                              Buffer& out) const {
    const auto& entity = entities_[slot];
    std::uint8_t set = 0; // there are 26 types, so a byte is enough for a varint
    std::uint8_t unset = 0;
    std::size_t bytes = 0;
    const auto wanted = [&](const Part& part) {
        if (part.changed <= since) return false;
        const auto type = part.component.type;
        if (wording != nullptr && !wording->knows(type)) return false;
        return reader == Reader::other
               || (type != ComponentType::movement_states
                   && (type != ComponentType::transform || reader == Reader::own_first));
    };
    for (const auto& part : entity.parts) {
        if (!wanted(part)) continue;
        if (part.present) {
            const auto size = part.in(wording).size();
            set = static_cast<std::uint8_t>(set + (size > 0 ? 1 : 0));
            bytes += size;
        } else if (since > 0) {
            ++unset;
        }
    }
    if (set == 0 && unset == 0) return false;

    const auto unset_bytes = unset > 0 ? 1U + unset : 0U;
    const auto begin = out.size();
    out.resize(begin + k_update_head + unset_bytes + (set > 0 ? 1 + bytes : 0));
    auto* at = out.data() + begin;
    at[0] = static_cast<std::uint8_t>((unset > 0 ? 1 : 0) | (set > 0 ? 2 : 0));
    store_le(at + 1, std::to_underlying(entity.id));
    store_le(at + 5, unset > 0 ? 0 : -1);
    store_le(at + 9, set > 0 ? static_cast<std::int32_t>(unset_bytes) : -1);
    at += k_update_head;
    if (unset > 0) {
        *at++ = unset;
        for (const auto& part : entity.parts)
            if (wanted(part) && !part.present) *at++ = std::to_underlying(part.component.type);
    }
    if (set > 0) {
        *at++ = set;
        const auto write = [&](const Part& part) {
            if (!wanted(part) || !part.present) return;
            const auto said = part.in(wording);
            at = std::ranges::copy(said, at).out;
        };
        if (reader == Reader::own_first) {
            auto parts = entity.parts;
            std::ranges::stable_sort(parts, {},
                                     [](const Part& part) { return own_rank(part.component.type); });
            std::ranges::for_each(parts, write);
        } else {
            std::ranges::for_each(entity.parts, write);
        }
    }
    return true;
}

} // namespace orbis::game

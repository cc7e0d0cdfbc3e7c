#include "inspect/scene.hpp"

#include <cmath>
#include <initializer_list>

namespace orbis::inspect {

namespace {

using protocol::Value;

/// Positions beyond this are nothing that could be drawn.
constexpr double k_farthest = 1e9;

const Value* inside(const Value& value, std::initializer_list<std::string_view> path) {
    const auto* at = &value;
    for (const auto name : path) {
        at = at->find(name);
        if (at == nullptr || at->is_absent()) return nullptr;
    }
    return at;
}

std::optional<std::int64_t> whole(const Value& value, std::string_view field) {
    const auto* found = value.find(field);
    const auto* number = found != nullptr ? found->as<std::int64_t>() : nullptr;
    if (number == nullptr) return {};
    return *number;
}

std::optional<double> real_of(const Value* value) {
    if (value == nullptr) return {};
    if (const auto* wide = value->as<double>()) return *wide;
    if (const auto* narrow = value->as<float>()) return *narrow;
    return {};
}

std::optional<Scene::Place> place_in(const Value& position) {
    Scene::Place place{};
    constexpr std::array<std::string_view, 3> k_axes = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto number = real_of(position.find(k_axes[axis]));
        if (!number || !(std::abs(*number) < k_farthest)) return {};
        place[axis] = *number;
    }
    return place;
}

/// A text that fits, cut between letters.
std::string short_name(std::string_view text) {
    if (text.size() <= Scene::k_longest_name) return std::string(text);
    auto end = Scene::k_longest_name;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
}

} // namespace

void Scene::add(const capture::Record& record, capture::RecordDecoder& decoder) {
    const auto* packet = capture::packet_of(record);
    if (packet == nullptr) return;
    const auto is = [&](std::string_view name) { return packet->name == name; };
    const bool is_up = record.to == protocol::Side::server;
    const bool is_wanted = is_up ? is("ClientMovement")
                                 : is("SetChunk") || is("UnloadChunk") || is("UnloadChunks")
                                       || is("ClearChunks") || is("EntityUpdates") || is("ClientTeleport")
                                       || is("JoinWorld");
    if (!is_wanted) return;
    const auto read = decoder.value(record);
    if (!read) return;
    const auto& value = **read;
    ++version_;
    if (is("SetChunk"))
        see_chunk(value, record.time);
    else if (is("UnloadChunk"))
        unload_chunk(value, "chunkX", "chunkZ");
    else if (is("UnloadChunks"))
        unload_columns(value);
    else if (is("ClearChunks"))
        chunks_.clear();
    else if (is("EntityUpdates"))
        see_entities(value);
    else if (is("ClientTeleport"))
        move(inside(value, {"modelTransform", "position"}));
    else if (is("ClientMovement"))
        move(inside(value, {"absolutePosition"}));
    else {
        entities_.clear();
        chunks_.clear();
        ++worlds_;
    }
}

void Scene::see_chunk(const Value& packet, std::int64_t time) {
    const auto x = whole(packet, "x");
    const auto z = whole(packet, "z");
    if (!x || !z) return;
    const ChunkPos pos{static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*z)};
    if (!chunks_.contains(pos) && chunks_.size() >= k_most_chunks) {
        ++left_out_;
        return;
    }
    auto& seen = chunks_[pos];
    ++seen.sections;
    seen.time = time;
}

void Scene::unload_chunk(const Value& packet, std::string_view x_name, std::string_view z_name) {
    const auto x = whole(packet, x_name);
    const auto z = whole(packet, z_name);
    if (x && z) chunks_.erase(ChunkPos{static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*z)});
}

/// Pairs of x and z.
void Scene::unload_columns(const Value& packet) {
    const auto* columns = packet.find("columns");
    const auto* list = columns != nullptr ? columns->as<Value::List>() : nullptr;
    for (std::size_t at = 0; list != nullptr && at + 1 < list->size(); at += 2) {
        const auto* x = (*list)[at].as<std::int64_t>();
        const auto* z = (*list)[at + 1].as<std::int64_t>();
        if (x != nullptr && z != nullptr)
            chunks_.erase(ChunkPos{static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*z)});
    }
}

void Scene::see_entities(const Value& packet) {
    const auto each = [&](const Value& owner, std::string_view field, auto&& take) {
        const auto* found = owner.find(field);
        const auto* list = found != nullptr ? found->as<Value::List>() : nullptr;
        if (list == nullptr) return;
        for (const auto& value : *list) take(value);
    };
    each(packet, "removed", [&](const Value& value) {
        if (const auto* id = value.as<std::int64_t>()) entities_.erase(*id);
    });
    each(packet, "updates", [&](const Value& update) {
        const auto id = whole(update, "networkId");
        if (!id) return;
        if (!entities_.contains(*id) && entities_.size() >= k_most_entities) {
            ++left_out_;
            return;
        }
        auto& entity = entities_[*id];
        each(update, "updates", [&](const Value& component) { see_component(entity, component); });
    });
}

/// Components are structs of a union, or in earlier builds one struct with all fields; in both the fields
/// have the same names. A plate says more than a model.
void Scene::see_component(Entity& entity, const Value& component) {
    if (const auto* position = inside(component, {"transform", "position"}))
        if (const auto place = place_in(*position)) entity.place = place;
    const auto* plate = inside(component, {"nameplate", "text"});
    const auto* record = component.as<Value::Record>();
    if (plate == nullptr && record != nullptr && record->layout->name == "NameplateUpdate")
        plate = inside(component, {"text"});
    const auto name_it = [&](const Value* value, bool replaces) {
        const auto* text = value != nullptr ? value->as<std::string>() : nullptr;
        if (text != nullptr && !text->empty() && (replaces || entity.name.empty()))
            entity.name = short_name(*text);
    };
    name_it(plate, true);
    name_it(inside(component, {"model", "assetId"}), false);
    name_it(inside(component, {"item", "itemId"}), false);
}

void Scene::move(const Value* position) {
    if (position == nullptr) return;
    if (const auto place = place_in(*position)) place_ = place;
}

} // namespace orbis::inspect

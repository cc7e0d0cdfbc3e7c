#include "game/content/pack_registries.hpp"

#include "game/content/registry_numbers.hpp"
#include "packets/player.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/packet_codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace orbis::game {
namespace {

using protocol::Kind;
using protocol::Layout;
using protocol::Value;
using PartJson = nlohmann::json;

constexpr int k_deepest_phobia = 1; ///< the model for those who fear another has none itself

const protocol::Schema& pack_schema() { return **protocol::find_schema(protocol::k_default_build); }

/// The interactions whose members are known, by the type that a file names, and what they wait for.
struct StepKind {
    std::string_view type;
    std::string_view layout;
    std::string_view waits_for;
};
constexpr std::array<StepKind, 7> k_step_kinds{{{"Simple", "SimpleInteraction", "None"},
                                                {"UseBlock", "UseBlockInteraction", "Client"},
                                                {"PlaceBlock", "PlaceBlockInteraction", "Client"},
                                                {"BreakBlock", "BreakBlockInteraction", "Client"},
                                                {"PickBlock", "PickBlockInteraction", "Client"},
                                                {"Condition", "ConditionInteraction", "None"},
                                                {"Serial", "SerialInteraction", "None"}}};

const StepKind* step_kind(const PackObject& object) {
    const auto* type = object.find("Type");
    if (type == nullptr || !type->is_string()) return nullptr;
    const auto found = std::ranges::find(k_step_kinds, type->get_ref<const std::string&>(), &StepKind::type);
    return found == k_step_kinds.end() ? nullptr : &*found;
}

Value::Entries* entries_of(Value& packet, std::string_view field) {
    auto* map = pack_field(packet, field);
    if (map == nullptr) return nullptr;
    if (map->is_absent()) map->content = Value::Entries{};
    return std::get_if<Value::Entries>(&map->content);
}

std::string text_in(Value& record, std::string_view field) {
    const auto* value = pack_field(record, field);
    const auto* text = value == nullptr ? nullptr : value->as<std::string>();
    return text == nullptr ? std::string{} : *text;
}

void set_text(Value& record, std::string_view field, std::string_view text) {
    if (auto* value = pack_field(record, field)) value->content = std::string(text);
}

void set_symbol(Value& record, std::string_view field, std::string_view name) {
    auto* value = pack_field(record, field);
    auto* symbol = value == nullptr ? nullptr : std::get_if<Value::Symbol>(&value->content);
    if (symbol == nullptr) return;
    const auto& names = symbol->enumeration->values;
    if (const auto found = std::ranges::find(names, name); found != names.end())
        symbol->index = static_cast<std::uint8_t>(found - names.begin());
}

std::int32_t next_number(const Value::Entries& entries) {
    std::int64_t next = 0;
    for (const auto& [key, entry] : entries)
        if (const auto* number = key.as<std::int64_t>()) next = std::max(next, *number + 1);
    return static_cast<std::int32_t>(next);
}

void set_end(Value& packet, const Value::Entries& entries) {
    if (auto* end = pack_field(packet, "maxId")) end->content = std::int64_t{next_number(entries)};
}

/// The type of the entries of a registry.
const protocol::Type& entry_type(const PackRegistry& registry) {
    return *pack_schema().packet(registry.packet)->find(registry.field)->type.element;
}

Value step_of(const StepKind& kind) {
    auto made = PackValues::make(*pack_schema().layout(kind.layout));
    set_symbol(made, "waitForDataFrom", kind.waits_for);
    pack_field(made, "horizontalSpeedMultiplier")->content = 1.0F;
    pack_field(made, "cancelOnItemChange")->content = true;
    for (const auto* link : {"next", "failed"})
        if (auto* number = pack_field(made, link)) number->content = std::int64_t{k_no_entry};
    *pack_field(made, "effects") = PackValues::make(*pack_schema().layout("InteractionEffects"));
    *pack_field(made, "rules") = PackValues::make(*pack_schema().layout("InteractionRules"));
    pack_field(made, "settings")->content = Value::Entries{};
    return made;
}

/// Chunks have these numbers. A file without one was refused, or differs from another by its case alone.
bool is_numbered_elsewhere(PackKind kind) {
    return kind == PackKind::block || kind == PackKind::fluid || kind == PackKind::environment
           || kind == PackKind::weather;
}

bool has_any(const PackObject& object, std::initializer_list<std::string_view> keys) {
    return std::ranges::any_of(keys, [&](auto key) { return object.find(key) != nullptr; });
}

} // namespace

PackRegistries::PackRegistries(const PackDocuments& documents) : documents_(documents) {}

void PackRegistries::check(const PackDocuments& documents, std::vector<Error>& problems) {
    PackNumbers none;
    PackValues values(none, problems);
    for (const auto& registry : pack_registries()) {
        const auto& type = entry_type(registry);
        for (const auto& object : documents.all(registry.kind)) {
            // A state is part of its block's file.
            if (object.id.starts_with('*') && registry.kind == PackKind::block) continue;
            if (type.kind == Kind::structure) {
                auto made = PackValues::make(*type.layout);
                values.put(object, made);
            } else if (const auto* boxes = object.find("Boxes")) {
                values.in_file(object.file);
                Value made;
                if (!values.put(*boxes, type, {"Boxes", registry.field}, made))
                    values.report("Boxes", "expected a list of boxes with Min and Max");
            }
        }
    }
    const auto& schema = pack_schema();
    for (const auto& [kind, name] :
         {std::pair{PackKind::model, "Model"}, std::pair{PackKind::movement, "MovementSettings"},
          std::pair{PackKind::root, "RootInteraction"}})
        for (const auto& object : documents.all(kind)) {
            auto made = PackValues::make(*schema.layout(name));
            values.put(object, made);
        }
    for (const auto& object : documents.all(PackKind::interaction))
        if (const auto* kind = step_kind(object)) {
            auto made = step_of(*kind);
            values.put(object, made);
        }
}

void PackRegistries::number_entries(std::vector<Packet>& packets) {
    for (const auto& registry : pack_registries()) {
        const auto packet =
            std::ranges::find(packets, registry.packet, [](const auto& entry) { return entry.first->name; });
        auto* entries = packet == packets.end() ? nullptr : entries_of(packet->second, registry.field);
        if (entries == nullptr) continue;
        auto& names = numbers_.of(registry.kind);
        if (registry.kind == PackKind::hitbox) names.emplace("Full", k_full_hitbox);
        if (registry.kind == PackKind::reticle) names.emplace("Default", k_plain_reticle);
        for (auto& [key, entry] : *entries) {
            const auto* number = key.as<std::int64_t>();
            const auto id = number == nullptr ? *key.as<std::string>() : text_in(entry, registry.id);
            if (!id.empty()) names.emplace(id, static_cast<std::int32_t>(number == nullptr ? 0 : *number));
        }
        if (is_numbered_elsewhere(registry.kind)) continue;
        auto next = next_number(*entries);
        for (const auto& object : documents_.all(registry.kind))
            if (names.emplace(object.id, next).second) ++next;
    }
}

void PackRegistries::finish_item(const PackObject& object, Value& item, bool is_new) {
    if (is_new && object.find("MaxStack") == nullptr
        && has_any(object, {"Tool", "Weapon", "Armor", "BuilderTool"}))
        pack_field(item, "maxStack")->content = std::int64_t{1};
    if (is_new && object.find("Weapon") != nullptr && object.find("InteractionConfig") == nullptr)
        if (auto* config = pack_field(item, "interactionConfig"); !config->is_absent())
            pack_field(*config, "displayOutlines")->content = false;
    // Only animations that clients are told of.
    if (!numbers_.find(PackKind::item_animations, text_in(item, "playerAnimationsId")))
        set_text(item, "playerAnimationsId", "Default");
    const auto* config = object.find("InteractionConfig");
    if (config == nullptr || !config->is_object() || config->contains("UseDistance")) return;
    const auto& mode = *pack_schema().layout("InteractionConfiguration")->find("useDistance")->type.key;
    Value::Entries reach;
    reach.emplace_back(Value{Value::Symbol{mode.enumeration, 0}}, Value{5.0F});
    reach.emplace_back(Value{Value::Symbol{mode.enumeration, 1}}, Value{6.0F});
    pack_field(*pack_field(item, "interactionConfig"), "useDistance")->content = std::move(reach);
}

void PackRegistries::apply_one(const PackRegistry& registry, Value& packet) {
    auto* entries = entries_of(packet, registry.field);
    if (entries == nullptr) return;
    const auto& type = entry_type(registry);
    const bool has_numbers =
        pack_schema().packet(registry.packet)->find(registry.field)->type.key->kind == Kind::i32;
    std::map<std::variant<std::int64_t, std::string>, std::size_t> places;
    const auto key_of = [](const Value& key) -> std::variant<std::int64_t, std::string> {
        if (const auto* number = key.as<std::int64_t>()) return *number;
        return *key.as<std::string>();
    };
    for (std::size_t i = 0; i < entries->size(); ++i) places.emplace(key_of((*entries)[i].first), i);
    const auto first = entries->empty() ? Value{} : entries->front().second;
    for (const auto& object : documents_.all(registry.kind)) {
        if (!values_.has_room()) break;
        const auto number = numbers_.find(registry.kind, object.id);
        if (!number) continue;
        Value key;
        if (has_numbers)
            key.content = std::int64_t{*number};
        else
            key.content = std::string(object.id);
        const auto place = places.find(key_of(key));
        const bool is_new = place == places.end();
        if (is_new && is_numbered_elsewhere(registry.kind)) continue;
        Value made = !is_new && registry.is_onto_own ? (*entries)[place->second].second : first;
        if (type.kind != Kind::structure) {
            const auto* boxes = object.find("Boxes");
            if (boxes == nullptr || !values_.put(*boxes, type, {"Boxes", registry.field}, made)) continue;
        } else {
            if (made.is_absent()) made = PackValues::make(*type.layout);
            if (registry.kind == PackKind::item && is_new) {
                made = first;
                pack_field(made, "model")->content = std::monostate{};
                set_text(made, "playerAnimationsId", "Default");
            }
            if (!registry.id.empty()) set_text(made, registry.id, object.id);
            values_.put(object, made);
            if (registry.kind == PackKind::item) finish_item(object, made, is_new);
        }
        if (is_new)
            entries->emplace_back(std::move(key), std::move(made));
        else
            (*entries)[place->second].second = std::move(made);
    }
    set_end(packet, *entries);
}

void PackRegistries::add_categories(Value& items, Value& categories) {
    auto* top = std::get_if<Value::List>(&pack_field(categories, "itemCategories")->content);
    if (top == nullptr) return;
    const auto& layout = *pack_schema().layout("ItemCategory");
    const auto find = [&](Value::List& among, std::string_view id) -> Value& {
        for (auto& category : among)
            if (text_in(category, "id") == id) return category;
        auto made = among.empty() ? PackValues::make(layout) : among.front();
        set_text(made, "id", id);
        set_text(made, "name", id);
        pack_field(made, "order")->content = std::int64_t(among.size());
        pack_field(made, "icon")->content = std::monostate{};
        pack_field(made, "children")->content = std::monostate{};
        return among.emplace_back(std::move(made));
    };
    for (auto& [key, item] : *entries_of(items, "items")) {
        const auto* named = pack_field(item, "categories")->as<Value::List>();
        if (named == nullptr) continue;
        for (const auto& name : *named) {
            const auto& text = *name.as<std::string>();
            const auto dot = text.find('.');
            auto& category = find(*top, std::string_view(text).substr(0, dot));
            if (dot == std::string::npos) continue;
            auto& children = *pack_field(category, "children");
            if (children.is_absent()) children.content = Value::List{};
            find(std::get<Value::List>(children.content), std::string_view(text).substr(dot + 1));
        }
    }
}

void PackRegistries::number_interactions(Value& roots, Value& steps) {
    auto next = next_number(*entries_of(steps, "interactions"));
    for (const auto& object : documents_.all(PackKind::interaction))
        if (step_kind(object) != nullptr) numbers_.of(PackKind::interaction).emplace(object.id, next++);
    auto& own = *entries_of(roots, "interactions");
    for (auto& [key, root] : own)
        numbers_.of(PackKind::root)
            .emplace(text_in(root, "id"), static_cast<std::int32_t>(*key.as<std::int64_t>()));
    next = next_number(own);
    // The programs of this server keep their names.
    for (const auto& object : documents_.all(PackKind::root))
        if (numbers_.of(PackKind::root).emplace(object.id, next).second) ++next;
}

void PackRegistries::add_interactions(Value& roots, Value& steps) {
    auto& of_steps = *entries_of(steps, "interactions");
    for (const auto& object : documents_.all(PackKind::interaction)) {
        const auto* kind = step_kind(object);
        if (kind == nullptr || !values_.has_room()) continue;
        auto made = step_of(*kind);
        values_.put(object, made);
        of_steps.emplace_back(Value{std::int64_t{*numbers_.find(PackKind::interaction, object.id)}},
                              std::move(made));
    }
    set_end(steps, of_steps);
    auto& of_roots = *entries_of(roots, "interactions");
    const auto own_end = next_number(of_roots);
    for (const auto& object : documents_.all(PackKind::root)) {
        const auto number = *numbers_.find(PackKind::root, object.id);
        if (number < own_end || !values_.has_room()) continue;
        auto made = PackValues::make(*pack_schema().layout("RootInteraction"));
        set_text(made, "id", object.id);
        values_.put(object, made);
        // Links to interactions of other kinds lead nowhere.
        if (auto* list = std::get_if<Value::List>(&pack_field(made, "interactions")->content))
            std::erase_if(*list, [](const Value& link) { return *link.as<std::int64_t>() == k_no_entry; });
        of_roots.emplace_back(Value{std::int64_t{number}}, std::move(made));
    }
    set_end(roots, of_roots);
}

void PackRegistries::apply(std::vector<Packet>& packets,
                           const std::map<std::string_view, std::int32_t>& groups) {
    for (const auto& [name, number] : groups) numbers_.groups.emplace(name, number);
    const auto find = [&](std::string_view name) -> Value* {
        const auto found =
            std::ranges::find(packets, name, [](const auto& entry) { return entry.first->name; });
        return found == packets.end() ? nullptr : &found->second;
    };
    number_entries(packets);
    auto* roots = find("UpdateRootInteractions");
    auto* steps = find("UpdateInteractions");
    if (roots != nullptr && steps != nullptr) {
        number_interactions(*roots, *steps);
        add_interactions(*roots, *steps);
    }
    for (const auto& registry : pack_registries())
        if (auto* packet = find(registry.packet)) apply_one(registry, *packet);
    auto* items = find("UpdateItems");
    auto* categories = find("UpdateItemCategories");
    if (items != nullptr && categories != nullptr) add_categories(*items, *categories);
    if (auto* types = find("UpdateEntityStatTypes"))
        for (auto& [key, type] : *entries_of(*types, "types"))
            stats_.emplace_back(static_cast<std::int32_t>(*key.as<std::int64_t>()),
                                std::get<float>(pack_field(type, "value")->content));
}

/// Sets are merged over the parents, by their names.
void PackRegistries::put_animations(const PackObject& object, Value& model) {
    std::map<std::string, const PartJson*> sets;
    for (const auto* json : object.chain) {
        const auto found = json->find("AnimationSets");
        if (found == json->end() || !found->is_object()) continue;
        for (const auto& [name, set] : found->items())
            if (!name.starts_with('$')) sets.try_emplace(name, &set); // the child's is met first
    }
    const auto& type = *pack_schema().layout("Model")->find("animationSets")->type.element;
    Value::Entries entries;
    for (const auto& [name, json] : sets) {
        Value set;
        if (!values_.has_room() || !values_.put(*json, type, {"AnimationSets", "animationSets"}, set))
            continue;
        set_text(set, "id", name);
        if (!json->contains("NextAnimationDelay")) {
            auto* delay = pack_field(set, "nextAnimationDelay");
            pack_field(*delay, "min")->content = 2.0F;
            pack_field(*delay, "max")->content = 10.0F;
        }
        entries.emplace_back(Value{name}, std::move(set));
    }
    pack_field(model, "animationSets")->content = std::move(entries);
}

std::optional<Value> PackRegistries::model(std::string_view id, int depth) {
    const auto object = documents_.find(PackKind::model, id);
    if (!object) return std::nullopt;
    auto made = PackValues::make(*pack_schema().layout("Model"));
    values_.put(*object, made);
    set_text(made, "assetId", id);
    put_animations(*object, made);
    auto path = text_in(made, "path");
    if (pack_field(made, "texture")->is_absent()) {
        if (const auto dot = path.rfind('.'); dot != std::string::npos) path.resize(dot);
        set_text(made, "texture", path.empty() ? "textures/Unknown.png" : path + ".png");
    }
    const auto text_of = [&](std::string_view key) -> std::string {
        const auto* json = object->find(key);
        return json != nullptr && json->is_string() ? json->get<std::string>() : std::string{};
    };
    if (!text_of("GradientSet").empty() && !text_of("GradientId").empty()) {
        set_text(made, "gradientSet", text_of("GradientSet"));
        set_text(made, "gradientId", text_of("GradientId"));
    }
    if (auto* list = pack_field(made, "attachments")->as<Value::List>(); list != nullptr && list->empty())
        pack_field(made, "attachments")->content = std::monostate{};
    if (depth < k_deepest_phobia && !text_of("Phobia").empty())
        if (auto other = model(text_of("PhobiaModelAssetId"), depth + 1)) {
            set_symbol(made, "phobia", text_of("Phobia"));
            *pack_field(made, "phobiaModel") = *std::move(other);
        }
    return made;
}

std::vector<PackAttachment>
PackRegistries::attachments(std::string_view id, const std::map<std::string, std::string>& chosen) const {
    std::vector<PackAttachment> found;
    const auto object = documents_.find(PackKind::model, id);
    const auto* sets = object ? object->find("RandomAttachmentSets") : nullptr;
    if (sets == nullptr || !sets->is_object()) return found;
    for (const auto& [set, entry] : chosen) {
        const auto of_set = sets->find(set);
        if (of_set == sets->end() || !of_set->is_object()) continue;
        const auto part = of_set->find(entry);
        if (entry == "null" || part == of_set->end() || !part->is_object()) continue;
        const auto text = [&](const char* key) {
            const auto value = part->find(key);
            return value != part->end() && value->is_string() ? value->get<std::string>() : std::string{};
        };
        found.push_back({text("Model"), text("Texture"), text("GradientSet"), text("GradientId")});
    }
    return found;
}

std::optional<Buffer> PackRegistries::model_packet(std::string_view id) {
    values_.begin_again();
    auto made = model(id);
    if (!made) return std::nullopt;
    const auto& schema = pack_schema();
    auto update = PackValues::make(*schema.layout("ModelUpdate"));
    *pack_field(update, "model") = *std::move(made);
    auto entity = PackValues::make(*schema.layout("EntityUpdate"));
    pack_field(entity, "updates")->content = Value::List{std::move(update)};
    auto packet = PackValues::make(*schema.packet("EntityUpdates"));
    pack_field(packet, "updates")->content = Value::List{std::move(entity)};
    Buffer payload;
    if (!protocol::encode(*schema.packet("EntityUpdates"), packet, payload)) return std::nullopt;
    return payload;
}

std::optional<Buffer> PackRegistries::model_component(std::string_view id) {
    const auto payload = model_packet(id);
    if (!payload) return std::nullopt;
    // What stands before the only component of the only entity has a fixed length.
    constexpr std::size_t before =
        packets::EntityUpdates::k_var_start + 1 + packets::EntityUpdate::k_var_start + 1;
    return Buffer(payload->begin() + before, payload->end());
}

void PackRegistries::put_movement(packets::MovementSettings& settings) {
    std::string name = "Default";
    if (const auto gameplay = documents_.find(PackKind::gameplay, "Default"))
        if (const auto* player = gameplay->find("Player"); player != nullptr && player->is_object())
            if (const auto found = player->find("MovementConfig");
                found != player->end() && found->is_string())
                name = found->get<std::string>();
    packets::UpdateMovementSettings typed;
    typed.movement_settings = settings;
    const auto& layout = *pack_schema().packet("UpdateMovementSettings");
    Buffer payload;
    if (!protocol::encode(typed, payload)) return;
    auto packet = protocol::decode(layout, payload, pack_schema().read_rules(true));
    if (!packet) return;
    auto& moved = *pack_field(*packet, "movementSettings");
    if (const auto object = documents_.find(PackKind::movement, name)) {
        values_.put(*object, moved);
        *pack_field(moved, "comboAirSpeedMultiplier") = *pack_field(moved, "airSpeedMultiplier");
    }
    if (const auto player = documents_.find(PackKind::model, "Player"))
        if (const auto* physics = player->find("PhysicsValues"); physics != nullptr && physics->is_object()) {
            const PartJson* chain = physics;
            const PackObject body{"Player", player->file, {&chain, 1}};
            values_.put(body, moved); // Mass, DragCoefficient, InvertedGravity
        }
    payload.clear();
    protocol::Arena arena;
    packets::UpdateMovementSettings read;
    if (protocol::encode(layout, *packet, payload) && protocol::decode(payload, arena, read)
        && read.movement_settings) {
        const auto can_fly = settings.can_fly;
        settings = *read.movement_settings;
        settings.can_fly = can_fly;
    }
}

} // namespace orbis::game

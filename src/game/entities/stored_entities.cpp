#include "game/entities/stored_entities.hpp"

#include "bytes/utf8.hpp"
#include "packets/entities.hpp"

#include <cmath>

namespace orbis::game {

namespace {

/// Numbers beyond this are neither positions nor sizes.
constexpr double k_largest = 1e9;

std::optional<double> number(const bson::Document& in, std::string_view key) {
    const auto found = in.find(key);
    const auto value = found ? found->number() : std::nullopt;
    return value && std::abs(*value) <= k_largest ? value : std::nullopt; // NaN is not
}

float number_or(const bson::Document& in, std::string_view key, double fallback) {
    return static_cast<float>(number(in, key).value_or(fallback));
}

/// Empty if there is none that a client could read.
std::string_view text(const bson::Document& in, std::string_view key) {
    const auto found = in.find(key);
    const auto value = found ? found->string() : std::nullopt;
    return value && is_utf8(*value) ? *value : std::string_view{};
}

packets::Direction direction(const bson::Document& component) {
    const auto rotation = component.document("Rotation");
    if (!rotation) return {};
    return {number_or(*rotation, "Yaw", 0), number_or(*rotation, "Pitch", 0),
            number_or(*rotation, "Roll", 0)};
}

/// One stored entity on its way to the wire.
class StoredEntity {
public:
    StoredEntity(const bson::Document& holder, WireIds& ids, EntityModels* models)
        : holder_(holder), ids_(ids), models_(models) {}

    std::optional<EntityState> read() {
        if (!read_transform()) return std::nullopt;
        if (const auto scale = component("EntityScale")) scale_ = number_or(*scale, "Scale", 1);
        add_shape();
        add_name();
        if (state_.components.empty()) return std::nullopt;
        add_flags();
        return std::move(state_);
    }

private:
    [[nodiscard]] std::optional<bson::Document> component(std::string_view name) const {
        return chunk::component(holder_, name);
    }

    bool read_transform() {
        const auto transform = component("Transform");
        const auto position = transform ? transform->document("Position") : std::nullopt;
        if (!position) return false;
        const auto x = number(*position, "X");
        const auto y = number(*position, "Y");
        const auto z = number(*position, "Z");
        if (!x || !y || !z) return false;
        state_.transform.position = {*x, *y, *z};
        state_.transform.body = direction(*transform);
        const auto head = component("HeadRotation");
        state_.transform.look = head ? direction(*head) : state_.transform.body;
        return true;
    }

    void add_shape() {
        if (const auto holder = component("Model")) {
            const auto model = holder->document("Model");
            const auto id = model ? text(*model, "Id") : std::string_view{};
            if (!id.empty()) {
                add_shape(*model, id);
            }
        }
        if (const auto holder = component("Item")) {
            const auto item = holder->document("Item");
            if (item && !text(*item, "Id").empty()) add_item(*item);
        }
        if (const auto block = component("BlockEntity")) {
            const auto key = text(*block, "BlockTypeKey");
            if (!key.empty()) {
                add_component(state_.components, packets::BlockUpdate{ids_.blocks.id_of(key), scale_});
                state_.box_side = scale_;
            }
        }
    }

    /// As the files say it; without one by its name alone.
    void add_shape(const bson::Document& model, std::string_view id) {
        ModelChoice choice{.id = id, .scale = number_or(model, "Scale", 1)};
        if (component("EntityScale")) choice.entity_scale = scale_;
        if (models_ != nullptr) {
            const auto fixed = model.find("Static");
            choice.is_static = fixed && fixed->boolean().value_or(false);
            if (const auto sets = model.document("RandomAttachments"))
                for (bson::Cursor set(*sets); set.next();)
                    if (const auto entry = set->string()) choice.attachments.emplace(set->key(), *entry);
            if (auto look = models_->find(choice)) {
                state_.components.push_back(std::move(look->model));
                state_.box_side = look->longest_side * scale_;
                return;
            }
        }
        add_model(state_.components, id, choice.scale, choice.entity_scale);
        state_.box_side = choice.scale * scale_;
    }

    void add_item(const bson::Document& item) {
        packets::ItemUpdate update;
        update.entity_scale = scale_;
        update.item.item_id = text(item, "Id");
        const auto quantity = number(item, "Quantity").value_or(1);
        update.item.quantity = static_cast<std::int32_t>(quantity); // k_largest fits
        update.item.durability = number(item, "Durability").value_or(0);
        update.item.max_durability = number(item, "MaxDurability").value_or(0);
        const auto animation = item.find("OverrideDroppedItemAnimation");
        update.item.override_dropped_item_animation = animation && animation->boolean().value_or(false);
        add_component(state_.components, update);
        state_.box_side = k_item_side * scale_;
    }

    void add_name() {
        std::string_view name;
        if (const auto plate = component("Nameplate")) name = text(*plate, "Text");
        if (const auto display = component("DisplayName"); display && name.empty()) {
            const auto message = display->document("DisplayName");
            name = message ? text(*message, "RawText") : text(*display, "DisplayName");
        }
        if (!name.empty()) add_nameplate(state_.components, name);
    }

    void add_flags() {
        if (component("Intangible")) add_component(state_.components, packets::IntangibleUpdate{});
        if (component("Invulnerable")) add_component(state_.components, packets::InvulnerableUpdate{});
        if (component("Prop")) add_component(state_.components, packets::PropUpdate{});
        state_.is_for_builders = component("HiddenFromAdventurePlayer").has_value();
        if (!component("NPC")) return;
        packets::MovementStates standing;
        standing.idle = standing.horizontal_idle = standing.on_ground = true;
        state_.movement = standing;
    }

    static constexpr float k_item_side = 0.5F;

    bson::Document holder_;
    WireIds& ids_;
    EntityModels* models_;
    EntityState state_;
    float scale_ = 1;
};

} // namespace

std::vector<EntityState> stored_entities(const chunk::Chunk& chunk, WireIds& ids, EntityModels* models) {
    std::vector<EntityState> found;
    for (const auto& holder : chunk.entities().holders())
        if (auto state = StoredEntity(holder, ids, models).read()) found.push_back(*std::move(state));
    return found;
}

} // namespace orbis::game

#include "game/entities/entity_models.hpp"

#include "game/content/pack_registries.hpp"
#include "protocol/packet_codec.hpp"

#include <algorithm>
#include <vector>

namespace orbis::game {
namespace {

void scale_box(packets::Hitbox& box, float scale) {
    for (auto* side : {&box.min_x, &box.min_y, &box.min_z, &box.max_x, &box.max_y, &box.max_z})
        *side *= scale;
}

void scale_vector(packets::Vector3f& vector, float scale) {
    for (auto* part : {&vector.x, &vector.y, &vector.z}) *part *= scale;
}

} // namespace

std::optional<EntityModels::Look> EntityModels::find(const ModelChoice& choice) {
    Buffer payload;
    std::vector<PackAttachment> chosen;
    {
        const std::lock_guard lock(mutex_);
        if (files_ == nullptr) return std::nullopt;
        auto known = made_.find(choice.id);
        if (known == made_.end()) {
            if (made_.size() >= k_most_models) return std::nullopt;
            auto made = files_->model_packet(choice.id).value_or(Buffer{});
            if (made.size() > k_largest_model) made.clear();
            known = made_.emplace(choice.id, std::move(made)).first;
        }
        payload = known->second;
        if (payload.empty()) return std::nullopt;
        if (!choice.attachments.empty()) chosen = files_->attachments(choice.id, choice.attachments);
    }
    protocol::Arena arena;
    packets::EntityUpdates packet;
    if (!protocol::decode(payload, arena, packet)) return std::nullopt;
    auto update = std::get<packets::ModelUpdate>((*(*packet.updates)[0].updates)[0]);
    auto& model = *update.model;
    const auto scale = choice.scale;
    update.entity_scale = choice.entity_scale;
    model.scale = scale;
    for (auto* length :
         {&model.eye_height, &model.crouch_offset, &model.sitting_offset, &model.sleeping_offset})
        *length *= scale;
    Look look;
    look.longest_side = scale;
    if (model.hitbox) {
        scale_box(*model.hitbox, scale);
        const auto& box = *model.hitbox;
        look.longest_side = std::max({box.max_x - box.min_x, box.max_y - box.min_y, box.max_z - box.min_z});
    }
    if (model.camera && model.camera->position_offset) scale_vector(*model.camera->position_offset, scale);

    using Boxes = protocol::Entry<protocol::Text, protocol::List<packets::DetailBox>>;
    std::vector<Boxes> boxes;
    std::vector<std::vector<packets::DetailBox>> of_boxes;
    if (model.detail_boxes) {
        of_boxes.reserve(model.detail_boxes->size());
        for (const auto& [name, parts] : *model.detail_boxes) {
            auto& scaled = of_boxes.emplace_back(parts.begin(), parts.end());
            for (auto& part : scaled) {
                if (part.offset) scale_vector(*part.offset, scale);
                if (part.box) scale_box(*part.box, scale);
            }
            boxes.push_back({name, protocol::List<packets::DetailBox>(scaled)});
        }
        model.detail_boxes = protocol::Map<protocol::Text, protocol::List<packets::DetailBox>>(boxes);
    }
    std::vector<packets::ModelAttachment> attachments;
    if (!chosen.empty()) {
        if (model.attachments) attachments.assign(model.attachments->begin(), model.attachments->end());
        for (const auto& part : chosen) {
            auto& added = attachments.emplace_back();
            const auto put = [](const std::string& text, auto& field) {
                if (!text.empty()) field = protocol::Text(text);
            };
            put(part.model, added.model);
            put(part.texture, added.texture);
            put(part.gradient_set, added.gradient_set);
            put(part.gradient_id, added.gradient_id);
        }
        model.attachments = protocol::List<packets::ModelAttachment>(attachments);
    }
    if (choice.is_static) model.animation_sets.reset();
    auto component = make_component(update);
    if (!component) return std::nullopt;
    look.model = *std::move(component);
    return look;
}

} // namespace orbis::game

#include "game/entities/person_model.hpp"

#include "game/content/registry_numbers.hpp"

#include <array>
#include <numeric>

namespace orbis::game {
namespace {

using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;

struct Attached {
    Text model;
    Text texture;
    Text gradient_set;
    Text gradient_id;
};
constexpr std::array<Attached, 5> k_attached{
    {{"Characters/Body_Attachments/Faces/Player_Face_Detached.blockymodel",
      "Characters/Body_Attachments/Faces/Faces_Detached_Textures/Face.png", "Skin", "02"},
     {"Characters/Body_Attachments/Ears/Ears1.blockymodel",
      "Characters/Body_Attachments/Ears/Ears1_Textures/Ears1_Greyscale_Texture.png", "Skin", "02"},
     {"Characters/Body_Attachments/Mouths/Mouth1.blockymodel",
      "Characters/Body_Attachments/Mouths/Mouth1_Textures/Default_Greyscale.png", "Skin", "02"},
     {"Characters/Body_Attachments/Eyes/Eyes.blockymodel",
      "Characters/Body_Attachments/Eyes/Eyes_Textures/Greyscale_Large.png", "Eyes_Gradient", "Brown"},
     {"Characters/Body_Attachments/Eyebrows/Eyebrows_Medium.blockymodel",
      "Characters/Body_Attachments/Eyebrows/Medium_Greyscale.png", "Hair", "Brown"}}};

struct Gait {
    Text name;
    Text file;
    float speed = 1;
    bool looping = true;
    float blending = 0.2F;
    bool has_steps = false;
};
/// Of the game's 91 sets those whose files are known for certain (docs/formats/registries.md).
constexpr std::array<Gait, 6> k_gaits{
    {{.name = "Idle", .file = "Characters/Animations/Default/Idle.blockyanim", .speed = 0.5F},
     {.name = "Walk", .file = "Characters/Animations/Default/Walk.blockyanim", .has_steps = true},
     {.name = "WalkBackward",
      .file = "Characters/Animations/Default/Walk_Backward.blockyanim",
      .has_steps = true},
     {.name = "Jump",
      .file = "Characters/Animations/Default/Jump.blockyanim",
      .looping = false,
      .blending = 0.1F},
     {.name = "JumpWalk",
      .file = "Characters/Animations/Default/Jump.blockyanim",
      .looping = false,
      .blending = 0.1F},
     {.name = "JumpRun",
      .file = "Characters/Animations/Default/Jump.blockyanim",
      .looping = false,
      .blending = 0.1F}}};

Component make_person_model() {
    std::array<packets::ModelAttachment, k_attached.size()> attachments;
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        const auto& part = k_attached[i];
        attachments[i].model = part.model;
        attachments[i].texture = part.texture;
        attachments[i].gradient_set = part.gradient_set;
        attachments[i].gradient_id = part.gradient_id;
    }
    constexpr std::array<std::int32_t, 2> steps{25, 75};
    std::array<packets::Animation, k_gaits.size()> animations;
    std::array<Entry<Text, packets::AnimationSet>, k_gaits.size()> sets;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto& gait = k_gaits[i];
        animations[i].speed = gait.speed;
        animations[i].blending_duration = gait.blending;
        animations[i].looping = gait.looping;
        animations[i].weight = 1;
        animations[i].passive_loop_count = 1;
        animations[i].name = gait.file;
        animations[i].footstep_intervals = gait.has_steps ? List<std::int32_t>(steps) : List<std::int32_t>();
        sets[i].key = gait.name;
        sets[i].value.id = gait.name;
        sets[i].value.next_animation_delay = packets::Rangef{2, 10};
        sets[i].value.animations = List<packets::Animation>(&animations[i], 1);
    }
    packets::DetailBox head;
    head.offset = packets::Vector3f{0, 1.6F, 0};
    head.box = packets::Hitbox{-0.25F, -0.25F, -0.25F, 0.25F, 0.25F, 0.25F};
    packets::DetailBox body;
    body.offset = packets::Vector3f{};
    body.box = packets::Hitbox{-0.3F, 0, -0.3F, 0.3F, 1.35F, 0.3F};
    const std::array<Entry<Text, List<packets::DetailBox>>, 2> boxes{
        {{"Head", List<packets::DetailBox>(&head, 1)}, {"Body", List<packets::DetailBox>(&body, 1)}}};
    packets::CameraSettings camera;
    camera.position_offset = packets::Vector3f{-0.35F, 0.4F, 2.75F};

    packets::Model model;
    model.scale = 1;
    model.eye_height = 1.6F;
    model.crouch_offset = -0.4F;
    model.hitbox = packets::Hitbox{-0.325F, 0, -0.325F, 0.325F, 1.85F, 0.325F};
    model.asset_id = Text("Player");
    model.path = Text("Characters/Player.blockymodel");
    model.texture = Text("Characters/Player_Textures/Player_Greyscale.png");
    model.gradient_set = Text("Skin");
    model.gradient_id = Text("02");
    model.camera = camera;
    model.animation_sets = Map<Text, packets::AnimationSet>(sets);
    model.attachments = List<packets::ModelAttachment>(attachments);
    model.detail_boxes = Map<Text, List<packets::DetailBox>>(boxes);
    packets::ModelUpdate update; // without a scale of its own
    update.model = model;
    return make_component(update).value_or(Component{});
}

} // namespace

const Component& person_model() {
    static const auto made = make_person_model();
    return made;
}

void add_person_basics(std::vector<Component>& to, std::span<const std::pair<std::int32_t, float>> stats) {
    add_component(to, packets::EntityEffectsUpdate{});
    std::vector<packets::EntityStatUpdate> updates(stats.size());
    std::vector<Entry<std::int32_t, List<packets::EntityStatUpdate>>> entries;
    for (std::size_t i = 0; i < stats.size(); ++i) {
        updates[i].op = packets::EntityStatOp::init;
        updates[i].value = stats[i].second;
        entries.push_back({stats[i].first, List<packets::EntityStatUpdate>(&updates[i], 1)});
    }
    packets::EntityStatsUpdate all;
    all.entity_stat_updates = Map<std::int32_t, List<packets::EntityStatUpdate>>(entries);
    add_component(to, all);
    std::array<std::int32_t, k_ui_components> above;
    std::iota(above.begin(), above.end(), 0);
    add_component(to, packets::UIComponentsUpdate{above});
    add_component(to, packets::HitboxCollisionUpdate{k_soft_collision});
}

} // namespace orbis::game

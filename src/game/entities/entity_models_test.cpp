#include "bson/writer.hpp"
#include "game/content/made_pack_test.hpp"
#include "game/content/pack_registries.hpp"
#include "game/content/registries.hpp"
#include "game/entities/stored_entities.hpp"
#include "protocol/packet_codec.hpp"
#include "world/assets.hpp"

#include <deque>

namespace orbis::game {
namespace {

/// Models of a pack as clients get them.
class EntityModelsTest : public testing::Test {
protected:
    EntityModelsTest() {
        test_pack::write(folder_.path(), test_pack::k_whole);
        pack_.emplace(test_pack::open(folder_.path()));
        registries_.emplace(world::Assets::built_in(), ids_, &*pack_);
        EXPECT_TRUE(registries_->prepare(tools_));
        models_.take(registries_->from_pack());
    }
    packets::ModelUpdate read(const Component& component) {
        // In a packet: what stands before the only component has a fixed length.
        packets::EntityUpdate entity;
        const packets::ComponentUpdate nothing = packets::IntangibleUpdate{};
        entity.updates = protocol::List<packets::ComponentUpdate>(&nothing, 1);
        packets::EntityUpdates packet;
        packet.updates = protocol::List<packets::EntityUpdate>(&entity, 1);
        auto& payload = payloads_.emplace_back();
        EXPECT_TRUE(protocol::encode(packet, payload));
        payload.resize(packets::EntityUpdates::k_var_start + 1 + packets::EntityUpdate::k_var_start + 1);
        payload.insert(payload.end(), component.bytes.begin(), component.bytes.end());
        packets::EntityUpdates got;
        EXPECT_TRUE(protocol::decode(payload, arena_, got));
        return std::get<packets::ModelUpdate>((*(*got.updates)[0].updates)[0]);
    }

    test::TemporaryFolder folder_;
    std::optional<ContentPack> pack_;
    WireIds ids_{world::Assets::built_in()};
    std::optional<Registries> registries_;
    net::FrameTools<protocol::Side::server> tools_;
    EntityModels models_;
    std::deque<Buffer> payloads_;
    protocol::Arena arena_;
};

TEST_F(EntityModelsTest, AllLengthsAreScaled) {
    const auto look = models_.find({.id = "Cow", .scale = 2, .entity_scale = 0.5F});
    ASSERT_TRUE(look);
    EXPECT_EQ(look->longest_side, 3.5F);
    const auto update = read(look->model);
    EXPECT_EQ(update.entity_scale, 0.5F);
    const auto& model = *update.model;
    EXPECT_EQ(*model.asset_id, "Cow");
    EXPECT_EQ(*model.path, "NPC/Cow.blockymodel");
    EXPECT_EQ(*model.texture, "NPC/Cow.png");
    EXPECT_EQ(model.scale, 2);
    EXPECT_EQ(model.eye_height, 18);
    EXPECT_EQ(model.crouch_offset, -1);
    EXPECT_EQ(model.hitbox->max_y, 3.5F);
    EXPECT_EQ(model.camera->position_offset->z, 4);
    EXPECT_EQ((*model.detail_boxes)[0].value[0].offset->y, 3);
    EXPECT_EQ((*model.detail_boxes)[0].value[0].box->min_x, -0.5F);
    EXPECT_EQ(model.animation_sets->size(), 2U) << "those of its parent";
    EXPECT_FALSE(model.attachments);
    EXPECT_FALSE(models_.find({.id = "Dragon"}));
    EntityModels none;
    EXPECT_FALSE(none.find({.id = "Cow"}));
}

TEST_F(EntityModelsTest, StoredEntitiesHaveThePartsThatWereChosenForThem) {
    Buffer holder;
    bson::Writer out(holder);
    out.document("Components").document("Transform").document("Position");
    out.real("X", 1).real("Y", 2).real("Z", 3).end().end();
    out.document("Model").document("Model").string("Id", "Cow").real("Scale", 1).boolean("Static", true);
    out.document("RandomAttachments").string("Horns", "Long").string("Tail", "Unheard_Of").int32("Odd", 5);
    out.end().end().end().end().finish();
    auto chunk = chunk::Chunk::create();
    ASSERT_TRUE(chunk.edit_entities().value()->add(std::move(holder)));
    const auto found = stored_entities(chunk, ids_, &models_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].box_side, 1.75F);
    ASSERT_EQ(found[0].components.size(), 1U);
    const auto update = read(found[0].components[0]);
    ASSERT_EQ(update.model->attachments->size(), 1U);
    EXPECT_EQ(*(*update.model->attachments)[0].model, "NPC/Long.blockymodel");
    EXPECT_FALSE((*update.model->attachments)[0].gradient_id);
    EXPECT_FALSE(update.model->animation_sets) << "it does not move";
    const auto without = models_.find({.id = "Cow", .attachments = {{"Horns", "null"}}});
    EXPECT_FALSE(read(without->model).model->attachments);
}

} // namespace
} // namespace orbis::game

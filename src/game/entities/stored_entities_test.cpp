#include "bson/writer.hpp"
#include "game/entities/entity_view.hpp"
#include "game/entities/stored_entities.hpp"
#include "packets/entities.hpp"
#include "protocol/packet_codec.hpp"
#include "storage/region_store.hpp"
#include "support/shared.hpp"
#include "world/assets.hpp"
#include "world/sample/holders.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace orbis::game {
namespace {

std::vector<EntityState> entities_of(std::vector<Buffer> holders, WireIds& ids) {
    auto chunk = chunk::Chunk::create();
    for (auto& holder : holders) EXPECT_TRUE(chunk.edit_entities().value()->add(std::move(holder)));
    return stored_entities(chunk, ids);
}

/// The component of this kind as a client reads it; the arena keeps what it points at.
template <typename T>
std::optional<T> component_of(const EntityState& state, protocol::Arena& arena) {
    EntityTable table;
    table.add(state);
    table.end_tick();
    EntityView view;
    static EntityUpdater updater;
    const auto payload = updater.payload(view, table, {state.transform.position, 64, NetworkId::none, true});
    packets::EntityUpdates packet;
    EXPECT_TRUE(protocol::decode(payload, arena, packet, true));
    for (const auto& component : *packet.updates->front().updates)
        if (const auto* found = std::get_if<T>(&component)) return *found;
    return std::nullopt;
}

TEST(StoredEntities, FiguresHaveModelNameAndPlace) {
    WireIds ids;
    world::sample::Figure figure{};
    figure.model = "Kweebec_Seedling";
    figure.name = "Elder";
    figure.x = 10.5;
    figure.y = 64;
    figure.z = -3.25;
    figure.yaw_tenths = 15;
    const auto found = entities_of({world::sample::figure(figure, {})}, ids);
    ASSERT_EQ(found.size(), 1U);
    protocol::Arena arena;
    EXPECT_EQ(component_of<packets::ModelUpdate>(found[0], arena)->model->asset_id.value_or(""),
              "Kweebec_Seedling");
    EXPECT_EQ(component_of<packets::NameplateUpdate>(found[0], arena)->text, "Elder");
    EXPECT_TRUE(component_of<packets::PropUpdate>(found[0], arena));
    EXPECT_FALSE(component_of<packets::ItemUpdate>(found[0], arena));
    const auto transform = component_of<packets::TransformUpdate>(found[0], arena)->transform;
    EXPECT_EQ(transform.position->x, 10.5);
    EXPECT_EQ(transform.position->z, -3.25);
    EXPECT_FLOAT_EQ(transform.body_orientation->yaw, 1.5F);
    EXPECT_FLOAT_EQ(transform.look_orientation->yaw, 1.5F);
}

TEST(StoredEntities, ItemsAndBlocksLie) {
    WireIds ids;
    Buffer falling;
    bson::Writer to(falling);
    to.document("Components");
    to.document("Transform").document("Position").int32("X", 1).int32("Y", 2).int64("Z", 3).end().end();
    to.document("BlockEntity").string("BlockTypeKey", "Soil_Sand").end();
    to.document("EntityScale").real("Scale", 2).end().document("HiddenFromAdventurePlayer").end().end();
    to.finish();
    world::sample::Item item{};
    item.id = "Food_Bread";
    item.quantity = 7;
    const auto found = entities_of({world::sample::dropped_item(1, 2, 3, item, {}), falling}, ids);
    ASSERT_EQ(found.size(), 2U);
    protocol::Arena arena;
    const auto bread = component_of<packets::ItemUpdate>(found[0], arena);
    EXPECT_EQ(bread->item.item_id, "Food_Bread");
    EXPECT_EQ(bread->item.quantity, 7);
    EXPECT_EQ(found[0].box_side, 0.5F);
    const auto block = component_of<packets::BlockUpdate>(found[1], arena);
    EXPECT_EQ(block->block_id, ids.blocks.find("Soil_Sand"));
    EXPECT_EQ(block->entity_scale, 2);
    EXPECT_EQ(found[1].transform.position.z, 3);
    EXPECT_TRUE(found[1].is_for_builders);
    EXPECT_FALSE(found[0].is_for_builders);
}

TEST(StoredEntities, HeadsTurnByThemselvesAndScalesAreMultiplied) {
    WireIds ids;
    Buffer out;
    bson::Writer to(out);
    to.document("Components");
    to.document("Transform").document("Position").real("X", 1).real("Y", 2).real("Z", 3).end();
    to.document("Rotation").real("Yaw", 1).real("Pitch", 2).real("Roll", 3).end().end();
    to.document("HeadRotation").document("Rotation").real("Yaw", 4).real("Pitch", 5).real("Roll", 6).end();
    to.end();
    to.document("Model").document("Model").string("Id", "Cow").real("Scale", 1.5).end().end();
    to.document("EntityScale").real("Scale", 2).end();
    to.document("DisplayName").document("DisplayName").string("RawText", "Berta").end().end();
    to.document("NPC").end().document("Intangible").end().document("Invulnerable").end().end();
    to.finish();
    const auto found = entities_of({out}, ids);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].box_side, 3);
    EXPECT_EQ(found[0].transform.body.yaw, 1);
    EXPECT_EQ(found[0].transform.body.pitch, 2);
    EXPECT_EQ(found[0].transform.body.roll, 3);
    EXPECT_EQ(found[0].transform.look.yaw, 4);
    EXPECT_EQ(found[0].transform.look.pitch, 5);
    ASSERT_TRUE(found[0].movement);
    EXPECT_TRUE(found[0].movement->idle && found[0].movement->on_ground);
    protocol::Arena arena;
    EXPECT_EQ(component_of<packets::NameplateUpdate>(found[0], arena)->text, "Berta");
    EXPECT_TRUE(component_of<packets::IntangibleUpdate>(found[0], arena));
    EXPECT_TRUE(component_of<packets::InvulnerableUpdate>(found[0], arena));
    EXPECT_FALSE(component_of<packets::PropUpdate>(found[0], arena));
}

TEST(StoredEntities, WithoutPlaceOrShapeTheyAreLeftOut) {
    WireIds ids;
    std::vector<Buffer> holders;
    for (const auto x : {1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
        Buffer out;
        bson::Writer to(out);
        to.document("Components");
        to.document("Transform").document("Position").real("X", x).real("Y", 0).real("Z", 0).end().end();
        if (x != 1) to.document("Nameplate").string("Text", "Lost").end();
        to.end();
        to.finish();
        holders.push_back(std::move(out));
    }
    EXPECT_TRUE(entities_of(std::move(holders), ids).empty());
    for (const auto far : {1e9, 1.000001e9})
        for (const auto sign : {-1, 1})
            for (const auto* axis : {"X", "Y", "Z"}) {
                Buffer out;
                bson::Writer to(out);
                to.document("Components").document("Transform").document("Position");
                for (const auto* each : {"X", "Y", "Z"})
                    to.real(each, std::string_view(each) == axis ? sign * far : 5);
                to.end().end().document("Nameplate").string("Text", "Far").end().end();
                to.finish();
                EXPECT_EQ(entities_of({out}, ids).size(), far == 1e9 ? 1U : 0U) << sign * far << axis;
            }
}

TEST(StoredEntities, ANameThatNoClientCouldReadIsNone) {
    Buffer holder;
    bson::Writer to(holder);
    to.document("Components")
        .document("Transform")
        .document("Position")
        .real("X", 1)
        .real("Y", 2)
        .real("Z", 3);
    to.end().end().document("Nameplate").string("Text", "Zoë").end().end();
    to.finish();
    auto made = chunk::Chunk::create();
    ASSERT_TRUE(made.edit_entities().value()->add(std::move(holder)));
    Buffer document;
    ASSERT_TRUE(made.encode(document));
    const auto name_in = [](const Buffer& bytes) {
        WireIds ids;
        const auto found = stored_entities(chunk::Chunk::decode(bytes).value(), ids);
        protocol::Arena arena;
        return found.empty() ? ""
                             : std::string(component_of<packets::NameplateUpdate>(found[0], arena)->text);
    };
    EXPECT_EQ(name_in(document), "Zoë");
    const auto name = as_bytes("Zoë");
    const auto at = std::ranges::search(document, name).begin();
    ASSERT_NE(at, document.end());
    at[2] = 'x'; // what follows it is no letter any more
    EXPECT_EQ(name_in(document), "");
}

TEST(StoredEntities, DamageIsNoCrash) {
    std::mt19937 random(7);
    world::sample::Figure figure{};
    figure.model = "Kweebec_Seedling";
    figure.name = "Elder";
    const auto whole = world::sample::figure(figure, {});
    WireIds ids;
    EntityTable table;
    for (int i = 0; i < 2'000; ++i) {
        auto holder = whole;
        for (int flips = 0; flips < 3; ++flips) {
            auto& byte = holder[4 + random() % (holder.size() - 4)];
            byte = static_cast<std::uint8_t>(byte ^ 1U << random() % 8);
        }
        auto chunk = chunk::Chunk::create();
        if (!chunk.edit_entities().value()->add(std::move(holder))) continue;
        for (auto& state : stored_entities(chunk, ids)) table.add(std::move(state));
    }
    EXPECT_GT(table.size(), 100U);
    EntityView view;
    EntityUpdater updater;
    table.end_tick();
    protocol::Arena arena;
    packets::EntityUpdates packet;
    EXPECT_TRUE(protocol::decode(updater.payload(view, table, {.radius = 1e9}), arena, packet, true));
}

/// Every holder of a store has become an entity, but for areas that only trigger something.
void expect_all_understood(const storage::Store& store, std::map<ComponentType, std::size_t>& shapes) {
    WireIds ids(world::Assets::built_in());
    chunk::Chunk chunk;
    storage::ReadContext context;
    const auto cursor = store.chunks();
    for (;;) {
        const auto pos = cursor->next();
        ASSERT_TRUE(pos) << pos.error().text();
        if (!*pos) break;
        const auto document = store.read(**pos, context);
        ASSERT_TRUE(document && *document);
        ASSERT_TRUE(chunk.read(**document, chunk::k_entities));
        const auto found = stored_entities(chunk, ids);
        const auto areas = std::ranges::count_if(chunk.entities().holders(), [](const auto& holder) {
            return chunk::component(holder, "TriggerVolume").has_value();
        });
        EXPECT_EQ(found.size() + static_cast<std::size_t>(areas), chunk.entities().holders().size());
        for (const auto& state : found) {
            EXPECT_EQ(static_cast<int>(std::floor(state.transform.position.x)) >> 5, (*pos)->x);
            EXPECT_EQ(static_cast<int>(std::floor(state.transform.position.z)) >> 5, (*pos)->z);
            ++shapes[state.components.front().type];
        }
    }
}

TEST(StoredEntities, OfRealWorldsAreAllUnderstood) {
    std::map<ComponentType, std::size_t> shapes;
    const auto files = test::real_region_files();
    for (const auto& file : files) {
        SCOPED_TRACE(file);
        const auto store = storage::open_single_region(file, {});
        ASSERT_TRUE(store) << store.error().text();
        expect_all_understood(**store, shapes);
    }
    if (files.empty()) return;
    EXPECT_GT(shapes[ComponentType::model], 300U);
    EXPECT_EQ(shapes[ComponentType::item], 5U);
    EXPECT_EQ(shapes.size(), 2U);
}

} // namespace
} // namespace orbis::game

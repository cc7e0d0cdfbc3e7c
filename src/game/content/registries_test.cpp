#include "bytes/content_hash.hpp"
#include "bytes/writer.hpp"
#include "game/content/content_pack.hpp"
#include "game/content/registries.hpp"
#include "game/content/registry_numbers.hpp"
#include "packets/assets.hpp"
#include "packets/registry.hpp"
#include "protocol/frame.hpp"
#include "protocol/packet_codec.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace orbis::game {
namespace {

using protocol::Side;

constexpr std::size_t k_smallest_reader = 4 << 20; ///< what a careful client reads in one packet

/// What a client has got: the payload of every packet by its id, read with all checks.
class Received {
public:
    explicit Received(std::span<const net::OutgoingFrame> frames) {
        protocol::FrameDecoder decoder(packets::registry(), {.receiver = Side::client,
                                                             .channel = protocol::Channel::normal,
                                                             .largest = k_smallest_reader,
                                                             .decompresses = true});
        for (const auto& frame : frames) {
            decoder.feed(frame.frame().bytes());
            const auto next = decoder.next();
            if (!next || !*next) {
                ADD_FAILURE() << "packet " << frame.packet() << " cannot be read";
                continue;
            }
            order.push_back((*next)->id);
            payloads[(*next)->id].emplace_back((*next)->payload.begin(), (*next)->payload.end());
        }
    }
    /// The packet of a kind; the first if there are several.
    template <typename P>
    const P& get(std::size_t number = 0) {
        auto& packet = *new (arena_.take<P>(1)) P;
        const auto& all = payloads[P::k_info.id];
        if (number >= all.size() || !protocol::decode(all[number], arena_, packet))
            ADD_FAILURE() << P::k_info.name << " is missing or broken";
        return packet;
    }

    std::vector<std::int32_t> order;
    std::map<std::int32_t, std::vector<Buffer>> payloads;

private:
    protocol::Arena arena_;
};

struct Server {
    WireIds ids{world::Assets::built_in()};
    Registries registries{world::Assets::built_in(), ids};
    net::FrameTools<Side::server> tools;

    Server() {
        const auto done = registries.prepare(tools);
        EXPECT_TRUE(done) << done.error().text();
    }
};

template <typename Key, typename Value>
std::set<Key> keys(const protocol::Opt<protocol::Map<Key, Value>>& map) {
    std::set<Key> found;
    EXPECT_TRUE(map);
    if (map)
        for (const auto& entry : *map) found.insert(entry.key);
    return found;
}

/// The entry of a key, which must be there.
template <typename Key, typename Value>
const Value& entry_at(const protocol::Opt<protocol::Map<Key, Value>>& map, const Key& key) {
    for (const auto& entry : *map)
        if (entry.key == key) return entry.value;
    throw std::runtime_error("no such key");
}

TEST(ServeRegistries, AllFortyTwoAndTheTranslationsAreSentOnceWithTypeInit) {
    Server server;
    const Received got(server.registries.frames());
    std::set<std::int32_t> expected{64};
    for (std::int32_t id = 40; id <= 85; ++id)
        if (id < 69 || id > 71) expected.insert(id);
    EXPECT_EQ(expected.size(), 43U);
    std::set<std::int32_t> found;
    for (const auto& [id, payloads] : got.payloads) {
        found.insert(id);
        ASSERT_EQ(payloads.size(), 1U) << "packet " << id;
        // After the presence bits, every one of them begins with its type.
        EXPECT_EQ(payloads[0][1], 0) << "packet " << id << " is not Init";
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(server.registries.frames().back().packet(), packets::UpdateTranslations::k_info.id);
}

/// A changed constant or a changed table shows here on purpose: look at what it changes for a client, then
/// put in what is found.
TEST(ServeRegistries, AreToTheByteWhatClientsWereTriedWith) {
    Server server;
    const Received got(server.registries.frames());
    Buffer all;
    Writer to(all);
    for (const auto& [id, payloads] : got.payloads)
        for (const auto& payload : payloads) {
            to.be(id);
            to.bytes(payload);
        }
    EXPECT_EQ(hash_text(content_hash(all)), "7edc594f8e030657");
}

TEST(ServeRegistries, CostAPlayerLittle) {
    Server server;
    std::size_t bytes = 0;
    for (const auto& frame : server.registries.frames()) bytes += frame.frame().bytes().size();
    RecordProperty("bytes", std::to_string(bytes));
    EXPECT_LT(bytes, 512U << 10);
}

TEST(ServeRegistries, BlocksSayWhatTheTablesKnow) {
    Server server;
    Received got(server.registries.frames());
    const auto& update = got.get<packets::UpdateBlockTypes>();
    EXPECT_EQ(update.max_id, server.ids.blocks.end());
    ASSERT_EQ(update.block_types->size(), static_cast<std::size_t>(update.max_id)) << "no gaps";
    std::map<std::int32_t, const packets::BlockType*> blocks;
    for (const auto& [id, block] : *update.block_types) blocks[id] = &block;

    EXPECT_EQ(*blocks[0]->name, "Empty");
    EXPECT_EQ(blocks[0]->draw_type, packets::DrawType::empty);
    EXPECT_EQ(blocks[0]->material, packets::BlockMaterial::empty);
    EXPECT_EQ(*blocks[1]->name, "Unknown");
    EXPECT_TRUE(blocks[1]->unknown);
    EXPECT_EQ(*blocks[2]->name, "Debug_Cube");
    EXPECT_EQ(*blocks[3]->name, "Debug_Model");
    const auto groups = got.get<packets::UpdateBlockGroups>();
    std::vector<protocol::Text> group_names;
    for (const auto& entry : *groups.groups) group_names.push_back(entry.key);
    for (const auto& type : world::Assets::built_in().blocks.all()) {
        const auto id = server.ids.blocks.find(type.key);
        ASSERT_TRUE(id);
        const auto& block = *blocks[*id];
        EXPECT_EQ(*block.name, type.key);
        EXPECT_EQ(block.opacity == packets::Opacity::transparent,
                  type.opacity == world::Opacity::transparent);
        EXPECT_EQ(block.material == packets::BlockMaterial::solid, type.material == world::Material::solid);
        EXPECT_EQ(block.particle_color.has_value(), type.particle.has_value());
        EXPECT_EQ(block.light.has_value(), type.light.has_value());
        if (!type.tint_up.empty()) {
            EXPECT_EQ(static_cast<std::uint32_t>(block.tint->top) & 0xFFU, type.tint_up[0].blue);
        }
        EXPECT_EQ(block.biome_tint->top, type.biome_tint_up);
        if (!type.group.empty()) {
            EXPECT_EQ(group_names.at(static_cast<std::size_t>(block.group) - 1), type.group);
        }
    }
    const auto state = server.ids.blocks.find("*Furniture_Village_Door_State_Definitions_OpenDoorIn");
    const auto door = server.ids.blocks.find("Furniture_Village_Door");
    ASSERT_TRUE(state && door);
    EXPECT_EQ(entry_at(blocks[*door]->states, protocol::Text("OpenDoorIn")), *state);
    EXPECT_EQ(entry_at(blocks[*state]->states, protocol::Text("OpenDoorIn")), *state);
    EXPECT_EQ(entry_at(blocks[*state]->states, protocol::Text("default")), *door);
    EXPECT_FALSE(blocks[*state]->item) << "a state is no item";
}

TEST(ServeRegistries, EveryReferenceOfABlockOrItemHasItsEntry) {
    Server server;
    Received got(server.registries.frames());
    const auto blocks = got.get<packets::UpdateBlockTypes>();
    const auto items = got.get<packets::UpdateItems>();
    const auto hitboxes = keys(got.get<packets::UpdateBlockHitboxes>().block_base_hitboxes);
    const auto sound_sets = keys(got.get<packets::UpdateBlockSoundSets>().block_sound_sets);
    const auto sounds = keys(got.get<packets::UpdateSoundEvents>().sound_events);
    const auto roots = keys(got.get<packets::UpdateRootInteractions>().interactions);
    const auto block_ids = keys(blocks.block_types);
    const auto item_names = keys(items.items);
    for (const auto& [id, block] : *blocks.block_types) {
        ASSERT_TRUE(hitboxes.contains(block.hitbox));
        ASSERT_EQ(block.interaction_hitbox, k_no_entry) << "the same as the other";
        ASSERT_TRUE(sound_sets.contains(block.block_sound_set_index));
        ASSERT_TRUE(sounds.contains(block.ambient_sound_event_index));
        if (block.item) {
            ASSERT_TRUE(item_names.contains(*block.item)) << *block.item;
        }
        if (!block.states) continue;
        for (const auto& state : *block.states) ASSERT_TRUE(block_ids.contains(state.value));
    }
    const auto qualities = keys(got.get<packets::UpdateItemQualities>().item_qualities);
    const auto reticles = keys(got.get<packets::UpdateItemReticles>().item_reticle_configs);
    const auto item_sounds = keys(got.get<packets::UpdateItemSoundSets>().item_sound_sets);
    const auto animations = keys(got.get<packets::UpdateItemPlayerAnimations>().item_player_animations);
    const auto texts = keys(got.get<packets::UpdateTranslations>().translations);
    std::set<std::string> categories;
    for (const auto& category : *got.get<packets::UpdateItemCategories>().item_categories)
        for (const auto& child : *category.children)
            categories.insert(std::string(*category.id) + "." + std::string(*child.id));
    EXPECT_GT(items.items->size(), 2000U);
    for (const auto& [name, item] : *items.items) {
        ASSERT_EQ(*item.id, name);
        ASSERT_TRUE(block_ids.contains(item.block_id));
        ASSERT_TRUE(qualities.contains(item.quality_index));
        ASSERT_TRUE(reticles.contains(item.reticle_index));
        ASSERT_TRUE(sounds.contains(item.sound_event_index));
        ASSERT_TRUE(item_sounds.contains(item.item_sound_set_index));
        ASSERT_TRUE(animations.contains(*item.player_animations_id));
        if (item.translation_properties) {
            ASSERT_TRUE(texts.contains(*item.translation_properties->name));
        }
        for (const auto category : item.categories.value_or({}))
            ASSERT_TRUE(categories.contains(std::string(category))) << category;
        for (const auto& interaction : *item.interactions) ASSERT_TRUE(roots.contains(interaction.value));
    }
}

TEST(ServeRegistries, EveryOtherReferenceHasItsEntryToo) {
    Server server;
    Received got(server.registries.frames());
    const auto looks = keys(got.get<packets::UpdateFluidFX>().fluid_fx);
    const auto sound_sets = keys(got.get<packets::UpdateBlockSoundSets>().block_sound_sets);
    const auto fluids = got.get<packets::UpdateFluids>();
    EXPECT_EQ(fluids.max_id, server.ids.fluids.end());
    for (const auto& [id, fluid] : *fluids.fluids) {
        EXPECT_TRUE(looks.contains(fluid.fluid_fx_index));
        EXPECT_TRUE(sound_sets.contains(fluid.block_sound_set_index));
    }
    const auto lava = *server.ids.fluids.find("Lava");
    EXPECT_EQ(entry_at(fluids.fluids, lava).fluid_fx_index, std::to_underlying(FluidLook::lava));
    EXPECT_EQ(entry_at(fluids.fluids, lava).max_fluid_level, 8);

    const auto interactions = keys(got.get<packets::UpdateInteractions>().interactions);
    const auto root_update = got.get<packets::UpdateRootInteractions>();
    for (const auto& [id, root] : *root_update.interactions)
        for (const auto interaction : *root.interactions) EXPECT_TRUE(interactions.contains(interaction));
    const auto roots = keys(root_update.interactions);
    for (const auto& hand : *got.get<packets::UpdateUnarmedInteractions>().interactions)
        EXPECT_TRUE(roots.contains(hand.value));

    const auto stats = keys(got.get<packets::UpdateEntityStatTypes>().types);
    for (const auto& [id, component] : *got.get<packets::UpdateEntityUIComponents>().components)
        EXPECT_TRUE(stats.contains(component.entity_stat_index));
    const auto categories = keys(got.get<packets::UpdateAudioCategories>().categories);
    for (const auto& [id, sound] : *got.get<packets::UpdateSoundEvents>().sound_events)
        EXPECT_TRUE(categories.contains(sound.audio_category));
    const auto block_ids = keys(got.get<packets::UpdateBlockTypes>().block_types);
    for (const auto& [name, set] : *got.get<packets::UpdateBlockSets>().block_sets)
        for (const auto block : *set.blocks) EXPECT_TRUE(block_ids.contains(block));
    const auto environments = got.get<packets::UpdateEnvironments>();
    EXPECT_EQ(environments.max_id, server.ids.environments.end());
    EXPECT_EQ(*entry_at(environments.environments, 0).id, "Unknown");
    const auto weathers = got.get<packets::UpdateWeathers>();
    EXPECT_EQ(weathers.max_id, static_cast<std::int32_t>(weathers.weathers->size()));
    EXPECT_EQ(*entry_at(weathers.weathers, server.registries.weathers().at("Env_Zone1", {}, 0)).id, "Clear");
    for (const auto& [id, weather] : *weathers.weathers)
        if (id != Weathers::k_unknown) {
            EXPECT_EQ(weather.sky_top_colors->size(), 6U);
        }
    EXPECT_EQ(got.get<packets::UpdateViewBobbing>().profiles->size(), 13U);
}

TEST(ServeRegistries, NamesThatAreMetLaterAreNews) {
    Server server;
    EXPECT_TRUE(server.registries.news(server.tools).empty());
    const auto before = server.registries.frames().size();
    const auto block = server.ids.blocks.id_of("Mod_Block");
    auto news = server.registries.news(server.tools);
    ASSERT_EQ(news.size(), 1U);
    Received told(news);
    const auto& update = told.get<packets::UpdateBlockTypes>();
    EXPECT_EQ(update.type, packets::UpdateType::add_or_update);
    EXPECT_EQ(update.max_id, block + 1);
    ASSERT_EQ(update.block_types->size(), 1U);
    EXPECT_EQ((*update.block_types)[0].key, block);
    EXPECT_EQ(*(*update.block_types)[0].value.name, "Mod_Block");
    EXPECT_EQ((*update.block_types)[0].value.draw_type, packets::DrawType::cube);
    EXPECT_TRUE(server.registries.news(server.tools).empty()) << "said once";
    EXPECT_EQ(server.registries.frames().size(), before + 1) << "who comes later hears of it too";

    const auto fluid = server.ids.fluids.id_of("Mod_Fluid");
    const auto environment = server.ids.environments.id_of("Mod_Environment");
    Received both(server.registries.news(server.tools));
    EXPECT_EQ((*both.get<packets::UpdateFluids>().fluids)[0].key, fluid);
    EXPECT_EQ((*both.get<packets::UpdateEnvironments>().environments)[0].key, environment);
}

TEST(ServeRegistries, MuchNewsBecomesPartOfTheWhole) {
    Server server;
    const auto before = server.registries.frames().size();
    for (int i = 0; i < 60; ++i) {
        server.ids.blocks.id_of("Mod_Block_" + std::to_string(i));
        EXPECT_EQ(server.registries.news(server.tools).size(), 1U);
    }
    EXPECT_LE(server.registries.frames().size(), before + 24);
    Received got(server.registries.frames());
    std::set<std::int32_t> known;
    for (std::size_t i = 0; i < got.payloads[packets::UpdateBlockTypes::k_info.id].size(); ++i)
        known.merge(keys(got.get<packets::UpdateBlockTypes>(i).block_types));
    EXPECT_EQ(known.size(), static_cast<std::size_t>(server.ids.blocks.end()));
}

TEST(ServeRegistries, AWeatherThatAWorldNamesIsKnown) {
    WireIds ids(world::Assets::built_in());
    Registries registries(world::Assets::built_in(), ids);
    const auto sunny = registries.weathers().id_of("Zone1_Sunny");
    EXPECT_EQ(registries.weathers().id_of("ZONE1_sunny"), sunny);
    net::FrameTools<Side::server> tools;
    ASSERT_TRUE(registries.prepare(tools));
    Received got(registries.frames());
    EXPECT_EQ(*entry_at(got.get<packets::UpdateWeathers>().weathers, sunny).id, "Zone1_Sunny");
}

} // namespace
} // namespace orbis::game

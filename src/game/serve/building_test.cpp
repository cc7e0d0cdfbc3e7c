#include "game/bot/bot_hands.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/serve/packet_log_test.hpp"
#include "game/serve/served_world.hpp"
#include "packets/entities.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/inventory.hpp"
#include "packets/player.hpp"
#include "packets/world.hpp"
#include "world/assets.hpp"

#include <fstream>

namespace orbis::game {
namespace {

using State = packets::InteractionState;
using Type = packets::InteractionType;
using test_server::PacketLog;

constexpr std::int32_t k_no_number = INT32_MIN;

class BuildingTest : public test_server::PacketLogTest {
protected:
    BuildingTest() : PacketLogTest({"default"}) {}

    void begin(std::string_view mode = "Creative") {
        std::ofstream(folder_ / "universe/worlds/default/config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, "GameMode": ")" << mode << R"("})";
        auto rules = unlimited();
        rules.can_edit = true;
        rules.editing.reach = 1000; // players stand in the air
        start(rules);
        player_ = &join(1);
        ASSERT_TRUE(wait([&] { return player_->count("SetChunk") >= 130; })) << player_->reason;
    }
    template <typename P>
    void send(const P& packet) {
        ASSERT_TRUE(player_->session->send(packet));
    }
    void take(std::int32_t slot, std::string_view item, std::int32_t quantity = 1) {
        packets::SetCreativeItem packet;
        packet.inventory_section_id = -1;
        packet.slot_id = slot;
        packet.override_ = true;
        packet.item.quantity = quantity;
        packet.item.item_id = protocol::Text(item);
        send(packet);
    }
    /// The items of the hotbar, as the client was told last.
    std::map<std::int32_t, std::string> hotbar() {
        const auto all = player_->all<packets::UpdatePlayerInventory>();
        std::map<std::int32_t, std::string> items;
        for (const auto& [slot, item] : *all.back().hotbar->items)
            items[slot] = fmt::format("{} {}", item.quantity, item.item_id);
        return items;
    }
    std::vector<packets::SyncInteractionChain> answers() {
        std::vector<packets::SyncInteractionChain> all;
        for (const auto& packet : player_->all<packets::SyncInteractionChains>())
            all.insert(all.end(), packet.updates.begin(), packet.updates.end());
        return all;
    }
    std::int32_t id_of(std::string_view key) {
        return WireIds(world::Assets::built_in()).blocks.find(key).value();
    }
    /// A chain as a client begins it, with an empty hand.
    static packets::SyncInteractionChain chain_of(Type type, std::int32_t id) {
        packets::SyncInteractionChain chain;
        chain.initial = true;
        chain.interaction_type = type;
        chain.chain_id = id;
        chain.active_utility_slot = -1;
        chain.state = State::not_finished;
        chain.data = packets::InteractionChainData{};
        return chain;
    }
    void send_chain(const packets::SyncInteractionChain& chain) {
        packets::SyncInteractionChains packet;
        packet.updates = protocol::List<packets::SyncInteractionChain>(&chain, 1);
        send(packet);
    }
    std::vector<std::int32_t> cancelled() {
        std::vector<std::int32_t> chains;
        for (const auto& packet : player_->all<packets::CancelInteractionChain>())
            chains.push_back(packet.chain_id);
        return chains;
    }
    /// What others see in its hand.
    std::string shown(PacketLog& viewer) {
        std::string hand;
        for (const auto& packet : viewer.all<packets::EntityUpdates>())
            for (const auto& update : packet.updates.value_or({}))
                for (const auto& component : update.updates.value_or({}))
                    if (const auto* equipment = std::get_if<packets::EquipmentUpdate>(&component))
                        hand = equipment->right_hand_item_id.value_or({});
        return hand;
    }

    PacketLog* player_ = nullptr;
    BotHands hands_;
};

TEST_F(BuildingTest, TheWholeInventoryComesBackOnceInATick) {
    begin();
    take(0, "Rock_Stone", 5);
    take(3, "Soil_Dirt", 7);
    ASSERT_TRUE(wait([&] { return hotbar().size() == 2; }));
    EXPECT_EQ(hotbar(), (std::map<std::int32_t, std::string>{{0, "5 Rock_Stone"}, {3, "7 Soil_Dirt"}}));
    EXPECT_TRUE(wait([&] { return shown(*player_) == "Rock_Stone"; })) << "it is in the active slot";

    packets::MoveItemStack move;
    move.from_section_id = -1;
    move.from_slot_id = 3;
    move.quantity = 7;
    move.to_section_id = -1;
    move.to_slot_id = 0;
    send(move); // another item: they change places
    ASSERT_TRUE(wait([&] { return hotbar()[0] == "7 Soil_Dirt"; }));
    EXPECT_EQ(hotbar()[3], "5 Rock_Stone");
    move.quantity = 2;
    move.to_slot_id = 5;
    send(move);
    ASSERT_TRUE(wait([&] { return hotbar()[5] == "2 Rock_Stone"; }));
    EXPECT_EQ(hotbar()[3], "3 Rock_Stone");
    packets::DropItemStack drop;
    drop.inventory_section_id = -1;
    drop.slot_id = 5;
    drop.quantity = 1;
    send(drop);
    ASSERT_TRUE(wait([&] { return hotbar()[5] == "1 Rock_Stone"; }));
    take(0, "Soil_Dirt", 0); // none of it
    ASSERT_TRUE(wait([&] { return !hotbar().contains(0); }));
    EXPECT_TRUE(wait([&] { return shown(*player_) == "Empty"; }));

    packets::SetCreativeItem give;
    give.inventory_section_id = -1;
    give.slot_id = -1;
    give.item.quantity = 99;
    give.item.item_id = protocol::Text("Rock_Stone");
    send(give);
    ASSERT_TRUE(wait([&] { return hotbar()[3] == "100 Rock_Stone"; })) << "equal stacks first";
    EXPECT_EQ(hotbar()[5], "3 Rock_Stone");
    const auto before = player_->count("UpdatePlayerInventory");
    take(1, "There_Is_No_Such_Item");
    move.from_slot_id = 8; // nothing is there
    send(move);
    pass(std::chrono::seconds(1));
    EXPECT_EQ(player_->count("UpdatePlayerInventory"), before) << "nothing has changed";
}

TEST_F(BuildingTest, AHotbarSlotIsChosenByAChainAndByNothingElse) {
    begin();
    take(4, "Rock_Stone");
    auto chain = chain_of(Type::swap_from, 1);
    chain.data->target_slot = 4;
    chain.state = State::finished;
    send_chain(chain);
    ASSERT_TRUE(wait([&] { return answers().size() == 1; }));
    const auto answer = answers()[0];
    EXPECT_TRUE(answer.initial);
    EXPECT_FALSE(answer.desync);
    EXPECT_EQ(answer.chain_id, 1);
    EXPECT_EQ(answer.override_root_interaction, 0);
    EXPECT_EQ(answer.interaction_type, Type::swap_from);
    EXPECT_EQ(answer.state, State::finished);
    EXPECT_EQ(answer.data->target_slot, 4);
    EXPECT_FALSE(answer.item_in_hand_id);
    EXPECT_FALSE(answer.new_forks);
    EXPECT_EQ(answer.operation_base_index, 0);
    ASSERT_EQ(answer.interaction_data->count, 1U);
    const auto& step = *answer.interaction_data->find(0);
    EXPECT_EQ(step.state, State::finished);
    EXPECT_EQ(step.operation_counter, 0);
    EXPECT_EQ(step.root_interaction, 0);
    EXPECT_EQ(step.entered_root_interaction, k_no_number);
    EXPECT_EQ(step.placed_block_id, k_no_number);
    EXPECT_EQ(step.charge_value, -1);
    EXPECT_EQ(step.chaining_index, -1);
    EXPECT_EQ(step.flag_index, -1);
    EXPECT_FALSE(step.block_position);
    EXPECT_TRUE(wait([&] { return shown(*player_) == "Rock_Stone"; }));
    EXPECT_EQ(player_->count("SetActiveSlot"), 3U) << "those of the join";

    packets::SetActiveSlot utility;
    utility.inventory_section_id = -5;
    utility.active_slot = 2;
    send(utility);
    pass(std::chrono::seconds(1));
    EXPECT_TRUE(player_->session) << player_->reason;
    packets::SetActiveSlot slot;
    slot.inventory_section_id = -1;
    slot.active_slot = 2;
    send(slot);
    ASSERT_TRUE(wait([&] { return player_->session == nullptr; }));
    EXPECT_EQ(player_->reason, "Attempted to change the hotbar slot without an interaction");
}

TEST_F(BuildingTest, WhatDoesNotFitIsCancelled) {
    begin();
    take(0, "Rock_Stone");
    auto unknown = chain_of(Type::primary, 1);
    unknown.initial = false;
    send_chain(unknown);
    auto ability = chain_of(Type::ability1, 2); // no item has one
    send_chain(ability);
    auto elsewhere = chain_of(Type::primary, 3);
    elsewhere.active_hotbar_slot = 7;
    elsewhere.item_in_hand_id = protocol::Text("Rock_Stone");
    send_chain(elsewhere);
    auto with_other = chain_of(Type::primary, 4);
    with_other.item_in_hand_id = protocol::Text("Soil_Dirt");
    send_chain(with_other);
    auto utility = chain_of(Type::primary, 5);
    utility.active_utility_slot = 0;
    utility.item_in_hand_id = protocol::Text("Rock_Stone");
    send_chain(utility);
    auto fork = chain_of(Type::primary, 6);
    fork.forked_id = packets::ForkedChainId{};
    send_chain(fork);
    auto negative = chain_of(Type::primary, -7);
    negative.item_in_hand_id = protocol::Text("Rock_Stone");
    send_chain(negative);
    ASSERT_TRUE(wait([&] { return cancelled().size() == 7; }));
    EXPECT_EQ(cancelled(), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, -7}));
    const auto slots = player_->all<packets::SetActiveSlot>();
    ASSERT_EQ(slots.size(), 5U) << "three of the join, and the true ones";
    EXPECT_EQ(slots[3].inventory_section_id, -1);
    EXPECT_EQ(slots[3].active_slot, 0);
    EXPECT_EQ(slots[4].inventory_section_id, -5);
    EXPECT_EQ(slots[4].active_slot, -1);
    EXPECT_TRUE(answers().empty());
}

TEST_F(BuildingTest, ABlockIsPlacedAndBrokenByChains) {
    begin();
    auto& other = join(2);
    ASSERT_TRUE(wait([&] { return other.count("SetChunk") >= 130; })) << other.reason;
    const BlockPos pos{3, 200, 4};
    ASSERT_TRUE(hands_.place(*player_->session, pos, "Rock_Stone", id_of("Rock_Stone")));
    ASSERT_TRUE(wait([&] { return !answers().empty() && answers().back().state == State::finished; }));
    std::vector<packets::InteractionSyncData> steps;
    for (const auto& answer : answers())
        for (std::uint32_t i = 0; i < answer.interaction_data->count; ++i)
            if (const auto* step = answer.interaction_data->find(i)) steps.push_back(*step);
    ASSERT_EQ(steps.size(), 3U) << "used in vain, placed, and done after the time that it takes";
    EXPECT_EQ(steps[0].state, State::failed);
    EXPECT_EQ(steps[0].operation_counter, 0);
    EXPECT_EQ(steps[1].state, State::not_finished);
    EXPECT_EQ(steps[1].operation_counter, 2);
    EXPECT_EQ(steps[1].placed_block_id, id_of("Rock_Stone"));
    EXPECT_EQ(steps[1].block_position->y, 200);
    EXPECT_TRUE(steps[1].block_rotation);
    EXPECT_EQ(steps[2].state, State::finished);
    EXPECT_GE(steps[2].progress, 0.125F);
    EXPECT_TRUE(answers().front().initial);
    EXPECT_EQ(answers().front().override_root_interaction, 2);
    EXPECT_FALSE(answers().back().initial);
    EXPECT_EQ(answers().back().override_root_interaction, k_no_number);
    ASSERT_TRUE(wait([&] { return other.count("ServerSetBlock") == 1; }));
    EXPECT_EQ(player_->count("ServerSetBlock"), 1U) << "its author too";
    EXPECT_EQ(other.all<packets::ServerSetBlock>()[0].block_id, id_of("Rock_Stone"));

    ASSERT_TRUE(hands_.take_away(*player_->session, pos));
    ASSERT_TRUE(wait([&] { return other.count("ServerSetBlock") == 2; }));
    EXPECT_EQ(other.all<packets::ServerSetBlock>()[1].block_id, 0);
    ASSERT_TRUE(wait([&] {
        return answers().back().interaction_type == Type::primary
               && answers().back().state == State::finished;
    }));
    const auto* broken =
        answers().back().interaction_data->find(answers().back().interaction_data->count - 1);
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->placed_block_id, 0);
    EXPECT_EQ(game_->worlds().front()->edits().made, 2U);
    EXPECT_TRUE(cancelled().empty());
}

TEST_F(BuildingTest, AnAdventurerGetsNothingFromNowhereAndBreaksNothing) {
    begin("Adventure");
    take(0, "Rock_Stone");
    ASSERT_TRUE(wait([&] { return player_->count("Notification") == 1; }));
    EXPECT_EQ(player_->all<packets::Notification>()[0].message->message_id.value_or({}),
              "server.general.setCreativeItem.notInCreativeMode");
    EXPECT_EQ(player_->count("UpdatePlayerInventory"), 1U);
    ASSERT_TRUE(hands_.take_away(*player_->session, {3, 1, 4}));
    ASSERT_TRUE(wait([&] { return player_->count("ServerSetBlock") == 1; }));
    const auto there = player_->all<packets::ServerSetBlock>()[0];
    EXPECT_NE(there.block_id, 0) << "what is still there";
    ASSERT_TRUE(wait([&] { return !answers().empty() && answers().back().state != State::not_finished; }));
    const auto last = answers().back();
    EXPECT_EQ(last.interaction_data->find(last.interaction_data->count - 1)->placed_block_id, there.block_id);
    EXPECT_EQ(game_->worlds().front()->edits().made, 0U);
}

TEST_F(BuildingTest, WhoBeginsAChainAndSaysNoMoreIsToldThatItIsOver) {
    begin();
    auto chain = chain_of(Type::primary, 1); // and not a word of what it did
    chain.state = State::finished;
    send_chain(chain);
    ASSERT_TRUE(wait([&] { return !cancelled().empty(); }));
    EXPECT_EQ(cancelled(), std::vector<std::int32_t>{1});
    EXPECT_EQ(answers().size(), 1U) << "it was told at once that the server knows the chain";
    EXPECT_EQ(answers()[0].state, State::not_finished);
}

TEST_F(BuildingTest, WhoIsElsewhereInAChainIsToldWhereTheServerIs) {
    begin();
    packets::InteractionSyncData step;
    step.operation_counter = 2; // of a program that begins with 0
    step.root_interaction = 1;
    constexpr std::array<std::uint8_t, 1> bits{1};
    auto chain = chain_of(Type::primary, 1);
    chain.data->block_position = packets::BlockPosition{3, 1, 4};
    chain.interaction_data = protocol::Sparse<packets::InteractionSyncData>{
        1, Bytes(bits), protocol::List<packets::InteractionSyncData>(&step, 1)};
    send_chain(chain);
    ASSERT_TRUE(wait([&] { return answers().size() == 1; }));
    const auto* told = answers()[0].interaction_data->find(0);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->operation_counter, 0);
    EXPECT_EQ(told->root_interaction, 1);
    EXPECT_EQ(told->state, State::not_finished);
    pass(std::chrono::seconds(1));
    EXPECT_EQ(game_->worlds().front()->edits().made, 0U);
}

TEST_F(BuildingTest, ABlockOfSeveralCellsIsPlacedAndBrokenWholeWithoutTheAssetsOfTheGame) {
    begin();
    auto& other = join(2);
    ASSERT_TRUE(wait([&] { return other.count("SetChunk") >= 130; })) << other.reason;
    const auto number = id_of("Furniture_Crude_Bed");
    const BlockPos pos{3, 200, 4};
    packets::BlockRotation quarter;
    quarter.rotation_yaw = packets::Rotation::ninety;
    ASSERT_TRUE(hands_.place(*player_->session, pos, "Furniture_Crude_Bed", number, quarter));
    const auto lists = [&] { return other.all<packets::ServerSetBlocks>(); };
    ASSERT_TRUE(wait([&] { return lists().size() == 1; })) << "both cells at once";
    const auto placed = lists();
    ASSERT_EQ(placed[0].cmds.size(), 2U);
    for (const auto& cell : placed[0].cmds) {
        EXPECT_EQ(cell.block_id, number);
        EXPECT_EQ(cell.rotation, 1);
    }
    EXPECT_EQ(placed[0].cmds[0].filler, 0);
    EXPECT_EQ(chunk::Filler{static_cast<std::uint16_t>(placed[0].cmds[1].filler)},
              chunk::Filler::of_offset(1, 0, 0));
    ASSERT_TRUE(wait([&] { return !answers().empty() && answers().back().state == State::finished; }));

    // Where one of its cells is taken: nothing changes, and its client is told what both hold.
    ASSERT_TRUE(hands_.place(*player_->session, {2, 200, 4}, "Furniture_Crude_Bed", number, quarter));
    ASSERT_TRUE(wait([&] { return player_->count("ServerSetBlock") == 2; }));
    const auto told = player_->all<packets::ServerSetBlock>();
    EXPECT_EQ(told[0].block_id, 0);
    EXPECT_EQ(told[1].block_id, number);
    EXPECT_EQ(told[1].x, 3);
    EXPECT_EQ(other.count("ServerSetBlock"), 0U);
    EXPECT_EQ(game_->worlds().front()->edits().made, 1U);

    ASSERT_TRUE(hands_.take_away(*player_->session, {4, 200, 4})); // the cell that is not its base
    ASSERT_TRUE(wait([&] { return lists().size() == 2; }));
    const auto broken = lists();
    ASSERT_EQ(broken[1].cmds.size(), 2U);
    for (const auto& cell : broken[1].cmds) EXPECT_EQ(cell.block_id, 0);
    EXPECT_EQ(game_->worlds().front()->edits().made, 2U);
}

} // namespace
} // namespace orbis::game

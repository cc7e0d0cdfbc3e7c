#include "game/content/item_table.hpp"
#include "game/player/interaction_chains.hpp"
#include "game/player/inventory.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <array>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using ChainState = packets::InteractionState;
using ChainType = packets::InteractionType;

/// The chains of a player with an empty hand, at times that the test says.
class InteractionChainsTest : public testing::Test, public ChainHost {
protected:
    std::optional<std::uint32_t> begin_edit(BlockPos pos, std::int32_t block, chunk::Rotation) override {
        edits_.push_back({pos, block});
        return static_cast<std::uint32_t>(edits_.size());
    }
    static packets::SyncInteractionChain word(std::int32_t id, bool is_first, ChainState state) {
        packets::SyncInteractionChain update;
        update.initial = is_first;
        update.interaction_type = ChainType::primary;
        update.chain_id = id;
        update.active_utility_slot = -1;
        update.state = state;
        update.data = packets::InteractionChainData{};
        update.data->block_position = packets::BlockPosition{1, 2, 3};
        return update;
    }
    /// Begins to break a block; the client has done nothing yet.
    void begin(std::int32_t id, net::Duration at, ChainState state = ChainState::not_finished) {
        chains_.take(word(id, true, state), k_start + at);
    }
    void say(std::int32_t id, net::Duration at) {
        chains_.take(word(id, false, ChainState::not_finished), k_start + at);
    }
    std::vector<std::int32_t> cancelled(net::Duration at, net::Duration round_trip = 0s) {
        return chains_.tick(k_start + at, round_trip).cancelled;
    }

    static constexpr net::Time k_start{1000h};
    using Ids = std::vector<std::int32_t>;
    WireIds ids_{world::Assets::built_in()};
    ItemTable items_{world::Assets::built_in(), ids_};
    Inventory inventory_{items_};
    std::vector<std::pair<BlockPos, std::int32_t>> edits_;
    InteractionChains chains_{inventory_, items_, *this};
};

TEST_F(InteractionChainsTest, OneThatWaitsForItsClientIsOverAfterAMinuteOfSilence) {
    begin(1, 0s);
    begin(2, 0s);
    EXPECT_EQ(chains_.tick(k_start, 0s).updates.size(), 2U);
    EXPECT_EQ(cancelled(40s), Ids{});
    say(1, 40s);
    EXPECT_EQ(cancelled(60s, 10s), Ids{});
    EXPECT_EQ(cancelled(60s + 1ns, 10s), Ids{2});
    EXPECT_EQ(cancelled(100s), Ids{});
    EXPECT_EQ(cancelled(100s + 1ns), Ids{1});
    EXPECT_TRUE(chains_.tick(k_start + 200s, 0s).empty());
    say(1, 201s);
    EXPECT_EQ(cancelled(201s), Ids{1}) << "it is unknown by then";
}

TEST_F(InteractionChainsTest, OneThatOnlyTheClientHasFinishedIsOverAfterThreeSecondsAndTwoRoundTrips) {
    begin(1, 0s, ChainState::finished);
    EXPECT_EQ(cancelled(0s), Ids{});
    EXPECT_EQ(cancelled(3s), Ids{});
    EXPECT_EQ(cancelled(3s + 400ms, 200ms), Ids{});
    EXPECT_EQ(cancelled(3s + 400ms + 1ns, 200ms), Ids{1});
    EXPECT_TRUE(edits_.empty());
}

TEST_F(InteractionChainsTest, NumbersGoUpAndFourThousandMayRun) {
    begin(5, 0s);
    begin(5, 0s); // runs already
    begin(4, 0s);
    begin(6, 0s);
    EXPECT_EQ(cancelled(0s), (Ids{5, 4}));
    for (std::int32_t id = 7; id < 5 + 4096; ++id) begin(id, 0s);
    EXPECT_EQ(cancelled(0s), Ids{});
    begin(5 + 4096, 0s);
    EXPECT_EQ(cancelled(0s), Ids{5 + 4096});
}

TEST_F(InteractionChainsTest, ALongTextOfAClientIsEchoedUpToItsLimit) {
    const std::string text(300, 'x');
    auto update = word(1, true, ChainState::not_finished);
    update.data->hit_detail = protocol::Text(text);
    chains_.take(update, k_start);
    const auto& answers = chains_.tick(k_start, 0s);
    ASSERT_EQ(answers.updates.size(), 1U);
    EXPECT_EQ(answers.updates[0].data->hit_detail.value_or({}), text.substr(0, 256));
    EXPECT_TRUE(answers.updates[0].initial);
    EXPECT_TRUE(chains_.tick(k_start + 1s, 0s).empty()) << "nothing is new";
}

TEST_F(InteractionChainsTest, ABlockIsBrokenOnceAndTheResultOfAnOldTicketIsNobodys) {
    auto update = word(1, true, ChainState::finished);
    std::array<packets::InteractionSyncData, 2> steps;
    steps[0].root_interaction = steps[1].root_interaction = std::to_underlying(Root::breaking);
    steps[0].state = ChainState::failed;
    steps[1].operation_counter = 2;
    steps[1].state = ChainState::finished;
    constexpr std::array<std::uint8_t, 1> bits{3};
    update.interaction_data = protocol::Sparse<packets::InteractionSyncData>{
        2, Bytes(bits), protocol::List<packets::InteractionSyncData>(steps)};
    chains_.take(update, k_start);
    using Edits = std::vector<std::pair<BlockPos, std::int32_t>>;
    EXPECT_EQ(edits_, (Edits{{{1, 2, 3}, 0}}));
    EXPECT_EQ(chains_.tick(k_start, 0s).updates.at(0).state, ChainState::not_finished);
    chains_.on_edit(99, WireBlock{});
    EXPECT_TRUE(chains_.tick(k_start, 0s).empty());
    chains_.on_edit(1, WireBlock{7, {}, {}});
    const auto last = chains_.tick(k_start + 1s, 0s).updates.at(0);
    EXPECT_EQ(last.state, ChainState::finished);
    EXPECT_EQ(last.operation_base_index, 1);
    EXPECT_EQ(last.interaction_data->find(0)->placed_block_id, 7);
    EXPECT_EQ(last.interaction_data->find(0)->progress, 1.0F);
    EXPECT_EQ(edits_.size(), 1U);
}

} // namespace
} // namespace orbis::game

#include "game/codec/wire_ids.hpp"
#include "game/player/player.hpp"
#include "game/serve/game_server_test.hpp"
#include "game/serve/served_world.hpp"
#include "packets/assets.hpp"
#include "packets/auth.hpp"
#include "packets/buildertools.hpp"
#include "packets/interaction.hpp"
#include "packets/inventory.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"
#include "world/assets.hpp"

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using net::ClientSession;

/// Notes what a client hears.
struct Heard {
    ClientSession* session = nullptr;
    std::vector<std::int32_t> packets;
    std::vector<packets::JoinWorld> joins;
    std::vector<std::int32_t> own_ids;
    std::vector<std::string> texts;
    std::map<ChunkPos, int> sections; ///< that came of each chunk
    std::size_t unloaded = 0;
    std::map<BlockPos, std::int32_t> changes; ///< blocks that came alone
    std::map<BlockPos, int> rotations;        ///< theirs
    std::vector<std::int32_t> pings;          ///< of all players, as the list of them says
    bool says_ready = true;                   ///< by itself, where its session does not join
    std::set<ChunkPos> absent;                ///< chunks of which it was told that there are none
    std::set<std::int32_t> entities;
    std::map<std::int32_t, std::size_t> haircuts; ///< of entities with a skin: how long the name is
    std::optional<std::string> haircut;           ///< what it wears itself, where its session does not join
    std::optional<net::HostPort> referral;
    std::optional<net::Close> close;
    std::string reason;

    [[nodiscard]] bool has(std::int32_t packet) const {
        return std::ranges::find(packets, packet) != packets.end();
    }
    [[nodiscard]] bool has_text(std::string_view part) const {
        return std::ranges::any_of(texts, [&](const auto& text) { return text.contains(part); });
    }
    [[nodiscard]] std::size_t chunks() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(sections, [](const auto& entry) { return entry.second == k_sections; }));
    }
};

class Ear final : public net::ClientHandler {
public:
    explicit Ear(Heard& heard) : heard_(heard) {}

private:
    /// As the session does by itself where it joins, but dressed.
    void join_dressed(ClientSession& session, std::int32_t packet) {
        if (packet == packets::WorldSettings::k_info.id) {
            packets::RequestAssets request;
            request.assets = protocol::List<packets::Asset>();
            (void)session.send(request);
        } else if (packet == packets::WorldLoadFinished::k_info.id) {
            packets::PlayerOptions options;
            options.skin = packets::PlayerSkin{};
            options.skin->haircut = protocol::Text(*heard_.haircut);
            (void)session.send(options);
        } else if (packet == packets::JoinWorld::k_info.id && heard_.says_ready) {
            packets::ClientReady ready;
            ready.ready_for_chunks = true;
            (void)session.send(ready);
        }
    }
    void on_packet(ClientSession& session, const protocol::Frame& frame) override {
        heard_.packets.push_back(frame.id);
        if (!session.rules().joins) join_dressed(session, frame.id);
        switch (frame.id) {
        case packets::JoinWorld::k_info.id:
            heard_.joins.push_back(*session.read<packets::JoinWorld>(frame));
            break;
        case packets::SetClientId::k_info.id:
            heard_.own_ids.push_back(session.read<packets::SetClientId>(frame)->client_id);
            break;
        case packets::ServerMessage::k_info.id:
            if (const auto& said = session.read<packets::ServerMessage>(frame)->message->raw_text)
                heard_.texts.emplace_back(*said);
            break;
        case packets::SetChunk::k_info.id: {
            const auto* chunk = session.read<packets::SetChunk>(frame);
            ++heard_.sections[{chunk->x, chunk->z}];
            break;
        }
        case packets::ServerSetBlock::k_info.id: {
            const auto* change = session.read<packets::ServerSetBlock>(frame);
            heard_.changes[{change->x, change->y, change->z}] = change->block_id;
            heard_.rotations[{change->x, change->y, change->z}] = change->rotation;
            break;
        }
        case packets::UpdateServerPlayerListPing::k_info.id: {
            heard_.pings.clear();
            const auto* pings = session.read<packets::UpdateServerPlayerListPing>(frame);
            for (const auto& entry : pings->players.value_or({})) heard_.pings.push_back(entry.value);
            break;
        }
        case packets::UnloadChunk::k_info.id: {
            const auto* unload = session.read<packets::UnloadChunk>(frame);
            // One that it never had does not exist.
            const ChunkPos pos{unload->chunk_x, unload->chunk_z};
            if (heard_.sections.erase(pos) == 1)
                ++heard_.unloaded;
            else
                heard_.absent.insert(pos);
            break;
        }
        case packets::EntityUpdates::k_info.id: {
            const auto* updates = session.read<packets::EntityUpdates>(frame);
            for (const auto& update : updates->updates.value_or({})) {
                heard_.entities.insert(update.network_id);
                for (const auto& component : update.updates.value_or({}))
                    if (const auto* skin = std::get_if<packets::PlayerSkinUpdate>(&component);
                        skin && skin->skin)
                        heard_.haircuts[update.network_id] = skin->skin->haircut.value_or({}).size();
            }
            for (const auto id : updates->removed.value_or({})) heard_.entities.erase(id);
            break;
        }
        default: break;
        }
    }
    void on_referral(ClientSession&, const net::HostPort& to, Bytes) override { heard_.referral = to; }
    void on_closed(ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        heard_.close = close;
        heard_.reason = reason.value_or("");
        heard_.session = nullptr;
    }

    Heard& heard_;
};

class ServedGameTest : public test_server::GameServerTest {
protected:
    ServedGameTest() : GameServerTest({"default", "other"}) {}

    void start(GameRules rules = unlimited()) { start(std::move(rules), events_); }
    void start(GameRules rules, GameEvents& events) {
        rules.facts.view_radius = std::min(rules.facts.view_radius, 8);
        GameServerTest::start(rules, events);
    }

    Heard& join(std::size_t number, std::optional<std::string> haircut = {}) {
        auto& heard = heard_.emplace_back();
        auto rules = net::test::player(number);
        rules.joins = !haircut;
        heard.haircut = std::move(haircut);
        const net::ClientSettings settings{
            .server = address(), .server_name = "localhost", .tls = clients_.tls};
        heard.session = net::join(clients_.driver, clients_.context, settings, std::move(rules),
                                  std::make_unique<Ear>(heard))
                            .value();
        return heard;
    }
    /// With rules that let everybody edit from afar: players stand in the air.
    static GameRules editing() {
        auto rules = unlimited();
        rules.can_edit = true;
        rules.editing.reach = 1000;
        return rules;
    }
    /// Takes the block into the first slot and places it.
    void place(Heard& player, BlockPos pos, std::string_view key, packets::BlockRotation rotation = {}) {
        packets::SetCreativeItem take;
        take.inventory_section_id = -1;
        take.override_ = true;
        take.item.quantity = 1;
        take.item.item_id = protocol::Text(key);
        ASSERT_TRUE(player.session->send(take));
        packets::ClientPlaceBlock packet;
        packet.position = packets::BlockPosition{pos.x, pos.y, pos.z};
        packet.rotation = rotation;
        packet.placed_block_id = id_of(key);
        ASSERT_TRUE(player.session->send(packet));
    }
    std::int32_t id_of(std::string_view key) {
        const WireIds ids(world::Assets::built_in());
        return ids.blocks.find(key).value();
    }

    /// All chunks of the world that are within the radius of a client that wants 192 blocks.
    static constexpr std::size_t k_all = std::size_t{2 * k_world_radius + 1} * (2 * k_world_radius + 1);

    std::deque<Heard> heard_;
    net::test::Clients clients_{loop_};
};

TEST_F(ServedGameTest, APlayerJoinsInTheOrderOfTheGameAndGetsExactlyWhatIsThere) {
    start({}); // at the pace of the game
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    using namespace packets;
    const std::vector<std::int32_t> order = {ConnectAccept::k_info.id,
                                             WorldSettings::k_info.id,
                                             ServerInfo::k_info.id,
                                             UpdateBlockTypes::k_info.id,
                                             UpdateTranslations::k_info.id,
                                             WorldLoadProgress::k_info.id,
                                             WorldLoadFinished::k_info.id,
                                             AddToServerPlayerList::k_info.id,
                                             ServerTags::k_info.id,
                                             UpdateServerPlayerList::k_info.id,
                                             JoinWorld::k_info.id,
                                             packets::ViewRadius::k_info.id,
                                             SetEntitySeed::k_info.id,
                                             SetClientId::k_info.id,
                                             SetTimeDilation::k_info.id,
                                             UpdateFeatures::k_info.id,
                                             UpdateSunSettings::k_info.id,
                                             UpdatePostFxSettings::k_info.id,
                                             SetUpdateRate::k_info.id,
                                             EntityUpdates::k_info.id,
                                             SetGameMode::k_info.id,
                                             UpdateMovementSettings::k_info.id,
                                             BuilderToolsSetSoundSet::k_info.id,
                                             UpdatePlayerInventory::k_info.id,
                                             SetActiveSlot::k_info.id,
                                             SetBlockPlacementOverride::k_info.id,
                                             UpdateMemoriesFeatureStatus::k_info.id,
                                             SetMovementStates::k_info.id,
                                             UpdateVisibleHudComponents::k_info.id,
                                             UpdateKnownRecipes::k_info.id,
                                             UpdateTimeSettings::k_info.id,
                                             UpdateTime::k_info.id,
                                             UpdateWorldMapSettings::k_info.id};
    auto at = player.packets.begin();
    for (const auto packet : order) {
        at = std::find(at, player.packets.end(), packet);
        ASSERT_NE(at, player.packets.end()) << packet;
    }
    EXPECT_FALSE(player.joins.at(0).clear_world);
    EXPECT_TRUE(player.entities.contains(player.own_ids.at(0)));
    // Nothing is made up around what is there, and nothing is told twice.
    EXPECT_TRUE(wait([&] { return player.absent.size() >= 113 - k_all; }));
    pass(1s);
    EXPECT_EQ(player.sections.size(), k_all);
    EXPECT_EQ(player.chunks(), k_all);
    EXPECT_EQ(player.absent.size(), 113 - k_all)
        << "of all others in its circle it is told that there are none";
}

TEST_F(ServedGameTest, WhoChangesTensOfThousandsOfBlocksInAPacketIsSentAway) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    const auto dig = [&](std::size_t count) {
        std::vector<packets::SyncInteractionChain> chains(count);
        packets::InteractionChainData data;
        data.block_position = packets::BlockPosition{};
        data.block_position->y = 40;
        for (auto& chain : chains) {
            chain.initial = true;
            chain.interaction_type = packets::InteractionType::primary;
            chain.data = data;
        }
        packets::SyncInteractionChains packet;
        packet.updates = protocol::List<packets::SyncInteractionChain>(chains);
        ASSERT_TRUE(player.session->send(packet));
    };
    dig(1000);
    pass(1s);
    EXPECT_FALSE(player.close) << "much, but what a builder may do";
    dig(20'000);
    ASSERT_TRUE(wait([&] { return player.close.has_value(); }));
    EXPECT_EQ(player.reason, "Your client changes too many blocks at once.");
}

TEST_F(ServedGameTest, ChunksAreReadOnceForAllPlayers) {
    start();
    for (std::size_t number = 1; number <= 5; ++number) join(number);
    ASSERT_TRUE(wait([&] {
        return std::ranges::all_of(heard_, [](const Heard& heard) { return heard.chunks() == k_all; });
    }));
    EXPECT_EQ(game_->worlds().front()->chunks().counters().made, k_all);
    EXPECT_EQ(game_->players().size(), 5u);
}

TEST_F(ServedGameTest, PlayersSeeAndHearEachOther) {
    start();
    auto& ada = join(1);
    auto& bob = join(2);
    ASSERT_TRUE(wait([&] { return !ada.own_ids.empty() && !bob.own_ids.empty(); }));
    ASSERT_TRUE(
        wait([&] { return ada.entities.contains(bob.own_ids[0]) && bob.entities.contains(ada.own_ids[0]); }));
    packets::ChatMessage message;
    message.message = protocol::Text("hello \x01 there");
    ASSERT_TRUE(ada.session->send(message));
    EXPECT_TRUE(wait([&] { return bob.has_text("bot1: hello  there") && ada.has_text("hello"); }));
    ada.session->leave();
    EXPECT_TRUE(wait([&] { return !bob.entities.contains(ada.own_ids[0]); }));
    EXPECT_TRUE(bob.has(packets::RemoveFromServerPlayerList::k_info.id));
}

TEST_F(ServedGameTest, SkinsAreShownUnlessTheyCostMuch) {
    start();
    auto& viewer = join(1);
    auto& modest = join(2, std::string(1000, 'm'));
    auto& vain = join(3, std::string(5000, 'v'));
    ASSERT_TRUE(wait([&] { return !modest.own_ids.empty() && !vain.own_ids.empty(); }))
        << modest.reason << vain.reason;
    ASSERT_TRUE(wait([&] {
        return viewer.entities.contains(modest.own_ids[0]) && viewer.entities.contains(vain.own_ids[0]);
    }));
    EXPECT_EQ(viewer.haircuts, (std::map<std::int32_t, std::size_t>{{modest.own_ids[0], 1000}}))
        << "both are seen, one of them without its skin";
}

TEST_F(ServedGameTest, AChangeOfWorldUnloadsEverythingAndBeginsAnew) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    game_->move(*game_->find_player("bot1"), *game_->find_world("other"));
    ASSERT_TRUE(wait([&] { return player.joins.size() == 2 && player.own_ids.size() == 2; }));
    EXPECT_TRUE(player.joins[1].clear_world);
    EXPECT_TRUE(player.joins[1].fade_in_out);
    EXPECT_NE(player.joins[1].world_uuid, player.joins[0].world_uuid);
    EXPECT_EQ(player.unloaded, k_all);
    EXPECT_TRUE(wait([&] { return player.chunks() == k_all; }));
}

TEST_F(ServedGameTest, WhoSaysItIsNowhereGoesAndTheOthersStay) {
    start();
    auto& bad = join(1);
    auto& good = join(2);
    ASSERT_TRUE(wait([&] { return bad.chunks() == k_all && good.chunks() == k_all; }));
    packets::ClientMovement movement;
    packets::Position nowhere;
    nowhere.y = std::numeric_limits<double>::quiet_NaN();
    movement.absolute_position = nowhere;
    ASSERT_TRUE(bad.session->send(movement));
    EXPECT_TRUE(wait([&] { return bad.close.has_value(); }));
    EXPECT_TRUE(bad.reason == "Sent impossible position data!");
    EXPECT_TRUE(wait([&] { return !good.entities.contains(bad.own_ids[0]); }));
    EXPECT_TRUE(good.session);
}

TEST_F(ServedGameTest, PacketsOfPlayThatMeanNothingHereAreIgnored) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    ASSERT_TRUE(player.session->send(packets::MouseInteraction{}));
    ASSERT_TRUE(player.session->send(packets::SyncPlayerPreferences{}));
    ASSERT_TRUE(player.session->send(packets::SyncInteractionChains{}));
    pass(1s);
    EXPECT_TRUE(player.session) << player.reason;
}

TEST_F(ServedGameTest, APlacedBlockIsTurnedAsTheClientSays) {
    start(editing());
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    packets::BlockRotation turned;
    turned.rotation_yaw = static_cast<packets::Rotation>(1);
    turned.rotation_pitch = static_cast<packets::Rotation>(2);
    turned.rotation_roll = static_cast<packets::Rotation>(3);
    const BlockPos pos{3, 200, 3};
    place(player, pos, "Rock_Stone", turned);
    ASSERT_TRUE(wait([&] { return player.changes.contains(pos); }));
    EXPECT_EQ(player.changes[pos], id_of("Rock_Stone"));
    EXPECT_EQ(player.rotations[pos], 1 + 2 * 4 + 3 * 16);
}

TEST_F(ServedGameTest, WhoDoesNotSeeAPlaceChangesNothingThereAndIsNotToldOfIt) {
    start(editing());
    auto& near = join(1);
    auto& far = join(2);
    ASSERT_TRUE(wait([&] { return near.chunks() == k_all && far.chunks() == k_all; }));
    packets::ViewRadius radius;
    radius.value = 64;
    ASSERT_TRUE(near.session->send(radius));
    ASSERT_TRUE(wait([&] { return near.chunks() == 13; }));
    const BlockPos outside{3 * 32 + 5, 200, 5}; // of what the first one sees
    const BlockPos inside{5, 200, 5};
    place(near, outside, "Rock_Stone");
    place(near, inside, "Rock_Stone");
    ASSERT_TRUE(wait([&] { return near.changes.contains(inside) && far.changes.contains(inside); }));
    EXPECT_FALSE(far.changes.contains(outside)) << "nobody can have meant it";
    place(far, outside, "Soil_Dirt");
    ASSERT_TRUE(wait([&] { return far.changes.contains(outside); }));
    place(far, inside, "Soil_Dirt");
    ASSERT_TRUE(wait([&] { return near.changes[inside] == id_of("Soil_Dirt"); }));
    EXPECT_EQ(near.changes.size(), 1U) << "it gets that chunk as a whole, later";
}

TEST_F(ServedGameTest, AnAdventurerIsToldWhatIsThereAndNobodyElseIs) {
    std::ofstream(folder_ / "universe/worlds/default/config.json")
        << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, "GameMode": "Adventure"})";
    start(editing());
    auto& player = join(1);
    auto& other = join(2);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all && other.chunks() == k_all; }));
    const BlockPos pos{3, 200, 3};
    place(player, pos, "Rock_Stone");
    ASSERT_TRUE(wait([&] { return player.changes.contains(pos); }));
    EXPECT_EQ(player.changes[pos], 0) << "still air";
    EXPECT_EQ(game_->worlds().front()->edits().refused, 1U);
    EXPECT_EQ(game_->worlds().front()->edits().made, 0U);
    pass(1s);
    EXPECT_TRUE(other.changes.empty());
}

TEST_F(ServedGameTest, CommandsAreNotForOthersAndWhoSaysTooMuchIsToldSo) {
    start();
    auto& ada = join(1);
    auto& bob = join(2);
    ASSERT_TRUE(wait([&] { return !ada.own_ids.empty() && !bob.own_ids.empty(); }));
    const auto say = [&](const std::string& text) {
        packets::ChatMessage message;
        message.message = protocol::Text(text);
        ASSERT_TRUE(ada.session->send(message));
    };
    say("/secret");
    ASSERT_TRUE(wait([&] { return ada.has_text("no commands"); }));
    loop_->speed = 0; // so that no new line comes while it speaks
    for (int i = 0; i < 12; ++i) say(fmt::format("line {}.", i));
    ASSERT_TRUE(wait([&] { return ada.has_text("You are sending messages too fast"); }));
    ASSERT_TRUE(wait([&] { return bob.has_text("line 6."); })) << "eight with the command, as a bucket holds";
    EXPECT_FALSE(bob.has_text("line 11."));
    EXPECT_FALSE(bob.has_text("secret"));
    EXPECT_FALSE(bob.has_text("too fast"));
}

TEST_F(ServedGameTest, AWorldBeginsWithTheAnswerToItAndWithNothingElse) {
    start();
    auto& player = join(1, "short");
    player.says_ready = false;
    ASSERT_TRUE(wait([&] { return player.joins.size() == 1; }));
    const auto say = [&](bool chunks, bool gameplay) {
        packets::ClientReady ready;
        ready.ready_for_chunks = chunks;
        ready.ready_for_gameplay = gameplay;
        ASSERT_TRUE(player.session->send(ready));
        pass(1s);
    };
    say(false, false);
    say(false, true);
    say(true, true); // of the world before, as if there were one
    EXPECT_TRUE(player.own_ids.empty()) << "the client has not said that it is ready for this one";
    EXPECT_EQ(game_->find_player("bot1")->stage(), Player::Stage::joining);
    say(true, false);
    ASSERT_TRUE(wait([&] { return player.own_ids.size() == 1; }));
    say(true, false); // nothing is asked any more
    EXPECT_EQ(player.own_ids.size(), 1U);
    EXPECT_EQ(game_->find_player("bot1")->stage(), Player::Stage::waiting);
    say(false, true);
    EXPECT_EQ(game_->find_player("bot1")->stage(), Player::Stage::playing);
}

TEST_F(ServedGameTest, WhoNeverSaysThatItPlaysPlaysAfterAWhile) {
    start();
    auto& player = join(1);
    const auto stage = [&] {
        const auto* found = game_->find_player("bot1");
        return found != nullptr ? found->stage() : Player::Stage{};
    };
    ASSERT_TRUE(wait([&] { return stage() == Player::Stage::waiting; }));
    const auto in_world = loop_->now();
    // The time begins with the chunk in which the player is: after it is in its world, before it has all.
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    const auto complete = loop_->now();
    ASSERT_TRUE(wait([&] { return stage() == Player::Stage::playing; }));
    EXPECT_GE(loop_->now() - in_world, net::Duration(10s)) << "not before its client had the time";
    EXPECT_LE(loop_->now() - complete, net::Duration(11s));
}

TEST_F(ServedGameTest, WhoComesAgainTakesItsOwnPlaceAndOthersDoNotSeeItGo) {
    auto rules = unlimited();
    rules.facts.max_players = 2;
    start(rules);
    auto& bob = join(2);
    ASSERT_TRUE(wait([&] { return !bob.own_ids.empty(); }));
    auto& first = join(1);
    ASSERT_TRUE(wait([&] { return !first.own_ids.empty(); }));
    auto& again = join(1);
    ASSERT_TRUE(wait([&] { return !again.own_ids.empty() && first.close; })) << again.reason;
    pass(2s);
    EXPECT_FALSE(bob.has(packets::RemoveFromServerPlayerList::k_info.id)) << "it is still there";
    EXPECT_EQ(game_->players().size(), 2U);
    again.session->leave();
    EXPECT_TRUE(wait([&] { return bob.has(packets::RemoveFromServerPlayerList::k_info.id); }));
}

TEST_F(ServedGameTest, PlayersHearEachOthersPingInMilliseconds) {
    loop_->delay = 20ms;
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return !player.own_ids.empty(); }));
    ASSERT_TRUE(wait([&] { return !player.pings.empty() && player.pings[0] > 0; }));
    ASSERT_EQ(player.pings.size(), 1U);
    EXPECT_GE(player.pings[0], 40);
    EXPECT_LE(player.pings[0], 400);
}

TEST_F(ServedGameTest, AStopCountsTheMinutesAndCanOnlyComeSooner) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return !player.own_ids.empty(); }));
    player.texts.clear();
    loop_->speed = 0;
    int ends = 0;
    const auto begin = loop_->now();
    game_->begin_stop(150s, "", [&] { ++ends; });
    EXPECT_EQ(game_->stops_in(), 150s);
    pass(100s);
    EXPECT_EQ(game_->stops_in(), 50s);
    game_->begin_stop(200s, "later", [&] { ends += 10; });
    EXPECT_EQ(game_->stops_in(), 50s) << "it was promised";
    pass(1s);
    game_->begin_stop(20s, "", [&] { ends += 10; });
    EXPECT_EQ(game_->stops_in(), 20s);
    EXPECT_TRUE(wait([&] { return ends > 0; }));
    EXPECT_EQ(ends, 1);
    EXPECT_GE(loop_->now() - begin, net::Duration(121s));
    EXPECT_LE(loop_->now() - begin, net::Duration(122s));
    std::vector<std::string> told;
    for (const int left : {150, 120, 60, 20, 10, 5})
        told.push_back(fmt::format("The server stops in {} s.", left));
    EXPECT_EQ(player.texts, told) << "each once";
}

TEST_F(ServedGameTest, WhereNobodyIsAStopTakesNoTime) {
    start();
    bool is_over = false;
    game_->begin_stop(40s, "", [&] { is_over = true; });
    EXPECT_TRUE(is_over);
    EXPECT_EQ(game_->closed_because(), "Server is shutting down!");
}

TEST_F(ServedGameTest, AServerOfOneWorldTooFewDoesNotEdit) {
    std::filesystem::remove_all(folder_ / "universe/worlds/other/chunks");
    std::ofstream(folder_ / "universe/worlds/other/chunks") << "no folder";
    worlds_ = world::find_location(folder_ / "universe").value().worlds;
    for (const bool edits : {false, true}) {
        GameRules rules;
        rules.can_edit = edits;
        ServedGame game(*loop_, rules, events_);
        EXPECT_EQ(game.open(worlds_).has_value(), !edits);
    }
}

TEST_F(ServedGameTest, AFullServerSaysSoAndMakesRoomAgain) {
    GameRules rules;
    rules.facts.max_players = 1;
    start(rules);
    auto& first = join(1);
    ASSERT_TRUE(wait([&] { return !first.joins.empty(); }));
    auto& second = join(2);
    ASSERT_TRUE(wait([&] { return second.close.has_value(); }));
    EXPECT_EQ(second.reason, "The server is full: 1 of 1 players.");
    game_->kick(*game_->find_player("bot1"), "Room for others.");
    ASSERT_TRUE(wait([&] { return first.close.has_value(); }));
    EXPECT_EQ(first.reason, "Room for others.");
    auto& third = join(3);
    EXPECT_TRUE(wait([&] { return !third.joins.empty(); }));
}

TEST_F(ServedGameTest, ItIsToldWhyPlayersAreGone) {
    struct Leaves final : GameEvents {
        std::vector<std::string> reasons;
        void on_leave(Player&, std::string_view why) override { reasons.emplace_back(why); }
    } events;
    start(unlimited(), events);
    auto& leaves = join(1);
    auto& stays = join(2);
    ASSERT_TRUE(wait([&] { return !leaves.own_ids.empty() && !stays.own_ids.empty(); }));
    leaves.session->leave("bye");
    ASSERT_TRUE(wait([&] { return events.reasons.size() == 1; }));
    game_->kick(*game_->find_player("bot2"), "Enough.");
    ASSERT_TRUE(wait([&] { return events.reasons.size() == 2; }));
    EXPECT_EQ(events.reasons, (std::vector<std::string>{"left", "Enough."}));
    stop(); // before the events
}

TEST_F(ServedGameTest, APlayerIsSentToAnotherServer) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return !player.own_ids.empty(); }));
    game_->refer(*game_->find_player("bot1"), {"other.example.org", 5521});
    ASSERT_TRUE(wait([&] { return player.referral.has_value(); }));
    EXPECT_EQ(player.referral->host, "other.example.org");
    EXPECT_EQ(player.referral->port, 5521);
    player.session->leave();
    ASSERT_TRUE(wait([&] { return game_->players().empty(); }));
    EXPECT_EQ(game_->counters().gone[ServedGame::Counters::left], 0u) << "it did not go by itself";
    EXPECT_EQ(game_->counters().gone[ServedGame::Counters::sent_away], 1u);
}

TEST_F(ServedGameTest, AStopIsToldBeforeItHappens) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return !player.own_ids.empty(); }));
    bool is_over = false;
    const auto begin = loop_->now();
    game_->begin_stop(40s, "new day", [&] { is_over = true; });
    EXPECT_TRUE(wait([&] { return player.has_text("The server stops in 40 s: new day"); }));
    auto& late = join(2);
    EXPECT_TRUE(wait([&] { return late.close.has_value(); }));
    EXPECT_EQ(late.reason, "Server is shutting down!");
    EXPECT_TRUE(player.session);
    EXPECT_FALSE(is_over);
    loop_->speed = 0; // no thread has anything to do
    EXPECT_TRUE(wait([&] { return is_over; }));
    EXPECT_GE(loop_->now() - begin, net::Duration(40s));
    EXPECT_LE(loop_->now() - begin, net::Duration(41s));
    for (const auto* left : {"30", "10", "5"})
        EXPECT_TRUE(player.has_text(fmt::format("The server stops in {} s: new day", left))) << left;
}

TEST_F(ServedGameTest, AChunkThatCannotBeReadIsToldOnceAndKeepsNothingElseBack) {
    {
        world::made::MadeWorld world(folder_ / "universe/worlds/default");
        world.put({1, 1}, as_bytes("no chunk at all"));
    }
    struct Unreadable final : GameEvents {
        int count = 0;
        void on_unreadable(const ServedWorld&, ChunkPos pos, const Error&) override {
            EXPECT_EQ(pos, (ChunkPos{1, 1}));
            ++count;
        }
    } events;
    auto rules = unlimited();
    rules.cache.retry_after = 50ms;
    start(rules, events);
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all - 1; }));
    ASSERT_TRUE(wait([&] { return game_->worlds().front()->chunks().counters().failed >= 3; }));
    EXPECT_EQ(player.chunks(), k_all - 1);
    EXPECT_EQ(events.count, 1);
    stop(); // before the events
}

TEST_F(ServedGameTest, AWorldThatCannotBeOpenedIsLeftOutAndToldAndSoIsOneWithoutChunks) {
    struct Events final : GameEvents {
        std::vector<std::string> unopened;
        std::vector<std::string> empty;
        void on_unopened(const world::World& world, const Error&) override { unopened.push_back(world.name); }
        void on_empty(const ServedWorld& world, std::span<const Error>) override {
            empty.push_back(world.name());
        }
    } events;
    // A file in place of the folder with the chunks, which is none that can be listed.
    std::filesystem::remove_all(folder_ / "universe/worlds/other/chunks");
    std::ofstream(folder_ / "universe/worlds/other/chunks") << "no folder";
    std::filesystem::create_directories(folder_ / "universe/worlds/void/chunks");
    start(unlimited(), events);
    EXPECT_EQ(events.unopened, std::vector<std::string>{"other"});
    EXPECT_EQ(events.empty, std::vector<std::string>{"void"});
    auto& player = join(1);
    EXPECT_TRUE(wait([&] { return player.chunks() == k_all; }));
    stop(); // before the events
}

TEST_F(ServedGameTest, AColumnComesAfterTheNamesInIt) {
    auto rules = unlimited();
    rules.watching.every = 1ms;
    start(rules);
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; })) << player.reason;
    // What the client says is held back: the server cannot know what it has. It must not lose patience either
    // while its threads look at the disk.
    loop_->hold(clients_.driver.addresses().front().port());
    loop_->speed = 1;
    auto chunk = chunk::Chunk::create();
    ASSERT_TRUE(chunk.set_block({1, 2, 3}, {"Mod_That_Nobody_Has_Seen", {}, {}}));
    Buffer out;
    const auto announced = [&] {
        return std::ranges::count(player.packets, packets::UpdateBlockTypes::k_info.id);
    };
    const auto before = announced();
    world::made::MadeWorld(folder_ / "universe/worlds/default")
        .put({k_world_radius + 1, 0}, chunk.encode(out).value());
    ASSERT_TRUE(wait([&] { return announced() > before; })) << "its names come at once";
    loop_->speed = k_speed;
    pass(1s);
    EXPECT_EQ(player.chunks(), k_all) << "a chunk has overtaken its names";
    loop_->let_go();
    EXPECT_TRUE(wait([&] { return player.chunks() == k_all + 1; }));
}

TEST_F(ServedGameTest, TheViewRadiusFollowsTheClient) {
    start();
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.chunks() == k_all; }));
    packets::ViewRadius radius;
    radius.value = 64;
    ASSERT_TRUE(player.session->send(radius));
    EXPECT_TRUE(wait([&] { return player.chunks() == 13; }));
    radius.value = 192;
    ASSERT_TRUE(player.session->send(radius));
    EXPECT_TRUE(wait([&] { return player.chunks() == k_all; }));
}

} // namespace
} // namespace orbis::game

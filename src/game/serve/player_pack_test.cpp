#include "game/content/made_pack_test.hpp"
#include "game/content/weather.hpp"
#include "game/player/player.hpp"
#include "game/serve/game_server_test.hpp"
#include "packets/assets.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <fstream>

/// What a user's assets are for the players of a server: files that they can ask for, and weather.
namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using net::ClientSession;

/// What a client has got.
struct Got {
    test::Files offered; ///< hashes by name
    test::Files files;
    std::string file; ///< that is under way
    std::map<std::int32_t, std::string> weathers;
    std::vector<std::pair<std::string, float>> skies; ///< each weather, and how long it takes to come
    std::map<std::string, std::string> texts;
    float base_speed = 0;
    std::map<std::int32_t, float> stats; ///< of its own entity
    std::string model;
    bool is_loaded = false;
    std::string reason; ///< why it was sent away
    ClientSession* session = nullptr;
};

/// Joins, after it has asked for all files whose names it is given.
class PackClient final : public net::ClientHandler {
public:
    PackClient(Got& got, std::vector<std::string> wanted) : got_(got), wanted_(std::move(wanted)) {}

private:
    void on_packet(ClientSession& session, const protocol::Frame& frame) override {
        switch (frame.id) {
        case packets::WorldSettings::k_info.id:
            return ask(session, *session.read<packets::WorldSettings>(frame));
        case packets::AssetInitialize::k_info.id:
            got_.file = session.read<packets::AssetInitialize>(frame)->asset.name;
            got_.files[got_.file].clear();
            return;
        case packets::AssetPart::k_info.id:
            got_.files[got_.file] += as_text(*session.read<packets::AssetPart>(frame)->part);
            return;
        case packets::UpdateWeathers::k_info.id:
            for (const auto& [id, weather] : *session.read<packets::UpdateWeathers>(frame)->weathers)
                got_.weathers[id] = std::string(weather.id.value_or({}));
            return;
        case packets::UpdateTranslations::k_info.id:
            for (const auto& [key, text] : *session.read<packets::UpdateTranslations>(frame)->translations)
                got_.texts[std::string(key)] = text;
            return;
        case packets::UpdateMovementSettings::k_info.id:
            got_.base_speed =
                session.read<packets::UpdateMovementSettings>(frame)->movement_settings->base_speed;
            return;
        case packets::EntityUpdates::k_info.id: return note(*session.read<packets::EntityUpdates>(frame));
        case packets::WorldLoadFinished::k_info.id:
            got_.is_loaded = true;
            (void)session.send(packets::PlayerOptions{});
            return;
        case packets::JoinWorld::k_info.id: {
            packets::ClientReady ready;
            ready.ready_for_chunks = true;
            (void)session.send(ready);
            return;
        }
        case packets::UpdateWeather::k_info.id: {
            const auto* weather = session.read<packets::UpdateWeather>(frame);
            got_.skies.emplace_back(got_.weathers[weather->weather_index], weather->transition_seconds);
            return;
        }
        default: return;
        }
    }
    void note(const packets::EntityUpdates& updates) {
        for (const auto& entity : updates.updates.value_or({}))
            for (const auto& component : entity.updates.value_or({})) {
                if (const auto* stats = std::get_if<packets::EntityStatsUpdate>(&component))
                    for (const auto& [number, values] : stats->entity_stat_updates)
                        got_.stats[number] = values[0].value;
                if (const auto* model = std::get_if<packets::ModelUpdate>(&component);
                    model != nullptr && model->model)
                    got_.model = model->model->path.value_or({});
            }
    }
    void ask(ClientSession& session, const packets::WorldSettings& settings) {
        std::vector<packets::Asset> assets;
        for (const auto& asset : settings.required_assets.value_or({})) {
            got_.offered[std::string(asset.name)] = asset.hash;
            if (std::ranges::find(wanted_, asset.name) != wanted_.end()) assets.push_back(asset);
        }
        packets::RequestAssets request;
        request.assets = protocol::List<packets::Asset>(assets);
        (void)session.send(request);
    }
    void on_closed(ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        got_.reason = reason.value_or(close.text());
    }

    Got& got_;
    std::vector<std::string> wanted_;
};

class PlayerWithAPack : public test_server::GameServerTest {
protected:
    PlayerWithAPack() : GameServerTest({"default", "other"}) {
        test_pack::write(folder_ / "pack", test_pack::k_mod);
    }

    /// Before the pack goes, which it has.
    ~PlayerWithAPack() override { stop(); }

    /// A world has these members in its settings, besides those that all have.
    void configure(std::string_view world, std::string_view members) {
        std::ofstream(folder_ / "universe/worlds" / world / "config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, )"
            << R"("SpawnProvider": {"Id": "Global", "SpawnPoint": {"X": 1.5, "Y": 70.0, "Z": -3.5}}, )"
            << members << "}";
    }
    void put_environment(std::string_view world, ChunkPos pos, std::string_view name) {
        auto chunk = chunk::Chunk::create();
        auto* environments = chunk.edit_environments().value();
        const chunk::EnvironmentRun run{chunk::EnvironmentRun::k_no_end, name};
        for (int i = 0; i < k_columns; ++i) environments->set_runs(ColumnIndex(i), {&run, 1});
        Buffer out;
        const auto document = chunk.encode(out);
        ASSERT_TRUE(document) << document.error().text();
        world::made::MadeWorld(folder_ / "universe/worlds" / world).put(pos, *document);
    }
    void start() {
        pack_.emplace(test_pack::open(folder_ / "pack"));
        auto rules = unlimited();
        rules.has_map = false;
        rules.pack = &*pack_;
        GameServerTest::start(rules, events_);
    }
    Got& join(std::vector<std::string> wanted = {}, std::string_view language = "en-US") {
        auto& got = got_.emplace_back();
        auto rules = net::test::player(got_.size());
        rules.joins = false;
        rules.language = language;
        const net::ClientSettings settings{
            .server = address(), .server_name = "localhost", .tls = clients_.tls};
        got.session = net::join(clients_.driver, clients_.context, settings, std::move(rules),
                                std::make_unique<PackClient>(got, std::move(wanted)))
                          .value();
        return got;
    }

    std::optional<ContentPack> pack_;
    std::deque<Got> got_;
    net::test::Clients clients_{loop_};
};

TEST_F(PlayerWithAPack, GetsTheFilesThatItAsksForBeforeTheWorld) {
    start();
    const std::vector<std::string> wanted{"Music/Long.ogg", "BlockTextures/My_Rock.png", "Empty.txt"};
    auto& got = join(wanted);
    auto& other = join();
    ASSERT_TRUE(wait([&] { return got.is_loaded && other.is_loaded; })) << got.reason << other.reason;
    EXPECT_EQ(got.offered.size(), pack_->assets().size());
    for (const auto& asset : pack_->assets()) EXPECT_EQ(got.offered[asset.name], asset.hash) << asset.name;
    ASSERT_EQ(got.files.size(), wanted.size());
    for (const auto& name : wanted) EXPECT_EQ(got.files[name], test_pack::k_mod.at("Common/" + name)) << name;
    EXPECT_TRUE(other.files.empty()) << "it has asked for none";
}

TEST_F(PlayerWithAPack, HasTheWeatherOfItsPlaceAndHour) {
    put_environment("default", {0, -1}, "Env_My");
    configure("default", R"("GameTime": "0001-01-03T20:00:00Z", "IsGameTimePaused": true)");
    configure("other", R"("ForcedWeather": "My_Rain")");
    start();
    auto& got = join();
    ASSERT_TRUE(wait([&] { return got.skies.size() == 1; })) << got.reason;
    EXPECT_EQ(got.skies[0], std::pair(std::string("My_Night"), 0.5F)) << "at once, since it has just come";

    packets::ClientReady ready;
    ready.ready_for_chunks = ready.ready_for_gameplay = true;
    ASSERT_TRUE(got.session->send(ready));
    packets::ClientMovement step;
    step.absolute_position = packets::Position{};
    step.absolute_position->x = 40;
    step.absolute_position->y = 70;
    step.absolute_position->z = -3.5;
    ASSERT_TRUE(got.session->send(step));
    ASSERT_TRUE(wait([&] { return got.skies.size() == 2; })) << got.reason;
    EXPECT_EQ(got.skies[1], std::pair(got.weathers[Weathers::k_clear], Weathers::k_transition_seconds))
        << "another environment, without a forecast";

    game_->move(*game_->players().front(), *game_->find_world("other"));
    ASSERT_TRUE(wait([&] { return got.skies.size() == 3; })) << got.reason;
    EXPECT_EQ(got.skies[2], std::pair(std::string("My_Rain"), 0.5F)) << "what its settings ask for";
}

TEST_F(PlayerWithAPack, LooksMovesAndReadsAsTheFilesSay) {
    test_pack::write(folder_ / "pack", test_pack::k_whole);
    start();
    auto& got = join({}, "de-AT");
    auto& other = join({}, "fr-FR");
    ASSERT_TRUE(wait([&] { return !got.stats.empty() && !other.stats.empty() && got.base_speed != 0; }))
        << got.reason << other.reason;
    EXPECT_EQ(got.texts["server.rock"], "Fels");
    EXPECT_EQ(other.texts["server.rock"], "Rock");
    EXPECT_EQ(got.base_speed, 7);
    EXPECT_EQ(got.stats[1], 250) << "Health";
    EXPECT_EQ(got.stats.size(), 14U);
    EXPECT_EQ(got.model, "Characters/P.blockymodel");

    packets::UpdateLanguage other_language;
    other_language.language = protocol::Text("de-DE");
    ASSERT_TRUE(other.session->send(other_language));
    EXPECT_TRUE(wait([&] { return other.texts["server.rock"] == "Fels"; }));
}

} // namespace
} // namespace orbis::game

#pragma once

#include "game/serve/served_game.hpp"
#include "game/serve/served_world.hpp"
#include "net/server_test_support.hpp"
#include "net/simulated_loop.hpp"
#include "world/location.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>

/// The whole server with its threads, in the loop of its clients.
namespace orbis::game::test_server {

class GameServerTest : public testing::Test {
protected:
    static constexpr int k_world_radius = 3; ///< chunks that each world has around its middle
    /// How much faster than real time: the threads of the server must keep up. For edits the clock stands.
    static constexpr int k_speed = 50;

    explicit GameServerTest(std::initializer_list<std::string_view> names) {
        loop_->speed = k_speed;
        loop_->stands = [this] {
            return game_ && std::ranges::any_of(game_->worlds(), [](const auto& world) {
                       return world->edits().waiting > 0;
                   });
        };
        std::filesystem::create_directories(folder_ / "universe/worlds");
        for (const auto name : names)
            std::filesystem::copy(made_world(), folder_ / "universe/worlds" / name,
                                  std::filesystem::copy_options::recursive);
    }
    ~GameServerTest() override { stop(); }

    static GameRules unlimited() {
        GameRules rules;
        rules.is_unlimited = true;
        return rules;
    }
    void start(const GameRules& rules, GameEvents& events) {
        worlds_ = world::find_location(folder_ / "universe").value().worlds;
        game_ = std::make_unique<ServedGame>(*loop_, rules, events);
        const auto opened = game_->open(worlds_);
        ASSERT_TRUE(opened) << opened.error().text();
        shard_.emplace(*loop_, settings_, net::TlsContext::server(net::test::identity()).value(), *game_,
                       roster_);
        ASSERT_TRUE(shard_->listen(net::Address::loopback_v4(0)));
    }
    /// The loop must not run any more then.
    void stop() {
        shard_.reset();
        game_.reset();
    }
    [[nodiscard]] net::Address address() const { return shard_->addresses().front(); }

    /// An hour of the loop is a minute or more for the threads.
    [[nodiscard]] bool wait(const std::function<bool()>& condition) {
        return loop_->run_until(condition, std::chrono::hours(1));
    }
    void pass(net::Duration time) {
        loop_->run_until([] { return false; }, time);
    }

    orbis::test::TemporaryFolder folder_;
    std::vector<world::World> worlds_;
    GameEvents events_;
    std::shared_ptr<net::SimulatedLoop> loop_ = net::SimulatedLoop::make().value();
    net::ServerSettings settings_;
    net::Roster roster_;
    std::unique_ptr<ServedGame> game_;
    std::optional<net::ServerShard> shard_;

private:
    /// Made once.
    static const std::filesystem::path& made_world() {
        static const orbis::test::TemporaryFolder folder;
        static const auto path = [] {
            world::made::MadeWorld world(folder / "world");
            for (int x = -k_world_radius; x <= k_world_radius; ++x)
                for (int z = -k_world_radius; z <= k_world_radius; ++z)
                    world.put({x, z}, static_cast<std::uint32_t>(1000 + x * 50 + z));
            return folder / "world";
        }();
        return path;
    }
};

} // namespace orbis::game::test_server

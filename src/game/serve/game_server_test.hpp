#pragma once

#include "game/serve/game_host.hpp"
#include "map/made_world_test.hpp"
#include "net/server_test_support.hpp"

#include <gtest/gtest.h>

/// The whole server, on sockets of this machine.
namespace orbis::game::test_server {

class GameServerTest : public testing::Test {
protected:
    static constexpr int k_world_radius = 3; ///< chunks that each world has around its middle

    explicit GameServerTest(std::initializer_list<std::string_view> names) {
        for (const auto name : names) {
            map::made::MadeWorld world(folder_ / "universe/worlds" / name);
            for (int x = -k_world_radius; x <= k_world_radius; ++x)
                for (int z = -k_world_radius; z <= k_world_radius; ++z)
                    world.put({x, z}, static_cast<std::uint32_t>(1000 + x * 50 + z));
        }
    }
    ~GameServerTest() override {
        if (server_) server_->stop({}, std::chrono::seconds(0));
    }

    static GameRules unlimited() {
        GameRules rules;
        rules.is_unlimited = true;
        return rules;
    }
    void start(const GameRules& rules, GameEvents& events) {
        worlds_ = world::find_place(folder_ / "universe").value().worlds;
        Result<void> opened;
        auto started = net::Server::start(net::test::settings_for(1, net::ServerSettings::Transport::quic),
                                          net::test::identity(), [&](net::Loop& loop, std::size_t) {
                                              auto host = std::make_unique<GameHost>(loop, rules, events);
                                              opened = host->open(worlds_);
                                              loop_ = &loop;
                                              host_ = host.get();
                                              return host;
                                          });
        ASSERT_TRUE(started) << started.error().text();
        ASSERT_TRUE(opened) << opened.error().text();
        server_ = *std::move(started);
    }

    orbis::test::TemporaryFolder folder_;
    std::vector<world::World> worlds_;
    GameEvents events_;
    std::unique_ptr<net::Server> server_;
    net::Loop* loop_ = nullptr;
    GameHost* host_ = nullptr;
};

} // namespace orbis::game::test_server

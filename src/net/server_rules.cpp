#include "net/server_rules.hpp"

namespace orbis::net {

using namespace std::chrono_literals;

StageTimes StageTimes::multiplayer() {
    return {.initial = 15s,
            .grant = 30s,
            .token = 30s,
            .exchange = 15s,
            .password = 45s,
            .world_settings = 15s,
            .assets_request = 120s,
            .send_assets = 120s,
            .add_to_universe = 60s,
            .play = 60s};
}

} // namespace orbis::net

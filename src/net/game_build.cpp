#include "net/game_build.hpp"

#include "protocol/catalogue.hpp"

namespace orbis::net {

GameBuild GameBuild::current() {
    const auto* build = protocol::find_build(protocol::k_default_build);
    return {build->crc.value_or(0), build->build_number, std::string(build->build)};
}

} // namespace orbis::net

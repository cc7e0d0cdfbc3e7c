#include "app/player_assets.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace orbis::app {

Result<std::optional<game::ContentPack>> open_player_assets(const AssetsOption& assets, Console& console,
                                                            std::size_t threads) {
    if (assets.path().empty()) return std::nullopt;
    std::vector<Error> problems;
    auto pack = game::ContentPack::open(assets.path(), console, problems, threads);
    assets.print_further(console, problems);
    if (!pack) return fail(std::move(pack).error());
    if (!pack->assets().empty())
        console.note(fmt::format("Players can download {} of assets, {}",
                                 counted(pack->assets().size(), "file"), human_bytes(pack->bytes())));
    return *std::move(pack);
}

} // namespace orbis::app

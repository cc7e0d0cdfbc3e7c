#pragma once

#include "app/assets_option.hpp"
#include "game/content/content_pack.hpp"

#include <cstddef>
#include <optional>

namespace orbis::app {

/// What the user's assets have for players: what they are told, and files that they can download. Nothing
/// without assets. What is wrong in them and was not told by `AssetsOption::load` is printed.
Result<std::optional<game::ContentPack>> open_player_assets(const AssetsOption& assets, Console& console,
                                                            std::size_t threads);

} // namespace orbis::app

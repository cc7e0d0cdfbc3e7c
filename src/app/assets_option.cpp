#include "app/assets_option.hpp"

#include "world/asset_pack.hpp"

#include <fmt/format.h>

namespace orbis::app {

void AssetsOption::declare(Options& options) {
    options.file("--assets", path_,
                 "Assets folder or zip of a mod, for blocks that the game itself does not have");
}

Result<const world::Assets*> AssetsOption::load(Console& console) {
    if (path_.empty()) return &world::Assets::built_in();
    own_ = world::Assets::built_in();
    TRY(const auto pack, world::load_assets(path_, own_));
    for (const auto& problem : pack.problems) console.problem(problem);
    console.note(fmt::format("Assets: {}, {}, {}, {} from {}", counted(pack.blocks, "block"),
                             counted(pack.fluids, "fluid"), counted(pack.environments, "environment"),
                             counted(pack.migrations, "migration"), counted(pack.files, "file")));
    return &own_;
}

} // namespace orbis::app

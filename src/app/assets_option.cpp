#include "app/assets_option.hpp"

#include "world/asset_pack.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

void AssetsOption::declare(Options& options, const char* help) { options.file("--assets", path_, help); }

Result<const world::Assets*> AssetsOption::load(Console& console) {
    if (path_.empty()) return &world::Assets::built_in();
    own_ = world::Assets::built_in();
    TRY(auto pack, world::load_assets(path_, own_));
    for (const auto& problem : pack.problems) console.problem(problem);
    told_ = std::move(pack.problems);
    console.note(fmt::format("Assets: {}, {}, {}, {} from {}", counted(pack.blocks, "block"),
                             counted(pack.fluids, "fluid"), counted(pack.environments, "environment"),
                             counted(pack.migrations, "migration"), counted(pack.files, "file")));
    return &own_;
}

void AssetsOption::print_further(Console& console, const std::vector<Error>& problems) const {
    for (const auto& problem : problems) {
        const bool is_told = std::ranges::any_of(told_, [&](const Error& told) {
            return told.code == problem.code && told.file == problem.file && told.part == problem.part;
        });
        if (!is_told) console.problem(problem);
    }
}

} // namespace orbis::app

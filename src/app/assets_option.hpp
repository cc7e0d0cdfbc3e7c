#pragma once

#include "app/console.hpp"
#include "app/options.hpp"
#include "world/assets.hpp"

#include <filesystem>
#include <vector>

namespace orbis::app {

/// The option `--assets` of verbs that need to know blocks: a user's assets are laid over the built-in
/// tables.
class AssetsOption {
public:
    static constexpr auto k_help =
        "Assets folder or zip of a mod, for blocks that the game itself does not have";
    static constexpr auto k_help_for_players = "Assets folder or zip of the game or of a mod: blocks, "
                                               "models, items, weathers and sounds for players";

    void declare(Options& options, const char* help = k_help);
    /// The tables to use; they live as long as this. Files in the user's assets that cannot be used are
    /// printed as problems, and the rest is used.
    Result<const world::Assets*> load(Console& console);
    /// Prints what else was found wrong in the assets: what `load` has told is not told again.
    void print_further(Console& console, const std::vector<Error>& problems) const;
    /// What the user gave; empty if nothing.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::vector<Error> told_;
    world::Assets own_;
};

} // namespace orbis::app

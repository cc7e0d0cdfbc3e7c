#pragma once

#include "app/console.hpp"
#include "app/options.hpp"
#include "world/assets.hpp"

namespace orbis::app {

/// The option `--assets` of verbs that need to know blocks: a user's assets are laid over the built-in
/// tables.
class AssetsOption {
public:
    void declare(Options& options);
    /// The tables to use; they live as long as this. Files in the user's assets that cannot be used are
    /// printed as problems, and the rest is used.
    Result<const world::Assets*> load(Console& console);
    /// What the user gave; empty if nothing.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    world::Assets own_;
};

} // namespace orbis::app

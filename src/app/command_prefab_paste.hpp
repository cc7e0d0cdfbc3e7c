#pragma once

#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "jobs/prefab/paste_prefab.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orbis::app {

/// `orbis prefab paste`: its options, and what it does.
class PrefabPaste {
public:
    /// What is pasted where.
    struct Target {
        std::filesystem::path file;
        BlockPos at;
        bool skip_empty = false;
    };

    void declare(Options& options);
    /// The options of this action that were given.
    [[nodiscard]] std::vector<const char*> given() const;
    Result<Outcome> run(Console& console, const WorldArgument& world, const Target& target,
                        AssetsOption& assets, const CommonOptions& common) const;

private:
    [[nodiscard]] Result<jobs::PutOptions> read_options(const Target& target,
                                                        const CommonOptions& common) const;
    void print(Console& console, const std::string& world, const Target& target,
               const jobs::PutReport& report, const std::string& place) const;

    std::string rotate_;
    std::string mirror_;
    std::string mask_;
    bool replace_entities_ = false;
    bool create_chunks_ = false;
    bool dry_run_ = false;
    bool force_ = false;
};

} // namespace orbis::app

#pragma once

#include "bytes/progress.hpp"
#include "jobs/verify/finding.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <functional>

namespace orbis::jobs {

struct RepairOptions {
    std::vector<std::string> from{}; ///< backups for what cannot be read, see `open_donors`
    bool other_world = false;        ///< also backups of another world
    bool from_orphans = false;       ///< older copies in the unused segments of the region file itself
    bool remove_unreadable = false;  ///< the game generates it again; the bytes are set aside
    bool remove_ambiguous = false;   ///< entries that point to one content, unclear whose it is
    bool missing = false;            ///< bring back chunks that a backup has and the world has not
    bool damage_only = false;        ///< leave alone what is wrong but no damage
    bool dry_run = false;
    bool force = false;
    std::size_t threads = 1;
    std::string command{};             ///< for the list of changes
    storage::Store* preview = nullptr; ///< gets the chunks that a dry run would write
};

/// One thing that was done, would be done, or could not be done.
struct RepairStep {
    enum class Outcome : std::uint8_t {
        repaired, ///< fixed with what is there
        restored, ///< taken from a backup or an older copy
        removed,  ///< set aside
        left,     ///< not repaired; `advice` says what would help
    };
    Outcome outcome = Outcome::repaired;
    std::string world;
    std::string file;
    std::optional<ChunkPos> chunk;
    std::string part;
    std::string text;
    std::string advice{}; ///< what would help, the same for many steps; of `left` only
};
std::string_view name(RepairStep::Outcome outcome);
std::string to_text(const RepairStep& step);
/// Where it is: `FILE: chunk X,Z, part`.
std::string place_text(const RepairStep& step);
/// What was done, and what would help.
std::string message_of(const RepairStep& step);

struct RepairReport {
    std::uint64_t chunks = 0; ///< looked at
    std::uint64_t chunks_repaired = 0;
    std::uint64_t chunks_restored = 0;
    std::uint64_t chunks_removed = 0;
    std::uint64_t chunks_missing = 0; ///< that a backup has, and that were not brought back
    std::uint64_t left = 0;           ///< steps that could not be done
    std::uint64_t files = 0;
    std::vector<std::string> archives; ///< undo archives
    std::vector<std::string> notes;    ///< of backups that were passed over
};

using OnStep = std::function<void(const RepairStep& step)>;

/// Repairs a location (docs/repair.md). Every step is reported before it is done; with `dry_run` they are
/// reported and nothing is done. What is replaced can be undone.
Result<RepairReport> repair(const world::Location& location, const world::Assets& assets,
                            const RepairOptions& options, const OnStep& on_step, Progress& progress);

} // namespace orbis::jobs

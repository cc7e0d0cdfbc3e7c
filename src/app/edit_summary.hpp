#pragma once

#include "app/console.hpp"
#include "jobs/cells/edit_chunks.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace orbis::app {

/// What `orbis edit` has to say at its end.
struct EditSummary {
    std::string action;
    bool dry_run = false;
    jobs::EditReport report{};
    std::optional<std::uint64_t> cells_without_chunk{};
    std::uint64_t entities_without_chunk = 0;
    std::uint64_t left_out = 0;                ///< blocks that the box of a copy cuts
    std::uint64_t source_chunks_missing = 0;   ///< of the box of a copy
    std::optional<jobs::EditReport> cleared{}; ///< of a move between worlds: the other one
    /// Of relight: blocks and fluids whose light is not known.
    std::optional<std::set<std::string, std::less<>>> unknown_keys{};
    bool has_keys_of_mods = false; ///< among the unknown keys: no table has them, but assets can
};

void print_edit_summary(Console& console, const std::string& world, const EditSummary& summary);

} // namespace orbis::app

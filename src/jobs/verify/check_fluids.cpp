#include "chunk/label_set.hpp"
#include "jobs/verify/check_chunk.hpp"

/// Fluids against their levels.
namespace orbis::jobs {

bool levels_fit(const chunk::KeyPalette& fluids, const chunk::Levels& levels) {
    if (fluids.kind() != chunk::PaletteKind::half_byte || !levels.present()) return false;
    chunk::LabelSet is_fluid(fluids.kind());
    for (const auto& entry : fluids.entries())
        if (entry.value != chunk::k_empty_key) is_fluid.insert(static_cast<std::uint8_t>(entry.id));
    return is_fluid.are_where_levels_are(fluids.stored_cells(), levels.stored_cells());
}

} // namespace orbis::jobs

#pragma once

#include "bytes/png.hpp"
#include "jobs/prefab/prefab.hpp"
#include "map/colours.hpp"

#include <cstdint>

namespace orbis::map {

/// No picture of a prefab has more pixels.
inline constexpr std::int64_t k_most_prefab_pixels = 1 << 23;

/// A prefab from above, north at the top, and below that from the south, the east, the north and the west,
/// as one sees it walking around it. Colours and shades are those of the map; all blocks are drawn, also
/// those that one sees through. Small prefabs are drawn with several pixels per block.
struct PrefabPicture {
    Picture picture;
    int scale = 1; ///< pixels per block
};

Result<PrefabPicture> draw_prefab(const jobs::prefab::Prefab& prefab, const Colours& colours);

} // namespace orbis::map

#pragma once

#include "bytes/bytes.hpp"
#include "bytes/zstd.hpp"
#include "storage/region_store.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::bench {

/// A real world: its store, and every frame of it in memory for the bare loop that it is measured against.
struct RealWorld {
    std::filesystem::path chunks;
    std::unique_ptr<storage::RegionStore> store;
    std::vector<ChunkPos> positions;
    std::vector<Buffer> frames;
    std::vector<std::uint32_t> raw_sizes;

    /// Decompresses every frame with libzstd alone: the baseline.
    void decompress_all() const;
};

/// A world beside the checkout; nothing where there is none. Loaded once.
const RealWorld* real_world(const std::string& name);

inline constexpr const char* k_no_worlds = "the real worlds are not beside the checkout";

} // namespace orbis::bench

#include "storage/region_files.hpp"

namespace orbis::storage {

Result<std::vector<Slot>> RegionFiles::slots(RegionPos pos) const {
    TRY(const auto file, region(pos));
    if (!file) return std::vector<Slot>();
    return file->slots();
}

Result<std::int32_t> RegionFiles::entry(ChunkPos pos) const {
    TRY(const auto file, region(pos.region()));
    if (!file) return 0;
    return file->entry(pos.slot());
}

Result<std::optional<BlobInfo>> RegionFiles::info(ChunkPos pos) const {
    TRY(const auto file, region(pos.region()));
    if (!file) return std::nullopt;
    return file->info(pos.slot());
}

} // namespace orbis::storage

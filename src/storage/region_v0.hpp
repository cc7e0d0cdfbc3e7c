#pragma once

#include "storage/region.hpp"

namespace orbis::storage {

/// A region file of container version 0, read-only: blobs are chains of linked segments.
///
///     segment:  i32 be  next segment; 0 = free, 0x80000000 = last of its blob
///               S - 4   payload
///     blob:     i32 be  uncompressed length, i32 be compressed length C, then C frame bytes,
///               all in the payloads of its chain
class RegionV0 final : public Region {
public:
    static Result<std::unique_ptr<Region>> open(std::unique_ptr<File> file, RegionPos position);

    [[nodiscard]] Result<std::vector<Slot>> slots() const override;
    [[nodiscard]] Result<std::optional<BlobInfo>> info(Slot slot) const override;
    [[nodiscard]] Result<std::optional<Blob>> blob(Slot slot, Buffer& gathered) const override;

private:
    using Region::Region;
    [[nodiscard]] Result<std::optional<BlobInfo>> find(Slot slot) const;
    Result<void> gather(const BlobInfo& info, Buffer& out) const;
};

} // namespace orbis::storage

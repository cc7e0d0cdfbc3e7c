#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <string_view>

namespace orbis::test {

/// A blob as it goes into a region file. The frame may be anything: the container does not look inside.
struct BlobImage {
    Buffer frame;
    std::uint32_t raw_size = 0;
    friend bool operator==(const BlobImage&, const BlobImage&) = default;
};

/// The blob of a document, compressed as the game does it.
BlobImage compressed_blob(Bytes document);

/// Blobs by slot.
using RegionContent = std::map<std::int32_t, BlobImage>;

/// The shape of a region file, for headers that are right and wrong.
struct RegionShape {
    std::string_view magic = "HytaleIndexedStorage";
    std::int32_t version = 1;
    std::int32_t blob_count = 1024;
    std::int32_t segment_size = 4096;
};

/// A file of container version 1, blobs in ascending order from segment 1 on. Written from the description of
/// the format and independent of the code under test.
Buffer region_v1_image(const RegionContent& content, RegionShape shape = {});

/// A file of container version 0: chains of linked segments. With a generator the segments of all blobs are
/// shuffled among each other.
Buffer region_v0_image(const RegionContent& content, RegionShape shape = {.version = 0},
                       std::mt19937_64* shuffle = nullptr);

} // namespace orbis::test

#pragma once

#include "bytes/descriptor.hpp"
#include "storage/hashing_reader.hpp"

#include <filesystem>
#include <unordered_map>

namespace orbis::watch {

/// The hashes of all chunks of a world by region, in a file without a name: their number does not count as
/// memory.
class HashFile {
public:
    /// A new file in that folder.
    static Result<HashFile> make(const std::filesystem::path& folder);

    /// Nothing if none were put for the region.
    [[nodiscard]] std::optional<storage::RegionHashes> get(RegionPos region) const;
    Result<void> put(RegionPos region, const storage::RegionHashes& hashes);

private:
    explicit HashFile(Descriptor file) : file_(std::move(file)) {}

    Descriptor file_;
    std::unordered_map<RegionPos, std::size_t> places_;
};

} // namespace orbis::watch

#include "watch/hash_file.hpp"

#include "bytes/system_error.hpp"

#include <cstdlib>
#include <unistd.h>

namespace orbis::watch {

Result<HashFile> HashFile::make(const std::filesystem::path& folder) {
    auto name = (folder / "hashes.XXXXXX").string();
    Descriptor file(mkostemp(name.data(), 0));
    if (!file) return fail(system_error("create a file").in_file(folder.string()));
    unlink(name.c_str());
    return HashFile(std::move(file));
}

std::optional<storage::RegionHashes> HashFile::get(RegionPos region) const {
    const auto place = places_.find(region);
    if (place == places_.end()) return std::nullopt;
    storage::RegionHashes hashes;
    const auto offset = static_cast<off_t>(place->second * sizeof hashes);
    if (pread(file_.number(), hashes.data(), sizeof hashes, offset) != sizeof hashes) return std::nullopt;
    return hashes;
}

Result<void> HashFile::put(RegionPos region, const storage::RegionHashes& hashes) {
    const auto place = places_.try_emplace(region, places_.size()).first->second;
    const auto offset = static_cast<off_t>(place * sizeof hashes);
    if (pwrite(file_.number(), hashes.data(), sizeof hashes, offset) == sizeof hashes) return {};
    return fail(system_error("write the hashes of chunks"));
}

} // namespace orbis::watch

#pragma once

#include "jobs/convert/convert.hpp"
#include "jobs/select/selection.hpp"

#include <optional>

namespace orbis::jobs::snapshot {

struct CheckoutOptions {
    std::string world;               ///< only this one of a universe
    std::optional<RegionPos> region; ///< only chunks of this region
    Selection chunks;                ///< only these chunks, when it is not empty
    StorageFormat format = StorageFormat::region_files;
    std::size_t threads = 1;
    std::string command; ///< what a user calls to go on after an interruption
};

/// Creates a new copy from a snapshot (or any other location): the files, and all of its chunks or some.
/// Nothing is overwritten; after an interruption the same call goes on where it stopped. With a part of the
/// chunks a universe must have one world, or be told which.
Result<ConvertReport> check_out(world::Location snapshot, const std::filesystem::path& target,
                                const CheckoutOptions& options, Progress& progress);

} // namespace orbis::jobs::snapshot

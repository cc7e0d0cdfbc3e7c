#pragma once

#include "storage/region_files.hpp"

#include <vector>

namespace orbis::jobs {

/// How the bytes of one region file are used. Only the index and the blob headers are read.
struct RegionSurvey {
    RegionPos pos;
    std::string file;
    std::int32_t version = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t chunks = 0;          ///< with a sound header
    std::uint64_t raw_bytes = 0;       ///< what the chunks say they decompress to
    std::uint64_t frame_bytes = 0;     ///< compressed
    std::uint64_t slack_bytes = 0;     ///< between the end of a blob and the end of its last segment
    std::uint64_t free_bytes = 0;      ///< in segments that no chunk uses
    std::vector<Error> problems;       ///< of the container; each names file, chunk and offset
    std::vector<Error> frame_problems; ///< frames that do not say what the container says of them
};

/// Looks at every entry of a region: lengths against the file, and segments that two chunks claim.
RegionSurvey survey(const storage::Region& region);

/// Surveys every region file on several threads, in order. A file that cannot be opened has its
/// problem and nothing else.
Result<std::vector<RegionSurvey>> survey(const storage::RegionFiles& files, std::size_t threads);

} // namespace orbis::jobs

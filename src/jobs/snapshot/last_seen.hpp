#pragma once

#include "bytes/file_stamp.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "jobs/snapshot/key.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace orbis::jobs::snapshot {

/// One stamp for all files of a RocksDB folder, whose text logs do not count.
FileStamp stamp_of_database(const std::filesystem::path& folder);

struct FrameRecord {
    Slot slot;
    FrameMark mark{};
};

/// What the last snapshot saw of a file.
struct SeenFile {
    FileStamp stamp;
    std::vector<FrameRecord> frames; ///< of a region file, ascending by slot

    [[nodiscard]] const FrameMark* mark(Slot slot) const;
};

/// What the last snapshot of one source saw. It spares work and may be lost.
struct LastSeen {
    std::string snapshot;
    std::map<std::string, SeenFile, std::less<>> files; ///< by path below the root

    [[nodiscard]] Buffer encode() const;
    static Result<LastSeen> decode(Bytes bytes);
};

} // namespace orbis::jobs::snapshot

#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "care/snapshot/key.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace orbis::care::snapshot {

/// What the system says of a file without reading it. All zeros: it must be read again.
struct Stamp {
    std::uint64_t size = 0;
    std::uint64_t modified = 0; ///< nanoseconds since 1970
    std::uint64_t changed = 0;
    std::uint64_t inode = 0;
    std::uint64_t device = 0;

    [[nodiscard]] bool empty() const { return *this == Stamp{}; }
    /// Whether the file was written so shortly before `time` (seconds since 1970) that a later write could
    /// leave the same stamp.
    [[nodiscard]] bool is_fresh(std::int64_t time) const;
    friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// The stamp of a file; empty when there is none.
Stamp stamp_of(const std::filesystem::path& file);
/// One stamp for all files of a RocksDB folder, whose text logs do not count.
Stamp stamp_of_database(const std::filesystem::path& folder);

struct FrameRecord {
    Slot slot;
    FrameMark mark{};
};

/// What the last snapshot saw of a file.
struct KnownFile {
    Stamp stamp;
    std::vector<FrameRecord> frames; ///< of a region file, ascending by slot

    [[nodiscard]] const FrameMark* mark(Slot slot) const;
};

/// What the last snapshot of one source saw. It spares work and may be lost.
struct Known {
    std::string snapshot;
    std::map<std::string, KnownFile, std::less<>> files; ///< by path below the root

    [[nodiscard]] Buffer encode() const;
    static Result<Known> decode(Bytes bytes);
};

} // namespace orbis::care::snapshot

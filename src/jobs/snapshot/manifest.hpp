#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "jobs/snapshot/key.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace orbis::jobs::snapshot {

/// A chunk of a region in a snapshot.
struct TableEntry {
    Slot slot;
    Key key;
    bool is_opaque = false;     ///< the content is a frame that does not decompress
    std::uint32_t raw_size = 0; ///< what that frame promised
};

/// The table of a region, as it is stored; entries ascend by slot.
Buffer encode_table(const std::vector<TableEntry>& entries);
Result<std::vector<TableEntry>> decode_table(Bytes bytes);

struct RegionRecord {
    RegionPos pos;
    std::uint16_t chunks = 0;
    Key table;
};

struct WorldRecord {
    std::string name;
    std::vector<RegionRecord> regions; ///< ascending by position
};

/// A file beside the chunks.
struct FileRecord {
    std::string
        path; ///< below the root; ends in `/` for a folder that is empty or has permissions of its own
    std::uint64_t size = 0;
    std::vector<Key> pieces;
    bool is_link = false;                                ///< the content is the text of the link
    std::optional<std::filesystem::perms> permissions{}; ///< where they are known

    [[nodiscard]] bool is_folder() const { return path.ends_with('/'); }
};

/// Contents of files are cut at this length.
inline constexpr std::uint64_t k_piece_size = 4 << 20;

/// One snapshot: everything but the contents (docs/formats/snapshot-store.md).
struct Manifest {
    std::int64_t time = 0; ///< seconds since 1970
    std::string name;      ///< that a user gave; may be empty
    std::string note;
    std::string source; ///< the absolute path it was taken of
    world::Location::Kind kind = world::Location::Kind::world;
    std::uint64_t chunks = 0;
    std::uint64_t new_chunks = 0;
    std::uint64_t bytes_added = 0; ///< in packs
    std::vector<WorldRecord> worlds;
    std::vector<FileRecord> files; ///< ascending by path

    [[nodiscard]] Result<Buffer> encode() const;
    static Result<Manifest> decode(Bytes bytes);
};

} // namespace orbis::jobs::snapshot

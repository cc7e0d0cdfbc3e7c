#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace orbis::map {

/// Everything that is done to the files of a map. This is the seam at which tests stop a run at any moment.
/// Any thread may call it.
class MapFiles {
public:
    virtual ~MapFiles() = default;

    /// Writes a file that nothing names yet: a kill leaves it whole or under another name. The folder is made
    /// where it is missing.
    virtual Result<void> write(const std::filesystem::path& path, Bytes content);
    /// Gives a finished file its name, replacing what is there.
    virtual Result<void> place(const std::filesystem::path& from, const std::filesystem::path& to);
    /// Makes all that was written below a folder survive a power cut.
    virtual Result<void> sync(const std::filesystem::path& folder);
    /// Writes a file that others name: at any moment, the old or the new content is there and lasts.
    virtual Result<void> replace(const std::filesystem::path& path, Bytes content);
    virtual Result<void> remove(const std::filesystem::path& path);
};

/// The whole of a file of this map; `not_found` if there is none.
Result<Buffer> read_map_file(const std::filesystem::path& path);

/// The name of a world as a folder: bytes other than `A–Z a–z 0–9 . _ -` as `%XX`; and back.
[[nodiscard]] std::string folder_of_world(std::string_view name);
[[nodiscard]] std::string world_of_folder(std::string_view folder);

/// Removes the files below `folder` whose path, relative to it, is not among those to keep; also what a
/// killed run has left half written, and folders that are empty then. How many files there were.
Result<std::uint64_t> remove_others(MapFiles& files, const std::filesystem::path& folder,
                                    const std::set<std::string>& kept);

/// What the name of an unfinished file ends with.
inline constexpr std::string_view k_unfinished = ".part";

} // namespace orbis::map

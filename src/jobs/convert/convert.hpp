#pragma once

#include "bytes/progress.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <vector>

namespace orbis::jobs {

/// What chunks can be written as.
enum class StorageFormat : std::uint8_t { region_files, rocksdb };

/// What a conversion did. Every problem names its chunk; the other chunks were converted all the same.
struct ConvertReport {
    std::uint64_t written = 0;
    std::uint64_t already_there = 0; ///< from an earlier run that was interrupted
    std::uint64_t verified = 0;      ///< read back and found equal
    std::uint64_t files_copied = 0;  ///< besides chunks: configuration, players …
    std::vector<Error> problems;
    std::uint64_t missing = 0; ///< chunks, regions and files of the source that the target does not have
    std::vector<std::string> left_out; ///< folders of chunks that the world does not use
};

/// Copies every chunk of one store into another and reads all of them back. Frames travel as they are between
/// stores that keep frames; one that does not decompress is copied byte for byte and reported.
Result<void> convert_chunks(const storage::Store& from, storage::Store& to, std::size_t threads,
                            Progress& progress, ConvertReport& report);

/// Converts a whole location: a universe becomes a universe, a world a world with all its other files and
/// `ChunkStorage` set, a bare store a bare store (a single region file when `target` is named like one).
///
/// `target` must be absent or empty. While it is incomplete it holds a note, and the same call goes on where
/// it was interrupted; without that note nothing that exists is touched. `command` is what a user has to call
/// for that; the note has it.
Result<ConvertReport> convert_location(const world::Location& from, const std::filesystem::path& target,
                                       StorageFormat format, std::size_t threads, Progress& progress,
                                       const std::string& command = {});

} // namespace orbis::jobs

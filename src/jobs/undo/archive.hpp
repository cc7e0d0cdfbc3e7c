#pragma once

#include "bytes/file.hpp"
#include "bytes/position.hpp"
#include "bytes/sha256.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orbis::jobs {

/// What an archive says about the change that it can undo.
struct UndoTitle {
    std::string run;     ///< the same for all archives of one run of the program
    std::string time;    ///< when it began, ISO 8601 in UTC
    std::string verb;    ///< `restore`
    std::string command; ///< what was asked for
    std::string world;
};

/// A chunk that a change replaced, made or removed.
struct ChunkRecord {
    enum class PriorState : std::uint8_t {
        absent = 0,
        frame = 1,   ///< `bytes` is its compressed content, `raw_size` what that claims
        damaged = 2, ///< it could not be read: `entry` of the index, and in `bytes` what was there
    };
    ChunkPos pos;
    PriorState before = PriorState::absent;
    std::uint32_t raw_size = 0;
    std::int32_t entry = 0;
    Bytes bytes;
    std::optional<Sha256> after; ///< of the content it was given; nothing if it was removed
};

/// A small file that a change replaced, made or removed. Paths are relative to the folder that holds the
/// archives' folder.
struct FileRecord {
    std::string path;
    std::optional<Bytes> before;
    std::optional<Sha256> after;
};

/// Bytes in the middle of a file.
struct PatchRecord {
    std::string path;
    std::uint64_t offset = 0;
    Bytes before;
    Bytes after;
};

/// A file that was moved out of the way.
struct MoveRecord {
    std::string from;
    std::string to;
};

using UndoRecord = std::variant<ChunkRecord, FileRecord, PatchRecord, MoveRecord>;

/// Writes an archive (docs/formats/undo-archive.md). Records must be synced before what they tell happens.
class UndoWriter {
public:
    /// The file appears under its name with its title on the disk.
    static Result<UndoWriter> create(const std::filesystem::path& path, const UndoTitle& title);

    Result<void> append(const UndoRecord& record);
    Result<void> sync() { return file_->sync(); }
    /// Marks the change as complete and syncs.
    Result<void> finish();

private:
    UndoWriter(std::unique_ptr<File> file, std::uint64_t end) : file_(std::move(file)), end_(end) {}

    std::unique_ptr<File> file_;
    std::uint64_t end_;
    Buffer scratch_;
};

/// What a list of changes says about an archive.
struct UndoOutline {
    UndoTitle title;
    bool complete = false;    ///< the change ran to its end
    std::uint64_t chunks = 0; ///< records of chunks
    std::uint64_t files = 0;  ///< other records
};
/// Reads the title and the heads of the records, not what is in them: quick also where an archive is large,
/// and without a check whether its records are whole.
Result<UndoOutline> outline_of(const std::filesystem::path& path);

/// An archive that is read. Records are views of the file and live as long as this does.
class UndoArchive {
public:
    static Result<UndoArchive> open(const std::filesystem::path& path);
    /// The same of a file that is open already.
    static Result<UndoArchive> read(std::unique_ptr<File> file);

    [[nodiscard]] const UndoTitle& title() const { return title_; }
    [[nodiscard]] const std::vector<UndoRecord>& records() const { return records_; }
    /// Whether the change ran to its end; one that was killed can be undone all the same.
    [[nodiscard]] bool is_complete() const { return complete_; }
    /// Bytes after the last whole record: a record that was being written when the program was killed, whose
    /// change never happened, or damage.
    [[nodiscard]] std::uint64_t unread_bytes() const { return unread_; }
    /// Records that are damaged while others follow: what they knew is lost.
    [[nodiscard]] std::size_t damaged_records() const { return damaged_; }

private:
    UndoArchive() = default;

    std::unique_ptr<File> file_;
    FileView view_;
    UndoTitle title_;
    std::vector<UndoRecord> records_;
    bool complete_ = false;
    std::uint64_t unread_ = 0;
    std::size_t damaged_ = 0;
};

} // namespace orbis::jobs

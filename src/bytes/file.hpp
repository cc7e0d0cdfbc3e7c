#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace orbis {

/// Bytes of a file in place; they stay readable while this lives.
class FileView {
public:
    FileView() = default;
    FileView(Bytes bytes, std::shared_ptr<const void> owner) : bytes_(bytes), owner_(std::move(owner)) {}

    [[nodiscard]] Bytes bytes() const { return bytes_; }
    [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

private:
    Bytes bytes_;
    std::shared_ptr<const void> owner_;
};

/// A range of offsets.
struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    friend bool operator==(const Extent&, const Extent&) = default;
};

/// A file that is read in place and written at any offset. This is the seam under the stores: tests put a
/// file of their own here that stops, tears or fails at any call. Any number of threads may read while one
/// writes.
class File {
public:
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    virtual ~File() = default;

    /// The path as people know it, for messages.
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;

    /// The bytes `offset … offset + length - 1` without a copy; `truncated` when the file ends before.
    [[nodiscard]] virtual Result<FileView> view(std::uint64_t offset, std::uint64_t length) const = 0;

    /// The next bytes from `offset` on that were written; a hole before them reads as zeros and takes no
    /// space. Empty, at the end of the file, when there are none.
    [[nodiscard]] virtual Result<Extent> next_data(std::uint64_t offset) const;

    /// Whether the disk really delivered what `view` showed. A page that cannot be read shows as zeros: ask
    /// after using a view and before believing it.
    [[nodiscard]] virtual Result<void> check(const FileView& view) const = 0;

    /// Writes the parts one after another from `offset` on; the file grows as needed.
    virtual Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) = 0;
    Result<void> write(std::uint64_t offset, Bytes bytes) { return write(offset, std::span(&bytes, 1)); }

    /// Returns when everything written so far would survive a power cut.
    virtual Result<void> sync() = 0;
};

/// Keeps the mapped memory of many files below a limit by giving pages back to the system: what is in the
/// page cache need not also count as ours. One for each store.
class MappingBudget;
std::shared_ptr<MappingBudget> make_mapping_budget(std::size_t bytes);

enum class FileMode : std::uint8_t { read, write, create };

/// Opens a file on disk, mapped into memory. `create` makes a new one and refuses when it is there.
Result<std::unique_ptr<File>> open_file(const std::filesystem::path& path, FileMode mode,
                                        std::shared_ptr<MappingBudget> budget = nullptr);

/// A part of another file as a file of its own, read-only.
std::unique_ptr<File> open_window(std::shared_ptr<const File> file, std::uint64_t offset,
                                  std::uint64_t length, std::string name);

/// The whole of a small file; `too_large` above `limit`.
Result<std::string> read_text(const File& file, std::uint64_t limit);

} // namespace orbis

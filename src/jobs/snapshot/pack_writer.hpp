#pragma once

#include "jobs/snapshot/disk.hpp"
#include "jobs/snapshot/pack.hpp"

namespace orbis::jobs::snapshot {

/// Where a content is in a block that is about to be written.
struct Part {
    Key key;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};

/// A compressed block with what is in it.
struct Block {
    Buffer frame;
    std::uint32_t size = 0;
    Key base;
    std::vector<Part> parts;
};

/// Writes one pack. It has no name that a reader looks at until `finish` returns.
class PackWriter {
public:
    static Result<PackWriter> create(Disk& disk, const std::filesystem::path& folder);

    Result<void> add(Bytes frame, std::uint32_t size, const Key& base, std::span<const Part> parts);
    Result<void> add(const Block& block) { return add(block.frame, block.size, block.base, block.parts); }

    /// Bytes so far.
    [[nodiscard]] std::uint64_t size() const { return position_ + held_.size(); }
    [[nodiscard]] bool empty() const { return blocks_.empty(); }

    /// Writes the tables, syncs and names the pack; the whole length. An empty pack is not kept.
    Result<std::uint64_t> finish();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; } ///< after `finish`

private:
    PackWriter(Disk& disk, std::filesystem::path folder, std::filesystem::path temporary,
               std::unique_ptr<File> file)
        : disk_(&disk),
          folder_(std::move(folder)),
          temporary_(std::move(temporary)),
          file_(std::move(file)),
          held_(PackHeader::k_size) {}

    Result<void> flush();

    Disk* disk_;
    std::filesystem::path folder_;
    std::filesystem::path temporary_;
    std::filesystem::path path_;
    std::unique_ptr<File> file_;
    Buffer held_; ///< written in large pieces
    std::uint64_t position_ = 0;
    std::vector<BlockEntry> blocks_;
    std::vector<ContentEntry> contents_;
};

} // namespace orbis::jobs::snapshot

#pragma once

#include "bytes/file.hpp"
#include "jobs/snapshot/key.hpp"

#include <memory>
#include <vector>

namespace orbis::jobs::snapshot {

/// A block of a pack: contents that are compressed together, or one content that is compressed against
/// another.
struct BlockEntry {
    std::uint64_t offset = 0;
    std::uint32_t stored = 0; ///< length in the pack
    std::uint32_t size = 0;   ///< uncompressed
    Key base;                 ///< empty when it needs no other content

    static constexpr std::size_t k_size = 36;
};

/// A content of a pack: a part of an uncompressed block.
struct ContentEntry {
    Key key;
    std::uint32_t block = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;

    static constexpr std::size_t k_size = 32;
};

/// No block is larger, uncompressed.
inline constexpr std::uint64_t k_largest_block = 64 << 20;

/// The 64 bytes at both ends of a pack (docs/formats/snapshot-store.md).
struct PackHeader {
    std::uint32_t blocks = 0;
    std::uint32_t contents = 0;
    std::uint64_t index = 0; ///< where the table of blocks starts
    std::uint64_t length = 0;
    Key index_key;

    static constexpr std::uint64_t k_size = 64;

    [[nodiscard]] std::uint64_t index_size() const {
        return std::uint64_t{blocks} * BlockEntry::k_size + std::uint64_t{contents} * ContentEntry::k_size;
    }
    void append_to(Buffer& out) const;
    static Result<PackHeader> parse(Bytes bytes);
};

/// A pack, open for reading. Nothing but the headers is checked when it is opened: an entry is checked when
/// it is asked for, and contents by the caller that reads them. Safe for several threads.
class Pack {
public:
    static Result<std::unique_ptr<Pack>> open(std::unique_ptr<File> file);

    [[nodiscard]] const std::string& name() const { return file_->name(); }
    [[nodiscard]] const PackHeader& header() const { return header_; }

    /// The key of a content, unchecked.
    [[nodiscard]] Key key(std::uint32_t content) const;
    [[nodiscard]] Result<ContentEntry> content(std::uint32_t content) const;
    [[nodiscard]] Result<BlockEntry> block(std::uint32_t block) const;
    /// The compressed bytes of a block.
    [[nodiscard]] Result<FileView> frame(const BlockEntry& block) const;
    [[nodiscard]] Result<void> check(const FileView& view) const { return file_->check(view); }

    /// Reads the tables and compares them with the hash in the header.
    [[nodiscard]] Result<void> check_index() const;

private:
    Pack(std::unique_ptr<File> file, PackHeader header, FileView tables)
        : file_(std::move(file)), header_(header), tables_(std::move(tables)) {}

    [[nodiscard]] const std::uint8_t* content_at(std::uint32_t content) const {
        return tables_.bytes().data() + std::size_t{header_.blocks} * BlockEntry::k_size
               + std::size_t{content} * ContentEntry::k_size;
    }
    [[nodiscard]] Error bad_entry(std::uint64_t offset, std::string problem) const;

    std::unique_ptr<File> file_;
    PackHeader header_;
    FileView tables_;
};

} // namespace orbis::jobs::snapshot

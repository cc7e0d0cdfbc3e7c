#include "jobs/snapshot/pack_writer.hpp"

#include "bytes/writer.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_piece = 1 << 20;
constexpr std::size_t k_name_bytes = 16; ///< of the index key

} // namespace

Result<PackWriter> PackWriter::create(Disk& disk, const fs::path& folder) {
    auto temporary = folder / "next";
    temporary += k_unfinished_suffix;
    TRY(auto file, disk.create(temporary));
    return PackWriter(disk, folder, temporary, std::move(file));
}

Result<void> PackWriter::flush() {
    if (held_.empty()) return {};
    TRY_DO(file_->write(position_, held_));
    position_ += held_.size();
    held_.clear();
    return {};
}

Result<void> PackWriter::add(Bytes frame, std::uint32_t size, const Key& base, std::span<const Part> parts) {
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({this->size(), static_cast<std::uint32_t>(frame.size()), size, base});
    for (const auto& part : parts) contents_.push_back({part.key, number, part.offset, part.size});
    held_.insert(held_.end(), frame.begin(), frame.end());
    return held_.size() < k_piece ? Result<void>() : flush();
}

Result<std::uint64_t> PackWriter::finish() {
    if (empty()) {
        file_.reset();
        TRY_DO(disk_->remove(temporary_));
        return 0;
    }
    std::ranges::sort(contents_, {}, &ContentEntry::key);
    Buffer tables;
    Writer out(tables);
    for (const auto& block : blocks_) {
        out.be(block.offset);
        out.be(block.stored);
        out.be(block.size);
        out.bytes(block.base.bytes);
    }
    for (const auto& content : contents_) {
        out.bytes(content.key.bytes);
        out.be(content.block);
        out.be(content.offset);
        out.be(content.size);
    }
    PackHeader header;
    header.blocks = static_cast<std::uint32_t>(blocks_.size());
    header.contents = static_cast<std::uint32_t>(contents_.size());
    header.index = size();
    header.length = header.index + tables.size() + PackHeader::k_size;
    header.index_key = key_of(tables);
    held_.insert(held_.end(), tables.begin(), tables.end());
    header.append_to(held_);
    TRY_DO(flush());
    Buffer front;
    header.append_to(front);
    TRY_DO(file_->write(0, front));
    TRY_DO(file_->sync());
    file_.reset();
    path_ = folder_ / (header.index_key.hex().substr(0, 2 * k_name_bytes) + ".pack");
    TRY_DO(disk_->rename(temporary_, path_));
    return header.length;
}

} // namespace orbis::jobs::snapshot

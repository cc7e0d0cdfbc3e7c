#include "jobs/snapshot/content_writer.hpp"

namespace orbis::jobs::snapshot {

namespace {

/// What a block of its own costs in the tables.
constexpr std::size_t k_block_cost = BlockEntry::k_size;
/// A content is stored against an older one when that takes at most a third: the older one must then be kept
/// and read with it.
constexpr std::size_t k_worth = 3;

} // namespace

void BlockBuilder::add(const Key& key, Bytes content) {
    parts_.push_back(
        {key, static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(content.size())});
    bytes_.insert(bytes_.end(), content.begin(), content.end());
}

void BlockBuilder::clear() {
    bytes_.clear();
    parts_.clear();
}

Result<Block> BlockBuilder::close(Compressor& compressor) {
    TRY(const auto frame, compressor.compress(bytes_));
    Block block{
        Buffer(frame.begin(), frame.end()), static_cast<std::uint32_t>(bytes_.size()), {}, std::move(parts_)};
    clear();
    return block;
}

bool ContentWriter::claim(const Key& key) {
    if (contents_.has(key)) return false;
    const std::lock_guard lock(mutex_);
    return claimed_.insert(key).second;
}

std::optional<Block> ContentWriter::against(const Key& older, const Key& key, Bytes content,
                                            std::size_t plain, Tools& tools) const {
    if (older.empty()) return std::nullopt;
    const auto base_key = contents_.base_for(older);
    if (!base_key) return std::nullopt;
    const auto base = contents_.read(*base_key, tools.decompressor);
    if (!base) return std::nullopt; // damaged: the new content must not depend on it
    const auto frame = tools.compressor.compress_against(base->bytes, content);
    if (!frame || (frame->size() + k_block_cost) * k_worth > plain) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(content.size());
    return Block{Buffer(frame->begin(), frame->end()), size, *base_key, {{key, 0, size}}};
}

Result<void> ContentWriter::close_pack() {
    if (!pack_) return {};
    TRY(const auto bytes, pack_->finish());
    written_ += bytes;
    pack_.reset();
    return {};
}

Result<void> ContentWriter::write(const Block& block) {
    if (!pack_) {
        TRY(pack_, PackWriter::create(disk_, packs_));
    }
    TRY_DO(pack_->add(block));
    return pack_->size() >= k_pack_size ? close_pack() : Result<void>();
}

Result<void> ContentWriter::add(const Block& block) { return write(block); }

Result<void> ContentWriter::add(const Key& key, Bytes content) {
    // A block must not grow above the limit that readers keep.
    if (open_.size() + content.size() > 2 * k_block_size) TRY_DO(close_block());
    open_.add(key, content);
    return open_.is_full() ? close_block() : Result<void>();
}

Result<bool> ContentWriter::put(const Key& key, Bytes content, const Key& older) {
    if (!claim(key)) return false;
    if (!older.empty()) {
        TRY(const auto plain, tools_.compressor.compress(content));
        if (const auto block = against(older, key, content, plain.size(), tools_)) {
            TRY_DO(write(*block));
            return true;
        }
    }
    TRY_DO(add(key, content));
    return true;
}

Result<void> ContentWriter::close_block() {
    if (open_.empty()) return {};
    TRY(const auto block, open_.close(tools_.compressor));
    return write(block);
}

Result<std::uint64_t> ContentWriter::finish() {
    TRY_DO(close_block());
    TRY_DO(close_pack());
    return written_;
}

} // namespace orbis::jobs::snapshot

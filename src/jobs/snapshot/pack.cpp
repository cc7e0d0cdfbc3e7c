#include "jobs/snapshot/pack.hpp"

#include "bytes/reader.hpp"
#include "bytes/sha256.hpp"
#include "bytes/writer.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

namespace {

constexpr std::string_view k_pack_magic = "OrbisPak";
constexpr std::uint32_t k_pack_version = 1;
constexpr std::size_t k_checked = 60; ///< bytes of the header before its own hash

} // namespace

void PackHeader::append_to(Buffer& out) const {
    const auto start = out.size();
    Writer writer(out);
    writer.bytes(as_bytes(k_pack_magic));
    writer.be(k_pack_version);
    writer.be(blocks);
    writer.be(contents);
    writer.be(std::uint32_t{0});
    writer.be(index);
    writer.be(length);
    writer.bytes(index_key.bytes);
    writer.bytes(Bytes(sha256(Bytes(out).subspan(start, k_checked))).first(k_size - k_checked));
}

Result<PackHeader> PackHeader::parse(Bytes bytes) {
    if (bytes.size() < k_size)
        return fail(error(Errc::truncated, "expected a header of {} bytes, found {}", k_size, bytes.size()));
    Reader in(bytes);
    if (as_text(in.take(k_pack_magic.size())) != k_pack_magic)
        return fail(error(Errc::bad_magic, "expected {}, found another magic", k_pack_magic).at(0));
    if (!std::ranges::equal(Bytes(sha256(bytes.first(k_checked))).first(k_size - k_checked),
                            bytes.subspan(k_checked, k_size - k_checked)))
        return fail(error(Errc::mismatch, "the header does not match its hash").at(0));
    if (const auto version = in.be<std::uint32_t>(); version != k_pack_version)
        return fail(error(Errc::unsupported, "expected version {}, found {}", k_pack_version, version)
                        .at(8)
                        .advise("use a newer orbis"));
    PackHeader header;
    header.blocks = in.be<std::uint32_t>();
    header.contents = in.be<std::uint32_t>();
    in.skip(4);
    header.index = in.be<std::uint64_t>();
    header.length = in.be<std::uint64_t>();
    header.index_key = Key::load(in.take(Key::k_size).data());
    const auto end = header.length - std::min(header.length, k_size);
    if (header.index < k_size || header.index > end || header.index_size() != end - header.index)
        return fail(error(Errc::bad_value, "expected tables of {} bytes between {} and {}, found them at {}",
                          header.index_size(), k_size, end, header.index)
                        .at(24));
    return header;
}

Result<std::unique_ptr<Pack>> Pack::open(std::unique_ptr<File> file) {
    const auto read = [&]() -> Result<std::pair<PackHeader, FileView>> {
        TRY(const auto size, file->size());
        if (size < 2 * PackHeader::k_size)
            return fail(
                error(Errc::truncated, "expected at least {} bytes, found {}", 2 * PackHeader::k_size, size));
        TRY(const auto front, file->view(0, PackHeader::k_size));
        auto header = PackHeader::parse(front.bytes());
        if (!header) {
            TRY(const auto back, file->view(size - PackHeader::k_size, PackHeader::k_size));
            if (auto second = PackHeader::parse(back.bytes())) header = second;
        }
        if (!header) return std::unexpected(std::move(header).error());
        if (header->index + header->index_size() > size)
            return fail(error(Errc::truncated, "expected {} bytes, found {}", header->length, size).at(size));
        TRY(auto tables, file->view(header->index, header->index_size()));
        return std::pair(*header, std::move(tables));
    };
    auto found = read();
    if (!found) return fail(std::move(found).error().in_file(file->name()));
    return std::unique_ptr<Pack>(new Pack(std::move(file), found->first, std::move(found->second)));
}

Key Pack::key(std::uint32_t content) const { return Key::load(content_at(content)); }

Error Pack::bad_entry(std::uint64_t offset, std::string problem) const {
    return error(Errc::out_of_range, "{}", problem).in_file(name()).at(offset);
}

Result<ContentEntry> Pack::content(std::uint32_t number) const {
    const auto* at = content_at(number);
    Reader in({at, ContentEntry::k_size});
    ContentEntry entry;
    entry.key = Key::load(in.take(Key::k_size).data());
    entry.block = in.be<std::uint32_t>();
    entry.offset = in.be<std::uint32_t>();
    entry.size = in.be<std::uint32_t>();
    const auto where = header_.index + static_cast<std::uint64_t>(at - tables_.bytes().data());
    if (entry.block >= header_.blocks)
        return fail(bad_entry(
            where, fmt::format("expected a block below {}, found {}", header_.blocks, entry.block)));
    TRY(const auto of, block(entry.block));
    if (entry.offset > of.size || entry.size > of.size - entry.offset)
        return fail(
            bad_entry(where, fmt::format("expected a part of a block of {} bytes, found {} bytes at {}",
                                         of.size, entry.size, entry.offset)));
    return entry;
}

Result<BlockEntry> Pack::block(std::uint32_t number) const {
    const auto at = std::size_t{number} * BlockEntry::k_size;
    Reader in(tables_.bytes().subspan(at, BlockEntry::k_size));
    BlockEntry entry;
    entry.offset = in.be<std::uint64_t>();
    entry.stored = in.be<std::uint32_t>();
    entry.size = in.be<std::uint32_t>();
    entry.base = Key::load(in.take(Key::k_size).data());
    if (entry.offset < PackHeader::k_size || entry.offset > header_.index
        || entry.stored > header_.index - entry.offset)
        return fail(bad_entry(header_.index + at,
                              fmt::format("expected a block between {} and {}, found {} bytes at {}",
                                          PackHeader::k_size, header_.index, entry.stored, entry.offset)));
    if (entry.size > k_largest_block)
        return fail(
            bad_entry(header_.index + at, fmt::format("expected at most {} bytes in a block, found {}",
                                                      k_largest_block, entry.size)));
    return entry;
}

Result<FileView> Pack::frame(const BlockEntry& block) const {
    return file_->view(block.offset, block.stored);
}

Result<void> Pack::check_index() const {
    const auto key = key_of(tables_.bytes());
    TRY_DO(file_->check(tables_));
    if (key == header_.index_key) return {};
    return fail(
        error(Errc::mismatch, "expected tables with the key {}, found {}", header_.index_key.hex(), key.hex())
            .in_file(name())
            .at(header_.index));
}

} // namespace orbis::jobs::snapshot

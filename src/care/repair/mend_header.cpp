#include "care/repair/mend_header.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "storage/region.hpp"

namespace orbis::care {

namespace {

using storage::RegionHeader;

/// Whether a blob lies at a segment: lengths that fit, and a frame of exactly that size.
bool is_blob(const File& file, const RegionHeader& header, std::int32_t first) {
    if (first <= 0) return false;
    const auto offset = header.position(first);
    const auto lengths = file.view(offset, 8);
    if (!lengths) return false;
    const auto raw = load_be<std::int32_t>(lengths->bytes().data());
    const auto size = load_be<std::int32_t>(lengths->bytes().data() + 4);
    if (raw <= 0 || size <= 0) return false;
    const auto frame = file.view(offset + 8, static_cast<std::uint64_t>(size));
    return frame && zstd_frame_length(frame->bytes()) == static_cast<std::size_t>(size)
           && zstd_content_size(frame->bytes()).value_or(static_cast<std::uint64_t>(raw))
                  == static_cast<std::uint64_t>(raw);
}

} // namespace

std::optional<Buffer> header_by_content(const File& file) {
    constexpr RegionHeader header;
    const auto index = file.view(RegionHeader::k_size, 4 * std::uint64_t{k_columns});
    if (!index) return std::nullopt;
    std::size_t good = 0;
    std::size_t bad = 0;
    for (std::size_t i = 0; i < k_columns; ++i) {
        const auto first = load_be<std::int32_t>(index->bytes().data() + 4 * i);
        if (first != 0) ++(is_blob(file, header, first) ? good : bad);
    }
    if (good == 0 || good <= bad) return std::nullopt;
    Buffer bytes;
    Writer out(bytes);
    out.bytes(as_bytes(RegionHeader::k_magic));
    out.be(header.version);
    out.be(header.blob_count);
    out.be(header.segment_size);
    return bytes;
}

} // namespace orbis::care

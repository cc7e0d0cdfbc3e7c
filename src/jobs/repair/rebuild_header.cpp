#include "jobs/repair/rebuild_header.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "storage/region.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

using storage::RegionHeader;

/// The segments of the blob that is at a segment: lengths that fit, and a frame of exactly that size. 0
/// if none does.
std::uint64_t segments_of_blob(const File& file, const RegionHeader& header, std::int32_t first) {
    if (first <= 0) return 0;
    const auto offset = header.position(first);
    const auto lengths = file.view(offset, 8);
    if (!lengths) return 0;
    const auto raw = load_be<std::int32_t>(lengths->bytes().data());
    const auto size = load_be<std::int32_t>(lengths->bytes().data() + 4);
    if (raw <= 0 || size <= 0) return 0;
    const auto frame = file.view(offset + 8, static_cast<std::uint64_t>(size));
    const bool whole = frame && zstd_frame_length(frame->bytes()) == static_cast<std::size_t>(size)
                       && zstd_content_size(frame->bytes()).value_or(static_cast<std::uint64_t>(raw))
                              == static_cast<std::uint64_t>(raw);
    return whole ? header.segments_for(static_cast<std::uint64_t>(size)) : 0;
}

} // namespace

std::optional<Buffer> rebuilt_header(const File& file) {
    constexpr RegionHeader header;
    const auto index = file.view(RegionHeader::k_size, 4 * std::uint64_t{k_columns});
    if (!index) return std::nullopt;
    std::size_t good = 0;
    std::size_t bad = 0;
    std::uint64_t led_to = 0; // segments
    for (std::size_t i = 0; i < k_columns; ++i) {
        const auto first = load_be<std::int32_t>(index->bytes().data() + 4 * i);
        if (first == 0) continue;
        const auto segments = segments_of_blob(file, header, first);
        ++(segments > 0 ? good : bad);
        led_to += segments;
    }
    if (good == 0 || good <= bad) return std::nullopt;
    // Where most of the file is out of reach, the index was hit too: a header would only hide that.
    const auto size = file.size().value_or(0);
    const auto in_file =
        (size - std::min(size, header.base())) / static_cast<std::uint64_t>(header.segment_size);
    if (led_to < in_file / 2) return std::nullopt;
    Buffer bytes;
    Writer out(bytes);
    out.bytes(as_bytes(RegionHeader::k_magic));
    out.be(header.version);
    out.be(header.blob_count);
    out.be(header.segment_size);
    return bytes;
}

} // namespace orbis::jobs

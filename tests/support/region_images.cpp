#include "support/region_images.hpp"

#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace orbis::test {

namespace {

Buffer header_of(const RegionShape& shape) {
    Buffer out;
    Writer writer(out);
    writer.bytes(as_bytes(shape.magic));
    writer.be(shape.version);
    writer.be(shape.blob_count);
    writer.be(shape.segment_size);
    const auto tables = shape.version == 0 ? 2 : 1;
    if (shape.blob_count > 0)
        writer.zeros(static_cast<std::size_t>(shape.blob_count) * 4 * static_cast<std::size_t>(tables));
    return out;
}

Buffer record_of(const BlobImage& blob) {
    Buffer out;
    Writer writer(out);
    writer.be(blob.raw_size);
    writer.be(static_cast<std::uint32_t>(blob.frame.size()));
    writer.bytes(blob.frame);
    return out;
}

} // namespace

BlobImage compressed_blob(Bytes document) {
    Compressor compressor;
    const auto frame = compressor.compress(document).value();
    return {Buffer(frame.begin(), frame.end()), static_cast<std::uint32_t>(document.size())};
}

Buffer region_v1_image(const RegionContent& content, RegionShape shape) {
    auto out = header_of(shape);
    const auto base = out.size();
    const auto segment_size = static_cast<std::size_t>(shape.segment_size);
    std::size_t segment = 1;
    for (const auto& [slot, blob] : content) {
        const auto record = record_of(blob);
        out.resize(base + (segment - 1) * segment_size);
        out.insert(out.end(), record.begin(), record.end());
        store_be(out.data() + 32 + 4 * slot, static_cast<std::int32_t>(segment));
        segment += (record.size() + segment_size - 1) / segment_size;
    }
    return out;
}

Buffer region_v0_image(const RegionContent& content, RegionShape shape, std::mt19937_64* shuffle) {
    auto out = header_of(shape);
    const auto base = out.size();
    const auto payload = static_cast<std::size_t>(shape.segment_size) - 4;
    std::size_t total = 0;
    for (const auto& [slot, blob] : content) total += (8 + blob.frame.size() + payload - 1) / payload;
    std::vector<std::int32_t> numbers(total);
    std::iota(numbers.begin(), numbers.end(), 1);
    if (shuffle != nullptr) std::shuffle(numbers.begin(), numbers.end(), *shuffle);

    out.resize(base + total * (payload + 4));
    std::size_t next = 0;
    for (const auto& [slot, blob] : content) {
        const auto record = record_of(blob);
        store_be(out.data() + 32 + 4 * slot, numbers[next]);
        for (std::size_t at = 0; at < record.size(); at += payload) {
            auto* segment = out.data() + base + static_cast<std::size_t>(numbers[next] - 1) * (payload + 4);
            const auto length = std::min(payload, record.size() - at);
            const bool last = at + length == record.size();
            store_be(segment,
                     last ? std::uint32_t{0x80000000} : static_cast<std::uint32_t>(numbers[next + 1]));
            std::copy_n(record.begin() + static_cast<std::ptrdiff_t>(at), length, segment + 4);
            ++next;
        }
    }
    return out;
}

} // namespace orbis::test

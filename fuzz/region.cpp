// The container of region files, version 0 and 1: the input is the file. It is listed and read, then opened
// for writing, written and read again. Whatever the bytes are, a chunk that could be read keeps its content
// while others are written, and while the disk is full.

#include "bytes/zstd.hpp"
#include "storage/region_file.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "target.hpp"

#include <algorithm>
#include <map>

using namespace orbis;
using namespace orbis::storage;

namespace {

constexpr std::uint64_t k_limit = 1 << 20;
constexpr std::uint64_t k_disk = 16 << 20; // a header may claim segments that no memory could hold
constexpr RegionPos k_position{-1, 3};

using Blobs = std::map<std::int32_t, Buffer>;

Blobs read_all(const Region& region) {
    static Decompressor decompressor;
    Blobs blobs;
    const auto slots = region.slots();
    if (!slots) return blobs;
    Buffer gathered;
    for (const auto slot : *slots) {
        const auto info = region.info(slot);
        const auto blob = region.blob(slot, gathered);
        if (!blob) continue;
        fuzz::require(blob->has_value() && info && info->has_value());
        fuzz::require((*info)->frame_size == (*blob)->frame.size());
        (void)decompressor.decompress((*blob)->frame, (*blob)->raw_size, k_limit);
        blobs[slot.value].assign((*blob)->frame.begin(), (*blob)->frame.end());
    }
    return blobs;
}

void write_and_read_again(const Buffer& input) {
    auto file = std::make_unique<test::MemoryFile>(input);
    file->set_capacity(k_disk);
    auto opened = RegionFile::open(std::move(file), k_position, RegionAccess::write, SyncPolicy::none);
    if (!opened) return;
    auto& region = **opened;
    auto expected = read_all(region);
    const auto count = static_cast<int>(region.header().blob_count);
    for (const int slot : {0, 1, 5, 1, count - 1, 0}) {
        if (slot >= std::min(count, k_columns)) continue;
        const Buffer frame(static_cast<std::size_t>(40 + slot % 300), static_cast<std::uint8_t>(slot));
        const auto written = region.write({slot}, frame, 7);
        fuzz::require(written || written.error().code == Errc::no_space);
        if (written) expected[slot] = frame;
    }
    fuzz::require(region.remove({2}).has_value());
    expected.erase(2);
    const auto now = read_all(region);
    for (const auto& [slot, frame] : expected) {
        const auto found = now.find(slot);
        fuzz::require(found != now.end() && found->second == frame);
    }
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    test::RegionContent content;
    const Buffer text(700, 'x');
    content[0] = test::compressed_blob(text);
    content[1] = {Buffer(150, 9), 300};
    content[5] = test::compressed_blob(as_bytes("a document"));
    const test::RegionShape small{.blob_count = 8, .segment_size = 64};
    test::RegionShape old = small;
    old.version = 0;
    std::mt19937_64 random(1);
    return {test::region_v1_image({}, small),    test::region_v1_image(content, small),
            test::region_v0_image(content, old), test::region_v0_image(content, old, &random),
            test::region_v1_image(content),      test::region_v0_image(content)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size);
    if (const auto region = open_region(std::make_unique<test::MemoryFile>(input), k_position))
        (void)read_all(**region);
    write_and_read_again(input);
    return 0;
}

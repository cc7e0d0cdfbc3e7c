// The directory of a zip, and the place of each entry: the input is the zip.

#include "bytes/writer.hpp"
#include "storage/zip_directory.hpp"
#include "support/memory_file.hpp"
#include "target.hpp"

#include <algorithm>

using namespace orbis;
using namespace orbis::storage;

namespace {

/// A zip with one stored entry, with 64-bit fields where asked for.
Buffer small_zip(std::string_view name, std::string_view content, bool wide) {
    Buffer out;
    Writer writer(out);
    const auto size = static_cast<std::uint32_t>(content.size());
    const auto name_length = static_cast<std::uint16_t>(name.size());
    writer.le<std::uint32_t>(0x04034B50);
    writer.zeros(14);
    writer.le(size);
    writer.le(size);
    writer.le(name_length);
    writer.le<std::uint16_t>(0);
    writer.bytes(as_bytes(name));
    writer.bytes(as_bytes(content));
    const auto directory = static_cast<std::uint32_t>(out.size());
    writer.le<std::uint32_t>(0x02014B50);
    writer.zeros(16);
    writer.le(wide ? 0xFFFFFFFF : size);
    writer.le(wide ? 0xFFFFFFFF : size);
    writer.le(name_length);
    writer.le<std::uint16_t>(wide ? 20 : 0);
    writer.zeros(10);
    writer.le<std::uint32_t>(0);
    writer.bytes(as_bytes(name));
    if (wide) {
        writer.le<std::uint16_t>(1);
        writer.le<std::uint16_t>(16);
        writer.le<std::uint64_t>(size);
        writer.le<std::uint64_t>(size);
    }
    const auto end = static_cast<std::uint32_t>(out.size());
    if (wide) {
        writer.le<std::uint32_t>(0x06064B50);
        writer.zeros(36);
        writer.le<std::uint64_t>(end - directory);
        writer.le<std::uint64_t>(directory);
        writer.le<std::uint32_t>(0x07064B50);
        writer.zeros(4);
        writer.le<std::uint64_t>(end);
        writer.zeros(4);
    }
    writer.le<std::uint32_t>(0x06054B50);
    writer.zeros(8);
    writer.le(wide ? 0xFFFFFFFF : end - directory);
    writer.le(wide ? 0xFFFFFFFF : directory);
    writer.le<std::uint16_t>(5);
    writer.bytes(as_bytes("build"));
    return out;
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    return {small_zip("worlds/default/config.json", "{}", false), small_zip("worlds\\a\\chunks\\", "", false),
            small_zip("../x", "content", true)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = std::make_shared<test::MemoryFile>(Buffer(data, data + size));
    const auto directory = read_zip_directory(*file);
    if (!directory) return 0;
    for (const auto& entry : directory->entries) {
        fuzz::require(!entry.path.starts_with('/') && !entry.path.ends_with('/'));
        const auto offset = zip_data_offset(*file, entry);
        if (!offset || !entry.is_stored()) continue;
        const auto window = open_window(file, *offset, entry.size, entry.path);
        // Every byte is touched, so that the address sanitizer sees a view that is too long.
        static volatile unsigned sum = 0;
        if (const auto view = window->view(0, std::min<std::uint64_t>(entry.size, 64)))
            for (const auto byte : view->bytes()) sum = sum + byte;
    }
    return 0;
}

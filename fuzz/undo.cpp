// Undo archives: whatever the bytes are, reading them ends with records or with an error.

#include "jobs/undo/archive.hpp"
#include "support/memory_file.hpp"
#include "target.hpp"

using namespace orbis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto archive =
        jobs::UndoArchive::read(std::make_unique<test::MemoryFile>(Buffer(data, data + size)));
    if (!archive) return 0;
    std::size_t bytes = 0;
    for (const auto& record : archive->records())
        if (const auto* chunk = std::get_if<jobs::ChunkRecord>(&record)) bytes += chunk->bytes.size();
    fuzz::require(bytes <= size && archive->unread_bytes() <= size);
    return 0;
}

std::vector<Buffer> fuzz::seeds() {
    // An archive of the bytes of its title alone; records are found by mutation.
    constexpr std::string_view start = "OrbisUndoArchive";
    Buffer bytes(as_bytes(start).begin(), as_bytes(start).end());
    bytes.insert(bytes.end(), {0, 0, 0, 1});
    return {bytes};
}

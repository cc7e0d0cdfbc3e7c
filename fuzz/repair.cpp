// A chunk document through the checks of verify and through repair. What repair makes of it must be a
// document without unreadable parts.

#include "chunk/chunk_documents_test.hpp"
#include "jobs/repair/fix_cells.hpp"
#include "target.hpp"

using namespace orbis;

namespace {

const jobs::NeighbourLookup k_nobody = [](BlockPos) { return jobs::NeighbourBlock{}; };

/// The document after one repair; nothing where it is left alone.
std::optional<Buffer> repair_parts(Bytes document) {
    chunk::Chunk chunk;
    if (!chunk.read(document)) return std::nullopt;
    std::vector<jobs::Finding> found;
    jobs::ChunkChecks(world::Assets::built_in()).run(chunk, {0, 0}, k_nobody, found);
    auto parts = jobs::fix_parts(chunk, nullptr);
    if (!parts || !parts->left.empty()) return std::nullopt;
    const Bytes repaired = parts->document.empty() ? document : Bytes(parts->document);
    if (!chunk.read(repaired)) return std::nullopt;
    for (const auto& problem : chunk.problems())
        if (problem.error.code != Errc::overlap) return std::nullopt; // the verb calls it unreadable
    if (!jobs::fix_cells(chunk, {0, 0}, world::Assets::built_in(), k_nobody)) return std::nullopt;
    Buffer out;
    const auto encoded = chunk.encode(out);
    if (!encoded) return std::nullopt;
    return Buffer(encoded->begin(), encoded->end());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto once = repair_parts({data, size});
    if (!once) return 0;
    chunk::Chunk again;
    fuzz::require(again.read(*once).has_value());
    for (const auto& problem : again.problems()) fuzz::require(problem.error.code == Errc::overlap);
    (void)repair_parts(*once);
    return 0;
}

std::vector<Buffer> fuzz::seeds() {
    namespace documents = chunk::test_documents;
    return {documents::document(documents::ten_sections()), documents::document(documents::ten_sections(4))};
}

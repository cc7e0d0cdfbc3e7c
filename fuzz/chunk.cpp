// Whole chunk documents: whatever the bytes are, an unchanged chunk encodes to them, and a changed one reads
// back with its change and without a new problem. The quick reader of block palettes takes only what has no
// problem, and finds the same.

#include "chunk/chunk.hpp"

#include "chunk/block_palettes.hpp"
#include "target.hpp"

#include <algorithm>

using namespace orbis;
using namespace orbis::chunk;

namespace {

void compare_palettes(Bytes input) {
    BlockPalettes palettes;
    if (!palettes.read(input)) return;
    const auto chunk = Chunk::decode(input, k_blocks);
    fuzz::require(chunk.has_value() && chunk->problems().empty());
    for (int y = 0; y < k_sections; ++y) {
        const auto section = palettes.section(y);
        const auto& expected = chunk->section(y).blocks;
        fuzz::require(chunk->section(y).old_keys().empty() && section.kind == expected.kind());
        fuzz::require(
            std::ranges::equal(section.entries, expected.entries(), [](const auto& a, const auto& b) {
                return a.key == b.value && a.id == b.id && a.cells == b.cells;
            }));
        fuzz::require(section.kind == PaletteKind::empty || section.cells == expected.stored_cells().data());
    }
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    auto chunk = Chunk::create();
    const Buffer empty(chunk.document().begin(), chunk.document().end());
    (void)chunk.set_block({1, 40, 1}, {"Rock", Rotation::of_degrees(90), {}});
    (void)chunk.set_fluid({1, 41, 1}, {"Water", 4});
    Buffer out;
    const auto bytes = chunk.encode(out);
    return {empty, Buffer(bytes->begin(), bytes->end())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size);
    compare_palettes(input);
    auto chunk = Chunk::decode(Bytes(input));
    if (!chunk) return 0;
    Buffer out;
    const auto same = chunk->encode(out);
    fuzz::require(same.has_value() && same->data() == input.data() && same->size() == input.size());
    (void)chunk->check();
    const auto problems = chunk->problems().size();
    if (!chunk->set_block({3, 50, 3}, {"Fuzzed", {}, {}})) return 0;
    (void)chunk->update_heights([](std::string_view) { return false; });
    const auto changed = chunk->encode(out);
    if (!changed) return 0; // damage in the way of the path to the section
    const auto again = Chunk::decode(*changed);
    fuzz::require(again.has_value() && again->block({3, 50, 3}).key == "Fuzzed");
    fuzz::require(again->problems().size() <= problems);
    return 0;
}

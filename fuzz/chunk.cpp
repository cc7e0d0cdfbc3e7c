// Whole chunk documents: whatever the bytes are, an unchanged chunk encodes to them, and a changed one reads
// back with its change and without a new problem.

#include "chunk/chunk.hpp"

#include "target.hpp"

using namespace orbis;
using namespace orbis::chunk;

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

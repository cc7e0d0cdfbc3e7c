#include "game/chunks/encoded_chunk.hpp"

#include "bytes/reader.hpp"

#include <algorithm>

namespace orbis::game {

std::size_t EncodedChunk::bytes() const {
    auto sum = sizeof(EncodedChunk) + parts.capacity() * sizeof(ChunkPart);
    for (const auto& part : parts) sum += part.frame.bytes();
    for (const auto& entity : entities) {
        sum += sizeof(EntityState);
        for (const auto& component : entity.components) sum += sizeof(Component) + component.bytes.capacity();
    }
    return sum + (has_same_environments ? environments->size() : 0);
}

std::vector<const ChunkPart*> changed_parts(const EncodedChunk& before, const EncodedChunk& after) {
    std::vector<const ChunkPart*> changed;
    for (const auto& part : after.parts) {
        const auto is_same = [&](const ChunkPart& old) {
            return old.section == part.section && old.frame == part.frame;
        };
        if (std::ranges::none_of(before.parts, is_same)) changed.push_back(&part);
    }
    return changed;
}

std::int32_t environment_at(const EncodedChunk& encoded, BlockPos pos) {
    if (!encoded.environments) return 0;
    Reader in(Bytes(*encoded.environments).subspan(encoded.environments_at));
    const int before = encoded.has_same_environments ? 0 : pos.column().value;
    for (int skipped = 0; skipped < before; ++skipped) in.skip(4 * std::size_t{in.le<std::uint16_t>()});
    std::int32_t found = 0;
    for (int left = in.le<std::uint16_t>(); left > 0 && in.ok(); --left) {
        const auto from = in.le<std::uint16_t>();
        const auto environment = in.le<std::uint16_t>();
        if (from > std::max(pos.y, 0)) break;
        found = environment;
    }
    return in.ok() ? found : 0;
}

} // namespace orbis::game

#include "game/chunks/chunk_encoder.hpp"

#include "bytes/reader.hpp"
#include "game/entities/stored_entities.hpp"
#include "packets/world.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

/// Keeps what `environment_at` reads: one column of blocks where all 1,024 are the same.
void keep_environments(const packets::SetChunkEnvironments& packet, EncodedChunk& out) {
    const auto all = packet.environments.value_or({});
    Reader in(all);
    const auto size = 2 + 4 * std::size_t{in.le<std::uint16_t>()};
    out.has_same_environments = in.ok() && all.size() == size * k_columns;
    for (std::size_t at = size; out.has_same_environments && at < all.size(); at += size)
        out.has_same_environments = std::ranges::equal(all.first(size), all.subspan(at, size));
    const auto kept = out.has_same_environments ? all.first(size) : all;
    out.environments.assign(kept.begin(), kept.end());
}

} // namespace

/// Whether a frame of an older chunk has this payload. Looks at the payload itself: a hash would have to be
/// made of every payload, and few chunks are ever made again.
bool ChunkEncoder::holds(const net::OutgoingFrame& frame, Bytes payload) {
    const auto compressed = frame.frame().bytes().subspan(protocol::k_frame_header);
    if (zstd_content_size(compressed) != payload.size()) return false;
    const auto former = decompressor_.decompress(compressed, payload.size(), payload.size());
    return former && std::ranges::equal(*former, payload);
}

template <typename P>
Result<void> ChunkEncoder::add(const P& packet, int section, const EncodedChunk* before, EncodedChunk& out) {
    static_assert(P::k_info.compressed);
    TRY(const auto payload, writer_.write(packet));
    const auto number = static_cast<std::int8_t>(section);
    if (before != nullptr)
        for (const auto& part : before->parts)
            if (part.section == number && part.frame.packet() == P::k_info.id && holds(part.frame, payload)) {
                out.parts.push_back(part);
                return {};
            }
    TRY(auto frame, net::OutgoingFrame::make(framer_, P::k_info, payload));
    out.parts.push_back({number, std::move(frame)});
    return {};
}

Result<EncodedChunkPtr> ChunkEncoder::make(ChunkSource& source, ChunkPos pos, WireIds& ids,
                                           const EncodedChunkPtr& before, EntityModels* models) {
    TRY(const auto loaded, source.load(pos, context_));
    if (!loaded) return nullptr;
    TRY_DO(chunk_.read(loaded->document, k_sent_parts | chunk::k_entities));
    TRY_DO(packets_.make(pos, chunk_, ids));

    auto encoded = std::make_shared<EncodedChunk>(EncodedChunk{.pos = pos, .version = loaded->version});
    encoded->parts.reserve(3 + packets_.sections().size() + packets_.fluids().size());
    TRY_DO(add(packets_.heightmap(), -1, before.get(), *encoded));
    TRY_DO(add(packets_.tintmap(), -1, before.get(), *encoded));
    TRY_DO(add(packets_.environments(), -1, before.get(), *encoded));
    for (const auto& packet : packets_.sections()) TRY_DO(add(packet, packet.y, before.get(), *encoded));
    for (const auto& packet : packets_.fluids()) TRY_DO(add(packet, packet.y, before.get(), *encoded));
    keep_environments(packets_.environments(), *encoded);
    encoded->entities = stored_entities(chunk_, ids, models);
    return encoded;
}

} // namespace orbis::game

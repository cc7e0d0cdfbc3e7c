#include "game/chunks/chunk_encoder.hpp"

#include "bytes/reader.hpp"
#include "game/entities/stored_entities.hpp"
#include "packets/world.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace orbis::game {
namespace {

/// The environments of one column of blocks where all 1,024 are the same; nothing else.
std::optional<Bytes> same_environments(const packets::SetChunkEnvironments& packet) {
    const auto all = packet.environments.value_or({});
    Reader in(all);
    const auto size = 2 + 4 * std::size_t{in.le<std::uint16_t>()};
    if (!in.ok() || all.size() != size * k_columns) return {};
    // Each is like the one before it.
    if (!std::ranges::equal(all.first(all.size() - size), all.subspan(size))) return {};
    return all.first(size);
}

/// Whether clients of a build get the packets of the whole chunk as those of the usual build do.
bool gets_usual(const protocol::Dialect* words) { return words == nullptr || !words->has_columns_apart(); }

} // namespace

/// Whether a frame of an older chunk has this payload. Looks at the payload itself: a hash would have to be
/// made of every payload, and few chunks are ever made again.
bool ChunkEncoder::holds(const net::OutgoingFrame& frame, Bytes payload) {
    if (const auto kept = frame.payload()) return std::ranges::equal(*kept, payload);
    const auto compressed = frame.frame().bytes().subspan(protocol::k_frame_header);
    if (zstd_content_size(compressed) != payload.size()) return false;
    const auto former = decompressor_.decompress(compressed, payload.size(), payload.size());
    return former && std::ranges::equal(*former, payload);
}

template <typename P>
Result<void> ChunkEncoder::add(const P& packet, int section, Form form, const EncodedChunk* before,
                               EncodedChunk& out) {
    static_assert(P::k_info.compressed);
    TRY(const auto payload, writer_.write(packet));
    const auto number = static_cast<std::int8_t>(section);
    if (before != nullptr)
        for (const auto& part : before->parts)
            if (part.section == number && part.frame.packet() == P::k_info.id && holds(part.frame, payload)) {
                out.parts.push_back(part);
                if (form != Form::payload) part.frame.make_frame(framer_);
                return {};
            }
    if (form == Form::frame) {
        TRY(auto frame, net::OutgoingFrame::make(framer_, P::k_info, payload));
        out.parts.push_back({number, std::move(frame)});
        return {};
    }
    auto kept = std::make_shared<const Buffer>(payload.begin(), payload.end());
    TRY(auto frame, net::OutgoingFrame::keep(P::k_info, std::move(kept)));
    if (form == Form::frame_and_payload) frame.make_frame(framer_);
    out.parts.push_back({number, std::move(frame)});
    return {};
}

Result<EncodedChunkPtr> ChunkEncoder::make(ChunkSource& source, ChunkPos pos, WireIds& ids,
                                           const EncodedChunkPtr& before, EntityModels* models,
                                           std::span<const protocol::Dialect* const> words) {
    TRY(const auto loaded, source.load(pos, context_));
    if (!loaded) return nullptr;
    TRY_DO(chunk_.read(loaded->document, k_sent_parts | chunk::k_entities));
    TRY_DO(packets_.make(pos, chunk_, ids));

    auto encoded = std::make_shared<EncodedChunk>(EncodedChunk{.pos = pos, .version = loaded->version});
    encoded->parts.reserve(3 + packets_.sections().size() + packets_.fluids().size());
    const auto* const old = before.get();
    const bool is_usual = words.empty() || std::ranges::any_of(words, gets_usual);
    const auto maps = is_usual ? Form::frame : Form::payload;
    TRY_DO(add(packets_.heightmap(), -1, maps, old, *encoded));
    TRY_DO(add(packets_.tintmap(), -1, maps, old, *encoded));
    TRY_DO(add_environments(is_usual, old, *encoded));
    for (const auto& packet : packets_.sections()) TRY_DO(add(packet, packet.y, Form::frame, old, *encoded));
    for (const auto& packet : packets_.fluids()) TRY_DO(add(packet, packet.y, Form::frame, old, *encoded));
    for (const auto* build : words)
        if (!gets_usual(build)) render(*build, *encoded);
    encoded->entities = stored_entities(chunk_, ids, models);
    return encoded;
}

/// And keeps what `environment_at` reads.
Result<void> ChunkEncoder::add_environments(bool is_usual, const EncodedChunk* before, EncodedChunk& out) {
    const auto& packet = packets_.environments();
    if (const auto same = same_environments(packet)) {
        out.has_same_environments = true;
        out.environments = std::make_shared<const Buffer>(same->begin(), same->end());
        return add(packet, -1, Form::frame, before, out); // small, and quick to compress
    }
    TRY_DO(add(packet, -1, is_usual ? Form::frame_and_payload : Form::payload, before, out));
    out.environments = out.parts.back().frame.payload();
    out.environments_at = out.environments->size() - packet.environments.value_or({}).size();
    return {};
}

void ChunkEncoder::render(const protocol::Dialect& words, const EncodedChunk& encoded) {
    auto found = std::ranges::find(interpreters_, &words, [](const auto& each) { return &each->dialect(); });
    if (found == interpreters_.end()) {
        interpreters_.push_back(std::make_unique<net::Interpreter>(
            words, protocol::Side::server, false, framer_, decompressor_, [](protocol::Channel, Bytes) {}));
        found = std::prev(interpreters_.end());
    }
    auto& interpreter = **found;
    // They are kept with the frames. What the build cannot say is lost to it.
    const auto& parts = encoded.parts;
    for (std::size_t at = 0; at < parts.size() && parts[at].section < 0; ++at)
        if (interpreter.says_as_one(parts[at].frame, parts[at + 1].frame)) {
            (void)interpreter.render_as_one(parts[at].frame, parts[at + 1].frame);
            ++at;
        } else {
            (void)interpreter.render(parts[at].frame);
        }
}

} // namespace orbis::game

#include "game/bot/world_view.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/reader.hpp"
#include "chunk/columns.hpp"
#include "game/codec/palette_codec.hpp"
#include "packets/assets.hpp"
#include "packets/world.hpp"

#include <cmath>

namespace orbis::game {

namespace {

/// A chunk that the player has just left may still be on its way, and one may come early.
constexpr std::int64_t k_chunk_margin = 2;

/// On the average, three times what chunks of the game's land have. A single one can have ten.
constexpr std::size_t k_bytes_per_chunk = 1 << 20;

/// Of one kind.
constexpr std::size_t k_most_names = 1 << 20;
constexpr std::size_t k_most_name_bytes = 64 << 20;

/// In chunks.
std::int64_t radius_of(std::int32_t blocks) {
    return std::max<std::int64_t>(2, (std::int64_t{blocks} + k_side - 1) / k_side);
}

std::size_t chunks_in_circle(std::int64_t radius) {
    std::size_t count = 0;
    for (auto x = -radius; x <= radius; ++x)
        for (auto z = -radius; z <= radius; ++z) count += x * x + z * z <= radius * radius ? 1 : 0;
    return count;
}

/// One hash of two things.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    auto mixed = (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9ULL;
    return mixed ^ mixed >> 29;
}

std::uint64_t hash_of(const protocol::Frame& frame) {
    return mix(content_hash(frame.payload), static_cast<std::uint64_t>(frame.id));
}

Result<void> check_section(std::int32_t y) {
    if (y >= 0 && y < k_sections) return {};
    return fail(Errc::out_of_range, "section {}, expected 0 to {}", y, k_sections - 1);
}

Result<std::shared_ptr<SectionBlocks>> decode_state(const packets::SetChunk& packet) {
    TRY_DO(check_section(packet.y));
    auto out = std::make_shared<SectionBlocks>();
    out->pos = {packet.x, packet.y, packet.z};
    if (!packet.data) return out;
    Reader in(*packet.data);
    auto base = std::make_shared<SectionBlocks::Base>();
    TRY(base->blocks, WirePalette::read(in));
    TRY(base->fillers, WirePalette::read(in));
    TRY(base->rotations, WirePalette::read(in));
    TRY_DO(check_end(in));
    out->base = std::move(base);
    return out;
}

Result<std::shared_ptr<SectionFluids>> decode_state(const packets::SetFluids& packet) {
    TRY_DO(check_section(packet.y));
    auto out = std::make_shared<SectionFluids>();
    out->pos = {packet.x, packet.y, packet.z};
    if (!packet.data) return out;
    Reader in(*packet.data);
    auto base = std::make_shared<SectionFluids::Base>();
    TRY(base->fluids, WirePalette::read(in));
    if (in.u8() == 1) {
        const auto levels = in.take(k_cells / 2);
        base->levels.assign(levels.begin(), levels.end());
    }
    if (!in.ok()) return fail(error(Errc::truncated, "the fluid levels end early").at(in.position()));
    TRY_DO(check_end(in));
    out->base = std::move(base);
    return out;
}

Result<std::shared_ptr<ColumnHeights>> decode_state(const packets::SetChunkHeightmap& packet) {
    auto out = std::make_shared<ColumnHeights>();
    out->pos = {packet.x, packet.z};
    if (!packet.heightmap) return out;
    chunk::Heights map;
    Error problem;
    Reader in(*packet.heightmap);
    if (!map.read(in, problem)) return fail(std::move(problem));
    TRY_DO(check_end(in));
    map.expand(out->heights);
    return out;
}

Result<std::shared_ptr<ColumnEnvironments>> decode_state(const packets::SetChunkEnvironments& packet) {
    auto out = std::make_shared<ColumnEnvironments>();
    out->pos = {packet.x, packet.z};
    if (!packet.environments) {
        out->data.assign(2, 0); // no run for any column
        return out;
    }
    out->data.assign(packet.environments->begin(), packet.environments->end());
    Reader in(out->data);
    for (auto& start : out->starts) {
        start = static_cast<std::uint32_t>(in.position());
        in.skip(std::size_t{in.le<std::uint16_t>()} * 4);
    }
    if (!in.ok()) return fail(error(Errc::truncated, "the environments end early").at(in.position()));
    TRY_DO(check_end(in));
    return out;
}

// Changes, in the form that all four packets share: a section and cells of it.

SectionPos section_of(const packets::ServerSetBlock& packet) {
    return BlockPos{packet.x, packet.y, packet.z}.section();
}
SectionPos section_of(const packets::ServerSetFluid& packet) {
    return BlockPos{packet.x, packet.y, packet.z}.section();
}
SectionPos section_of(const packets::ServerSetBlocks& packet) { return {packet.x, packet.y, packet.z}; }
SectionPos section_of(const packets::ServerSetFluids& packet) { return {packet.x, packet.y, packet.z}; }

SeenBlock cell_of(const auto& change)
    requires requires { change.block_id; }
{
    return {change.block_id, static_cast<std::uint16_t>(change.filler),
            static_cast<std::uint8_t>(change.rotation)};
}
SeenFluid cell_of(const auto& change)
    requires requires { change.fluid_id; }
{
    return {change.fluid_id, static_cast<std::uint8_t>(change.fluid_level)};
}

Result<void> apply_change(const auto& packet, auto& state) {
    if constexpr (requires { packet.cmds; }) {
        for (const auto& change : packet.cmds) {
            if (change.index < 0)
                return fail(Errc::out_of_range, "cell {}, expected 0 to {}", change.index, k_cells - 1);
            state.changes.set({static_cast<std::uint16_t>(change.index), cell_of(change)});
        }
    } else {
        const BlockPos pos{packet.x, packet.y, packet.z};
        state.changes.set({static_cast<std::uint16_t>(pos.cell().value), cell_of(packet)});
    }
    return {};
}

template <typename P>
constexpr bool k_is_of_blocks =
    std::is_same_v<P, packets::SetChunk> || std::is_same_v<P, packets::ServerSetBlock>
    || std::is_same_v<P, packets::ServerSetBlocks>;

/// The part of a chunk that a packet of a section is about.
template <typename P>
auto& part_of(WorldView::ReceivedChunk& received, int y) {
    if constexpr (k_is_of_blocks<P>)
        return received.blocks[static_cast<std::size_t>(y)];
    else
        return received.fluids[static_cast<std::size_t>(y)];
}

auto entries_of(const packets::UpdateBlockTypes& packet) { return packet.block_types; }
auto entries_of(const packets::UpdateFluids& packet) { return packet.fluids; }
auto entries_of(const packets::UpdateEnvironments& packet) { return packet.environments; }
std::string_view name_of(const packets::BlockType& type) { return type.name.value_or({}); }
std::string_view name_of(const packets::Fluid& type) { return type.id.value_or({}); }
std::string_view name_of(const packets::WorldEnvironment& type) { return type.id.value_or({}); }

} // namespace

std::size_t chunks_in_view(std::int32_t blocks) { return chunks_in_circle(radius_of(blocks)); }

WorldLimits WorldLimits::of_view(std::int32_t blocks) {
    const auto chunks = chunks_in_circle(radius_of(blocks) + k_chunk_margin);
    return {chunks, chunks * k_bytes_per_chunk};
}

template <typename State, typename PartOf>
Result<void> WorldView::put(ChunkPos pos, std::shared_ptr<const State> state, PartOf&& part_of) {
    const auto known = chunks_.find(pos);
    std::size_t rest = 0; // what the chunk has besides
    if (known != chunks_.end()) {
        const auto& old = part_of(known->second);
        rest = known->second.bytes - (old ? old->bytes() : 0);
    }
    const auto bytes = rest + state->bytes();
    TRY_DO(make_room(pos, bytes));
    auto& received = chunks_[pos];
    const bool was_complete = received.is_complete();
    bytes_ += bytes - received.bytes;
    received.bytes = bytes;
    part_of(received) = std::move(state);
    if (!was_complete && received.is_complete()) ++complete_;
    return {};
}

template <typename P>
Result<void> WorldView::take_section(const protocol::Frame& frame) {
    using State = std::conditional_t<k_is_of_blocks<P>, SectionBlocks, SectionFluids>;
    TRY(auto state, pool_.get<State>(hash_of(frame), [&]() -> Result<std::shared_ptr<State>> {
        TRY(const auto* packet, packets_.open<P>(frame));
        return decode_state(*packet);
    }));
    const auto pos = state->pos;
    return put(pos.chunk(), std::move(state),
               [&](ReceivedChunk& received) -> auto& { return part_of<P>(received, pos.y); });
}

template <typename P>
Result<void> WorldView::take_chunk_part(const protocol::Frame& frame) {
    constexpr bool k_is_heights = std::is_same_v<P, packets::SetChunkHeightmap>;
    using State = std::conditional_t<k_is_heights, ColumnHeights, ColumnEnvironments>;
    TRY(auto state, pool_.get<State>(hash_of(frame), [&]() -> Result<std::shared_ptr<State>> {
        TRY(const auto* packet, packets_.open<P>(frame));
        return decode_state(*packet);
    }));
    const auto pos = state->pos;
    return put(pos, std::move(state), [](ReceivedChunk& received) -> auto& {
        if constexpr (k_is_heights)
            return received.heights;
        else
            return received.environments;
    });
}

template <typename P>
Result<void> WorldView::take_change(const protocol::Frame& frame) {
    using State = std::conditional_t<k_is_of_blocks<P>, SectionBlocks, SectionFluids>;
    TRY(const auto* packet, packets_.open<P>(frame));
    const auto pos = section_of(*packet);
    TRY_DO(check_section(pos.y));
    const auto known = chunks_.find(pos.chunk());
    if (known == chunks_.end()) return {}; // of a chunk that was just unloaded
    const auto& part = part_of<P>(known->second, pos.y);
    if (k_is_of_blocks<P> && !part) return {}; // its SetChunk, which has the change, is on its way
    TRY(auto state,
        pool_.get<State>(mix(part ? part->hash : 0, hash_of(frame)), [&]() -> Result<std::shared_ptr<State>> {
            auto next = part ? std::make_shared<State>(*part) : std::make_shared<State>();
            next->pos = pos;
            TRY_DO(apply_change(*packet, *next));
            return next;
        }));
    return put(pos.chunk(), std::move(state),
               [&](ReceivedChunk& received) -> auto& { return part_of<P>(received, pos.y); });
}

template <typename P>
Result<void> WorldView::take_names(const protocol::Frame& frame, std::shared_ptr<const NameTable>& names) {
    TRY(names, pool_.get<NameTable>(
                   mix(names ? names->hash : 0, hash_of(frame)), [&]() -> Result<std::shared_ptr<NameTable>> {
                       TRY(const auto* packet, packets_.open<P>(frame));
                       auto next = std::make_shared<NameTable>();
                       if (names && packet->type != packets::UpdateType::init) *next = *names;
                       const auto entries = entries_of(*packet);
                       if (!entries) return next;
                       if (next->names.size() + entries->size() > k_most_names)
                           return fail(Errc::too_large, "more than {} names of one kind", k_most_names);
                       for (const auto& entry : *entries)
                           if (packet->type == packets::UpdateType::remove)
                               next->remove(entry.key);
                           else
                               next->put(entry.key, name_of(entry.value));
                       if (next->bytes > k_most_name_bytes)
                           return fail(Errc::too_large,
                                       "names of one kind with {} bytes, expected {} at most", next->bytes,
                                       k_most_name_bytes);
                       return next;
                   }));
    return {};
}

double WorldView::distance(ChunkPos pos) const {
    if (!middle_) return 0;
    return std::hypot(static_cast<double>(pos.x) - middle_->x, static_cast<double>(pos.z) - middle_->z);
}

Result<void> WorldView::make_room(ChunkPos pos, std::size_t bytes) {
    const auto known = chunks_.find(pos);
    auto chunks_then = chunks_.size() + (known == chunks_.end() ? 1 : 0);
    auto bytes_then = bytes_ + bytes - (known == chunks_.end() ? 0 : known->second.bytes);
    const auto fits = [&] { return chunks_then <= limits_.chunks && bytes_then <= limits_.bytes; };
    if (fits()) return {};
    std::vector<std::pair<double, ChunkPos>> farther;
    for (const auto& [other, received] : chunks_)
        if (const auto away = distance(other); away > distance(pos)) farther.emplace_back(away, other);
    std::ranges::sort(farther, std::greater());
    std::size_t count = 0;
    for (; count < farther.size() && !fits(); ++count) {
        --chunks_then;
        bytes_then -= chunks_.at(farther[count].second).bytes;
    }
    if (!fits())
        return fail(Errc::too_large, "more than the {} chunks or {} MiB that are kept around the player",
                    limits_.chunks, limits_.bytes >> 20);
    for (const auto& [away, other] : std::span(farther).first(count)) drop(chunks_.find(other));
    return {};
}

void WorldView::drop(std::unordered_map<ChunkPos, ReceivedChunk>::iterator received) {
    if (received->second.is_complete()) --complete_;
    bytes_ -= received->second.bytes;
    chunks_.erase(received);
}

Result<void> WorldView::unload(const protocol::Frame& frame) {
    TRY(const auto* packet, packets_.open<packets::UnloadChunk>(frame));
    const auto known = chunks_.find({packet->chunk_x, packet->chunk_z});
    if (known != chunks_.end()) drop(known);
    return {};
}

Result<bool> WorldView::take(const protocol::Frame& frame) {
    const auto done = [](Result<void> result) -> Result<bool> {
        if (!result) return std::unexpected(std::move(result).error());
        return true;
    };
    switch (frame.id) {
    case packets::SetChunk::k_info.id: return done(take_section<packets::SetChunk>(frame));
    case packets::SetFluids::k_info.id: return done(take_section<packets::SetFluids>(frame));
    case packets::SetChunkHeightmap::k_info.id:
        return done(take_chunk_part<packets::SetChunkHeightmap>(frame));
    case packets::SetChunkEnvironments::k_info.id:
        return done(take_chunk_part<packets::SetChunkEnvironments>(frame));
    case packets::UnloadChunk::k_info.id: return done(unload(frame));
    case packets::ServerSetBlock::k_info.id: return done(take_change<packets::ServerSetBlock>(frame));
    case packets::ServerSetBlocks::k_info.id: return done(take_change<packets::ServerSetBlocks>(frame));
    case packets::ServerSetFluid::k_info.id: return done(take_change<packets::ServerSetFluid>(frame));
    case packets::ServerSetFluids::k_info.id: return done(take_change<packets::ServerSetFluids>(frame));
    case packets::UpdateBlockTypes::k_info.id:
        return done(take_names<packets::UpdateBlockTypes>(frame, blocks_));
    case packets::UpdateFluids::k_info.id: return done(take_names<packets::UpdateFluids>(frame, fluids_));
    case packets::UpdateEnvironments::k_info.id:
        return done(take_names<packets::UpdateEnvironments>(frame, environments_));
    default: return false;
    }
}

const WorldView::ReceivedChunk* WorldView::chunk(ChunkPos pos) const {
    const auto known = chunks_.find(pos);
    return known == chunks_.end() ? nullptr : &known->second;
}

std::optional<SeenBlock> WorldView::block(BlockPos pos) const {
    const auto* at = chunk(pos.chunk());
    if (!at) return {};
    if (pos.y < 0 || pos.y >= k_world_height) return SeenBlock{};
    const auto& section = at->blocks[static_cast<std::size_t>(pos.y >> 5)];
    if (!section) return {};
    return section->at(pos.cell());
}

std::optional<SeenFluid> WorldView::fluid(BlockPos pos) const {
    const auto* at = chunk(pos.chunk());
    if (!at || pos.y < 0 || pos.y >= k_world_height) return {};
    const auto& section = at->fluids[static_cast<std::size_t>(pos.y >> 5)];
    if (!section) return {};
    return section->at(pos.cell());
}

std::optional<int> WorldView::height(int x, int z) const {
    const BlockPos ground{x, 0, z};
    const auto* at = chunk(ground.chunk());
    if (!at || !at->heights) return {};
    int y = at->heights->heights[static_cast<std::size_t>(ground.column().value)];
    for (; y > 0; --y) {
        const auto found = block({x, y, z});
        if (!found || found->id != 0) break;
    }
    return y;
}

std::optional<std::string> WorldView::environment(BlockPos pos) const {
    const auto* at = chunk(pos.chunk());
    if (!at || !at->environments) return {};
    const auto id = at->environments->at(pos.column(), pos.y);
    return environments_ ? environments_->name(id) : NameTable().name(id);
}

std::optional<std::string> WorldView::block_name(BlockPos pos) const {
    const auto found = block(pos);
    if (!found) return {};
    if (found->id == 0) return "Empty";
    return blocks_ ? blocks_->name(found->id) : NameTable().name(found->id);
}

std::optional<std::string> WorldView::fluid_name(BlockPos pos) const {
    const auto found = fluid(pos);
    if (!found) return {};
    if (found->id == 0) return "Empty";
    return fluids_ ? fluids_->name(found->id) : NameTable().name(found->id);
}

} // namespace orbis::game

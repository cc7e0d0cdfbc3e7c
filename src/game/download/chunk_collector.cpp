#include "game/download/chunk_collector.hpp"

#include "game/codec/apply_packets.hpp"
#include "packets/assets.hpp"
#include "packets/world.hpp"

#include <algorithm>

namespace orbis::game {

namespace {

template <typename P>
ChunkPos chunk_of(const P& packet) {
    if constexpr (std::is_same_v<P, packets::ServerSetBlock> || std::is_same_v<P, packets::ServerSetFluid>)
        return BlockPos{packet.x, packet.y, packet.z}.chunk();
    else
        return {packet.x, packet.z};
}

/// About what a part takes in memory, where cells are packed as they are on the wire.
std::size_t bytes_of(const auto& packet) {
    const auto size = [](const protocol::Opt<Bytes>& data) { return data ? data->size() : 0; };
    if constexpr (requires { packet.local_light; })
        return size(packet.data) + size(packet.local_light) + size(packet.global_light);
    else if constexpr (requires { packet.data; })
        return size(packet.data);
    else if constexpr (requires { packet.heightmap; })
        return size(packet.heightmap);
    else if constexpr (requires { packet.tintmap; })
        return size(packet.tintmap);
    else
        return size(packet.environments);
}

Result<void> put_part(const auto& packet, const WireIds& ids, chunk::Chunk& chunk) {
    if constexpr (requires { apply(packet, ids, chunk); })
        return apply(packet, ids, chunk);
    else
        return apply(packet, chunk);
}

Result<std::string_view> name_of(const IdTable& table, std::int32_t id) {
    if (const auto name = table.name(id)) return *name;
    return fail(Errc::not_found, "the id {} has no name", id);
}

Result<void> set_block(BlockPos pos, const auto& change, const WireIds& ids, chunk::Chunk& chunk) {
    TRY(const auto name, name_of(ids.blocks, change.block_id));
    return chunk.set_block(
        pos,
        {name, {static_cast<std::uint8_t>(change.rotation)}, {static_cast<std::uint16_t>(change.filler)}});
}

Result<void> set_fluid(BlockPos pos, const auto& change, const WireIds& ids, chunk::Chunk& chunk) {
    TRY(const auto name, name_of(ids.fluids, change.fluid_id));
    return chunk.set_fluid(pos, {name, static_cast<std::uint8_t>(change.fluid_level)});
}

template <typename P>
Result<void> put_changes(const P& packet, const WireIds& ids, chunk::Chunk& chunk) {
    const auto put = [&](BlockPos pos, const auto& change) -> Result<void> {
        if constexpr (requires { change.block_id; })
            return set_block(pos, change, ids, chunk);
        else
            return set_fluid(pos, change, ids, chunk);
    };
    if constexpr (requires { packet.cmds; }) {
        if (packet.y < 0 || packet.y >= k_sections)
            return fail(Errc::out_of_range, "section {}, expected 0 to {}", packet.y, k_sections - 1);
        for (const auto& change : packet.cmds) {
            if (change.index < 0)
                return fail(Errc::out_of_range, "cell {}, expected 0 to {}", change.index, k_cells - 1);
            const CellIndex cell(change.index);
            TRY_DO(put({cell.x(), packet.y * k_side + cell.y(), cell.z()}, change));
        }
        return {};
    } else {
        return put({packet.x, packet.y, packet.z}, packet);
    }
}

} // namespace

Result<ChunkCollector::ReceivedChunk*> ChunkCollector::received(ChunkPos pos) {
    if (const auto known = chunks_.find(pos); known != chunks_.end()) return &known->second;
    absences_.came(pos);
    if (chunks_.size() >= limits_.chunks)
        return fail(Errc::too_large, "the server has sent more than {} chunks", limits_.chunks);
    ReceivedChunk made;
    if (in_view_.contains(pos)) {
        TRY(auto back, shelf_.take_back(pos));
        if (back) {
            made.chunk = *std::move(back);
            made.sections = k_all_sections;
            return &chunks_.emplace(pos, std::move(made)).first->second;
        }
    }
    made.chunk = chunk::Chunk::create();
    return &chunks_.emplace(pos, std::move(made)).first->second;
}

template <typename P>
Result<void> ChunkCollector::take_part(const protocol::Frame& frame) {
    TRY(const auto* packet, packets_.open<P>(frame));
    const auto pos = chunk_of(*packet);
    TRY(auto* to, received(pos));
    to->last = last_packet_ = now_;
    last_chunk_ = pos;
    const auto bytes = bytes_of(*packet);
    if (bytes_ + bytes > limits_.bytes) {
        to->is_broken = true;
        return fail(Errc::too_large, "incomplete chunks take more than {} bytes", limits_.bytes);
    }
    const auto applied = put_part(*packet, ids_, to->chunk);
    if (!applied && applied.error().code == Errc::not_found) return hold(pos, frame);
    to->is_broken = to->is_broken || !applied;
    TRY_DO(applied);
    bytes_ += bytes;
    to->bytes += bytes;
    to->is_changed = true;
    if constexpr (std::is_same_v<P, packets::SetChunk>)
        to->sections = static_cast<std::uint16_t>(to->sections | 1U << static_cast<unsigned>(packet->y));
    return {};
}

template <typename P>
Result<void> ChunkCollector::take_change(const protocol::Frame& frame) {
    TRY(const auto* packet, packets_.open<P>(frame));
    const auto pos = chunk_of(*packet);
    if (!chunks_.contains(pos) && !in_view_.contains(pos)) return {}; // was just unloaded
    TRY(auto* to, received(pos));
    to->last = now_;
    // What comes before must be there first.
    if (std::ranges::any_of(held_, [&](const Held& held) { return held.pos == pos; }))
        return hold(pos, frame);
    const auto applied = put_changes(*packet, ids_, to->chunk);
    if (!applied && applied.error().code == Errc::not_found) return hold(pos, frame);
    TRY_DO(applied);
    to->is_changed = true;
    to->has_edits = true;
    return {};
}

template <typename P>
Result<void> ChunkCollector::announce(const protocol::Frame& frame, IdTable& table) {
    TRY(const auto* packet, packets_.open<P>(frame));
    const auto put = [&](const auto& entries) -> Result<void> {
        if (!entries || packet->type == packets::UpdateType::remove) return {};
        for (const auto& entry : *entries) {
            if constexpr (std::is_same_v<P, packets::UpdateBlockTypes>) {
                TRY_DO(table.put(entry.key, entry.value.name.value_or({})));
            } else {
                TRY_DO(table.put(entry.key, entry.value.id.value_or({})));
            }
        }
        return {};
    };
    if constexpr (std::is_same_v<P, packets::UpdateBlockTypes>) {
        TRY_DO(put(packet->block_types));
    } else if constexpr (std::is_same_v<P, packets::UpdateFluids>) {
        TRY_DO(put(packet->fluids));
    } else {
        TRY_DO(put(packet->environments));
    }
    return retry();
}

Result<void> ChunkCollector::hold(ChunkPos pos, const protocol::Frame& frame) {
    if (held_bytes_ + frame.payload.size() > limits_.held_bytes || held_.size() >= limits_.held_packets)
        return fail(Errc::too_large, "{} packets have numbers that the server has not announced",
                    held_.size());
    held_bytes_ += frame.payload.size();
    held_.push_back(
        {pos, frame.packet, Buffer(frame.payload.begin(), frame.payload.end()), frame.is_compressed});
    return {};
}

Result<void> ChunkCollector::retry() {
    const auto waiting = std::exchange(held_, {});
    held_bytes_ = 0;
    for (const auto& held : waiting) {
        protocol::Frame frame;
        frame.id = held.packet->id;
        frame.packet = held.packet;
        frame.payload = held.payload;
        frame.is_compressed = held.is_compressed;
        bool is_known = false;
        TRY_DO(dispatch(frame, is_known));
    }
    return {};
}

Result<void> ChunkCollector::unload(const protocol::Frame& frame) {
    TRY(const auto* packet, packets_.open<packets::UnloadChunk>(frame));
    const ChunkPos pos{packet->chunk_x, packet->chunk_z};
    const auto has_unnamed = std::erase_if(held_, [&](const Held& held) {
        if (held.pos == pos) held_bytes_ -= held.payload.size();
        return held.pos == pos;
    });
    if (const auto known = chunks_.find(pos); known != chunks_.end()) {
        if (known->second.is_complete() && has_unnamed == 0) {
            TRY_DO(finish(pos, known->second));
        } else {
            partial_.insert(pos);
        }
        forget(known);
    } else if (!finished_.contains(pos) && !partial_.contains(pos)) {
        absences_.told(pos);
        last_packet_ = now_;
    }
    in_view_.erase(pos);
    return {};
}

Result<void> ChunkCollector::dispatch(const protocol::Frame& frame, bool& is_known) {
    is_known = true;
    switch (frame.id) {
    case packets::SetChunk::k_info.id: return take_part<packets::SetChunk>(frame);
    case packets::SetFluids::k_info.id: return take_part<packets::SetFluids>(frame);
    case packets::SetChunkHeightmap::k_info.id: return take_part<packets::SetChunkHeightmap>(frame);
    case packets::SetChunkTintmap::k_info.id: return take_part<packets::SetChunkTintmap>(frame);
    case packets::SetChunkEnvironments::k_info.id: return take_part<packets::SetChunkEnvironments>(frame);
    case packets::UnloadChunk::k_info.id: return unload(frame);
    case packets::ServerSetBlock::k_info.id: return take_change<packets::ServerSetBlock>(frame);
    case packets::ServerSetBlocks::k_info.id: return take_change<packets::ServerSetBlocks>(frame);
    case packets::ServerSetFluid::k_info.id: return take_change<packets::ServerSetFluid>(frame);
    case packets::ServerSetFluids::k_info.id: return take_change<packets::ServerSetFluids>(frame);
    case packets::UpdateBlockTypes::k_info.id: return announce<packets::UpdateBlockTypes>(frame, ids_.blocks);
    case packets::UpdateFluids::k_info.id: return announce<packets::UpdateFluids>(frame, ids_.fluids);
    case packets::UpdateEnvironments::k_info.id:
        return announce<packets::UpdateEnvironments>(frame, ids_.environments);
    default: is_known = false; return {};
    }
}

Result<bool> ChunkCollector::take(const protocol::Frame& frame, net::Time now) {
    now_ = now;
    bool is_known = false;
    TRY_DO(dispatch(frame, is_known));
    return is_known;
}

Result<void> ChunkCollector::finish(ChunkPos pos, ReceivedChunk& done) {
    if (!done.is_changed) return {};
    if (done.has_edits) {
        TRY_DO(done.chunk.update_heights(is_transparent_));
    }
    TRY_DO(shelf_.put(pos, done.chunk));
    done.is_changed = false;
    done.has_edits = false;
    finished_.insert(pos);
    partial_.erase(pos);
    return {};
}

Result<void> ChunkCollector::hand_out(net::Time before) {
    return hand_out_if([&](ChunkPos, const ReceivedChunk& received) { return received.last <= before; });
}

/// All packets of a chunk are written together, so only the last one can be cut.
Result<void> ChunkCollector::hand_out_rest(net::Time before) {
    return hand_out_if([&](ChunkPos pos, const ReceivedChunk& received) {
        return pos != last_chunk_ || received.last <= before;
    });
}

template <typename IsSettled>
Result<void> ChunkCollector::hand_out_if(IsSettled is_settled) {
    std::unordered_set<ChunkPos> waiting;
    for (const auto& held : held_) waiting.insert(held.pos);
    for (auto at = chunks_.begin(); at != chunks_.end();) {
        auto& [pos, each] = *at;
        if (!each.is_complete() || !is_settled(pos, each) || waiting.contains(pos)) {
            ++at;
            continue;
        }
        TRY_DO(finish(pos, each));
        in_view_.insert(pos);
        at = forget(at);
    }
    return {};
}

ChunkCollector::ReceivedChunks::iterator ChunkCollector::forget(ReceivedChunks::iterator at) {
    bytes_ -= at->second.bytes;
    return chunks_.erase(at);
}

void ChunkCollector::begin_world() {
    chunks_.clear();
    bytes_ = 0;
    finished_.clear();
    in_view_.clear();
    partial_.clear();
    absences_ = {};
    held_.clear();
    held_bytes_ = 0;
}

bool ChunkCollector::has(ChunkPos pos) const {
    if (finished_.contains(pos)) return true;
    const auto known = chunks_.find(pos);
    return known != chunks_.end() && known->second.is_complete();
}

std::vector<ChunkPos> ChunkCollector::incomplete() const {
    std::vector<ChunkPos> out(partial_.begin(), partial_.end());
    for (const auto& [pos, each] : chunks_)
        if (!finished_.contains(pos) && !partial_.contains(pos)) out.push_back(pos);
    std::ranges::sort(out);
    return out;
}

} // namespace orbis::game

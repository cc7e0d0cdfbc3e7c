// What a server sends to a bot about its world: steps of a byte that chooses the packet, two bytes of length,
// and its payload. The top bit of the first has the player go to the chunk that the length names. A refused
// packet changes nothing, everything can be asked afterwards, no more is kept than may be, and two views that
// share their parts see the same as one alone.

#include "game/bot/world_view.hpp"

#include "bytes/zstd.hpp"
#include "game/codec/chunk_packets.hpp"
#include "protocol/packets.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::game;

namespace {

const std::array k_packets = {
    &packets::SetChunk::k_info,          &packets::SetFluids::k_info,
    &packets::SetChunkHeightmap::k_info, &packets::SetChunkEnvironments::k_info,
    &packets::ServerSetBlock::k_info,    &packets::ServerSetBlocks::k_info,
    &packets::ServerSetFluid::k_info,    &packets::ServerSetFluids::k_info,
    &packets::UnloadChunk::k_info,       &packets::UpdateBlockTypes::k_info,
    &packets::UpdateFluids::k_info,      &packets::UpdateEnvironments::k_info,
};

/// Everything is asked after each of them.
constexpr int k_most_steps = 64;
/// Little, so that it is soon too little.
constexpr WorldLimits k_limits{3, 200'000};

struct View {
    explicit View(StatePool& pool) : world(pool, decompressor, arena, k_limits) {}
    Decompressor decompressor;
    protocol::Arena arena;
    WorldView world;
};

/// All that can be asked at some places, as one text.
std::string answers(const WorldView& world) {
    std::string out = fmt::format("{} of {}", world.complete_chunks(), world.chunks().size());
    for (const auto& [pos, column] : world.chunks())
        for (const int y : {-1, 0, 33, 100, 319, 320}) {
            // Of chunks beyond all block coordinates some other chunk is asked: it must only be harmless.
            const BlockPos at{static_cast<int>(static_cast<unsigned>(pos.x) * 32U + 7U), y,
                              static_cast<int>(static_cast<unsigned>(pos.z) * 32U + 9U)};
            const auto block = world.block(at);
            const auto fluid = world.fluid(at);
            out += fmt::format(";{},{},{},{},{},{},{},{}", pos.x, pos.z, block ? block->id : -1,
                               fluid ? fluid->id : -1, world.height(at.x, at.z).value_or(-9),
                               world.environment(at).value_or("-"), world.block_name(at).value_or("-"),
                               world.fluid_name(at).value_or("-"));
        }
    return out;
}

template <typename P>
void add(Buffer& out, const P& packet) {
    const auto choice = std::ranges::find(k_packets, &P::k_info) - k_packets.begin();
    static protocol::PayloadWriter writer;
    const auto written = writer.write(packet);
    if (!written || written->size() > 0xFFFF) return;
    const Bytes payload = *written;
    out.push_back(static_cast<std::uint8_t>(choice));
    out.push_back(static_cast<std::uint8_t>(payload.size() & 0xFF));
    out.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
    out.insert(out.end(), payload.begin(), payload.end());
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    static WireIds ids;
    auto chunk = chunk::Chunk::create();
    for (int i = 0; i < 40; ++i) {
        (void)chunk.set_block({i % 32, 96 + i % 30, i * 7 % 32}, {i % 2 == 0 ? "A" : "B", {3}, {33}});
        (void)chunk.set_fluid({i % 32, 97, i % 5}, {"C", 8});
    }
    ChunkPackets column;
    (void)column.make({0, 0}, chunk, ids);
    Buffer parts;
    for (const auto& section : column.sections()) add(parts, section);
    for (const auto& fluids : column.fluids()) add(parts, fluids);
    add(parts, column.heightmap());
    add(parts, column.environments());
    Buffer changes;
    add(changes, column.sections()[3]);
    packets::ServerSetBlock one;
    one.y = 100;
    one.block_id = 2;
    add(changes, one);
    packets::ServerSetBlocks several;
    several.y = 3;
    const packets::SetBlockCmd cell{};
    several.cmds = protocol::List<packets::SetBlockCmd>(&cell, 1);
    add(changes, several);
    add(changes, packets::UnloadChunk{});
    return {parts, changes};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    StatePool pool;
    StatePool own;
    View first(pool);
    View second(pool);
    View alone(own);
    auto seen = answers(first.world);
    int steps = 0;
    for (std::size_t at = 0; at + 3 <= size && steps < k_most_steps; ++steps) {
        const auto* packet = k_packets[(data[at] & 0x7F) % k_packets.size()];
        if (data[at] & 0x80)
            for (auto* view : {&first, &second, &alone})
                view->world.look_from(ChunkPos{data[at + 1], data[at + 2]});
        const auto length = std::min(data[at + 1] + std::size_t{data[at + 2]} * 256, size - at - 3);
        const Buffer payload(data + at + 3, data + at + 3 + length);
        at += 3 + length;
        protocol::Frame frame;
        frame.id = packet->id;
        frame.packet = packet;
        frame.payload = payload;
        frame.length = length;
        const auto taken = first.world.take(frame);
        auto now = answers(first.world);
        if (!taken) fuzz::require(now == seen && !taken.error().text().empty());
        seen = std::move(now);
        fuzz::require(first.world.chunks().size() <= k_limits.chunks
                      && first.world.bytes() <= k_limits.bytes);
        fuzz::require(second.world.take(frame).has_value() == taken.has_value());
        fuzz::require(alone.world.take(frame).has_value() == taken.has_value());
        for (auto* view : {&first, &second, &alone}) view->arena.reset();
    }
    fuzz::require(answers(second.world) == seen && answers(alone.world) == seen);
    return 0;
}

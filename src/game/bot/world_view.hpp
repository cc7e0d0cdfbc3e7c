#pragma once

#include "game/bot/world_state.hpp"
#include "game/codec/packet_opener.hpp"

namespace orbis::game {

/// Chunks of a full view of this many blocks.
std::size_t chunks_in_view(std::int32_t blocks);

/// How much of a world a bot keeps, whatever the server sends.
struct WorldLimits {
    std::size_t chunks;
    std::size_t bytes;

    /// Of a player that sees this many blocks: its circle and two chunks around it.
    static WorldLimits of_view(std::int32_t blocks);
};

/// The world around a bot, put together from the packets of docs/formats/column-packets.md. Blocks, fluids
/// and environments are kept as numbers and named when asked for, so the order in which names are
/// announced does not matter. Parts come in any order. Views of one process share their parts through the
/// pool.
///
/// Where a chunk comes for which there is no room, those that are farther from the player are let go, the
/// farthest first. What is still too much is refused.
class WorldView {
public:
    /// The tools are those of the connection's thread, for packets that are not decoded yet.
    WorldView(StatePool& pool, Decompressor& decompressor, protocol::Arena& arena, WorldLimits limits)
        : pool_(pool), packets_(decompressor, arena), limits_(limits) {}

    struct ReceivedChunk {
        std::array<std::shared_ptr<const SectionBlocks>, k_sections> blocks;
        std::array<std::shared_ptr<const SectionFluids>, k_sections> fluids;
        std::shared_ptr<const ColumnHeights> heights;
        std::shared_ptr<const ColumnEnvironments> environments;
        std::size_t bytes = 0; ///< of its parts, also where other views have them too

        /// All ten sections have come.
        [[nodiscard]] bool is_complete() const {
            return std::ranges::all_of(blocks, [](const auto& section) { return section != nullptr; });
        }
    };

    /// Takes a packet of the world, or one that announces names; false for all others. A packet that is
    /// refused changes nothing.
    Result<bool> take(const protocol::Frame& frame);
    /// The player changes worlds. Names stay.
    void clear() { chunks_.clear(), complete_ = 0, bytes_ = 0; }
    /// Where the player is; nothing if that is not known. What is far from there is let go first.
    void look_from(std::optional<ChunkPos> middle) { middle_ = middle; }

    // Nothing if the chunk, or its part, has not come.
    [[nodiscard]] std::optional<SeenBlock> block(BlockPos pos) const;
    [[nodiscard]] std::optional<SeenFluid> fluid(BlockPos pos) const;
    /// The topmost block that is not transparent, as the server said it; edits since then count where they
    /// took that block away.
    [[nodiscard]] std::optional<int> height(int x, int z) const;
    [[nodiscard]] std::optional<std::string> environment(BlockPos pos) const;
    [[nodiscard]] std::optional<std::string> block_name(BlockPos pos) const;
    [[nodiscard]] std::optional<std::string> fluid_name(BlockPos pos) const;

    [[nodiscard]] const NameTable* block_names() const { return blocks_.get(); }
    [[nodiscard]] const std::unordered_map<ChunkPos, ReceivedChunk>& chunks() const { return chunks_; }
    [[nodiscard]] std::size_t complete_chunks() const { return complete_; }
    /// Of all chunks, without their names.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    template <typename P>
    Result<void> take_section(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_chunk_part(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_change(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_names(const protocol::Frame& frame, std::shared_ptr<const NameTable>& names);
    Result<void> unload(const protocol::Frame& frame);
    /// Puts the state in place of a part of the chunk there.
    template <typename State, typename PartOf>
    Result<void> put(ChunkPos pos, std::shared_ptr<const State> state, PartOf&& part_of);
    /// Lets chunks go that are farther away, until one of this size fits.
    Result<void> make_room(ChunkPos pos, std::size_t bytes);
    [[nodiscard]] double distance(ChunkPos pos) const;
    void drop(std::unordered_map<ChunkPos, ReceivedChunk>::iterator received);
    [[nodiscard]] const ReceivedChunk* chunk(ChunkPos pos) const;

    StatePool& pool_;
    PacketOpener packets_;
    WorldLimits limits_;
    std::unordered_map<ChunkPos, ReceivedChunk> chunks_;
    std::size_t complete_ = 0;
    std::size_t bytes_ = 0;
    std::optional<ChunkPos> middle_;
    std::shared_ptr<const NameTable> blocks_;
    std::shared_ptr<const NameTable> fluids_;
    std::shared_ptr<const NameTable> environments_;
};

} // namespace orbis::game

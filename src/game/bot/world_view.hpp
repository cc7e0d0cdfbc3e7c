#pragma once

#include "game/bot/world_state.hpp"
#include "protocol/arena.hpp"
#include "protocol/frame.hpp"

namespace orbis::game {

/// The world around a bot, put together from the packets of docs/formats/column-packets.md. Blocks, fluids
/// and environments are kept as numbers and named when somebody asks, so the order in which names are
/// announced does not matter. Parts come in any order. Views of one process share their parts through the
/// pool.
class WorldView {
public:
    /// `tools` are those of the connection's thread, for packets that nobody has decoded yet.
    WorldView(StatePool& pool, Decompressor& decompressor, protocol::Arena& arena)
        : pool_(pool), decompressor_(decompressor), arena_(arena) {}

    struct Column {
        std::array<std::shared_ptr<const SectionBlocks>, k_sections> blocks;
        std::array<std::shared_ptr<const SectionFluids>, k_sections> fluids;
        std::shared_ptr<const ColumnHeights> heights;
        std::shared_ptr<const ColumnEnvironments> environments;

        /// All ten sections have come.
        [[nodiscard]] bool is_complete() const {
            return std::ranges::all_of(blocks, [](const auto& section) { return section != nullptr; });
        }
    };

    /// Takes a packet of the world, or one that announces names; false for all others. A packet that is
    /// refused changes nothing.
    Result<bool> take(const protocol::Frame& frame);
    /// The player changes worlds. Names stay.
    void clear() { columns_.clear(), complete_ = 0; }

    // Nothing where the column, or its part, has not come.
    [[nodiscard]] std::optional<SeenBlock> block(BlockPos pos) const;
    [[nodiscard]] std::optional<SeenFluid> fluid(BlockPos pos) const;
    /// The topmost block that is not transparent, as the server said it; edits since then count where they
    /// took that block away.
    [[nodiscard]] std::optional<int> height(int x, int z) const;
    [[nodiscard]] std::optional<std::string> environment(BlockPos pos) const;
    [[nodiscard]] std::optional<std::string> block_name(BlockPos pos) const;
    [[nodiscard]] std::optional<std::string> fluid_name(BlockPos pos) const;

    [[nodiscard]] const NameTable* block_names() const { return blocks_.get(); }
    [[nodiscard]] const std::unordered_map<ChunkPos, Column>& columns() const { return columns_; }
    [[nodiscard]] std::size_t complete_columns() const { return complete_; }

private:
    template <typename P>
    Result<const P*> read(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_section(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_column_part(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_change(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_names(const protocol::Frame& frame, std::shared_ptr<const NameTable>& names);
    Result<void> unload(const protocol::Frame& frame);
    [[nodiscard]] Result<void> check_room(ChunkPos pos) const;
    [[nodiscard]] const Column* column(ChunkPos pos) const;

    StatePool& pool_;
    Decompressor& decompressor_;
    protocol::Arena& arena_;
    std::unordered_map<ChunkPos, Column> columns_;
    std::size_t complete_ = 0;
    std::shared_ptr<const NameTable> blocks_;
    std::shared_ptr<const NameTable> fluids_;
    std::shared_ptr<const NameTable> environments_;
};

} // namespace orbis::game

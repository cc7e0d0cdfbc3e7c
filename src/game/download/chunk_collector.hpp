#pragma once

#include "chunk/chunk.hpp"
#include "game/codec/packet_opener.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/download/absences.hpp"
#include "net/time.hpp"

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace orbis::game {

/// Puts chunks together from the packets of a server, and hands each out when nothing more comes for it.
/// Packets with numbers that were not announced yet wait until they are.
class ChunkCollector {
public:
    /// Where finished chunks go, and come back from when the server changes them later.
    class Shelf {
    public:
        virtual ~Shelf() = default;
        virtual Result<void> put(ChunkPos pos, const chunk::Chunk& chunk) = 0;
        /// Reads what was put; nothing when there is none.
        virtual Result<std::optional<chunk::Chunk>> take_back(ChunkPos pos) = 0;
    };

    /// Of chunks that were not handed out yet: more than any view radius of the game asks for.
    struct Limits {
        std::size_t chunks = 1 << 14;
        std::size_t bytes = 1 << 30;
        /// Of packets with numbers that the server has not announced yet.
        std::size_t held_bytes = 256 << 20;
        std::size_t held_packets = 1 << 16;
    };

    ChunkCollector(Shelf& shelf, chunk::IsTransparent is_transparent, Decompressor& decompressor,
                   protocol::Arena& arena, Limits limits)
        : shelf_(shelf),
          is_transparent_(std::move(is_transparent)),
          packets_(decompressor, arena),
          limits_(limits) {}

    /// Takes a packet of the world, or one that announces names; false for all others. An error if a
    /// packet is broken, or the shelf cannot be written.
    Result<bool> take(const protocol::Frame& frame, net::Time now);
    /// Hands out what is complete and did not change since `before`.
    Result<void> hand_out(net::Time before);
    /// When nothing more comes: hands out all that is complete. A chunk that something came for last, and
    /// after `before`, stays: its fluids may be what is missing, and nothing says how many there are.
    Result<void> hand_out_rest(net::Time before);
    /// The player comes into another world: forgets all chunks and whether they were handed out. The names
    /// stay.
    void begin_world();

    /// All ten sections of it have come.
    [[nodiscard]] bool has(ChunkPos pos) const;
    /// Chunks that were handed out, each counted once.
    [[nodiscard]] std::size_t finished() const { return finished_.size(); }
    /// Chunks of which something came, but not all, or that were never handed out.
    [[nodiscard]] std::vector<ChunkPos> incomplete() const;
    /// How many chunks it remembers, in whatever state: this grows as long as a player meets new ones.
    [[nodiscard]] std::size_t remembered() const {
        return chunks_.size() + finished_.size() + in_view_.size() + partial_.size();
    }
    /// Bytes of all chunks that were not handed out yet.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// When something of a chunk came last, or that there is none.
    [[nodiscard]] net::Time last_packet() const { return last_packet_; }
    /// The chunk that something came for last.
    [[nodiscard]] ChunkPos last_chunk() const { return last_chunk_; }
    /// What the server has said not to exist.
    [[nodiscard]] Absences& absences() { return absences_; }
    [[nodiscard]] const Absences& absences() const { return absences_; }
    /// Packets with numbers that have no names.
    [[nodiscard]] std::size_t held() const { return held_.size(); }

private:
    static constexpr std::uint16_t k_all_sections = (1 << k_sections) - 1;

    struct ReceivedChunk {
        chunk::Chunk chunk;
        std::uint16_t sections = 0; ///< a bit for each that has come
        bool is_changed = true;     ///< since it was handed out
        bool has_edits = false;     ///< heights are to be made right
        bool is_broken = false;     ///< a part could not be read: it is nothing to be kept
        net::Time last{};
        std::size_t bytes = 0; ///< of its parts

        /// The server sends the sections of a chunk, and its other parts with them.
        [[nodiscard]] bool is_complete() const { return sections == k_all_sections && !is_broken; }
    };
    using ReceivedChunks = std::unordered_map<ChunkPos, ReceivedChunk>;
    struct Held {
        ChunkPos pos;
        const protocol::PacketInfo* packet;
        Buffer payload;
        bool is_compressed;
    };

    template <typename P>
    Result<void> take_part(const protocol::Frame& frame);
    template <typename P>
    Result<void> take_change(const protocol::Frame& frame);
    template <typename P>
    Result<void> announce(const protocol::Frame& frame, IdTable& table);
    Result<void> unload(const protocol::Frame& frame);
    Result<void> dispatch(const protocol::Frame& frame, bool& is_known);
    Result<ReceivedChunk*> received(ChunkPos pos);
    Result<void> hold(ChunkPos pos, const protocol::Frame& frame);
    Result<void> retry();
    Result<void> finish(ChunkPos pos, ReceivedChunk& received);
    /// Hands out complete chunks for which `is_settled`.
    template <typename IsSettled>
    Result<void> hand_out_if(IsSettled is_settled);
    ReceivedChunks::iterator forget(ReceivedChunks::iterator at);

    Shelf& shelf_;
    chunk::IsTransparent is_transparent_;
    PacketOpener packets_;
    Limits limits_;
    WireIds ids_;
    ReceivedChunks chunks_;
    std::size_t bytes_ = 0; ///< of all chunks
    std::unordered_set<ChunkPos> finished_;
    std::unordered_set<ChunkPos> in_view_; ///< that were handed out and not unloaded since
    std::unordered_set<ChunkPos> partial_; ///< that were unloaded before they were complete
    Absences absences_;
    std::vector<Held> held_;
    std::size_t held_bytes_ = 0;
    net::Time now_{};
    net::Time last_packet_{};
    ChunkPos last_chunk_{}; ///< that a part came for
};

} // namespace orbis::game

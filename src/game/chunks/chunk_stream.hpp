#pragma once

#include "game/chunks/encoded_chunk_cache.hpp"
#include "game/chunks/spiral.hpp"

#include <unordered_set>

namespace orbis::game {

/// The radius that a player gets, in chunks: what it wants in blocks, within what the server allows.
int view_radius(std::int32_t wanted_blocks, int most);

/// How fast chunks go.
struct StreamRules {
    int per_second = 256;
    int most_per_tick = 4;
    /// Sends as fast as the network takes them, with this many on the way from the workers or waiting here.
    bool is_unlimited = false;
    std::size_t window = 48;
    const protocol::Dialect* words = nullptr; ///< of the client; null for the usual build
};

/// Where chunks go: a connection, or a test.
class ChunkSink {
public:
    /// Whether the network takes more chunks now.
    [[nodiscard]] virtual bool takes_chunks() const = 0;
    /// Whether the client knows all names that it was told: those of every chunk that was made so far.
    [[nodiscard]] virtual bool knows_names() const = 0;
    virtual void send_chunk(const EncodedChunk& encoded) = 0;
    /// A chunk that was sent is another now.
    virtual void send_changes(const EncodedChunk& encoded, std::span<const ChunkPart* const> parts) = 0;
    virtual void send_unload(ChunkPos pos) = 0;
    /// There is no such chunk; the client does not have it.
    virtual void send_absent(ChunkPos pos) = 0;

protected:
    ~ChunkSink() = default;
};

/// Decides which chunks one player has, and brings them: all in the circle around it, nearest first, within
/// its budget and as the network takes them; those that leave the circle are unloaded. The client is told
/// which chunks do not exist.
class ChunkStream final : public ChunkUser {
public:
    ChunkStream(EncodedChunkCache& cache, ChunkSink& sink, StreamRules rules, ChunkPos center, int radius);
    /// Drops all chunks, without telling the client.
    ~ChunkStream();
    ChunkStream(const ChunkStream&) = delete;
    ChunkStream& operator=(const ChunkStream&) = delete;

    /// The player is elsewhere; what it has no more is unloaded at once.
    void move(ChunkPos center);
    void set_radius(int radius);
    void set_unlimited(bool is_unlimited);
    /// Begins chunks, as many as the time since the last call allows.
    void tick(net::Time now);
    /// There may be room again; only a stream without limit goes on then.
    void on_delivered();
    /// The cache has another answer for a chunk.
    void on_changed(ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now);
    /// Unloads everything, as before a change of worlds.
    void unload_all();

    [[nodiscard]] ChunkPos center() const { return center_; }
    [[nodiscard]] int radius() const { return spiral_->radius(); }
    /// Whether the client has this chunk.
    [[nodiscard]] bool has(ChunkPos pos) const;
    [[nodiscard]] std::size_t sent_chunks() const { return sent_; }
    /// Whether nothing is missing that could be had.
    [[nodiscard]] bool is_complete() const {
        return next_ >= spiral_->steps().size() && preparing_ == 0 && ready_.empty();
    }

private:
    enum class State : std::uint8_t { preparing, ready, sent, absent, failed };

    void on_chunk(ChunkPos pos, const ChunkAnswer& answer) override;
    void take(ChunkPos pos, const ChunkAnswer& answer);
    void send(const EncodedChunk& encoded);
    void send_ready();
    /// Begins up to `count` chunks; true when there are more.
    bool begin(std::int64_t count);
    [[nodiscard]] net::Duration cost() const {
        return net::Duration(std::chrono::seconds(1)) / rules_.per_second;
    }
    [[nodiscard]] bool can_send() const;
    void retry_failed(net::Time now);
    void drop_outside();
    void leave(ChunkPos pos, State state, bool says_so);
    void note_absent(ChunkPos pos);

    EncodedChunkCache& cache_;
    ChunkSink& sink_;
    StreamRules rules_;
    ChunkPos center_;
    std::shared_ptr<const Spiral> spiral_;
    std::size_t next_ = 0; ///< step of the spiral; what is before it is known in `states_`
    std::unordered_map<ChunkPos, State> states_;
    /// That the client has from before a change, and gets again in their turn.
    std::unordered_set<ChunkPos> outdated_;
    std::deque<EncodedChunkPtr> ready_; ///< made, but the network or the budget has not taken those before
    std::size_t preparing_ = 0;
    std::size_t sent_ = 0;
    int absent_ = 0;             ///< that the client was told since the last tick
    net::Duration saved_{};      ///< time that no chunk has been sent for
    std::int64_t allowance_ = 0; ///< chunks that may be sent before the next tick
    std::optional<net::Time> last_tick_;
    net::Time retry_at_ = net::k_never;
    bool is_pumping_ = false;
};

} // namespace orbis::game

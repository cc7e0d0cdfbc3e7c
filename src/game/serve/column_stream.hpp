#pragma once

#include "game/serve/column_cache.hpp"
#include "game/serve/spiral.hpp"

#include <unordered_set>

namespace orbis::net {
class Address;
}

namespace orbis::game {

/// Columns per second that the game sends to an address: 256 on the same machine, 128 in private networks,
/// 36 elsewhere.
int columns_per_second(const net::Address& address);

/// The radius that a player gets, in chunks: what it wants in blocks, within what the server allows.
int view_radius(std::int32_t wanted_blocks, int most);

/// How fast columns go.
struct StreamRules {
    int per_second = 256;
    int most_per_tick = 4;
    /// Sends as fast as the network takes them, with this many on the way from the workers or waiting here.
    bool is_unlimited = false;
    std::size_t window = 48;
};

/// Where columns go: a connection, or a test.
class ColumnSink {
public:
    /// Whether the network takes more columns now.
    [[nodiscard]] virtual bool takes_columns() const = 0;
    /// Whether the client knows all names that columns can have by now. It is told those that it does not
    /// know.
    [[nodiscard]] virtual bool knows_names() = 0;
    virtual void send_column(const Column& column) = 0;
    /// A column that was sent is another now.
    virtual void send_changes(const Column& column, std::span<const ColumnPart* const> parts) = 0;
    virtual void send_unload(ChunkPos pos) = 0;
    /// There is no such column; the client does not have it.
    virtual void send_absent(ChunkPos pos) = 0;

protected:
    ~ColumnSink() = default;
};

/// Decides which columns one player has, and brings them: all in the circle around it, nearest first, within
/// its budget and as the network takes them; those that leave the circle are unloaded. Of columns that do not
/// exist the client is told so.
class ColumnStream final : public ColumnUser {
public:
    ColumnStream(ColumnCache& cache, ColumnSink& sink, StreamRules rules, ChunkPos center, int radius);
    /// Lets go of all columns, without a word to the client.
    ~ColumnStream();
    ColumnStream(const ColumnStream&) = delete;
    ColumnStream& operator=(const ColumnStream&) = delete;

    /// The player is elsewhere; what it has no more is unloaded at once.
    void move(ChunkPos center);
    void set_radius(int radius);
    void set_unlimited(bool is_unlimited);
    /// Begins columns, as many as the time since the last call allows.
    void tick(net::Time now);
    /// There may be room again; only a stream without limit goes on then.
    void on_delivered();
    /// The cache has another answer for a column.
    void on_changed(ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now);
    /// Unloads everything, as before a change of worlds.
    void unload_all();

    [[nodiscard]] ChunkPos center() const { return center_; }
    [[nodiscard]] int radius() const { return spiral_->radius(); }
    /// Whether the client has this column.
    [[nodiscard]] bool has(ChunkPos pos) const;
    [[nodiscard]] std::size_t columns() const { return sent_; }
    /// Whether nothing is missing that could be had.
    [[nodiscard]] bool is_complete() const {
        return next_ >= spiral_->steps().size() && preparing_ == 0 && ready_.empty();
    }

private:
    enum class State : std::uint8_t { preparing, ready, sent, absent, failed };

    void on_column(ChunkPos pos, const ColumnAnswer& answer) override;
    void take(ChunkPos pos, const ColumnAnswer& answer);
    void send(const Column& column);
    void send_ready();
    /// Begins up to so many columns; true when there are more.
    bool begin(std::int64_t count);
    [[nodiscard]] net::Duration cost() const {
        return net::Duration(std::chrono::seconds(1)) / rules_.per_second;
    }
    [[nodiscard]] bool can_send();
    void retry_failed(net::Time now);
    void drop_outside();
    void leave(ChunkPos pos, State state, bool says_so);
    void note_absent(ChunkPos pos);

    ColumnCache& cache_;
    ColumnSink& sink_;
    StreamRules rules_;
    ChunkPos center_;
    std::shared_ptr<const Spiral> spiral_;
    std::size_t next_ = 0; ///< step of the spiral; what is before it is known in `states_`
    std::unordered_map<ChunkPos, State> states_;
    /// That the client has from before a change, and gets again in their turn.
    std::unordered_set<ChunkPos> outdated_;
    std::deque<ColumnPtr> ready_; ///< made, but the network or the budget has not taken those before
    std::size_t preparing_ = 0;
    std::size_t sent_ = 0;
    int absent_ = 0;             ///< that were told since the last tick
    net::Duration saved_{};      ///< time that no column has been sent for
    std::int64_t allowance_ = 0; ///< columns that may be sent before the next tick
    std::optional<net::Time> last_tick_;
    net::Time retry_at_ = net::k_never;
    bool is_pumping_ = false;
};

} // namespace orbis::game

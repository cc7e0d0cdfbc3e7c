#pragma once

#include "bytes/self.hpp"
#include "game/chunks/chunk_cache_rules.hpp"
#include "game/chunks/chunk_source.hpp"
#include "game/chunks/encode_workers.hpp"
#include "game/chunks/encoded_chunk.hpp"
#include "net/clock.hpp"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <unordered_map>

namespace orbis::game {

class EntityModels;
struct WireIds;

/// What is known about a chunk.
struct ChunkAnswer {
    enum class Kind : std::uint8_t {
        found,  ///< here it is
        absent, ///< there is no such chunk, and none is made up
        failed, ///< it cannot be read; worth another try at `retry_at`
    };
    Kind kind = Kind::absent;
    EncodedChunkPtr encoded{};
    net::Time retry_at = net::k_never;
};

/// A user of the cache, which waits for chunks.
class ChunkUser {
public:
    virtual void on_chunk(ChunkPos pos, const ChunkAnswer& answer) = 0;

protected:
    ~ChunkUser() = default;
};

/// The chunks of one world, for all of its players: each is read, decoded and compressed once, by a worker,
/// and those who ask meanwhile wait for the same one. Lives in one thread.
class EncodedChunkCache {
public:
    using Post = std::function<void(std::move_only_function<void()>)>;
    /// Called for a chunk that was known and is now something else. `before` is null if it was absent, or
    /// had to give way to others.
    using Changed = std::function<void(ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now)>;
    /// Called for every chunk that was made, before `Changed` and before those who asked for it.
    using Made = std::function<void(const EncodedChunkPtr& encoded)>;
    /// Called for chunks that cannot be read, each once per try.
    using Failed = std::function<void(ChunkPos pos, const Error& error)>;
    /// Called when a first user has a chunk in view, and when none has any more.
    using Seen = std::function<void(ChunkPos pos, bool is_seen)>;

    struct Counters {
        std::uint64_t made = 0;   ///< read, decoded and compressed
        std::uint64_t hits = 0;   ///< answered at once
        std::uint64_t joined = 0; ///< asked for while it was being made
        std::uint64_t absent = 0;
        std::uint64_t failed = 0;
        std::uint64_t evicted = 0;
        std::size_t pending = 0; ///< being made or waiting for a worker, now
        std::size_t bytes = 0;   ///< kept now
    };

    /// `post` runs a task in this thread, and may be called from any. `ids` must outlive the workers.
    EncodedChunkCache(EncodeWorkers& workers, std::shared_ptr<ChunkSource> source, WireIds& ids,
                      const net::Clock& clock, Post post, ChunkCacheRules rules = {});
    EncodedChunkCache(const EncodedChunkCache&) = delete;
    EncodedChunkCache& operator=(const EncodedChunkCache&) = delete;

    /// How stored entities look; must outlive the workers.
    void set_models(EntityModels& models) { models_ = &models; }

    void set_changed(Changed changed) { changed_ = std::move(changed); }
    void set_made(Made made) { made_ = std::move(made); }
    void set_failed(Failed failed) { failed_ = std::move(failed); }
    void set_seen(Seen seen) { seen_ = std::move(seen); }

    /// A user speaks these words, null for those of the usual build; and no longer. Chunks are made for the
    /// words of all users.
    void add_words(const protocol::Dialect* words) { ++words_[words]; }
    void remove_words(const protocol::Dialect* words) {
        if (--words_[words] == 0) words_.erase(words);
    }

    /// What is known at once; nothing if the chunk must be asked for.
    std::optional<ChunkAnswer> find(ChunkPos pos);
    /// The chunk, if it is there and right; null else. Does not count as use.
    [[nodiscard]] EncodedChunkPtr peek(ChunkPos pos) const;
    /// Has it made; the user is called once, later. A user asks for a chunk once at a time.
    void request(ChunkPos pos, ChunkUser& user);
    /// The user does not want it any more.
    void cancel(ChunkPos pos, ChunkUser& user);

    /// A user has this chunk in view; and no longer.
    void hold(ChunkPos pos);
    void release(ChunkPos pos);
    /// Whether any user has.
    [[nodiscard]] bool is_held(ChunkPos pos) const;

    /// The chunk has changed in its source: what is known is old. Users that have it in view get the new one,
    /// unless `tells` is false, as when they know already.
    void refresh(ChunkPos pos, bool tells = true);

    [[nodiscard]] Counters counters() const;

private:
    struct Entry {
        ChunkAnswer answer;
        bool is_known = false;      ///< `answer` was right once
        bool is_old = false;        ///< and is no more
        bool is_queued = false;     ///< waits for a worker
        bool is_running = false;    ///< is with a worker
        bool changed_since = false; ///< while it was with the worker
        bool tells = false;         ///< users that have it in view get the next one
        std::uint32_t holders = 0;
        std::vector<ChunkUser*> waiting;
        std::size_t bytes = 0;              ///< 0: in no list
        std::list<ChunkPos>::iterator at{}; ///< in `order_[holders > 0]`
    };
    using Entries = std::unordered_map<ChunkPos, Entry>;

    void queue(ChunkPos pos, Entry& entry);
    void start_jobs();
    [[nodiscard]] std::vector<const protocol::Dialect*> words() const;
    void finished(ChunkPos pos, Result<EncodedChunkPtr> made);
    void keep(ChunkPos pos, Entry& entry);
    void drop(Entry& entry);
    void move_between_lists(Entry& entry, bool was_held);
    void evict();
    void forget_if_idle(ChunkPos pos);

    EncodeWorkers& workers_;
    std::shared_ptr<ChunkSource> source_;
    WireIds& ids_;
    EntityModels* models_ = nullptr;
    const net::Clock& clock_;
    Post post_;
    ChunkCacheRules rules_;
    Changed changed_;
    Made made_;
    Failed failed_;
    Seen seen_;
    std::map<const protocol::Dialect*, std::size_t> words_; ///< how many users speak them
    Entries entries_;
    std::deque<ChunkPos> queue_; ///< may name some that are queued no more
    std::size_t running_ = 0;
    std::size_t queued_ = 0;
    std::array<std::list<ChunkPos>, 2> order_; ///< kept ones, most recently used first: unused, held
    std::array<std::size_t, 2> kept_bytes_{};
    Counters counters_;
    Self<EncodedChunkCache> self_{this};
};

} // namespace orbis::game

#include "game/chunks/encoded_chunk_cache.hpp"

#include "game/chunks/chunk_encoder.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

/// What an entry costs beside its chunk; all there is of an absent one.
constexpr std::size_t k_entry_bytes = 192;
/// Jobs with the workers, for each of their threads: enough that none has to wait for this thread, few
/// enough that a cancelled request costs nothing as a rule.
constexpr std::size_t k_jobs_per_thread = 4;

} // namespace

EncodedChunkCache::EncodedChunkCache(EncodeWorkers& workers, std::shared_ptr<ChunkSource> source,
                                     WireIds& ids, const net::Clock& clock, Post post, ChunkCacheRules rules)
    : workers_(workers),
      source_(std::move(source)),
      ids_(ids),
      clock_(clock),
      post_(std::move(post)),
      rules_(rules) {}

std::optional<ChunkAnswer> EncodedChunkCache::find(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return {};
    auto& entry = found->second;
    if (!entry.is_known || entry.is_old) return {};
    if (entry.answer.kind == ChunkAnswer::Kind::failed && clock_.now() >= entry.answer.retry_at) return {};
    ++counters_.hits;
    if (entry.bytes > 0) {
        auto& list = order_[entry.holders > 0];
        list.splice(list.begin(), list, entry.at);
    }
    return entry.answer;
}

void EncodedChunkCache::request(ChunkPos pos, ChunkUser& user) {
    auto& entry = entries_[pos];
    entry.waiting.push_back(&user);
    if (entry.is_queued || entry.is_running) {
        ++counters_.joined;
        return;
    }
    queue(pos, entry);
    start_jobs();
}

void EncodedChunkCache::cancel(ChunkPos pos, ChunkUser& user) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    auto& entry = found->second;
    std::erase(entry.waiting, &user);
    // If an old chunk is known, a player may have it in view.
    if (entry.waiting.empty() && entry.is_queued && !entry.is_known) {
        entry.is_queued = false;
        --queued_;
    }
    forget_if_idle(pos);
}

void EncodedChunkCache::hold(ChunkPos pos) {
    auto& entry = entries_[pos];
    if (entry.holders++ > 0) return;
    move_between_lists(entry, false);
    if (seen_) seen_(pos, true);
}

void EncodedChunkCache::release(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end() || found->second.holders == 0) return;
    if (--found->second.holders > 0) return;
    move_between_lists(found->second, true);
    evict();
    forget_if_idle(pos);
    if (seen_) seen_(pos, false);
}

EncodedChunkPtr EncodedChunkCache::peek(ChunkPos pos) const {
    const auto found = entries_.find(pos);
    if (found == entries_.end() || found->second.is_old) return nullptr;
    return found->second.answer.encoded;
}

bool EncodedChunkCache::is_held(ChunkPos pos) const {
    const auto found = entries_.find(pos);
    return found != entries_.end() && found->second.holders > 0;
}

void EncodedChunkCache::refresh(ChunkPos pos, bool tells) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    auto& entry = found->second;
    entry.tells |= tells;
    entry.changed_since = entry.is_running;
    if (!entry.is_known && entry.holders == 0) return;
    entry.is_old = entry.is_known;
    // An absent one may be in view too: it has no holders.
    const bool may_be_seen = entry.holders > 0 || entry.answer.kind != ChunkAnswer::Kind::found;
    if (!may_be_seen || entry.is_queued || entry.is_running) return;
    queue(pos, entry);
    start_jobs();
}

void EncodedChunkCache::queue(ChunkPos pos, Entry& entry) {
    entry.is_queued = true;
    ++queued_;
    queue_.push_back(pos);
}

std::vector<const protocol::Dialect*> EncodedChunkCache::words() const {
    std::vector<const protocol::Dialect*> all;
    for (const auto& [words, users] : words_) all.push_back(words);
    return all;
}

void EncodedChunkCache::start_jobs() {
    while (running_ < workers_.threads() * k_jobs_per_thread && !queue_.empty()) {
        const auto pos = queue_.front();
        queue_.pop_front();
        const auto found = entries_.find(pos);
        if (found == entries_.end() || !found->second.is_queued) continue; // cancelled
        auto& entry = found->second;
        entry.is_queued = false;
        entry.is_running = true;
        --queued_;
        ++running_;
        workers_.add([self = self_.ref(), source = source_, &ids = ids_, models = models_, post = post_, pos,
                      before = entry.answer.encoded, words = words()](ChunkEncoder& maker) {
            auto made = maker.make(*source, pos, ids, before, models, words);
            post([self, pos, made = std::move(made)]() mutable {
                if (self) self->finished(pos, std::move(made));
            });
        });
    }
}

void EncodedChunkCache::finished(ChunkPos pos, Result<EncodedChunkPtr> made) {
    --running_;
    auto& entry = entries_[pos];
    entry.is_running = false;
    if (std::exchange(entry.changed_since, false)) {
        queue(pos, entry); // what was made is old already
        return start_jobs();
    }
    const auto before = entry.answer;
    const bool was_known = std::exchange(entry.is_known, true);
    drop(entry);
    entry.is_old = false;
    entry.answer = {};
    if (!made) {
        ++counters_.failed;
        entry.answer.kind = ChunkAnswer::Kind::failed;
        entry.answer.retry_at = clock_.now() + rules_.retry_after;
    } else if (*made) {
        ++counters_.made;
        entry.answer = {ChunkAnswer::Kind::found, *std::move(made), net::k_never};
    } else {
        ++counters_.absent;
    }
    keep(pos, entry);
    const auto answer = entry.answer;
    const bool tells = std::exchange(entry.tells, false) && (was_known || entry.holders > 0);
    const auto waiting = std::exchange(entry.waiting, {});
    evict();
    start_jobs();
    // From here on others are called, who may ask for more: no reference into the table is good any more.
    if (answer.kind == ChunkAnswer::Kind::failed && failed_) failed_(pos, made.error());
    if (answer.encoded && made_) made_(answer.encoded);
    if (tells && changed_ && answer.kind != ChunkAnswer::Kind::failed) changed_(pos, before.encoded, answer);
    for (auto* user : waiting) user->on_chunk(pos, answer);
    forget_if_idle(pos);
}

void EncodedChunkCache::keep(ChunkPos pos, Entry& entry) {
    entry.bytes = k_entry_bytes + (entry.answer.encoded ? entry.answer.encoded->bytes() : 0);
    auto& list = order_[entry.holders > 0];
    list.push_front(pos);
    entry.at = list.begin();
    kept_bytes_[entry.holders > 0] += entry.bytes;
}

void EncodedChunkCache::drop(Entry& entry) {
    if (entry.bytes == 0) return;
    kept_bytes_[entry.holders > 0] -= entry.bytes;
    order_[entry.holders > 0].erase(entry.at);
    entry.bytes = 0;
}

void EncodedChunkCache::move_between_lists(Entry& entry, bool was_held) {
    if (entry.bytes == 0) return;
    order_[!was_held].splice(order_[!was_held].begin(), order_[was_held], entry.at);
    kept_bytes_[was_held] -= entry.bytes;
    kept_bytes_[!was_held] += entry.bytes;
}

void EncodedChunkCache::evict() {
    const auto evict_last_of = [this](bool held) {
        const auto pos = order_[held].back();
        auto& entry = entries_.at(pos);
        drop(entry);
        entry.answer = {};
        entry.is_known = false;
        ++counters_.evicted;
        forget_if_idle(pos);
    };
    while (kept_bytes_[0] > rules_.most_unused_bytes
           || (kept_bytes_[0] + kept_bytes_[1] > rules_.most_bytes && !order_[0].empty()))
        evict_last_of(false);
    while (kept_bytes_[1] > rules_.most_bytes) evict_last_of(true);
}

void EncodedChunkCache::forget_if_idle(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    const auto& entry = found->second;
    if (!entry.is_known && !entry.is_queued && !entry.is_running && entry.holders == 0
        && entry.waiting.empty())
        entries_.erase(found);
}

EncodedChunkCache::Counters EncodedChunkCache::counters() const {
    auto now = counters_;
    now.pending = queued_ + running_;
    now.bytes = kept_bytes_[0] + kept_bytes_[1];
    return now;
}

} // namespace orbis::game

#include "game/serve/column_cache.hpp"

#include "game/serve/column_maker.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

/// What an entry costs beside its column; all there is of an absent one.
constexpr std::size_t k_entry_bytes = 192;
/// Jobs with the workers, for each of their threads: enough that none has to wait for this thread, few
/// enough that a cancelled request costs nothing as a rule.
constexpr std::size_t k_jobs_per_thread = 4;

} // namespace

ColumnCache::ColumnCache(ColumnWorkers& workers, std::shared_ptr<ColumnSource> source, WireIds& ids,
                         const net::Clock& clock, Post post, ColumnCacheRules rules)
    : workers_(workers),
      source_(std::move(source)),
      ids_(ids),
      clock_(clock),
      post_(std::move(post)),
      rules_(rules) {}

std::optional<ColumnAnswer> ColumnCache::find(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return {};
    auto& entry = found->second;
    if (!entry.is_known || entry.is_old) return {};
    if (entry.answer.kind == ColumnAnswer::Kind::failed && clock_.now() >= entry.answer.retry_at) return {};
    ++counters_.hits;
    if (entry.bytes > 0) {
        auto& list = order_[entry.holders > 0];
        list.splice(list.begin(), list, entry.at);
    }
    return entry.answer;
}

void ColumnCache::request(ChunkPos pos, ColumnUser& user) {
    auto& entry = entries_[pos];
    entry.waiting.push_back(&user);
    if (entry.is_queued || entry.is_running) {
        ++counters_.joined;
        return;
    }
    queue(pos, entry);
    start_jobs();
}

void ColumnCache::cancel(ChunkPos pos, ColumnUser& user) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    auto& entry = found->second;
    std::erase(entry.waiting, &user);
    // Where an old column is known, somebody may have it in view.
    if (entry.waiting.empty() && entry.is_queued && !entry.is_known) {
        entry.is_queued = false;
        --queued_;
    }
    forget_if_idle(pos);
}

void ColumnCache::hold(ChunkPos pos) {
    auto& entry = entries_[pos];
    if (entry.holders++ > 0) return;
    move_between_lists(entry, false);
    if (seen_) seen_(pos, true);
}

void ColumnCache::release(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end() || found->second.holders == 0) return;
    if (--found->second.holders > 0) return;
    move_between_lists(found->second, true);
    evict();
    forget_if_idle(pos);
    if (seen_) seen_(pos, false);
}

ColumnPtr ColumnCache::peek(ChunkPos pos) const {
    const auto found = entries_.find(pos);
    if (found == entries_.end() || found->second.is_old) return nullptr;
    return found->second.answer.column;
}

bool ColumnCache::is_held(ChunkPos pos) const {
    const auto found = entries_.find(pos);
    return found != entries_.end() && found->second.holders > 0;
}

void ColumnCache::refresh(ChunkPos pos, bool tells) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    auto& entry = found->second;
    entry.tells |= tells;
    entry.changed_since = entry.is_running;
    if (!entry.is_known && entry.holders == 0) return;
    entry.is_old = entry.is_known;
    // An absent one may be in view too: nobody holds what is not there.
    const bool may_be_seen = entry.holders > 0 || entry.answer.kind != ColumnAnswer::Kind::column;
    if (!may_be_seen || entry.is_queued || entry.is_running) return;
    queue(pos, entry);
    start_jobs();
}

void ColumnCache::refresh_all() {
    std::vector<ChunkPos> all;
    all.reserve(entries_.size());
    for (const auto& [pos, entry] : entries_) all.push_back(pos);
    for (const auto pos : all) refresh(pos);
}

void ColumnCache::queue(ChunkPos pos, Entry& entry) {
    entry.is_queued = true;
    ++queued_;
    queue_.push_back(pos);
}

void ColumnCache::start_jobs() {
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
        workers_.add([self = self_.ref(), source = source_, &ids = ids_, post = post_, pos,
                      before = entry.answer.column](ColumnMaker& maker) {
            auto made = maker.make(*source, pos, ids, before);
            post([self, pos, made = std::move(made)]() mutable {
                if (self) self->finished(pos, std::move(made));
            });
        });
    }
}

void ColumnCache::finished(ChunkPos pos, Result<ColumnPtr> made) {
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
        entry.answer.kind = ColumnAnswer::Kind::failed;
        entry.answer.retry_at = clock_.now() + rules_.retry_after;
    } else if (*made) {
        ++counters_.made;
        entry.answer = {ColumnAnswer::Kind::column, *std::move(made), net::k_never};
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
    if (answer.kind == ColumnAnswer::Kind::failed && failed_) failed_(pos, made.error());
    if (tells && changed_ && answer.kind != ColumnAnswer::Kind::failed) changed_(pos, before.column, answer);
    if (answer.column && made_) made_(answer.column);
    for (auto* user : waiting) user->on_column(pos, answer);
    forget_if_idle(pos);
}

void ColumnCache::keep(ChunkPos pos, Entry& entry) {
    entry.bytes = k_entry_bytes + (entry.answer.column ? entry.answer.column->bytes() : 0);
    auto& list = order_[entry.holders > 0];
    list.push_front(pos);
    entry.at = list.begin();
    kept_bytes_[entry.holders > 0] += entry.bytes;
}

void ColumnCache::drop(Entry& entry) {
    if (entry.bytes == 0) return;
    kept_bytes_[entry.holders > 0] -= entry.bytes;
    order_[entry.holders > 0].erase(entry.at);
    entry.bytes = 0;
}

void ColumnCache::move_between_lists(Entry& entry, bool was_held) {
    if (entry.bytes == 0) return;
    order_[!was_held].splice(order_[!was_held].begin(), order_[was_held], entry.at);
    kept_bytes_[was_held] -= entry.bytes;
    kept_bytes_[!was_held] += entry.bytes;
}

void ColumnCache::evict() {
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

void ColumnCache::forget_if_idle(ChunkPos pos) {
    const auto found = entries_.find(pos);
    if (found == entries_.end()) return;
    const auto& entry = found->second;
    if (!entry.is_known && !entry.is_queued && !entry.is_running && entry.holders == 0
        && entry.waiting.empty())
        entries_.erase(found);
}

ColumnCache::Counters ColumnCache::counters() const {
    auto now = counters_;
    now.pending = queued_ + running_;
    now.bytes = kept_bytes_[0] + kept_bytes_[1];
    return now;
}

} // namespace orbis::game

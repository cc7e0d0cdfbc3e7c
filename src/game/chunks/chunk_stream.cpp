#include "game/chunks/chunk_stream.hpp"

#include <algorithm>
#include <cmath>

namespace orbis::game {
namespace {

constexpr int k_least_view_radius = 2;
/// Absent chunks that a client is told of in a tick: they are small, but there can be thousands in view.
constexpr int k_most_absent = 256;
/// Chunks that are looked for at a time where many do not exist.
constexpr std::int64_t k_most_probes = 32;

} // namespace

int view_radius(std::int32_t wanted_blocks, int most) {
    const auto wanted = (std::int64_t{std::max(wanted_blocks, 0)} + k_side - 1) / k_side;
    return static_cast<int>(
        std::max<std::int64_t>(k_least_view_radius, std::min<std::int64_t>(wanted, most)));
}

ChunkStream::ChunkStream(EncodedChunkCache& cache, ChunkSink& sink, StreamRules rules, ChunkPos center,
                         int radius)
    : cache_(cache), sink_(sink), rules_(rules), center_(center), spiral_(Spiral::of(radius)) {
    cache_.add_words(rules_.words);
}

ChunkStream::~ChunkStream() {
    for (const auto& [pos, state] : states_) leave(pos, state, false);
    cache_.remove_words(rules_.words);
}

bool ChunkStream::has(ChunkPos pos) const {
    const auto found = states_.find(pos);
    return found != states_.end() && found->second == State::sent;
}

void ChunkStream::leave(ChunkPos pos, State state, bool says_so) {
    if (state == State::preparing) {
        cache_.cancel(pos, *this);
        --preparing_;
    }
    if (state != State::sent) return;
    cache_.release(pos);
    --sent_;
    if (says_so) sink_.send_unload(pos);
}

void ChunkStream::drop_outside() {
    std::erase_if(states_, [this](const auto& entry) {
        if (Spiral::is_inside(entry.first, center_, spiral_->radius())) return false;
        leave(entry.first, entry.second, true);
        return true;
    });
    std::erase_if(ready_, [this](const EncodedChunkPtr& encoded) { return !states_.contains(encoded->pos); });
    std::erase_if(outdated_, [this](ChunkPos pos) {
        if (Spiral::is_inside(pos, center_, spiral_->radius())) return false;
        sink_.send_unload(pos);
        return true;
    });
}

void ChunkStream::note_absent(ChunkPos pos) {
    states_[pos] = State::absent;
    outdated_.erase(pos);
    ++absent_;
    sink_.send_absent(pos);
}

void ChunkStream::move(ChunkPos center) {
    if (center == center_) return;
    const auto distance =
        std::hypot(static_cast<double>(center.x) - center_.x, static_cast<double>(center.z) - center_.z);
    const int radius = spiral_->radius();
    const auto& steps = spiral_->steps();
    const int completed =
        next_ < steps.size() ? std::max(std::abs(steps[next_].x), std::abs(steps[next_].z)) : radius;
    center_ = center;
    drop_outside();
    // The completed rings shrink by the distance. The circle moves too: what it newly covers is at least
    // `radius - distance` away, which on the diagonal is a ring of less.
    const auto ring =
        std::min(completed - std::ceil(distance), std::floor((radius - distance) / std::sqrt(2.0)));
    next_ = ring > 0 ? spiral_->first_of_ring(static_cast<int>(ring)) : 0;
}

void ChunkStream::set_radius(int radius) {
    if (radius == spiral_->radius()) return;
    spiral_ = Spiral::of(radius);
    drop_outside();
    next_ = 0;
}

void ChunkStream::set_unlimited(bool is_unlimited) {
    rules_.is_unlimited = is_unlimited;
    if (is_unlimited || ready_.empty()) return;
    // What waits here for the network is begun again, at the pace of the game.
    for (const auto& encoded : ready_) states_.erase(encoded->pos);
    ready_.clear();
    next_ = 0;
}

void ChunkStream::unload_all() {
    for (const auto& [pos, state] : states_) leave(pos, state, true);
    for (const auto pos : outdated_) sink_.send_unload(pos);
    states_.clear();
    outdated_.clear();
    ready_.clear();
    next_ = 0;
}

void ChunkStream::tick(net::Time now) {
    saved_ += last_tick_ ? now - *last_tick_ : net::Duration::zero();
    last_tick_ = now;
    retry_failed(now);
    if (rules_.is_unlimited || sink_.takes_chunks()) absent_ = 0;
    if (rules_.is_unlimited) return on_delivered();
    if (!sink_.takes_chunks()) return;
    allowance_ = std::min<std::int64_t>(saved_ / cost(), rules_.most_per_tick);
    send_ready();
    // What waits for names to arrive is not joined by ever more.
    const auto count = allowance_ - static_cast<std::int64_t>(preparing_ + ready_.size());
    // A player that has everything saves no time for later than the next tick.
    if (count > 0 && !begin(count)) saved_ = std::min(saved_, cost() * rules_.most_per_tick);
}

/// Within the budget it is enough that the network took chunks when the tick began.
bool ChunkStream::can_send() const {
    return (rules_.is_unlimited ? sink_.takes_chunks() : allowance_ > 0) && sink_.knows_names();
}

void ChunkStream::on_delivered() {
    // Sending can tell at once that something was delivered.
    if (!rules_.is_unlimited || std::exchange(is_pumping_, true)) return;
    send_ready();
    while (preparing_ + ready_.size() < rules_.window && absent_ < k_most_absent && sink_.takes_chunks())
        if (!begin(1)) break;
    is_pumping_ = false;
}

bool ChunkStream::begin(std::int64_t count) {
    const auto& steps = spiral_->steps();
    for (; next_ < steps.size(); ++next_) {
        const ChunkPos pos{center_.x + steps[next_].x, center_.z + steps[next_].z};
        if (states_.contains(pos)) continue;
        if (count == 0 || absent_ >= k_most_absent) return true;
        const auto answer = cache_.find(pos);
        if (answer && answer->kind == ChunkAnswer::Kind::absent) {
            note_absent(pos); // costs nothing: no chunk is sent
            continue;
        }
        --count;
        if (answer) {
            take(pos, *answer);
            continue;
        }
        states_[pos] = State::preparing;
        ++preparing_;
        cache_.request(pos, *this);
    }
    return false;
}

void ChunkStream::on_chunk(ChunkPos pos, const ChunkAnswer& answer) {
    --preparing_;
    take(pos, answer);
    if (rules_.is_unlimited) return on_delivered();
    // A player beside an empty part of the world does not wait for it: for each one that does not exist two
    // others are begun, however much is unsent: they are few. Should they exist, they are sent within the
    // budget and as the network takes them.
    const auto probes = k_most_probes - static_cast<std::int64_t>(preparing_ + ready_.size());
    if (answer.kind == ChunkAnswer::Kind::absent && probes > 0) begin(std::min<std::int64_t>(probes, 2));
}

void ChunkStream::take(ChunkPos pos, const ChunkAnswer& answer) {
    switch (answer.kind) {
    case ChunkAnswer::Kind::found:
        if (!ready_.empty() || !can_send()) {
            states_[pos] = State::ready;
            ready_.push_back(answer.encoded);
            return;
        }
        return send(*answer.encoded);
    case ChunkAnswer::Kind::absent: note_absent(pos); return;
    case ChunkAnswer::Kind::failed:
        states_[pos] = State::failed;
        retry_at_ = std::min(retry_at_, answer.retry_at);
        return;
    }
}

void ChunkStream::send(const EncodedChunk& encoded) {
    states_[encoded.pos] = State::sent;
    outdated_.erase(encoded.pos);
    ++sent_;
    --allowance_;
    saved_ -= std::min(saved_, cost());
    cache_.hold(encoded.pos);
    sink_.send_chunk(encoded);
}

void ChunkStream::send_ready() {
    while (!ready_.empty() && can_send()) {
        const auto encoded = std::move(ready_.front());
        ready_.pop_front();
        send(*encoded);
    }
}

void ChunkStream::retry_failed(net::Time now) {
    if (now < retry_at_) return;
    retry_at_ = net::k_never;
    std::erase_if(states_, [](const auto& entry) { return entry.second == State::failed; });
    next_ = 0;
}

void ChunkStream::on_changed(ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now) {
    const auto found = states_.find(pos);
    if (found == states_.end()) return;
    const auto state = found->second;
    if (state == State::sent && now.encoded) {
        std::vector<const ChunkPart*> parts;
        if (before)
            parts = changed_parts(*before, *now.encoded);
        else
            for (const auto& part : now.encoded->parts) parts.push_back(&part);
        if (parts.empty()) return;
        if (sink_.takes_chunks() && sink_.knows_names()) return sink_.send_changes(*now.encoded, parts);
        // Much has changed at once and the network is behind, or names are on their way: it comes like one
        // that the client has not.
        leave(pos, state, false);
        states_.erase(found);
        outdated_.insert(pos);
        next_ = 0;
        return;
    }
    if (state == State::preparing) return; // gets the new one
    leave(pos, state, true);
    std::erase_if(ready_, [&](const EncodedChunkPtr& encoded) { return encoded->pos == pos; });
    states_.erase(found);
    next_ = 0;
}

} // namespace orbis::game

#include "game/serve/column_stream.hpp"

#include "net/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cmath>

namespace orbis::game {
namespace {

constexpr int k_here = 256;
constexpr int k_nearby = 128;
constexpr int k_elsewhere = 36;
constexpr int k_least_view_radius = 2;
/// Absent columns that a client is told of in a tick: they are small, but there can be thousands in view.
constexpr int k_most_absent = 256;
/// Columns that are looked for at a time where many do not exist.
constexpr std::int64_t k_most_probes = 32;

/// Private, link-local and multicast.
bool is_nearby(std::uint32_t v4) {
    return v4 >> 24 == 10 || v4 >> 20 == 0xAC1 || v4 >> 16 == 0xC0A8 || v4 >> 16 == 0xA9FE || v4 >> 28 == 0xE;
}

bool is_nearby(const in6_addr& v6) {
    const auto first = static_cast<unsigned>(v6.s6_addr[0] << 8 | v6.s6_addr[1]);
    if (IN6_IS_ADDR_V4MAPPED(&v6) != 0)
        return is_nearby(static_cast<std::uint32_t>(v6.s6_addr[12]) << 24
                         | static_cast<std::uint32_t>(v6.s6_addr[13]) << 16
                         | static_cast<std::uint32_t>(v6.s6_addr[14]) << 8 | v6.s6_addr[15]);
    const bool is_local = (first & 0xFFC0) == 0xFE80 || (first & 0xFFC0) == 0xFEC0;
    return is_local || (first & 0xFE00) == 0xFC00 || (first & 0xFF00) == 0xFF00;
}

} // namespace

int columns_per_second(const net::Address& address) {
    if (address.is_loopback()) return k_here;
    bool nearby = false;
    if (address.family() == AF_INET)
        nearby = is_nearby(ntohl(reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr.s_addr));
    if (address.family() == AF_INET6)
        nearby = is_nearby(reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr);
    return nearby ? k_nearby : k_elsewhere;
}

int view_radius(std::int32_t wanted_blocks, int most) {
    const auto wanted = (std::int64_t{std::max(wanted_blocks, 0)} + k_side - 1) / k_side;
    return static_cast<int>(
        std::max<std::int64_t>(k_least_view_radius, std::min<std::int64_t>(wanted, most)));
}

ColumnStream::ColumnStream(ColumnCache& cache, ColumnSink& sink, StreamRules rules, ChunkPos center,
                           int radius)
    : cache_(cache), sink_(sink), rules_(rules), center_(center), spiral_(Spiral::of(radius)) {}

ColumnStream::~ColumnStream() {
    for (const auto& [pos, state] : states_) leave(pos, state, false);
}

bool ColumnStream::has(ChunkPos pos) const {
    const auto found = states_.find(pos);
    return found != states_.end() && found->second == State::sent;
}

void ColumnStream::leave(ChunkPos pos, State state, bool says_so) {
    if (state == State::preparing) {
        cache_.cancel(pos, *this);
        --preparing_;
    }
    if (state != State::sent) return;
    cache_.release(pos);
    --sent_;
    if (says_so) sink_.send_unload(pos);
}

void ColumnStream::drop_outside() {
    std::erase_if(states_, [this](const auto& entry) {
        if (Spiral::is_inside(entry.first, center_, spiral_->radius())) return false;
        leave(entry.first, entry.second, true);
        return true;
    });
    std::erase_if(ready_, [this](const ColumnPtr& column) { return !states_.contains(column->pos); });
    std::erase_if(outdated_, [this](ChunkPos pos) {
        if (Spiral::is_inside(pos, center_, spiral_->radius())) return false;
        sink_.send_unload(pos);
        return true;
    });
}

void ColumnStream::note_absent(ChunkPos pos) {
    states_[pos] = State::absent;
    outdated_.erase(pos);
    ++absent_;
    sink_.send_absent(pos);
}

void ColumnStream::move(ChunkPos center) {
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

void ColumnStream::set_radius(int radius) {
    if (radius == spiral_->radius()) return;
    spiral_ = Spiral::of(radius);
    drop_outside();
    next_ = 0;
}

void ColumnStream::set_unlimited(bool is_unlimited) {
    rules_.is_unlimited = is_unlimited;
    if (is_unlimited || ready_.empty()) return;
    // What waits here for the network is begun again, at the pace of the game.
    for (const auto& column : ready_) states_.erase(column->pos);
    ready_.clear();
    next_ = 0;
}

void ColumnStream::unload_all() {
    for (const auto& [pos, state] : states_) leave(pos, state, true);
    for (const auto pos : outdated_) sink_.send_unload(pos);
    states_.clear();
    outdated_.clear();
    ready_.clear();
    next_ = 0;
}

void ColumnStream::tick(net::Time now) {
    saved_ += last_tick_ ? now - *last_tick_ : net::Duration::zero();
    last_tick_ = now;
    retry_failed(now);
    if (rules_.is_unlimited || sink_.takes_columns()) absent_ = 0;
    if (rules_.is_unlimited) return on_delivered();
    if (!sink_.takes_columns()) return;
    allowance_ = std::min<std::int64_t>(saved_ / cost(), rules_.most_per_tick);
    send_ready();
    // What waits for names to arrive is not joined by ever more.
    const auto count = allowance_ - static_cast<std::int64_t>(preparing_ + ready_.size());
    // Who has everything saves no time for later than the next tick.
    if (count > 0 && !begin(count)) saved_ = std::min(saved_, cost() * rules_.most_per_tick);
}

/// Within the budget it is enough that the network took columns when the tick began.
bool ColumnStream::can_send() {
    return (rules_.is_unlimited ? sink_.takes_columns() : allowance_ > 0) && sink_.knows_names();
}

void ColumnStream::on_delivered() {
    // Sending can tell at once that something was delivered.
    if (!rules_.is_unlimited || std::exchange(is_pumping_, true)) return;
    send_ready();
    while (preparing_ + ready_.size() < rules_.window && absent_ < k_most_absent && sink_.takes_columns())
        if (!begin(1)) break;
    is_pumping_ = false;
}

bool ColumnStream::begin(std::int64_t count) {
    const auto& steps = spiral_->steps();
    for (; next_ < steps.size(); ++next_) {
        const ChunkPos pos{center_.x + steps[next_].x, center_.z + steps[next_].z};
        if (states_.contains(pos)) continue;
        if (count == 0 || absent_ >= k_most_absent) return true;
        const auto answer = cache_.find(pos);
        if (answer && answer->kind == ColumnAnswer::Kind::absent) {
            note_absent(pos); // costs nothing: no column is sent
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

void ColumnStream::on_column(ChunkPos pos, const ColumnAnswer& answer) {
    --preparing_;
    take(pos, answer);
    if (rules_.is_unlimited) return on_delivered();
    // Who stands beside an empty part of the world does not wait for it: for each one that does not exist two
    // others are begun, however much is unsent: they are few. Should they exist, they are sent within the
    // budget and as the network takes them.
    const auto probes = k_most_probes - static_cast<std::int64_t>(preparing_ + ready_.size());
    if (answer.kind == ColumnAnswer::Kind::absent && probes > 0) begin(std::min<std::int64_t>(probes, 2));
}

void ColumnStream::take(ChunkPos pos, const ColumnAnswer& answer) {
    switch (answer.kind) {
    case ColumnAnswer::Kind::column:
        if (!ready_.empty() || !can_send()) {
            states_[pos] = State::ready;
            ready_.push_back(answer.column);
            return;
        }
        return send(*answer.column);
    case ColumnAnswer::Kind::absent: note_absent(pos); return;
    case ColumnAnswer::Kind::failed:
        states_[pos] = State::failed;
        retry_at_ = std::min(retry_at_, answer.retry_at);
        return;
    }
}

void ColumnStream::send(const Column& column) {
    states_[column.pos] = State::sent;
    outdated_.erase(column.pos);
    ++sent_;
    --allowance_;
    saved_ -= std::min(saved_, cost());
    cache_.hold(column.pos);
    sink_.send_column(column);
}

void ColumnStream::send_ready() {
    while (!ready_.empty() && can_send()) {
        const auto column = std::move(ready_.front());
        ready_.pop_front();
        send(*column);
    }
}

void ColumnStream::retry_failed(net::Time now) {
    if (now < retry_at_) return;
    retry_at_ = net::k_never;
    std::erase_if(states_, [](const auto& entry) { return entry.second == State::failed; });
    next_ = 0;
}

void ColumnStream::on_changed(ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now) {
    const auto found = states_.find(pos);
    if (found == states_.end()) return;
    const auto state = found->second;
    if (state == State::sent && now.column) {
        std::vector<const ColumnPart*> parts;
        if (before)
            parts = changed_parts(*before, *now.column);
        else
            for (const auto& part : now.column->parts) parts.push_back(&part);
        if (parts.empty()) return;
        if (sink_.takes_columns() && sink_.knows_names()) return sink_.send_changes(*now.column, parts);
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
    std::erase_if(ready_, [&](const ColumnPtr& column) { return column->pos == pos; });
    states_.erase(found);
    next_ = 0;
}

} // namespace orbis::game

#include "game/mapview/map_stream.hpp"

#include "packets/worldmap.hpp"
#include "protocol/uuid.hpp"

#include <algorithm>
#include <cmath>

namespace orbis::game {

namespace {

constexpr int k_least_map_radius = 3;
constexpr int k_largest_radius = 32;
/// Players who moved less keep their marker where it is.
constexpr double k_least_move = 1;

struct Offset {
    std::int32_t x;
    std::int32_t z;
    [[nodiscard]] std::int32_t distance2() const { return x * x + z * z; }
};

/// Everything that a map can reach, nearest first. The offsets of a smaller radius are the first ones.
std::span<const Offset> offsets(int radius) {
    static const auto all = [] {
        std::vector<Offset> made;
        for (int z = -k_largest_radius; z <= k_largest_radius; ++z)
            for (int x = -k_largest_radius; x <= k_largest_radius; ++x)
                if (x * x + z * z <= k_largest_radius * k_largest_radius) made.push_back({x, z});
        std::ranges::stable_sort(made, {}, &Offset::distance2);
        return made;
    }();
    const auto end = std::ranges::upper_bound(all, radius * radius, {}, &Offset::distance2);
    return {all.begin(), end};
}

ChunkPos operator+(ChunkPos pos, Offset offset) {
    return {
        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.x) + static_cast<std::uint32_t>(offset.x)),
        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.z) + static_cast<std::uint32_t>(offset.z))};
}

std::string marker_id(const protocol::Uuid& player) { return "Player-" + protocol::uuid_text(player); }

} // namespace

packets::UpdateWorldMapSettings world_map_settings() {
    packets::UpdateWorldMapSettings settings;
    settings.default_scale = 128;
    settings.min_scale = 32;
    settings.max_scale = 175;
    return settings;
}

int MapStream::map_radius(int view_radius) {
    return std::clamp(std::clamp(view_radius, 0, k_largest_radius) * 2, k_least_map_radius, k_largest_radius);
}

Result<void> MapStream::pass(net::Time now, ChunkPos centre, int view_radius, bool is_writable,
                             net::FrameTools<protocol::Side::server>& tools,
                             std::vector<net::OutgoingFrame>& out) {
    if (has_begun_ && now < next_pass_) return {};
    if (!has_begun_) {
        TRY(auto clear, net::OutgoingFrame::make(tools.writer, packets::ClearWorldMap{}));
        out.push_back(std::move(clear));
        moment_ = images_.changes_since(0).now;
        has_begun_ = true;
    }

    std::vector<packets::MapChunk> forgotten;
    const auto radius = map_radius(view_radius);
    if (centre != centre_ || radius != radius_) move_to(centre, radius, forgotten);
    if (now >= next_look_) take_changes(now);
    const auto is_complete = is_writable && send_tiles(forgotten, out);
    next_pass_ = now + (is_complete ? net::Duration(k_look) : net::Duration(k_pass));
    if (forgotten.empty()) return {};
    packets::UpdateWorldMap packet;
    packet.chunks = protocol::List<packets::MapChunk>(forgotten);
    TRY(auto frame, net::OutgoingFrame::make(tools.writer, packet));
    out.push_back(std::move(frame));
    return {};
}

bool MapStream::send_tiles(std::vector<packets::MapChunk>& forgotten, std::vector<net::OutgoingFrame>& out) {
    const auto all = offsets(radius_);
    std::size_t looked = 0;
    std::size_t bytes = 0;
    bool is_complete = true;
    for (auto at = done_; at < all.size(); ++at) {
        const auto pos = centre_ + all[at];
        auto& state = this->state(pos);
        if (state == State::sent || state == State::absent) {
            if (is_complete) done_ = at + 1;
            continue;
        }
        if (looked == k_most_tiles) return false;
        ++looked;
        const auto tile = images_.get(pos);
        if (tile == nullptr) {
            is_complete = false;
            continue;
        }
        if (tile->frame) {
            bytes += tile->frame->frame().bytes().size();
            if (bytes > k_most_bytes) return false;
            out.push_back(*tile->frame);
        } else if (state == State::stale) {
            forgotten.push_back({pos.x, pos.z, {}});
        }
        state = tile->frame ? State::sent : State::absent;
        if (is_complete) done_ = at + 1;
    }
    return is_complete;
}

void MapStream::move_to(ChunkPos centre, int radius, std::vector<packets::MapChunk>& forgotten) {
    const auto before = std::move(states_);
    const auto before_centre = centre_;
    const auto before_radius = radius_;
    const auto side = static_cast<std::size_t>(2 * radius + 1);
    states_.assign(side * side, State::unknown);
    centre_ = centre;
    radius_ = radius;
    done_ = 0;
    if (before_radius < 0) return;
    for (const auto offset : offsets(before_radius)) {
        const auto pos = before_centre + offset;
        const auto was = before[static_cast<std::size_t>((offset.z + before_radius) * (2 * before_radius + 1)
                                                         + offset.x + before_radius)];
        if (was == State::unknown) continue;
        if (reaches(pos)) {
            state(pos) = was;
        } else if (was != State::absent) {
            forgotten.push_back({pos.x, pos.z, {}});
        }
    }
}

void MapStream::take_changes(net::Time now) {
    next_look_ = now + k_look;
    const auto changes = images_.changes_since(moment_);
    if (changes.now == moment_) return;
    moment_ = changes.now;
    done_ = 0;
    const auto touch = [](State& state) {
        if (state == State::sent) state = State::stale;
        if (state == State::absent) state = State::unknown;
    };
    if (changes.everything) std::ranges::for_each(states_, touch);
    for (const auto chunk : changes.chunks)
        for (int z = -1; z <= 1; ++z)
            for (int x = -1; x <= 1; ++x)
                if (const auto pos = chunk + Offset{x, z}; reaches(pos)) touch(state(pos));
}

bool MapStream::reaches(ChunkPos pos) const {
    const auto x = std::int64_t{pos.x} - centre_.x;
    const auto z = std::int64_t{pos.z} - centre_.z;
    if (std::abs(x) > radius_ || std::abs(z) > radius_) return false;
    return x * x + z * z <= std::int64_t{radius_} * radius_;
}

MapStream::State& MapStream::state(ChunkPos pos) {
    // Wraps as positions do at the ends of all numbers.
    const auto x =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.x) - static_cast<std::uint32_t>(centre_.x));
    const auto z =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.z) - static_cast<std::uint32_t>(centre_.z));
    return states_[static_cast<std::size_t>((z + radius_) * (2 * radius_ + 1) + x + radius_)];
}

Result<void> MapStream::mark(net::Time now, std::span<const PlayerMarker> others, const protocol::Uuid& own,
                             net::FrameTools<protocol::Side::server>& tools,
                             std::vector<net::OutgoingFrame>& out) {
    if (!has_begun_ || now < next_marks_) return {};
    next_marks_ = now + k_look;
    const auto reach = static_cast<double>(radius_) * k_side;
    const auto middle = [](std::int32_t chunk) { return (chunk + 0.5) * k_side; };
    const auto is_far = [](const packets::Position& a, double x, double z, double most) {
        return (a.x - x) * (a.x - x) + (a.z - z) * (a.z - z) > most * most;
    };

    std::vector<Marked> seen;
    std::vector<const PlayerMarker*> news;
    for (const auto& other : others) {
        if (other.player == own || is_far(other.at, middle(centre_.x), middle(centre_.z), reach)) continue;
        const auto known = std::ranges::lower_bound(marked_, other.player, {}, &Marked::player);
        const auto is_known = known != marked_.end() && known->player == other.player;
        if (is_known && !is_far(known->at, other.at.x, other.at.z, k_least_move)) {
            seen.push_back(*known);
            continue;
        }
        seen.push_back({other.player, other.at});
        news.push_back(&other);
    }
    std::ranges::sort(seen, {}, &Marked::player);

    std::vector<std::string> ids; // that the packet points at: all of them are there before it is made
    for (const auto* other : news) ids.push_back(marker_id(other->player));
    for (const auto& known : marked_)
        if (!std::ranges::binary_search(seen, known.player, {}, &Marked::player))
            ids.push_back(marker_id(known.player));
    marked_ = std::move(seen);
    if (ids.empty()) return {};

    std::vector<packets::MapMarkerComponent> components;
    components.reserve(news.size());
    std::vector<packets::MapMarker> added;
    for (const auto* other : news) {
        components.emplace_back(packets::PlayerMarkerComponent{other->player});
        auto& marker = added.emplace_back();
        marker.transform.position = other->at;
        marker.transform.orientation = other->facing;
        marker.id = ids[added.size() - 1];
        packets::FormattedMessage name;
        name.raw_text = protocol::Text(other->name);
        marker.name = name;
        marker.marker_image = "Player.png";
        marker.components = protocol::List<packets::MapMarkerComponent>(&components.back(), 1);
    }
    const std::vector<protocol::Text> removed(ids.begin() + static_cast<std::ptrdiff_t>(news.size()),
                                              ids.end());
    packets::UpdateWorldMap packet;
    if (!added.empty()) packet.added_markers = protocol::List<packets::MapMarker>(added);
    if (!removed.empty()) packet.removed_markers = protocol::List<protocol::Text>(removed);
    TRY(auto frame, net::OutgoingFrame::make(tools.writer, packet));
    out.push_back(std::move(frame));
    return {};
}

} // namespace orbis::game

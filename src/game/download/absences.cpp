#include "game/download/absences.hpp"

#include "game/chunks/spiral.hpp"

#include <algorithm>

namespace orbis::game {

namespace {

/// More than a circle of the widest view has; what is further away is asked for again.
constexpr std::size_t k_most_absences = 1 << 18;
/// A chunk this near to an earlier circle may have been in it: servers draw the edge differently.
constexpr int k_circle_margin = 2;

} // namespace

bool Absences::Circle::contains(ChunkPos pos) const { return Spiral::is_inside(pos, middle, radius); }

void Absences::go_to(ChunkPos middle, int radius) {
    if (!circles_.empty() && circles_.back() == Circle{middle, radius}) return; // it is there already
    if (are_told_) circles_.clear(); // they were only to tell what the word means
    circles_.push_back({middle, radius});
    if (absent_.size() < k_most_absences) return;
    const Circle near{middle, 3 * radius};
    std::erase_if(absent_, [&](ChunkPos pos) { return !near.contains(pos); });
    if (absent_.size() >= k_most_absences) absent_.clear();
}

void Absences::told(ChunkPos pos) {
    if (!circles_.empty() && !circles_.back().contains(pos)) return;
    if (absent_.size() < 2 * k_most_absences) absent_.insert(pos);
    if (are_told_) return;
    const auto last = circles_.empty() ? circles_.end() : std::prev(circles_.end());
    are_told_ = std::none_of(circles_.begin(), last, [&](const Circle& circle) {
        return Circle{circle.middle, circle.radius + k_circle_margin}.contains(pos);
    });
}

} // namespace orbis::game

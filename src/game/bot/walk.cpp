#include "game/bot/walk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

namespace orbis::game {

namespace {

constexpr double k_full_turn = 2 * std::numbers::pi;
constexpr std::size_t k_most_points = 1 << 16;

double fraction(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

} // namespace

std::optional<BlockPos> block_at(const Point& place) {
    constexpr double k_end = 1e9;
    const auto block = [](double value) { return static_cast<int>(std::floor(value)); };
    if (!(std::abs(place.x) <= k_end && std::abs(place.z) <= k_end) || std::isnan(place.y)) return {};
    return BlockPos{block(place.x), block(std::clamp(place.y, -k_end, k_end)), block(place.z)};
}

Result<WalkRules::Kind> parse_walk(std::string_view word) {
    using Kind = WalkRules::Kind;
    if (word == "still") return Kind::still;
    if (word == "straight") return Kind::straight;
    if (word == "random") return Kind::random;
    if (word == "circle") return Kind::circle;
    return fail(error(Errc::usage, "expected still, straight, random or circle, found '{}'", word));
}

Result<std::vector<Point>> parse_path(std::string_view text) {
    std::vector<Point> points;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line.resize(std::min(line.find('#'), line.size()));
        std::istringstream words(line);
        std::vector<double> numbers;
        for (std::string word; words >> word;) {
            std::size_t used = 0;
            double value = 0;
            try {
                value = std::stod(word, &used);
            } catch (const std::exception&) {
                used = 0;
            }
            if (used != word.size() || !std::isfinite(value))
                return fail(error(Errc::bad_text, "line {}: expected a number, found '{}'", number, word)
                                .advise("write X Z or X Y Z in each line"));
            numbers.push_back(value);
        }
        if (numbers.empty()) continue;
        if (numbers.size() != 2 && numbers.size() != 3)
            return fail(
                error(Errc::bad_text, "line {}: expected 2 or 3 numbers, found {}", number, numbers.size())
                    .advise("write X Z or X Y Z in each line"));
        if (points.size() == k_most_points)
            return fail(Errc::too_large, "line {}: more than {} points", number, k_most_points);
        points.push_back({numbers.front(), numbers.size() == 3 ? numbers[1] : 0, numbers.back()});
    }
    if (points.empty())
        return fail(error(Errc::bad_text, "the path has no points").advise("write X Z in each line"));
    return points;
}

Walk::Walk(WalkRules rules, std::uint64_t seed) : rules_(std::move(rules)), random_(seed) {
    heading_ = fraction(random_) * k_full_turn;
    angle_ = fraction(random_) * k_full_turn;
}

void Walk::turn_to(double dx, double dz) {
    if (dx != 0 || dz != 0) yaw_ = static_cast<float>(std::atan2(-dx, -dz));
}

Point Walk::towards(const Point& here, const Point& target, double way) {
    const auto dx = target.x - here.x;
    const auto dz = target.z - here.z;
    turn_to(dx, dz);
    const auto distance = std::hypot(dx, dz);
    if (distance <= way + 1e-9) return {target.x, here.y, target.z};
    return {here.x + dx / distance * way, here.y, here.z + dz / distance * way};
}

Point Walk::step(const Point& here, double seconds) {
    if (!has_begun_) {
        has_begun_ = true;
        home_ = here;
    }
    const auto way = rules_.speed * seconds;
    switch (rules_.kind) {
    case WalkRules::Kind::still: return here;
    case WalkRules::Kind::random:
        left_ -= seconds;
        if (std::hypot(here.x - home_.x, here.z - home_.z) > rules_.range) {
            heading_ = std::atan2(home_.z - here.z, home_.x - here.x);
            left_ = 2;
        } else if (left_ <= 0) {
            heading_ = fraction(random_) * k_full_turn;
            left_ = 1 + 4 * fraction(random_);
        }
        [[fallthrough]];
    case WalkRules::Kind::straight: {
        const auto dx = std::cos(heading_) * way;
        const auto dz = std::sin(heading_) * way;
        turn_to(dx, dz);
        return {here.x + dx, here.y, here.z + dz};
    }
    case WalkRules::Kind::circle: {
        angle_ = std::fmod(angle_ + way / rules_.radius, k_full_turn);
        const Point target{home_.x + std::cos(angle_) * rules_.radius, here.y,
                           home_.z + std::sin(angle_) * rules_.radius};
        return towards(here, target, way * 2); // the first steps lead from the middle to the circle
    }
    case WalkRules::Kind::path:
    case WalkRules::Kind::to: {
        if (rules_.points.empty() || has_arrived_) return here; // also where it was brought elsewhere since
        const auto& target = rules_.points[next_];
        const auto there = towards(here, target, way);
        if (there.x == target.x && there.z == target.z) {
            if (next_ + 1 < rules_.points.size())
                ++next_;
            else if (rules_.kind == WalkRules::Kind::path)
                next_ = 0;
            else
                has_arrived_ = true;
        }
        return there;
    }
    }
    return here;
}

} // namespace orbis::game

#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace orbis::game {

/// A place in a world, in blocks.
struct Point {
    double x = 0;
    double y = 0;
    double z = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// The block there; nothing outside the world.
std::optional<BlockPos> block_at(const Point& place);

/// How a bot moves over the ground.
struct WalkRules {
    enum class Kind : std::uint8_t {
        still,
        straight, ///< in the direction that it began with
        random,   ///< in another direction every few seconds, never far from where it began
        circle,   ///< around the place where it began
        path,     ///< along points, and from the last one to the first
        to,       ///< to the last point, and there it stays
    };
    Kind kind = Kind::still;
    double speed = 5.5;          ///< blocks per second; that of a player who runs
    double range = 48;           ///< for `random`
    double radius = 8;           ///< for `circle`
    std::vector<Point> points{}; ///< for `path` and `to`
};

/// Reads `still`, `straight`, `random` or `circle`.
Result<WalkRules::Kind> parse_walk(std::string_view word);
/// Reads a path: a line with `X Z` or `X Y Z` for each point, `#` begins a comment. Heights are not used.
Result<std::vector<Point>> parse_path(std::string_view text);

/// Where a bot goes, step by step. Knows nothing of the ground: only x and z move.
class Walk {
public:
    Walk(WalkRules rules, std::uint64_t seed);

    /// Where it is after this many seconds, from `here`. The first call says where it begins.
    Point step(const Point& here, double seconds);
    /// It was brought elsewhere: the next step says where it begins.
    void begin_again() { has_begun_ = false; }
    /// In radians, 0 towards -z, as it looks.
    [[nodiscard]] float yaw() const { return yaw_; }
    /// For `to`: it has come there.
    [[nodiscard]] bool has_arrived() const { return has_arrived_; }

private:
    Point towards(const Point& here, const Point& target, double way);
    void turn_to(double dx, double dz);

    WalkRules rules_;
    std::mt19937_64 random_;
    bool has_begun_ = false;
    bool has_arrived_ = false;
    Point home_;
    double heading_ = 0; ///< radians
    double left_ = 0;    ///< seconds until the next turn of `random`
    double angle_ = 0;   ///< on the circle
    std::size_t next_ = 0;
    float yaw_ = 0;
};

} // namespace orbis::game

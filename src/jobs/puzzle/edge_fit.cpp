#include "jobs/puzzle/edge_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace orbis::jobs {

namespace {

using Axis = ChunkEdges::Axis;

/// The lines of columns that are compared, each by patterns of its own.
enum Line : std::uint8_t { heights, tints, brightness, environments };

constexpr int k_steepest = 10; ///< heights that differ by more are alike
constexpr int k_slope = 3;
constexpr std::array<std::size_t, 4> k_patterns{(2 * k_slope + 1) * (2 * k_steepest + 1) * (2 * k_slope + 1),
                                                256, 9 * 15 * 9, 256};

std::size_t bounded(int value, int most) {
    return static_cast<std::size_t>(std::clamp(value, -most, most) + most);
}

int brightness_of(std::uint32_t colour) {
    return static_cast<int>((colour & 0xFF) + (colour >> 8 & 0xFF) + (colour >> 16 & 0xFF));
}

/// 0 to 7, with a sign: a little more than nothing counts, twice as much hardly.
int step_of(int difference) {
    constexpr std::array k_limits{0, 2, 5, 10, 20, 40, 80};
    const auto at = std::ranges::lower_bound(k_limits, std::abs(difference));
    const auto step = static_cast<int>(at - k_limits.begin());
    return difference < 0 ? -step : step;
}

/// The same numbers on every machine.
class Picks {
public:
    explicit Picks(std::size_t count) : count_(count) {}
    std::size_t next() { return static_cast<std::size_t>(random_() % count_); }

private:
    std::mt19937_64 random_{1};
    std::size_t count_;
};

double log_ratio(std::uint32_t seen, std::uint32_t before, std::uint32_t behind) {
    constexpr double k_few_cells = 8;
    return std::log((seen + k_few_cells / 2) / ((before + behind) / 2.0 + k_few_cells / 2));
}

} // namespace

struct EdgeFit::Border {
    const ChunkEdges& a;
    const ChunkEdges& b;
    std::array<int, 4> depths; ///< two of `a`, two of `b`
    Axis axis;

    /// The place of column `i` along the border in a list of columns.
    [[nodiscard]] std::size_t at(std::size_t depth, int i) const {
        return static_cast<std::size_t>(axis == Axis::along_x ? i * k_side + depths[depth]
                                                              : depths[depth] * k_side + i);
    }
    template <typename Values>
    [[nodiscard]] std::array<std::int64_t, 4> row(Values ChunkEdges::* values, int i) const {
        return {(a.*values)[at(0, i)], (a.*values)[at(1, i)], (b.*values)[at(2, i)], (b.*values)[at(3, i)]};
    }
};

/// What can be seen at one column of a border, as a number: which of the cells around are equal, or by how
/// much they differ.
std::size_t EdgeFit::pattern(std::size_t line, const Border& border, int i) {
    const auto alike = [&](auto values) {
        const auto here = border.row(values, i);
        const auto beside = border.row(values, std::max(i - 1, 0));
        const std::array<bool, 8> same{here[0] == here[1],     here[1] == here[2],    here[2] == here[3],
                                       here[1] == beside[1],   here[2] == beside[2],  beside[1] == beside[2],
                                       beside[0] == beside[1], beside[2] == beside[3]};
        std::size_t bits = 0;
        for (std::size_t bit = 0; bit < same.size(); ++bit) bits |= std::size_t{same[bit]} << bit;
        return bits;
    };
    switch (line) {
    case Line::heights: {
        const auto row = border.row(&ChunkEdges::heights, i);
        const auto step = [&](std::size_t at) { return static_cast<int>(row[at + 1] - row[at]); };
        return (bounded(step(0), k_slope) * (2 * k_steepest + 1) + bounded(step(1), k_steepest))
                   * (2 * k_slope + 1)
               + bounded(step(2), k_slope);
    }
    case Line::tints: return alike(&ChunkEdges::tints);
    case Line::brightness: {
        const auto row = border.row(&ChunkEdges::tints, i);
        const auto step = [&](std::size_t at) {
            return step_of(brightness_of(static_cast<std::uint32_t>(row[at + 1]))
                           - brightness_of(static_cast<std::uint32_t>(row[at])));
        };
        return (bounded(step(0), 4) * 15 + bounded(step(1), 7)) * 9 + bounded(step(2), 4);
    }
    default: return alike(&ChunkEdges::environments);
    }
}

EdgeFit::EdgeFit(std::span<const ChunkEdges* const> chunks) {
    learn_patterns(chunks);
    learn_weights(chunks);
}

/// How often each pattern is there where planes belong together, and where they do not.
void EdgeFit::learn_patterns(std::span<const ChunkEdges* const> chunks) {
    for (std::size_t line = 0; line < k_lines; ++line) {
        std::vector<double> together(k_patterns[line], 0.5);
        std::vector<double> apart(k_patterns[line], 0.5);
        Picks picks(chunks.size());
        for (const auto axis : {Axis::along_x, Axis::along_z}) {
            for (const auto* chunk : chunks)
                for (int depth = 1; depth + 3 < k_side; depth += 3)
                    for (int i = 0; i < k_side; ++i)
                        ++together[pattern(
                            line, {*chunk, *chunk, {depth, depth + 1, depth + 2, depth + 3}, axis}, i)];
            for (std::size_t pair = 0; pair < chunks.size() * 10; ++pair) {
                const auto a = picks.next();
                const auto b = picks.next();
                if (a == b) continue;
                for (int i = 0; i < k_side; ++i)
                    ++apart[pattern(line, {*chunks[a], *chunks[b], {30, 31, 0, 1}, axis}, i)];
            }
        }
        double all_together = 0;
        double all_apart = 0;
        for (std::size_t i = 0; i < together.size(); ++i) {
            all_together += together[i];
            all_apart += apart[i];
        }
        evidence_[line].resize(together.size());
        for (std::size_t i = 0; i < together.size(); ++i)
            evidence_[line][i] =
                static_cast<float>(std::log(together[i] / all_together) - std::log(apart[i] / all_apart));
    }
}

EdgeFit::Features EdgeFit::features(const Border& border, const PlaneDifference& seen,
                                    const PlaneDifference& before, const PlaneDifference& behind) const {
    Features found{};
    for (std::size_t line = 0; line < k_lines; ++line)
        for (int i = 0; i < k_side; ++i) found[line] += evidence_[line][pattern(line, border, i)];
    found[k_lines] = log_ratio(seen.open, before.open, behind.open);
    found[k_lines + 1] = log_ratio(seen.solid, before.solid, behind.solid);
    found.back() = 1;
    return found;
}

EdgeFit::Features EdgeFit::across(const ChunkEdges& a, const ChunkEdges& b, Axis axis) const {
    return features({a, b, {30, 31, 0, 1}, axis}, difference(a.last[axis], b.first[axis]),
                    a.inside[axis][ChunkEdges::high], b.inside[axis][ChunkEdges::low]);
}

EdgeFit::Features EdgeFit::inside(const ChunkEdges& chunk, Axis axis) const {
    const auto& seams = chunk.inside[axis];
    return features({chunk, chunk, {14, 15, 16, 17}, axis}, seams[ChunkEdges::middle],
                    seams[ChunkEdges::before_middle], seams[ChunkEdges::behind_middle]);
}

/// What one feature counts beside the others: logistic regression by Newton's method, with a penalty that
/// keeps weights small where few chunks could be told apart by anything.
void EdgeFit::learn_weights(std::span<const ChunkEdges* const> chunks) {
    constexpr int k_wrong = 10; // pairs that do not belong together, for each that does
    constexpr double k_penalty = 0.001;
    std::vector<Features> seen;
    std::vector<bool> together;
    Picks picks(chunks.size());
    for (const auto* chunk : chunks)
        for (const auto axis : {Axis::along_x, Axis::along_z}) {
            seen.push_back(inside(*chunk, axis));
            together.push_back(true);
            for (int i = 0; i < k_wrong; ++i) {
                const auto* other = chunks[picks.next()];
                if (other == chunk) continue;
                seen.push_back(across(*chunk, *other, axis));
                together.push_back(false);
            }
        }
    Features scale{};
    for (const auto& features : seen)
        for (std::size_t f = 0; f < k_features; ++f) scale[f] += features[f] * features[f];
    for (auto& value : scale) value = std::sqrt(value / static_cast<double>(seen.size())) + 1e-9;

    for (int round = 0; round < 60; ++round) {
        std::array<std::array<double, k_features + 1>, k_features> system{};
        for (std::size_t n = 0; n < seen.size(); ++n) {
            Features x{};
            double sum = 0;
            for (std::size_t f = 0; f < k_features; ++f) {
                x[f] = seen[n][f] / scale[f];
                sum += weights_[f] * x[f];
            }
            const double chance = 1 / (1 + std::exp(-sum));
            for (std::size_t f = 0; f < k_features; ++f) {
                for (std::size_t g = 0; g < k_features; ++g)
                    system[f][g] += chance * (1 - chance) * x[f] * x[g];
                system[f].back() += ((together[n] ? 1 : 0) - chance) * x[f];
            }
        }
        for (std::size_t f = 0; f < k_features; ++f) {
            system[f][f] += k_penalty;
            system[f].back() -= k_penalty * weights_[f];
        }
        for (std::size_t f = 0; f < k_features; ++f) // elimination; the penalty keeps the diagonal above 0
            for (std::size_t below = f + 1; below < k_features; ++below) {
                const double factor = system[below][f] / system[f][f];
                for (std::size_t g = f; g <= k_features; ++g) system[below][g] -= factor * system[f][g];
            }
        for (std::size_t f = k_features; f-- > 0;) {
            double step = system[f].back();
            for (std::size_t g = f + 1; g < k_features; ++g) step -= system[f][g] * system[g].back();
            system[f].back() = step / system[f][f];
        }
        double longest = 1; // if nothing tells the kinds apart, or everything does, steps may be wild
        for (const auto& row : system) longest = std::max(longest, std::abs(row.back()));
        for (std::size_t f = 0; f < k_features; ++f) weights_[f] += system[f].back() / longest;
    }
    for (std::size_t f = 0; f < k_features; ++f) weights_[f] /= scale[f];
    weights_.back() += std::log(static_cast<double>(k_wrong)); // as if both kinds had been as frequent
}

double EdgeFit::score(const ChunkEdges& a, const ChunkEdges& b, Axis axis) const {
    const auto found = across(a, b, axis);
    double sum = 0;
    for (std::size_t f = 0; f < k_features; ++f) sum += weights_[f] * found[f];
    return sum;
}

} // namespace orbis::jobs

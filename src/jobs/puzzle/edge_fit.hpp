#pragma once

#include "jobs/puzzle/chunk_edges.hpp"

#include <span>

namespace orbis::jobs {

/// How well the side of one chunk goes on in another, learnt from the chunks themselves: inside each it
/// can be seen how planes that belong together differ, and the sides of any two tell how those do that do not
/// (docs/design/puzzle.md).
class EdgeFit {
public:
    /// Fewer chunks than this teach nothing.
    static constexpr std::size_t k_least_chunks = 12;

    explicit EdgeFit(std::span<const ChunkEdges* const> chunks);

    /// The logarithm of how much more likely the border looks like this if `b` follows `a` on this
    /// axis than if both are any two chunks.
    [[nodiscard]] double score(const ChunkEdges& a, const ChunkEdges& b, ChunkEdges::Axis axis) const;

private:
    static constexpr std::size_t k_lines = 4;
    static constexpr std::size_t k_features = k_lines + 2 + 1; ///< with planes, and one that is always 1
    using Features = std::array<double, k_features>;
    /// Where two planes meet: the columns on both sides, the outer ones first and last.
    struct Border;

    static std::size_t pattern(std::size_t line, const Border& border, int i);
    void learn_patterns(std::span<const ChunkEdges* const> chunks);
    void learn_weights(std::span<const ChunkEdges* const> chunks);
    [[nodiscard]] Features features(const Border& border, const PlaneDifference& seen,
                                    const PlaneDifference& before, const PlaneDifference& behind) const;
    [[nodiscard]] Features across(const ChunkEdges& a, const ChunkEdges& b, ChunkEdges::Axis axis) const;
    [[nodiscard]] Features inside(const ChunkEdges& chunk, ChunkEdges::Axis axis) const;

    std::array<std::vector<float>, k_lines> evidence_; ///< of each pattern
    Features weights_{};
};

} // namespace orbis::jobs

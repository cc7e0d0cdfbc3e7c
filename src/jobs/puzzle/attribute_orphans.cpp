#include "jobs/puzzle/attribute_orphans.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace orbis::jobs {

namespace {

/// Less than this in common is chance: with 3 of them 6 of 1,917 real chunks would be taken for another one.
constexpr std::size_t k_least_matching = 5;
/// A chunk that fits this much better than the next is taken for the owner.
constexpr double k_clearly = 1.5;
/// Scores are sums of logarithms: equal ones may differ in the last digits.
constexpr double k_equal = 1e-9;

/// How well a chunk fits: each feature in common counts the more, the fewer chunks have it.
struct Fit {
    double score = 0;
    std::size_t matching = 0;
};

class FeatureComparison {
public:
    explicit FeatureComparison(std::span<const KnownChunk> known) : known_(known) {
        for (std::size_t feature = 0; feature < ChunkFeatures::k_features; ++feature)
            for (const auto& chunk : known) ++frequency_[feature][chunk.print.features[feature]];
    }

    void attribute(Orphan& orphan, const ChunkFeatures& print) const {
        orphan.telling = print.telling.count();
        if (orphan.telling == 0) {
            attribute_plain(orphan, print);
            return;
        }
        std::map<ChunkPos, Fit> fits; // of a chunk with several known versions the best
        for (const auto& chunk : known_) {
            const auto fit = compare(print, chunk.print);
            auto& best = fits[chunk.chunk];
            if (fit.score > best.score) best = fit;
        }
        Fit best;
        for (const auto& [pos, fit] : fits)
            if (fit.score > best.score) best = fit;
        if (best.matching == 0) return;
        double next = 0;
        for (const auto& [pos, fit] : fits) {
            if (fit.score >= best.score - k_equal)
                orphan.candidates.push_back(pos);
            else
                next = std::max(next, fit.score);
        }
        orphan.basis = Orphan::Basis::similarity;
        orphan.matching = best.matching;
        if (orphan.candidates.size() > 1) return;
        const bool clear = best.matching >= k_least_matching && best.matching * 4 >= orphan.telling
                           && best.score >= next * k_clearly;
        orphan.sureness = clear ? Orphan::Sureness::likely : Orphan::Sureness::guess;
        settle(orphan);
    }

private:
    static void settle(Orphan& orphan) {
        orphan.chunk = orphan.candidates.front();
        orphan.candidates.clear();
    }

    /// A chunk that is the same in all its columns, as in void and flat worlds: those that are quite alike
    /// are as good as each other, and a chunk that is not there any more would be as good as they are.
    void attribute_plain(Orphan& orphan, const ChunkFeatures& print) const {
        for (const auto& chunk : known_)
            if (chunk.print == print) orphan.candidates.push_back(chunk.chunk);
        std::ranges::sort(orphan.candidates);
        orphan.candidates.erase(std::ranges::unique(orphan.candidates).begin(), orphan.candidates.end());
        if (orphan.candidates.empty()) return;
        orphan.basis = Orphan::Basis::similarity;
        if (orphan.candidates.size() > 1) return;
        orphan.sureness = Orphan::Sureness::guess;
        settle(orphan);
    }

    [[nodiscard]] Fit compare(const ChunkFeatures& orphan, const ChunkFeatures& chunk) const {
        Fit fit;
        const auto all = static_cast<double>(known_.size() + 1);
        for (std::size_t feature = 0; feature < ChunkFeatures::k_features; ++feature) {
            const auto value = orphan.features[feature];
            if (!orphan.telling[feature] || !chunk.telling[feature] || chunk.features[feature] != value)
                continue;
            fit.score += std::log2(all / static_cast<double>(frequency_[feature].at(value)));
            ++fit.matching;
        }
        return fit;
    }

    std::span<const KnownChunk> known_;
    std::array<std::unordered_map<std::uint64_t, std::size_t>, ChunkFeatures::k_features> frequency_;
};

} // namespace

void attribute_by_similarity(std::span<Orphan> orphans, std::span<const ChunkFeatures> prints,
                             const RegionKnowledge& knowledge) {
    const FeatureComparison comparison(knowledge.known);
    for (std::size_t i = 0; i < orphans.size(); ++i)
        if (!orphans[i].chunk) comparison.attribute(orphans[i], prints[i]);
}

void attribute_by_elimination(std::span<Orphan> orphans, const RegionKnowledge& knowledge) {
    std::vector<ChunkPos> left = knowledge.unreadable.empty() ? knowledge.empty : knowledge.unreadable;
    std::erase_if(left, [&](ChunkPos pos) {
        return std::ranges::any_of(orphans, [pos](const Orphan& orphan) { return orphan.chunk == pos; });
    });
    if (left.size() != 1) return;
    for (auto& orphan : orphans) {
        if (orphan.chunk || !orphan.candidates.empty()) continue;
        orphan.chunk = left.front();
        orphan.basis = Orphan::Basis::elimination;
        orphan.sureness = Orphan::Sureness::guess;
    }
}

} // namespace orbis::jobs

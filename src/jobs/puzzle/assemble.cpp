#include "jobs/puzzle/assemble.hpp"

#include "jobs/puzzle/edge_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace orbis::jobs {

namespace {

/// A piece is put down when all else together is this much less likely.
constexpr double k_sure = 0.999;
/// In the end, with all its neighbours around it, a piece must fit so much better than any other: e to the
/// power of this.
constexpr double k_clearly_better = 5;
/// Sides of which this is said do not belong together, whatever else fits.
constexpr double k_mismatch = -4;
/// Places that are looked at together where one alone is not sure.
constexpr std::size_t k_together = 7;
/// How many ways to fill them are followed at once, and how many pieces are tried for each place.
constexpr std::size_t k_ways = 300;
constexpr std::size_t k_tried = 24;

constexpr std::array<ChunkPos, 4> k_around{ChunkPos{1, 0}, ChunkPos{0, 1}, ChunkPos{-1, 0}, ChunkPos{0, -1}};
constexpr std::size_t k_nothing = static_cast<std::size_t>(-1);

ChunkPos beside(ChunkPos pos, std::size_t direction) {
    return {pos.x + k_around[direction].x, pos.z + k_around[direction].z};
}

std::size_t opposite(std::size_t direction) { return (direction + 2) % k_around.size(); }

int distance(ChunkPos a, ChunkPos b) { return std::max(std::abs(a.x - b.x), std::abs(a.z - b.z)); }

class Assembler {
public:
    Assembler(std::span<const PuzzlePiece> pieces, const std::vector<ChunkPos>& open)
        : pieces_(pieces), fit_(all_edges(pieces)) {
        for (std::size_t i = 0; i < pieces.size(); ++i)
            if (pieces[i].place)
                placed_.emplace(*pieces[i].place, i);
            else
                loose_.push_back(i);
        for (const auto pos : open)
            if (!placed_.contains(pos)) open_.emplace(pos, OpenPosition{});
    }

    Assembly run() {
        for (const auto& [pos, piece] : placed_) tell_neighbours(pos, piece);
        while (!loose_.empty()) {
            if (const auto next = surest())
                put_down(*next);
            else if (!look_ahead())
                break;
        }
        review();
        for (const auto piece : loose_)
            if (const auto best = best_place(piece)) found_.likely.push_back(*best);
        std::ranges::sort(found_.likely, std::greater{}, &PuzzleAnswer::chance);
        return std::move(found_);
    }

private:
    using Scores = std::vector<float>; ///< of all pieces

    struct OpenPosition {
        int neighbours = 0;
        Scores scores{};       ///< sums over its neighbours
        bool is_stuck = false; ///< nothing was found here with what is around
    };

    /// One way to fill some places.
    struct Way {
        double score = 0;
        std::array<std::size_t, k_together> pieces{};
    };

    static std::vector<const ChunkEdges*> all_edges(std::span<const PuzzlePiece> pieces) {
        std::vector<const ChunkEdges*> all;
        for (const auto& piece : pieces) all.push_back(piece.edges);
        return all;
    }

    /// How well each loose piece fits beside this one.
    const Scores& fits_beside(std::size_t piece, std::size_t direction) {
        auto& scores = fits_[{piece, direction}];
        if (!scores.empty()) return scores;
        scores.assign(pieces_.size(), 0);
        const auto axis = k_around[direction].x != 0 ? ChunkEdges::along_x : ChunkEdges::along_z;
        const auto& here = *pieces_[piece].edges;
        for (const auto loose : loose_) {
            const auto& there = *pieces_[loose].edges;
            scores[loose] = static_cast<float>(direction < 2 ? fit_.score(here, there, axis)
                                                             : fit_.score(there, here, axis));
        }
        return scores;
    }

    static void add(Scores& to, const Scores& more) {
        if (to.empty()) to.assign(more.size(), 0);
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
    }

    void tell_neighbours(ChunkPos pos, std::size_t piece) {
        for (std::size_t direction = 0; direction < k_around.size(); ++direction) {
            const auto found = open_.find(beside(pos, direction));
            if (found == open_.end()) continue;
            ++found->second.neighbours;
            add(found->second.scores, fits_beside(piece, direction));
        }
        for (std::size_t direction = 0; direction < k_around.size(); ++direction)
            fits_.erase({piece, direction});
    }

    void put_down(const PuzzleAnswer& answer) {
        found_.sure.push_back(answer);
        std::erase(loose_, answer.piece);
        open_.erase(answer.place);
        placed_.emplace(answer.place, answer.piece);
        tell_neighbours(answer.place, answer.piece);
        for (auto& [pos, place] : open_)
            if (distance(pos, answer.place) <= 3) place.is_stuck = false;
    }

    /// What it counts for that a place has none of the pieces: as much as for all of them together before
    /// anything is compared.
    [[nodiscard]] double none() const { return std::log(static_cast<double>(loose_.size())); }

    /// How likely it is that `piece` belongs to this place and no other does.
    [[nodiscard]] double chance_among_pieces(const OpenPosition& place, std::size_t piece) const {
        const double best = place.scores[piece];
        double others = std::exp(std::min(none() - best, 50.0));
        for (const auto other : loose_)
            if (other != piece && pieces_[other].content != pieces_[piece].content)
                others += std::exp(std::min(place.scores[other] - best, 50.0));
        return 1 / (1 + others);
    }

    /// How likely it is that a piece belongs where it has this score and to no other place.
    [[nodiscard]] double chance_among_places(ChunkPos here, std::size_t piece, double score) const {
        double others = 0;
        for (const auto& [pos, other] : open_)
            if (pos != here && other.neighbours > 0)
                others += std::exp(std::min(other.scores[piece] - score, 50.0));
        return 1 / (1 + others);
    }

    [[nodiscard]] std::optional<PuzzleAnswer> surest() const {
        std::optional<PuzzleAnswer> surest;
        for (const auto& [pos, place] : open_) {
            if (place.neighbours == 0) continue;
            const auto piece = *std::ranges::max_element(
                loose_, {}, [&](std::size_t candidate) { return place.scores[candidate]; });
            const auto first = chance_among_pieces(place, piece);
            if (first < k_sure || (surest && first <= surest->chance)) continue;
            const auto chance = first * chance_among_places(pos, piece, place.scores[piece]);
            if (chance >= k_sure && (!surest || chance > surest->chance)) surest = {piece, pos, chance};
        }
        return surest;
    }

    /// Fills several places at once: a piece that one neighbour alone does not tell may be told by four
    /// pieces that close a ring. False if that makes nothing sure.
    bool look_ahead() {
        for (auto& [pos, place] : open_) {
            if (place.neighbours == 0 || place.is_stuck) continue;
            place.is_stuck = true;
            const auto answers = fill(places_around(pos));
            if (answers.empty()) continue;
            for (const auto& answer : answers) put_down(answer);
            return true;
        }
        return false;
    }

    /// This place and open ones around it, in an order in which each has as many neighbours as possible.
    [[nodiscard]] std::vector<ChunkPos> places_around(ChunkPos first) const {
        std::vector<ChunkPos> chosen{first};
        while (chosen.size() < k_together) {
            std::optional<ChunkPos> best;
            int most = -1;
            for (const auto& [pos, place] : open_) {
                if (distance(pos, first) > 2 || std::ranges::find(chosen, pos) != chosen.end()) continue;
                int known = place.neighbours;
                for (std::size_t direction = 0; direction < k_around.size(); ++direction)
                    if (std::ranges::find(chosen, beside(pos, direction)) != chosen.end()) ++known;
                const int value = known * 4 - distance(pos, first);
                if (known > 0 && value > most) {
                    most = value;
                    best = pos;
                }
            }
            if (!best) break;
            chosen.push_back(*best);
        }
        return chosen;
    }

    /// Follows the best ways to fill these places, and tells what nearly all of them have in common.
    std::vector<PuzzleAnswer> fill(const std::vector<ChunkPos>& places) {
        std::vector<Way> ways(1);
        double dropped = 0; // the weight of ways that were not followed
        for (std::size_t at = 0; at < places.size(); ++at) {
            std::vector<Way> next;
            for (const auto& way : ways) extend(way, places, at, next);
            std::ranges::sort(next, std::greater{}, &Way::score);
            const auto best = next.front().score;
            for (std::size_t i = k_ways; i < next.size(); ++i) dropped += std::exp(next[i].score - best);
            if (next.size() > k_ways) next.resize(k_ways);
            ways = std::move(next);
        }
        double all = dropped;
        for (const auto& way : ways) all += std::exp(way.score - ways.front().score);
        std::vector<PuzzleAnswer> answers;
        for (std::size_t at = 0; at < places.size(); ++at) {
            const auto piece = ways.front().pieces[at];
            if (piece == k_nothing) continue;
            double with = 0;
            for (const auto& way : ways)
                if (way.pieces[at] == piece) with += std::exp(way.score - ways.front().score);
            if (with / all < k_sure) continue;
            const auto score = score_in(ways.front(), places, at);
            const auto chance = with / all * chance_among_places(places[at], piece, score);
            if (chance >= k_sure) answers.push_back({piece, places[at], chance});
        }
        return answers;
    }

    /// The sum of what the neighbours of a place say about all pieces, those included that a way puts there.
    Scores scores_at(const Way& way, const std::vector<ChunkPos>& places, std::size_t at,
                     std::size_t filled) {
        const auto& place = open_.at(places[at]);
        auto scores = place.neighbours > 0 ? place.scores : Scores(pieces_.size(), 0);
        for (std::size_t direction = 0; direction < k_around.size(); ++direction) {
            const auto other = std::ranges::find(places, beside(places[at], direction)) - places.begin();
            const auto index = static_cast<std::size_t>(other);
            if (index >= filled || index == at || way.pieces[index] == k_nothing) continue;
            add(scores, fits_beside(way.pieces[index], opposite(direction)));
        }
        return scores;
    }

    double score_in(const Way& way, const std::vector<ChunkPos>& places, std::size_t at) {
        return scores_at(way, places, at, places.size())[way.pieces[at]];
    }

    /// Adds the best pieces for a place to a way.
    void extend(const Way& way, const std::vector<ChunkPos>& places, std::size_t at, std::vector<Way>& to) {
        const auto scores = scores_at(way, places, at, at);
        std::vector<std::size_t> tried;
        for (const auto piece : loose_) {
            const bool is_used =
                std::any_of(way.pieces.begin(), way.pieces.begin() + static_cast<std::ptrdiff_t>(at),
                            [&](std::size_t used) { return used == piece; });
            if (!is_used) tried.push_back(piece);
        }
        const auto count = std::min(k_tried, tried.size());
        std::ranges::partial_sort(tried, tried.begin() + static_cast<std::ptrdiff_t>(count), std::greater{},
                                  [&](std::size_t piece) { return scores[piece]; });
        tried.resize(count);
        std::set<std::uint64_t> contents; // of equal chunks one is enough
        for (const auto piece : tried) {
            if (!contents.insert(pieces_[piece].content).second) continue;
            auto& made = to.emplace_back(way);
            made.pieces[at] = piece;
            made.score += scores[piece] - none();
        }
        auto& without = to.emplace_back(way);
        without.pieces[at] = k_nothing;
    }

    /// How well a piece would fit into a place among those that are around it now.
    struct Fit {
        int neighbours = 0;
        double sum = 0;
        double worst = 0;
    };

    [[nodiscard]] Fit fit_at(ChunkPos pos, std::size_t piece) const {
        Fit fit;
        for (std::size_t direction = 0; direction < k_around.size(); ++direction) {
            const auto other = placed_.find(beside(pos, direction));
            if (other == placed_.end() || other->second == piece) continue;
            const auto& here = *pieces_[piece].edges;
            const auto& there = *pieces_[other->second].edges;
            const auto axis = k_around[direction].x != 0 ? ChunkEdges::along_x : ChunkEdges::along_z;
            const auto score = direction < 2 ? fit_.score(here, there, axis) : fit_.score(there, here, axis);
            fit.worst = fit.neighbours == 0 ? score : std::min(fit.worst, score);
            fit.sum += score;
            ++fit.neighbours;
        }
        return fit;
    }

    /// How sure a piece is now that everything is there: by how much it fits better than any other would,
    /// or than none. Less than nothing if one of its sides fits not at all.
    [[nodiscard]] double certainty(const PuzzleAnswer& answer) const {
        const auto own = fit_at(answer.place, answer.piece);
        if (own.neighbours == 0) return -1e9;
        double least = own.sum - std::log(static_cast<double>(found_.sure.size() + loose_.size()));
        for (std::size_t other = 0; other < pieces_.size(); ++other)
            if (other != answer.piece && !pieces_[other].place
                && pieces_[other].content != pieces_[answer.piece].content)
                least = std::min(least, own.sum - fit_at(answer.place, other).sum);
        return own.worst < k_mismatch ? std::min(least, own.worst) : least;
    }

    /// Takes up again what is not sure beyond doubt now that everything around it is there, and what hangs
    /// together with the known pieces through such ones only.
    void review() {
        std::map<ChunkPos, PuzzleAnswer> laid;
        for (const auto& answer : found_.sure)
            if (certainty(answer) >= k_clearly_better) laid.emplace(answer.place, answer);
        for (const auto pos : not_connected(laid)) laid.erase(pos);
        for (const auto& answer : found_.sure) {
            if (laid.contains(answer.place)) continue;
            loose_.push_back(answer.piece);
            placed_.erase(answer.place);
            open_.emplace(answer.place, OpenPosition{});
        }
        found_.sure.clear();
        for (const auto& [pos, answer] : laid) found_.sure.push_back(answer);
        for (auto& [pos, place] : open_) place = {};
        fits_.clear();
        for (const auto& [pos, piece] : placed_) tell_neighbours(pos, piece);
    }

    [[nodiscard]] std::vector<ChunkPos> not_connected(const std::map<ChunkPos, PuzzleAnswer>& laid) const {
        std::set<ChunkPos> reached;
        std::vector<ChunkPos> waiting;
        for (const auto& [pos, piece] : placed_)
            if (pieces_[piece].place) waiting.push_back(pos);
        while (!waiting.empty()) {
            const auto pos = waiting.back();
            waiting.pop_back();
            for (std::size_t direction = 0; direction < k_around.size(); ++direction) {
                const auto next = beside(pos, direction);
                if (laid.contains(next) && reached.insert(next).second) waiting.push_back(next);
            }
        }
        std::vector<ChunkPos> adrift;
        for (const auto& [pos, answer] : laid)
            if (!reached.contains(pos)) adrift.push_back(pos);
        return adrift;
    }

    [[nodiscard]] std::optional<PuzzleAnswer> best_place(std::size_t piece) const {
        std::optional<PuzzleAnswer> best;
        for (const auto& [pos, place] : open_) {
            if (place.neighbours == 0) continue;
            const auto chance =
                chance_among_pieces(place, piece) * chance_among_places(pos, piece, place.scores[piece]);
            if (!best || chance > best->chance) best = {piece, pos, chance};
        }
        return best;
    }

    std::span<const PuzzlePiece> pieces_;
    EdgeFit fit_;
    std::map<ChunkPos, std::size_t> placed_;
    std::map<ChunkPos, OpenPosition> open_;
    std::vector<std::size_t> loose_;
    std::map<std::pair<std::size_t, std::size_t>, Scores> fits_; ///< by piece and direction
    Assembly found_;
};

} // namespace

Assembly assemble(std::span<const PuzzlePiece> pieces, const std::vector<ChunkPos>& open) {
    if (pieces.size() < EdgeFit::k_least_chunks) return {};
    return Assembler(pieces, open).run();
}

} // namespace orbis::jobs

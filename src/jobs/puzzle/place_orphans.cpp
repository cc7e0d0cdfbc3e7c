#include "jobs/puzzle/place_orphans.hpp"

#include "jobs/puzzle/table.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace orbis::jobs {

namespace {

using Basis = Orphan::Basis;
using Sureness = Orphan::Sureness;

/// Versions of one chunk have at least this many features in common, and a quarter of those that tell.
constexpr std::size_t k_least_alike = 5;

bool are_versions_of_one(const ChunkFeatures& a, const ChunkFeatures& b) {
    std::size_t alike = 0;
    for (std::size_t feature = 0; feature < ChunkFeatures::k_features; ++feature)
        if (a.telling[feature] && b.telling[feature] && a.features[feature] == b.features[feature]) ++alike;
    return alike >= k_least_alike && alike * 4 >= std::max(a.telling.count(), b.telling.count());
}

std::uint64_t content_of(const Orphan& orphan) {
    std::uint64_t number = 0;
    std::memcpy(&number, orphan.digest.data(), sizeof number);
    return number;
}

class OrphanPuzzle {
public:
    OrphanPuzzle(const storage::RegionFiles& files, const storage::Region& region, std::span<Orphan> orphans,
                 std::span<const ChunkFeatures> prints, const RegionKnowledge& knowledge)
        : files_(files), region_(region), orphans_(orphans), prints_(prints), knowledge_(knowledge) {}

    void run() {
        find_open_places();
        find_families();
        if (open_.empty() || families_.empty()) return;
        add_loose();
        add_known_orphans();
        table_.add_chunks_in_use(region_, lacking_);
        table_.add_chunks_around(files_, region_.position());
        const auto found = assemble(table_.pieces(), open_);
        for (const auto& answer : found.sure) attribute(answer, Sureness::likely);
        for (const auto& answer : found.likely) attribute(answer, Sureness::open);
    }

private:
    static bool is_known(const Orphan& orphan) {
        return orphan.chunk && orphan.sound() && orphan.sureness <= Sureness::likely;
    }

    /// Places of this region that no chunk has and that no orphan is known to belong to.
    void find_open_places() {
        std::set<ChunkPos> taken;
        for (const auto& orphan : orphans_)
            if (is_known(orphan)) taken.insert(*orphan.chunk);
        for (const auto& places : {knowledge_.empty, knowledge_.unreadable})
            for (const auto pos : places)
                if (!taken.contains(pos)) open_.push_back(pos);
        lacking_.insert(knowledge_.empty.begin(), knowledge_.empty.end());
        lacking_.insert(knowledge_.unreadable.begin(), knowledge_.unreadable.end());
    }

    /// Older and newer versions of a chunk would fit into the same place: only one of them takes part.
    void find_families() {
        std::vector<std::size_t> loose;
        for (std::size_t i = 0; i < orphans_.size(); ++i)
            if (!is_known(orphans_[i]) && orphans_[i].sound()) loose.push_back(i);
        for (const auto i : loose) {
            const auto family = std::ranges::find_if(families_, [&](const std::vector<std::size_t>& members) {
                return are_versions_of_one(prints_[members.front()], prints_[i]);
            });
            if (family == families_.end())
                families_.push_back({i});
            else
                family->push_back(i);
        }
        for (auto& family : families_)
            std::ranges::sort(
                family, [&](std::size_t a, std::size_t b) { return is_newer(orphans_[a], orphans_[b]); });
    }

    /// By game time; where that tells nothing, what comes later in the file counts as newer.
    static bool is_newer(const Orphan& a, const Orphan& b) {
        if (a.game_time != b.game_time) {
            if (a.game_time.empty() || b.game_time.empty()) return b.game_time.empty();
            return is_earlier(b.game_time, a.game_time);
        }
        return a.first_segment > b.first_segment;
    }

    void add_loose() {
        for (const auto& family : families_) {
            const auto& orphan = orphans_[family.front()];
            if (!read(orphan)) continue;
            family_of_.emplace(table_.pieces().size(), &family);
            table_.add(chunk_, std::nullopt, content_of(orphan));
        }
    }

    void add_known_orphans() {
        std::set<ChunkPos> owners;
        for (const auto& orphan : orphans_)
            if (is_known(orphan) && lacking_.contains(*orphan.chunk)) owners.insert(*orphan.chunk);
        for (const auto owner : owners)
            if (const auto* newest = newest_orphan_of(orphans_, owner); newest != nullptr && read(*newest))
                table_.add(chunk_, owner, content_of(*newest));
    }

    bool read(const Orphan& orphan) {
        const auto view = region_.file().view(orphan.offset + 8, orphan.frame_size);
        if (!view) return false;
        const auto document =
            context_.decompressor.decompress(view->bytes(), orphan.raw_size, storage::k_largest_document);
        return document && chunk_.read(*document, k_edge_parts);
    }

    void attribute(const PuzzleAnswer& answer, Sureness sureness) {
        const auto family = family_of_.find(answer.piece);
        if (family == family_of_.end()) return;
        for (const auto i : *family->second) {
            auto& orphan = orphans_[i];
            if (sureness == Sureness::open && orphan.chunk) continue; // an earlier guess is as good
            orphan.basis = Basis::neighbours;
            orphan.sureness = sureness;
            orphan.chance = answer.chance;
            orphan.candidates.clear();
            if (sureness == Sureness::open)
                orphan.candidates.push_back(answer.place);
            else
                orphan.chunk = answer.place;
        }
    }

    const storage::RegionFiles& files_;
    const storage::Region& region_;
    std::span<Orphan> orphans_;
    std::span<const ChunkFeatures> prints_;
    const RegionKnowledge& knowledge_;
    std::set<ChunkPos> lacking_; ///< places without a chunk that can be read
    std::vector<ChunkPos> open_;
    std::vector<std::vector<std::size_t>> families_; ///< orphans, the newest of each first
    PuzzleTable table_;
    std::map<std::size_t, const std::vector<std::size_t>*> family_of_; ///< by piece
    storage::ReadContext context_;
    chunk::Chunk chunk_;
};

} // namespace

void attribute_by_neighbours(const storage::RegionFiles& files, const storage::Region& region,
                             std::span<Orphan> orphans, std::span<const ChunkFeatures> prints,
                             const RegionKnowledge& knowledge) {
    OrphanPuzzle(files, region, orphans, prints, knowledge).run();
}

} // namespace orbis::jobs

#include "jobs/puzzle/attribute_orphans.hpp"
#include "jobs/puzzle/table.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <set>

namespace orbis::jobs {

namespace {

/// Fingerprints of all chunks of a real region file.
std::vector<KnownChunk> known_chunks(const std::filesystem::path& path) {
    std::vector<KnownChunk> known;
    const auto store = storage::open_single_region(path, {}).value();
    storage::ReadContext context;
    const auto cursor = store->chunks();
    for (auto next = cursor->next(); next && *next; next = cursor->next()) {
        const auto document = store->read(**next, context).value();
        const auto chunk = chunk::Chunk::decode(*document, k_feature_parts).value();
        known.push_back({**next, chunk_features(chunk)});
    }
    return known;
}

TEST(AttributeOrphans, RealChunksAreNeverTakenForAnother) {
    std::size_t chunks = 0;
    std::size_t own = 0;
    std::size_t wrong = 0;
    for (const auto& path : test::real_region_files()) {
        RegionKnowledge knowledge{known_chunks(path), {}, {}};
        chunks += knowledge.known.size();
        std::vector<Orphan> orphans(knowledge.known.size());
        std::vector<ChunkFeatures> prints;
        for (const auto& known : knowledge.known) prints.push_back(known.print);
        attribute_by_similarity(orphans, prints, knowledge);
        for (std::size_t i = 0; i < orphans.size(); ++i)
            if (orphans[i].sureness == Orphan::Sureness::likely) {
                EXPECT_EQ(orphans[i].chunk, knowledge.known[i].chunk);
                ++own;
            }
        // The same when the chunk itself is not there any more.
        for (std::size_t i = 0; i < knowledge.known.size(); i += static_cast<std::size_t>(test::step())) {
            const auto removed = knowledge.known[i];
            knowledge.known.erase(knowledge.known.begin() + static_cast<std::ptrdiff_t>(i));
            Orphan stranger;
            attribute_by_similarity({&stranger, 1}, {&removed.print, 1}, knowledge);
            if (stranger.sureness == Orphan::Sureness::likely) ++wrong;
            knowledge.known.insert(knowledge.known.begin() + static_cast<std::ptrdiff_t>(i), removed);
        }
    }
    RecordProperty("chunks", static_cast<int>(chunks));
    RecordProperty("own", static_cast<int>(own));
    EXPECT_EQ(wrong, 0U) << own << " of " << chunks << " were known by themselves";
}

/// A print with so many features that tell, the first `like_a` as chunk a has them, the next `like_b` as b.
ChunkFeatures print_like(std::size_t telling, std::size_t like_a, std::size_t like_b) {
    ChunkFeatures print;
    for (std::size_t i = 0; i < ChunkFeatures::k_features; ++i) {
        print.features[i] = (i < like_a ? 100 : i < like_a + like_b ? 200 : 900) + i;
        print.telling[i] = i < telling;
    }
    return print;
}

class Similarity : public testing::Test {
protected:
    Similarity() {
        constexpr auto k_all = ChunkFeatures::k_features;
        knowledge_.known = {{{0, 0}, print_like(k_all, k_all, 0)}, {{1, 0}, print_like(k_all, 0, k_all)}};
    }
    [[nodiscard]] Orphan attributed(std::size_t telling, std::size_t like_a, std::size_t like_b) const {
        Orphan orphan;
        const auto print = print_like(telling, like_a, like_b);
        attribute_by_similarity({&orphan, 1}, {&print, 1}, knowledge_);
        return orphan;
    }
    using Sureness = Orphan::Sureness;
    RegionKnowledge knowledge_;
};

TEST_F(Similarity, IsLikelyOnlyWithEnoughInCommonAndNoOtherNear) {
    const auto sure = attributed(16, 5, 0);
    EXPECT_EQ(sure.sureness, Sureness::likely);
    EXPECT_EQ(sure.chunk, (ChunkPos{0, 0}));
    EXPECT_EQ(sure.matching, 5U);
    EXPECT_EQ(sure.telling, 16U);
    EXPECT_EQ(attributed(16, 4, 0).sureness, Sureness::guess) << "less than five is chance";
    EXPECT_EQ(attributed(20, 5, 0).sureness, Sureness::likely) << "a quarter of what tells";
    EXPECT_EQ(attributed(21, 5, 0).sureness, Sureness::guess);
    EXPECT_EQ(attributed(20, 8, 5).sureness, Sureness::likely);
    EXPECT_EQ(attributed(20, 7, 5).sureness, Sureness::guess) << "another comes near";
    EXPECT_EQ(attributed(20, 7, 5).chunk, (ChunkPos{0, 0}));
    const auto torn = attributed(20, 6, 6);
    EXPECT_EQ(torn.chunk, std::nullopt);
    EXPECT_EQ(torn.sureness, Sureness::open);
    EXPECT_EQ(torn.candidates, (std::vector<ChunkPos>{{0, 0}, {1, 0}}));
    const auto strange = attributed(20, 0, 0);
    EXPECT_EQ(strange.chunk, std::nullopt);
    EXPECT_TRUE(strange.candidates.empty());
}

TEST_F(Similarity, OfPlainChunksIsNoMoreThanAGuessAndOpenWhereSeveralAreAlike) {
    knowledge_.known.push_back({{5, 5}, print_like(0, 0, 0)});
    const auto guess = attributed(0, 0, 0);
    EXPECT_EQ(guess.sureness, Sureness::guess);
    EXPECT_EQ(guess.chunk, (ChunkPos{5, 5}));
    knowledge_.known.push_back({{4, 5}, print_like(0, 0, 0)});
    knowledge_.known.push_back({{4, 5}, print_like(0, 0, 0)}); // two versions of it
    const auto open = attributed(0, 0, 0);
    EXPECT_EQ(open.chunk, std::nullopt);
    EXPECT_EQ(open.sureness, Sureness::open);
    EXPECT_EQ(open.candidates, (std::vector<ChunkPos>{{4, 5}, {5, 5}}));
}

TEST(Elimination, OffersTheOnlyChunkWithoutContentToWhatFitsNoOther) {
    const auto offered = [](const RegionKnowledge& knowledge, std::vector<Orphan> orphans) {
        attribute_by_elimination(orphans, knowledge);
        std::vector<std::optional<ChunkPos>> places;
        for (const auto& orphan : orphans) places.push_back(orphan.chunk);
        return places;
    };
    using Places = std::vector<std::optional<ChunkPos>>;
    const ChunkPos one{1, 0};
    const ChunkPos two{2, 0};
    Orphan taken;
    taken.chunk = two;
    Orphan torn;
    torn.candidates = {{7, 7}, {8, 8}};
    EXPECT_EQ(offered({{}, {one}, {}}, {Orphan(), torn}), (Places{one, std::nullopt}));
    EXPECT_EQ(offered({{}, {one, two}, {}}, {Orphan()}), (Places{std::nullopt})) << "there are two";
    EXPECT_EQ(offered({{}, {one, two}, {}}, {Orphan(), taken}), (Places{one, two}));
    EXPECT_EQ(offered({{}, {}, {one}}, {Orphan()}), (Places{one}));
    EXPECT_EQ(offered({{}, {one}, {two}}, {Orphan()}), (Places{one})) << "an entry comes before none";
    EXPECT_EQ(offered({{}, {}, {}}, {Orphan()}), (Places{std::nullopt}));
}

TEST(NewestOrphan, IsTheNewestOfThoseThatAreSoundAndSure) {
    const auto copy = [](std::uint64_t offset, std::string time) {
        Orphan orphan;
        orphan.chunk = ChunkPos{1, 2};
        orphan.offset = offset;
        orphan.game_time = std::move(time);
        orphan.sureness = Orphan::Sureness::likely;
        return orphan;
    };
    const auto newest = [](const std::vector<Orphan>& orphans) {
        const auto* found = newest_orphan_of(orphans, {1, 2});
        return found == nullptr ? 0 : found->offset;
    };
    const auto early = copy(30, "0001-01-03T05:30:00Z");
    const auto late = copy(10, "0001-01-04T05:30:00Z");
    EXPECT_EQ(newest({early, late}), 10U);
    EXPECT_EQ(newest({late, early}), 10U);
    EXPECT_EQ(newest({copy(10, {}), copy(30, {}), copy(20, {})}), 30U) << "the last in the file";
    EXPECT_EQ(newest({copy(10, early.game_time), copy(30, early.game_time), copy(20, early.game_time)}), 30U);
    auto other = late;
    other.chunk = ChunkPos{2, 1};
    auto guess = late;
    guess.sureness = Orphan::Sureness::guess;
    auto broken = late;
    broken.problems = 1;
    auto overwritten = late;
    overwritten.overlaps = true;
    EXPECT_EQ(newest({early, other, guess, broken, overwritten}), 30U);
    EXPECT_EQ(newest({other, guess, broken, overwritten}), 0U);
}

/// The chunk at the middle of some land, or `pos` away from it. Each number is another land; what two chunks
/// beside each other have at their sides goes on.
ChunkEdges land_at(ChunkPos pos, int number) {
    ChunkEdges made;
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) {
            const double east = pos.x * k_side + x + number * 1009;
            const double south = pos.z * k_side + z + number * 3001;
            const auto at = static_cast<std::size_t>(z * k_side + x);
            made.heights[at] = static_cast<std::int16_t>(
                90 + 25 * std::sin(east / 17) + 20 * std::sin(south / 13) + 9 * std::sin((east + south) / 7));
            made.tints[at] = static_cast<std::uint32_t>(120 + 100 * std::sin(east / 29 + south / 41)) << 8
                             | static_cast<std::uint32_t>(120 + 100 * std::sin(south / 23 - east / 37));
            made.environments[at] =
                static_cast<std::uint32_t>(std::floor(east / 19) * 31 + std::floor(south / 21));
        }
    return made;
}

/// Islands of 5 × 5 chunks, each without the one in its middle, and pieces whose places are to be found.
class Puzzle {
public:
    Puzzle& island(ChunkPos middle, int land) {
        for (int z = -2; z <= 2; ++z)
            for (int x = -2; x <= 2; ++x)
                if (x != 0 || z != 0) put({x, z}, land, ChunkPos{middle.x + x, middle.z + z}, 0);
        open_.push_back(middle);
        return *this;
    }
    Puzzle& loose(int land, std::uint64_t content) {
        put({0, 0}, land, std::nullopt, content);
        return *this;
    }
    [[nodiscard]] Assembly assembled() const { return assemble(pieces_, open_); }
    [[nodiscard]] std::uint64_t content(const PuzzleAnswer& answer) const {
        return pieces_[answer.piece].content;
    }

private:
    void put(ChunkPos from, int land, std::optional<ChunkPos> place, std::uint64_t content) {
        edges_.push_back(land_at(from, land));
        pieces_.push_back({&edges_.back(), place, content});
    }
    std::deque<ChunkEdges> edges_;
    std::vector<PuzzlePiece> pieces_;
    std::vector<ChunkPos> open_;
};

constexpr ChunkPos k_west{-20, 0};
constexpr ChunkPos k_east{20, 0};

TEST(Assemble, APieceThatFitsOnePlaceAloneIsSureOfIt) {
    for (const auto& [own, other] : {std::pair(k_west, k_east), std::pair(k_east, k_west)}) {
        Puzzle puzzle;
        puzzle.island(own, 1).island(other, 2).loose(1, 7);
        const auto found = puzzle.assembled();
        ASSERT_EQ(found.sure.size(), 1U);
        EXPECT_EQ(found.sure[0].place, own);
        EXPECT_EQ(puzzle.content(found.sure[0]), 7U);
        EXPECT_GT(found.sure[0].chance, 0.999);
        EXPECT_LE(found.sure[0].chance, 1);
        EXPECT_TRUE(found.likely.empty());
    }
}

TEST(Assemble, WhatFitsTwiceIsHalfSure) {
    Puzzle places;
    places.island(k_west, 1).island(k_east, 1).loose(1, 7);
    auto found = places.assembled();
    EXPECT_TRUE(found.sure.empty());
    ASSERT_EQ(found.likely.size(), 1U);
    EXPECT_NEAR(found.likely[0].chance, 0.5, 0.01) << "one piece for two places";
    for (const auto& [own, other] : {std::pair(k_west, k_east), std::pair(k_east, k_west)}) {
        Puzzle pieces;
        pieces.island(own, 1).island(other, 2).loose(1, 7).loose(1, 8);
        found = pieces.assembled();
        EXPECT_TRUE(found.sure.empty());
        ASSERT_EQ(found.likely.size(), 2U);
        for (const auto& answer : found.likely) {
            EXPECT_EQ(answer.place, own) << "the better of two places";
            EXPECT_NEAR(answer.chance, 0.5, 0.01) << "two pieces for one place";
        }
    }
    Puzzle equal;
    equal.island(k_west, 1).loose(1, 7).loose(1, 7);
    found = equal.assembled();
    EXPECT_EQ(found.sure.size(), 1U) << "of equal chunks it does not matter which";
    EXPECT_TRUE(found.likely.empty());
}

TEST(Assemble, AStrangerIsSureOfNothingAndComesLast) {
    Puzzle puzzle;
    puzzle.island(k_west, 1).island(k_east, 2).loose(9, 5).loose(1, 7).loose(1, 8);
    const auto found = puzzle.assembled();
    EXPECT_TRUE(found.sure.empty());
    ASSERT_EQ(found.likely.size(), 3U);
    EXPECT_NEAR(found.likely[0].chance, 0.5, 0.01);
    EXPECT_EQ(puzzle.content(found.likely[2]), 5U);
    EXPECT_LT(found.likely[2].chance, 0.1);
    EXPECT_TRUE(Puzzle().loose(1, 1).assembled().likely.empty()) << "nothing to compare with";
}

TEST(PuzzleTable, HasOfTheFilesAroundWhatTouchesTheRegion) {
    const test::TemporaryFolder folder;
    storage::StoreOptions options;
    options.write = options.create = true;
    options.sync = storage::SyncPolicy::none;
    std::filesystem::create_directories(folder / "chunks");
    const auto store =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(folder / "chunks")), options)
            .value();
    const std::set<ChunkPos> touching{{32, 0},  {32, 31}, {-1, 0},  {-1, 31}, {0, 32},
                                      {31, 32}, {0, -1},  {31, -1}, {32, 7},  {7, -1}};
    const std::set<ChunkPos> others{{33, 0}, {63, 0},  {-2, 5},  {-32, 5}, {5, 33},  {5, 63},
                                    {5, -2}, {5, -32}, {32, 32}, {-1, -1}, {32, -1}, {-1, 32}};
    const std::set<ChunkPos> own{{0, 0}, {31, 31}, {4, 5}};
    for (const auto& group : {touching, others, own})
        for (const auto pos : group)
            ASSERT_TRUE(store->write(pos, test_worlds::version_document({.seed = 1})));
    const auto places = [](const PuzzleTable& table) {
        std::set<ChunkPos> out;
        for (const auto& piece : table.pieces()) EXPECT_TRUE(out.insert(piece.place.value()).second);
        return out;
    };
    PuzzleTable around;
    around.add_chunks_around(*store, {0, 0});
    EXPECT_EQ(places(around), touching);
    PuzzleTable inside;
    inside.add_chunks_in_use(*store->region({0, 0}).value(), {{4, 5}});
    EXPECT_EQ(places(inside), (std::set<ChunkPos>{{0, 0}, {31, 31}}));
}

} // namespace

} // namespace orbis::jobs

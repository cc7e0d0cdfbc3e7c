#include "bson/writer.hpp"
#include "jobs/puzzle/assemble.hpp"
#include "jobs/puzzle/chunk_features.hpp"
#include "jobs/puzzle/edge_fit.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "world/made_world_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace orbis::jobs {
namespace {

using Axis = ChunkEdges::Axis;
using Plane = ChunkEdges::Plane;
using Seam = ChunkEdges::Seam;

TEST(PlaneDifference, CountsCellsThatOneHasAndCellsThatDiffer) {
    const auto plane = [](std::size_t layers, std::vector<std::pair<std::size_t, std::uint16_t>> cells) {
        Plane made(layers * 32, 0);
        for (const auto& [at, value] : cells) made[at] = value;
        return made;
    };
    const auto found = [](const Plane& a, const Plane& b) {
        const auto one = difference(a, b);
        const auto other = difference(b, a);
        EXPECT_EQ(one.open, other.open);
        EXPECT_EQ(one.solid, other.solid);
        return std::pair(one.open, one.solid);
    };
    using Counts = std::pair<std::uint32_t, std::uint32_t>; // open, solid
    EXPECT_EQ(found({}, {}), (Counts{0, 0}));
    EXPECT_EQ(found(plane(1, {{0, 5}, {31, 6}}), plane(1, {{0, 5}, {31, 6}})), (Counts{0, 0}));
    EXPECT_EQ(found(plane(1, {{0, 5}, {31, 6}}), plane(1, {{0, 4}, {31, 6}})), (Counts{0, 1}));
    EXPECT_EQ(found(plane(1, {{0, 5}, {31, 6}}), plane(1, {{30, 5}})), (Counts{3, 0}));
    EXPECT_EQ(found(plane(2, {{0, 5}, {32, 6}, {63, 7}}), plane(1, {{0, 5}})), (Counts{2, 0}));
    EXPECT_EQ(found(plane(3, {{0, 5}, {32, 6}, {63, 7}, {64, 8}, {95, 9}}), plane(2, {{0, 4}, {33, 1}})),
              (Counts{5, 1}));
    EXPECT_EQ(found({}, plane(1, {{0, 1}, {31, 1}})), (Counts{2, 0}));
}

/// A chunk that is empty but for these blocks.
chunk::Chunk made_of(const std::vector<std::pair<BlockPos, std::string_view>>& blocks) {
    auto made = chunk::Chunk::create();
    made.edit_environments().value()->fill("Env_Plains");
    for (const auto& [at, key] : blocks) EXPECT_TRUE(made.set_block(at, {key, {}, {}}));
    return made;
}

TEST(ChunkEdges, AreThePlanesAtTheSidesWithoutTheEmptyLayersAtTheTop) {
    const auto edges = edges_of(made_of({{{0, 0, 5}, "Rock_Stone"},
                                         {{0, 33, 31}, "Soil_Dirt"},
                                         {{31, 2, 0}, "Rock_Stone"},
                                         {{7, 319, 31}, "Soil_Dirt"}}));
    const auto filled = [](const Plane& plane) {
        std::map<std::size_t, std::uint16_t> cells;
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (plane[i] != 0) cells[i] = plane[i];
        return cells;
    };
    EXPECT_EQ(edges.first[Axis::along_x].size(), 34U * 32);
    EXPECT_EQ(edges.last[Axis::along_x].size(), 3U * 32);
    EXPECT_EQ(edges.first[Axis::along_z].size(), 3U * 32);
    EXPECT_EQ(edges.last[Axis::along_z].size(), 320U * 32);
    const auto west = filled(edges.first[Axis::along_x]);
    const auto east = filled(edges.last[Axis::along_x]);
    const auto north = filled(edges.first[Axis::along_z]);
    const auto south = filled(edges.last[Axis::along_z]);
    ASSERT_EQ(west.size(), 2U);
    ASSERT_TRUE(west.contains(5) && west.contains(33 * 32 + 31));
    const auto stone = west.at(5);
    const auto dirt = west.at(33 * 32 + 31);
    EXPECT_NE(stone, dirt);
    using Cells = std::map<std::size_t, std::uint16_t>;
    EXPECT_EQ(east, (Cells{{2 * 32, stone}}));
    EXPECT_EQ(north, (Cells{{2 * 32 + 31, stone}}));
    EXPECT_EQ(south, (Cells{{33 * 32, dirt}, {319 * 32 + 7, dirt}}));
    EXPECT_TRUE(edges_of(chunk::Chunk::create()).first[Axis::along_x].empty());
}

TEST(ChunkEdges, HaveOneDifferenceForEachSeam) {
    // Of each pair of planes that is compared, one cell more is in the second.
    std::vector<std::pair<BlockPos, std::string_view>> blocks;
    constexpr std::array seconds{1, 15, 16, 17, 31};
    for (int i = 0; i < 5; ++i)
        for (int cell = 0; cell <= i; ++cell)
            blocks.emplace_back(BlockPos{seconds[static_cast<std::size_t>(i)], 40 + i, 4 + cell},
                                "Rock_Stone");
    const auto edges = edges_of(made_of(blocks));
    const auto seen = [&](Axis axis, Seam seam) {
        const auto& found = edges.inside[axis][seam];
        return std::pair(found.open, found.solid);
    };
    using Counts = std::pair<std::uint32_t, std::uint32_t>;
    EXPECT_EQ(seen(Axis::along_x, Seam::low), (Counts{1, 0}));
    EXPECT_EQ(seen(Axis::along_x, Seam::before_middle), (Counts{2, 0}));
    EXPECT_EQ(seen(Axis::along_x, Seam::middle), (Counts{2 + 3, 0}));
    EXPECT_EQ(seen(Axis::along_x, Seam::behind_middle), (Counts{3 + 4, 0}));
    EXPECT_EQ(seen(Axis::along_x, Seam::high), (Counts{5, 0}));
    for (const auto seam : {Seam::low, Seam::before_middle, Seam::middle, Seam::behind_middle, Seam::high})
        EXPECT_EQ(seen(Axis::along_z, seam), (Counts{0, 0})) << static_cast<int>(seam);
}

TEST(ChunkEdges, AFluidBesideABlockIsAnotherCellAndColumnsAreTakenOver) {
    auto wet = made_of({{{0, 3, 3}, "Rock_Stone"}, {{0, 3, 5}, "Rock_Stone"}});
    ASSERT_TRUE(wet.set_fluid({0, 3, 4}, {"Water_Source", 1}));
    ASSERT_TRUE(wet.set_fluid({0, 3, 5}, {"Water_Source", 1}));
    wet.edit_heights().value()->set(ColumnIndex(3, 4), 77);
    wet.edit_tints().value()->set(ColumnIndex(5, 6), static_cast<std::int32_t>(0xFF123456));
    wet.edit_environments().value()->fill("Env_A");
    const std::array<chunk::EnvironmentRun, 2> runs{{{30, "Env_A"}, {.key = "Env_B"}}};
    const std::array<chunk::EnvironmentRun, 2> higher{{{31, "Env_A"}, {.key = "Env_B"}}};
    const std::array<chunk::EnvironmentRun, 2> turned{{{30, "Env_B"}, {.key = "Env_A"}}};
    wet.edit_environments().value()->set_runs(ColumnIndex(1, 0), runs);
    wet.edit_environments().value()->set_runs(ColumnIndex(2, 0), higher);
    wet.edit_environments().value()->set_runs(ColumnIndex(3, 0), turned);
    const auto edges = edges_of(wet);
    const auto& west = edges.first[Axis::along_x];
    const std::set<std::uint16_t> kinds{west.at(3 * 32 + 3), west.at(3 * 32 + 4), west.at(3 * 32 + 5), 0};
    EXPECT_EQ(kinds.size(), 4U) << "a block, a fluid, both, and none";
    std::map<std::uint32_t, std::size_t> environments;
    for (int i = 0; i < k_columns; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(edges.heights[at], i == 4 * 32 + 3 ? 77 : 0) << i;
        ASSERT_EQ(edges.tints[at], i == 6 * 32 + 5 ? 0x123456U : 0U) << i;
        ++environments[edges.environments[at]];
    }
    EXPECT_EQ(environments.size(), 4U) << "other keys, bounds and orders are other columns";
    EXPECT_EQ(environments[edges.environments[0]], 1021U);
}

/// From 0 up to `most` and down again, so that it goes on for ever.
int wave(int at, int most) {
    const int phase = ((at % (2 * most)) + 2 * most) % (2 * most);
    return phase < most ? phase : 2 * most - phase;
}

/// RollingLand without end, and chunks of it. Chunks beside each other go on in each other; other numbers are
/// other lands.
class RollingLand {
public:
    explicit RollingLand(int number) : east_(number * 10'007), south_(number * 7'019) {}

    [[nodiscard]] ChunkEdges edges(ChunkPos pos) const {
        ChunkEdges made;
        for (int z = 0; z < k_side; ++z)
            for (int x = 0; x < k_side; ++x) {
                const auto at = static_cast<std::size_t>(z * k_side + x);
                const int east = pos.x * k_side + x + east_;
                const int south = pos.z * k_side + z + south_;
                made.heights[at] = static_cast<std::int16_t>(height(east, south));
                made.tints[at] =
                    static_cast<std::uint32_t>(wave(east + 2 * south, 83) << 8 | wave(south, 61));
                made.environments[at] = static_cast<std::uint32_t>(east / 37 * 31 + south / 41);
            }
        for (const auto axis : {Axis::along_x, Axis::along_z}) {
            const auto at = [&](int depth) { return plane(pos, axis, depth); };
            made.first[axis] = at(0);
            made.last[axis] = at(31);
            made.inside[axis] = {difference(at(0), at(1)), difference(at(14), at(15)),
                                 difference(at(15), at(16)), difference(at(16), at(17)),
                                 difference(at(30), at(31))};
        }
        return made;
    }

private:
    static int height(int east, int south) {
        return 20 + wave(east, 23) + wave(south, 19) / 2 + wave(east - south, 11);
    }
    [[nodiscard]] Plane plane(ChunkPos pos, Axis axis, int depth) const {
        Plane made(80 * 32, 0);
        for (int i = 0; i < k_side; ++i) {
            const int east = pos.x * k_side + (axis == Axis::along_x ? depth : i) + east_;
            const int south = pos.z * k_side + (axis == Axis::along_x ? i : depth) + south_;
            for (int y = 0; y < height(east, south); ++y)
                made[static_cast<std::size_t>(y * k_side + i)] =
                    static_cast<std::uint16_t>(1 + (y + wave(east + south, 31)) / 6);
        }
        return made;
    }
    int east_;
    int south_;
};

TEST(EdgeFit, IsTheSameForTheSameChunksToTheLastDigitThatMatters) {
    std::deque<ChunkEdges> edges;
    for (const int number : {1, 2})
        for (int z = 0; z < 3; ++z)
            for (int x = 0; x < 3; ++x) edges.push_back(RollingLand(number).edges({x, z}));
    std::vector<const ChunkEdges*> chunks;
    for (const auto& one : edges) chunks.push_back(&one);
    const EdgeFit fit(chunks);
    const auto score = [&](std::size_t a, std::size_t b, Axis axis) {
        return fit.score(edges[a], edges[b], axis);
    };
    struct Row {
        std::size_t a;
        std::size_t b;
        double along_x;
        double along_z;
    };
    // 0 1 2 are the northern row of the first land, 9 10 11 that of the second.
    for (const auto& [a, b, along_x, along_z] :
         {Row{0, 1, 3.4073, -27.8826}, Row{1, 0, -31.8465, -27.5978}, Row{0, 3, -33.2594, -0.0881},
          Row{3, 0, -32.1162, -30.0684}, Row{0, 9, -42.5463, -43.7022}, Row{4, 5, 3.3376, -46.4309},
          Row{4, 7, -31.7350, 3.7262}, Row{16, 2, -43.3372, -43.0302}, Row{13, 13, -43.1262, -9.2412}}) {
        EXPECT_NEAR(score(a, b, Axis::along_x), along_x, 0.001) << a << ' ' << b;
        EXPECT_NEAR(score(a, b, Axis::along_z), along_z, 0.001) << a << ' ' << b;
    }
}

/// A square of land with its pieces in place but for some, which are loose.
class Hole {
public:
    Hole(int side, const std::set<ChunkPos>& missing) {
        for (int z = 0; z < side; ++z)
            for (int x = 0; x < side; ++x)
                if (missing.contains({x, z}))
                    open_.push_back({x, z});
                else
                    add(1, {x, z}, ChunkPos{x, z}, 0);
        for (const auto pos : missing) loose(1, pos, ++content_);
    }
    void loose(int land, ChunkPos pos, std::uint64_t content) {
        homes_[pieces_.size()] = land == 1 ? fmt::format("{},{}", pos.x, pos.z) : "elsewhere";
        add(land, pos, std::nullopt, content);
    }
    void open(ChunkPos pos) { open_.push_back(pos); }
    /// `HOME at PLACE` of each piece; those that are only likely with their chance.
    [[nodiscard]] std::string assembled() const {
        const auto found = assemble(pieces_, open_);
        std::string text;
        for (const auto& answer : found.sure)
            text += fmt::format("{} at {},{}; ", homes_.at(answer.piece), answer.place.x, answer.place.z);
        for (const auto& answer : found.likely)
            text += fmt::format("{} perhaps at {},{} {:.4f}; ", homes_.at(answer.piece), answer.place.x,
                                answer.place.z, answer.chance);
        return text;
    }

private:
    void add(int land, ChunkPos pos, std::optional<ChunkPos> place, std::uint64_t content) {
        edges_.push_back(RollingLand(land).edges(pos));
        pieces_.push_back({&edges_.back(), place, content});
    }
    std::deque<ChunkEdges> edges_;
    std::vector<PuzzlePiece> pieces_;
    std::vector<ChunkPos> open_;
    std::map<std::size_t, std::string> homes_;
    std::uint64_t content_ = 0;
};

TEST(Assembly, FillsHolesFromTheirRims) {
    EXPECT_EQ(Hole(5, {{2, 2}}).assembled(), "2,2 at 2,2; ");
    EXPECT_EQ(Hole(5, {{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}}).assembled(),
              "1,1 at 1,1; 1,2 at 1,2; 1,3 at 1,3; 2,1 at 2,1; 2,2 at 2,2; 2,3 at 2,3; 3,1 at 3,1; 3,2 at "
              "3,2; 3,3 at 3,3; ");
    EXPECT_EQ(Hole(4, {{0, 0}, {3, 3}, {1, 2}}).assembled(),
              "1,2 at 1,2; 3,3 perhaps at 3,3 0.9982; 0,0 perhaps at 0,0 0.9124; ");
    Hole strangers(5, {{2, 2}, {2, 3}});
    strangers.loose(2, {4, 4}, 50);
    strangers.loose(3, {9, 1}, 51);
    EXPECT_EQ(strangers.assembled(), "2,2 at 2,2; 2,3 at 2,3; ") << "strangers have no place to compare with";
    Hole twice(5, {{2, 2}, {0, 4}});
    twice.loose(1, {2, 2}, 60);
    EXPECT_EQ(twice.assembled(),
              "0,4 perhaps at 0,4 0.9961; 2,2 perhaps at 2,2 0.5000; 2,2 perhaps at 2,2 0.5000; ");
    Hole far(4, {{1, 1}});
    far.open({40, 40});
    far.loose(2, {3, 3}, 70);
    EXPECT_EQ(far.assembled(), "1,1 at 1,1; ");
    EXPECT_EQ(Hole(3, {{1, 1}}).assembled(), "") << "too few to learn from";
}

TEST(ChunkFeatures, EachSpeaksForItsPartOfAChunk) {
    const auto plain = made_of({});
    const auto before = chunk_features(plain);
    EXPECT_TRUE(before.telling.none()) << "a chunk that is the same in all its columns";
    struct Row {
        std::string_view name;
        std::function<void(chunk::Chunk&)> edit;
        std::vector<std::size_t> changed;
        bool tells = true;
    };
    using Features = ChunkFeatures;
    const auto fill = [](chunk::Chunk& chunk, int first, int end) {
        auto* section = chunk.edit_section(2).value();
        for (int cell = first; cell < end; ++cell) section->blocks.set(CellIndex(cell), "Rock_Stone");
    };
    const std::array<chunk::EnvironmentRun, 1> other{{{.key = "Env_Other"}}};
    const auto slab = [](std::size_t section, std::size_t at) {
        return Features::k_first_slab + section * 4 + at;
    };
    const std::vector<Row> rows{
        {"tint",
         [](auto& chunk) { chunk.edit_tints().value()->set(ColumnIndex(5), 7); },
         {Features::k_tints}},
        {"last tint",
         [](auto& chunk) { chunk.edit_tints().value()->set(ColumnIndex(1023), 1 << 23); },
         {Features::k_tints}},
        {"alpha", [](auto& chunk) { chunk.edit_tints().value()->set(ColumnIndex(5), 1 << 24); }, {}},
        {"first tile",
         [](auto& chunk) { chunk.edit_heights().value()->set(ColumnIndex(7, 7), 3); },
         {Features::k_first_tile}},
        {"second tile",
         [](auto& chunk) { chunk.edit_heights().value()->set(ColumnIndex(8, 7), 3); },
         {Features::k_first_tile + 1}},
        {"fifth tile",
         [](auto& chunk) { chunk.edit_heights().value()->set(ColumnIndex(7, 8), 3); },
         {Features::k_first_tile + 4}},
        {"last tile",
         [](auto& chunk) { chunk.edit_heights().value()->set(ColumnIndex(31, 31), 3); },
         {Features::k_first_tile + 15}},
        {"environment",
         [&](auto& chunk) { chunk.edit_environments().value()->set_runs(ColumnIndex(1023), other); },
         {Features::k_environments}},
        {"component",
         [](auto& chunk) {
             EXPECT_TRUE(
                 chunk.edit_block_components().value()->set(chunk::BlockIndex(7), bson::empty_document()));
         },
         {Features::k_components}},
        {"block",
         [](auto& chunk) { EXPECT_TRUE(chunk.set_block({5, 200, 5}, {"Rock_Stone", {}, {}})); },
         {slab(6, 1)}},
        {"top block",
         [](auto& chunk) { EXPECT_TRUE(chunk.set_block({31, 319, 31}, {"Rock_Stone", {}, {}})); },
         {slab(9, 3)}},
        {"layer", [&](auto& chunk) { fill(chunk, 1024, 2048); }, {slab(2, 0)}, false},
        {"layers of two slabs",
         [&](auto& chunk) { fill(chunk, 7 * 1024, 9 * 1024); },
         {slab(2, 0), slab(2, 1)},
         false},
        {"half a layer", [&](auto& chunk) { fill(chunk, 1024, 1500); }, {slab(2, 0)}},
        {"a layer and a cell",
         [&](auto& chunk) { fill(chunk, 8 * 1024 - 1, 9 * 1024); },
         {slab(2, 0), slab(2, 1)}},
    };
    for (const auto& row : rows) {
        auto chunk = made_of({});
        row.edit(chunk);
        const auto after = chunk_features(chunk);
        std::vector<std::size_t> changed;
        std::vector<std::size_t> telling;
        for (std::size_t i = 0; i < Features::k_features; ++i) {
            if (after.features[i] != before.features[i]) changed.push_back(i);
            if (after.telling[i]) telling.push_back(i);
        }
        EXPECT_EQ(changed, row.changed) << row.name;
        if (row.name == "a layer and a cell")
            EXPECT_EQ(telling, std::vector<std::size_t>{slab(2, 0)});
        else
            EXPECT_EQ(telling, row.tells ? row.changed : std::vector<std::size_t>{}) << row.name;
    }
}

TEST(ChunkFeatures, OtherBlocksInTheSameCellsAreOtherFeatures) {
    const auto stone = chunk_features(made_of({{{5, 200, 5}, "Rock_Stone"}}));
    const auto dirt = chunk_features(made_of({{{5, 200, 5}, "Soil_Dirt"}}));
    const auto slab = ChunkFeatures::k_first_slab + 6 * 4 + 1;
    EXPECT_NE(stone.features[slab], dirt.features[slab]);
    EXPECT_EQ(stone.features[slab + 1], dirt.features[slab + 1]);
}

TEST(PositionEvidence, IsWhereMoreThanHalfOfThePositionsAre) {
    using Places = std::vector<std::pair<double, double>>;
    const auto told = [](const Places& entities, const std::vector<BlockPos>& damaged,
                         const std::vector<BlockPos>& fragile) {
        auto chunk = made_of({});
        for (const auto& [x, z] : entities)
            EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "", x, 40, z)));
        std::vector<chunk::BlockHealth::Damaged> hit;
        for (const auto pos : damaged) hit.push_back({pos, 0.5F, 7});
        std::vector<chunk::BlockHealth::Fragile> weak;
        for (const auto pos : fragile) weak.push_back({pos, 0.5F});
        chunk.edit_health().value()->set(hit, weak);
        const auto found = position_evidence(chunk);
        return fmt::format("{} of {}{}", found.chunk ? fmt::format("{:n}", *found.chunk) : "none",
                           found.positions, found.unanimous ? ", all" : "");
    };
    EXPECT_EQ(told({}, {}, {}), "none of 0");
    EXPECT_EQ(told({{-0.5, 63.9}}, {}, {}), "-1,1 of 1, all");
    EXPECT_EQ(told({{32, 64}}, {{33, 5, 65}}, {{63, 5, 95}}), "1,2 of 3, all");
    EXPECT_EQ(told({{0, 0}}, {{33, 5, 0}}, {}), "none of 2");
    EXPECT_EQ(told({{0, 0}, {1, 0}}, {{33, 5, 0}}, {}), "0,0 of 3");
    EXPECT_EQ(told({{33, 0}}, {{0, 5, 0}}, {{1, 1, 1}}), "0,0 of 3");
    EXPECT_EQ(told({{0, 0}, {1, 0}, {33, 0}, {34, 0}}, {}, {}), "none of 4");
    EXPECT_EQ(told({{3e9, 0}, {0, -3e9}, {std::nan(""), 0}, {5, 5}}, {}, {}), "0,0 of 1, all");
}

TEST(GameTimes, AreComparedWithFractionsOfAnyLength) {
    const std::vector<std::string_view> ascending{
        "",
        "0001-01-03T05:30:00Z",
        "0001-01-03T05:30:00.0001Z",
        "0001-01-03T05:30:00.1Z",
        "0001-01-03T05:30:00.12Z",
        "0001-01-03T05:30:00.2Z",
        "0001-01-03T05:30:01Z",
        "0001-02-01T00:00:00Z",
    };
    for (std::size_t a = 0; a < ascending.size(); ++a)
        for (std::size_t b = 0; b < ascending.size(); ++b)
            EXPECT_EQ(is_earlier(ascending[a], ascending[b]), a < b) << ascending[a] << ' ' << ascending[b];
    for (const auto* same : {"0001-01-03T05:30:00.Z", "0001-01-03T05:30:00.000Z", "0001-01-03T05:30:00"}) {
        EXPECT_FALSE(is_earlier(same, ascending[1])) << same;
        EXPECT_FALSE(is_earlier(ascending[1], same)) << same;
    }
    EXPECT_FALSE(is_earlier("0001-01-03T05:30:00.10Z", "0001-01-03T05:30:00.1Z"));
}

TEST(GameTimes, TheNewestOfAChunkIsThatOfItsRepairOrItsFields) {
    const auto newest = [](std::string_view repair, const std::vector<std::string_view>& fields) {
        const auto first = test_worlds::version_document({.game_time = std::string(repair)});
        auto chunk = chunk::Chunk::decode(Bytes(first)).value();
        int at = 0;
        for (const auto field : fields) {
            Buffer holder;
            bson::Writer writer(holder);
            writer.document("Components")
                .document("FarmingBlock")
                .string("LastTickGameTime", field)
                .end()
                .end();
            writer.finish();
            EXPECT_TRUE(chunk.edit_block_components().value()->set(chunk::BlockIndex(at++), holder));
        }
        Buffer out;
        const auto document = chunk.encode(out).value();
        const auto read = chunk::Chunk::decode(document).value();
        return std::string(newest_game_time(read).value_or("none"));
    };
    EXPECT_EQ(newest("", {}), "none");
    EXPECT_EQ(newest("0001-01-03T05:30:00Z", {}), "0001-01-03T05:30:00Z");
    EXPECT_EQ(newest("0001-01-03T05:30:00Z", {"0001-01-04T05:30:00Z", "0001-01-02T05:30:00Z"}),
              "0001-01-04T05:30:00Z");
    EXPECT_EQ(newest("0001-01-05T05:30:00Z", {"0001-01-04T05:30:00Z"}), "0001-01-05T05:30:00Z");
    for (const auto* wrong :
         {"0001-01-03T05:30:0Z", "0001-01-03 05:30:00Z", "0001_01-03T05:30:00Z", "0001-01-03T05:30:00z"})
        EXPECT_EQ(newest(wrong, {}), "none") << wrong;
}

} // namespace
} // namespace orbis::jobs

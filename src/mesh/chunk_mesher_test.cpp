#include "mesh/chunk_mesher.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace orbis::mesh {
namespace {

using chunk::Chunk;

/// One face of one cell: where, which, of what and in which shape.
using UnitFace = std::tuple<int, int, int, Face, std::string, Shape>;

/// The faces that a rectangle stands for.
void take_apart(const Quad& quad, const Materials& materials, std::multiset<UnitFace>& out) {
    for (int u = 0; u < quad.width(); ++u)
        for (int v = 0; v < quad.height(); ++v) {
            int x = quad.x();
            int y = quad.y();
            int z = quad.z();
            switch (quad.face()) {
            case Face::up:
            case Face::down: x += u, z += v; break;
            case Face::north:
            case Face::south: x += u, y += v; break;
            case Face::west:
            case Face::east: z += u, y += v; break;
            }
            EXPECT_TRUE(x < k_side && z < k_side && y >> 5 == quad.y() >> 5);
            out.emplace(x, y, z, quad.face(), materials[quad.material()].key, quad.shape());
        }
}

/// A chunk and those beside it, as one thing that can be asked and changed.
struct Scene {
    std::map<std::pair<int, int>, Chunk> chunks;

    Scene() {
        for (const auto& at : {std::pair{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}})
            chunks.emplace(at, Chunk::create());
    }
    Chunk& at(int x, int z) { return chunks.at({x >> 5, z >> 5}); }
    void set(int x, int y, int z, std::string_view key) {
        ASSERT_TRUE(at(x, z).set_block({x, y, z}, {key, {}, {}}));
    }
    void flood(int x, int y, int z, std::string_view key) {
        ASSERT_TRUE(at(x, z).set_fluid({x, y, z}, {key, 1}));
    }
    std::multiset<UnitFace> mesh(Materials& materials, const Part& part = {},
                                 std::vector<Quad>* quads = nullptr) const {
        ChunkMesher mesher(materials);
        std::vector<Quad> made;
        const Neighbours around{&chunks.at({0, -1}), &chunks.at({0, 1}), &chunks.at({-1, 0}),
                                &chunks.at({1, 0})};
        mesher.make(chunks.at({0, 0}), around, part, made);
        std::multiset<UnitFace> out;
        for (const auto& quad : made) take_apart(quad, materials, out);
        if (quads != nullptr) *quads = made;
        return out;
    }
};

/// The same, cell by cell.
class Oracle {
public:
    Oracle(const Scene& scene, Materials& materials, const Part& part)
        : scene_(scene), materials_(materials), part_(part) {}

    std::multiset<UnitFace> faces() {
        for (int y = 0; y < k_world_height; ++y)
            for (int z = 0; z < k_side; ++z)
                for (int x = 0; x < k_side; ++x) cell(x, y, z);
        return std::move(out_);
    }

private:
    [[nodiscard]] bool counts(int x, int y, int z) const {
        return y >= 0 && y < k_world_height && x >= part_.first[0] && x <= part_.last[0]
               && y >= part_.first[1] && y <= part_.last[1] && z >= part_.first[2] && z <= part_.last[2];
    }
    const Material& block(int x, int y, int z) {
        if (!counts(x, y, z)) return materials_[0];
        const auto& chunk = scene_.chunks.at({x >> 5, z >> 5});
        return materials_[materials_.of_block(chunk.block({x, y, z}).key, 0)];
    }
    const Material& fluid(int x, int y, int z) {
        if (!counts(x, y, z)) return materials_[0];
        const auto& chunk = scene_.chunks.at({x >> 5, z >> 5});
        return materials_[materials_.of_fluid(chunk.fluid({x, y, z}).key)];
    }
    void cell(int x, int y, int z) {
        using Kind = Material::Kind;
        const auto& here = block(x, y, z);
        const auto& wet = fluid(x, y, z);
        constexpr std::array<std::array<int, 3>, k_faces> k_steps{
            {{0, 1, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}}};
        for (std::size_t i = 0; i < k_faces; ++i) {
            const auto face = static_cast<Face>(i);
            const std::array to{x + k_steps[i][0], y + k_steps[i][1], z + k_steps[i][2]};
            const auto& there = block(to[0], to[1], to[2]);
            const bool is_behind_rock = there.kind == Kind::solid;
            if (here.kind == Kind::piece ? face != Face::down || !is_behind_rock
                                         : here.kind != Kind::nothing && !is_behind_rock
                                               && (here.kind == Kind::solid || there.key != here.key))
                out_.emplace(x, y, z, face, here.key, here.shape);
            if (wet.kind == Kind::nothing || here.kind == Kind::solid || is_behind_rock
                || fluid(to[0], to[1], to[2]).key == wet.key)
                continue;
            const bool is_deep = fluid(x, y + 1, z).kind != Kind::nothing;
            out_.emplace(x, y, z, face, wet.key, is_deep ? Shape::cube : Shape::liquid);
        }
    }

    const Scene& scene_;
    Materials& materials_;
    Part part_;
    std::multiset<UnitFace> out_;
};

void expect_right(const Scene& scene, const Part& part = {}) {
    Materials materials(world::Assets::built_in());
    const auto found = scene.mesh(materials, part);
    const auto expected = Oracle(scene, materials, part).faces();
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_TRUE(found == expected);
}

TEST(ChunkMesher, AloneABlockHasSixFaces) {
    Scene scene;
    scene.set(3, 70, 4, "Rock_Stone");
    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    EXPECT_EQ(scene.mesh(materials, {}, &quads).size(), 6U);
    ASSERT_EQ(quads.size(), 6U);
    EXPECT_EQ(materials[quads[0].material()].key, "Rock_Stone");
    EXPECT_EQ(quads[0], Quad::make(Face::up, 3, 70, 4, 1, 1, quads[0].material(), Shape::cube));
    expect_right(scene);
}

TEST(ChunkMesher, EqualFacesAreOneRectangle) {
    Scene scene;
    for (int x = 0; x < 32; ++x)
        for (int z = 0; z < 32; ++z)
            for (int y = 0; y < 32; ++y) scene.set(x, y, z, "Rock_Stone");
    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    EXPECT_EQ(scene.mesh(materials, {}, &quads).size(), 6U * 32 * 32);
    EXPECT_EQ(quads.size(), 6U);
    for (const auto& quad : quads) EXPECT_TRUE(quad.width() == 32 && quad.height() == 32);
}

TEST(ChunkMesher, WhatIsBesideHidesFacesAndWhatIsCutOffDoesNot) {
    Scene scene;
    for (int x = -2; x < 34; ++x)
        for (int z = -2; z < 34; ++z)
            if ((x >= 0 && x < 32) || (z >= 0 && z < 32)) scene.set(x, 10, z, "Rock_Stone");
    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    scene.mesh(materials, {}, &quads);
    EXPECT_EQ(quads.size(), 2U) << "top and bottom";
    const Part inner{{0, 0, 0}, {31, 319, 31}};
    scene.mesh(materials, inner, &quads);
    EXPECT_EQ(quads.size(), 6U) << "a part is cut out of its surroundings";
    const Part small{{4, 10, 5}, {7, 10, 5}};
    scene.mesh(materials, small, &quads);
    EXPECT_EQ(quads.size(), 6U);
    EXPECT_TRUE(std::ranges::any_of(quads, [](const Quad& quad) { return quad.width() == 4; }));
    expect_right(scene);
    expect_right(scene, small);
}

TEST(ChunkMesher, IsThatOfEveryCellByItselfHoweverTheyAreMixed) {
    constexpr std::array<std::string_view, 9> k_keys{"Empty",
                                                     "Rock_Stone",
                                                     "Soil_Dirt",
                                                     "Plant_Leaves_Oak",
                                                     "Plant_Leaves_Birch",
                                                     "Plant_Grass_Sharp",
                                                     "Furniture_Village_Chest_Small",
                                                     "Rock_Marble",
                                                     "Nobody_Knows_This"};
    std::mt19937 random(5);
    for (int round = 0; round < 6; ++round) {
        Scene scene;
        const auto most = 2 + static_cast<std::size_t>(round) % (k_keys.size() - 1);
        for (int count = 0; count < 9'000; ++count) {
            const auto pick = [&](int from, int to) {
                return from + static_cast<int>(random() % static_cast<unsigned>(to - from));
            };
            const bool is_near_corner = count % 3 == 0; // of four sections and the border
            const int x = is_near_corner ? pick(-3, 4) : pick(-2, 34);
            const int z = x >= 0 && x < 32 ? pick(-2, 34) : pick(0, 32);
            const int y = is_near_corner ? pick(28, 36) : pick(0, 320);
            if (count % 7 == 0)
                scene.flood(x, y, z, count % 2 == 0 ? "Water_Source" : "Lava_Source");
            else
                scene.set(x, y, z, k_keys[random() % most]);
        }
        expect_right(scene);
        expect_right(scene, {{2, 20, -1}, {40, 33, 17}});
    }
}

TEST(ChunkMesher, NothingOfAChunkIsLeftForTheNext) {
    Scene full;
    for (int y = 0; y < 320; y += 7) full.set(1, y, 1, "Rock_Stone");
    full.flood(5, 5, 5, "Water_Source");
    Materials materials(world::Assets::built_in());
    ChunkMesher mesher(materials);
    std::vector<Quad> quads;
    mesher.make(full.at(0, 0), {}, {}, quads);
    EXPECT_FALSE(quads.empty());
    quads.clear();
    const auto empty = Chunk::create();
    mesher.make(empty, {&full.at(0, 0), &full.at(0, 0), &full.at(0, 0), &full.at(0, 0)}, {}, quads);
    mesher.make(empty, {}, {}, quads);
    EXPECT_TRUE(quads.empty());
}

} // namespace
} // namespace orbis::mesh

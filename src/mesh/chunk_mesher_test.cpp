#include "bytes/reader.hpp"
#include "mesh/chunk_mesher.hpp"
#include "mesh/mesh_file.hpp"
#include "mesh/open_sky.hpp"

#include <gtest/gtest.h>

#include <libdeflate.h>
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
        for (int z = -1; z <= 1; ++z)
            for (int x = -1; x <= 1; ++x) chunks.emplace(std::pair{x, z}, Chunk::create());
    }
    Chunk& at(int x, int z) { return chunks.at({x >> 5, z >> 5}); }
    void set(int x, int y, int z, std::string_view key) {
        ASSERT_TRUE(at(x, z).set_block({x, y, z}, {key, {}, {}}));
    }
    void flood(int x, int y, int z, std::string_view key) {
        ASSERT_TRUE(at(x, z).set_fluid({x, y, z}, {key, 1}));
    }
    std::multiset<UnitFace> mesh(Materials& materials, const FaceChoice& choice = {},
                                 std::vector<Quad>* quads = nullptr) const {
        ChunkMesher mesher(materials);
        std::vector<Quad> made;
        mesher.make(chunks.at({0, 0}), around(), choice, made);
        std::multiset<UnitFace> out;
        for (const auto& quad : made) take_apart(quad, materials, out);
        if (quads != nullptr) *quads = made;
        return out;
    }
    [[nodiscard]] Neighbours around() const {
        const auto beside = [&](int x, int z) { return &chunks.at({x, z}); };
        return {beside(0, -1),  beside(0, 1),  beside(-1, 0), beside(1, 0),
                beside(-1, -1), beside(1, -1), beside(-1, 1), beside(1, 1)};
    }
};

/// The same, cell by cell.
class Oracle {
public:
    Oracle(const Scene& scene, Materials& materials, const FaceChoice& choice)
        : scene_(scene), materials_(materials), part_(choice.part) {
        if (choice.surface) find_sky();
    }

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
            const auto& seen = here.kind == Kind::piece ? std::array{x, y, z} : to;
            const bool is_seen = is_near_sky(seen[0], seen[1], seen[2]);
            if (here.kind == Kind::piece ? face != Face::down || !is_behind_rock
                                         : here.kind != Kind::nothing && !is_behind_rock
                                               && (here.kind == Kind::solid || there.key != here.key))
                if (is_seen) out_.emplace(x, y, z, face, here.key, here.shape);
            if (wet.kind == Kind::nothing || here.kind == Kind::solid || is_behind_rock
                || !is_near_sky(to[0], to[1], to[2]) || fluid(to[0], to[1], to[2]).key == wet.key)
                continue;
            const bool is_deep = fluid(x, y + 1, z).kind != Kind::nothing;
            out_.emplace(x, y, z, face, wet.key, is_deep ? Shape::cube : Shape::liquid);
        }
    }

    static constexpr int k_far = 16; ///< cells that are known on each side
    static constexpr int k_wide = k_side + 2 * k_far;
    static std::size_t place_of(int x, int y, int z) {
        return static_cast<std::size_t>((y * k_wide + z + k_far) * k_wide + x + k_far);
    }
    /// Step by step from the cells that have nothing but air and the like above them.
    void find_sky() {
        near_.resize(static_cast<std::size_t>(k_wide * k_wide * k_world_height));
        std::vector<std::array<int, 3>> now;
        for (int z = -k_far; z < k_side + k_far; ++z)
            for (int x = -k_far; x < k_side + k_far; ++x)
                for (int y = k_world_height - 1; y >= 0 && block(x, y, z).kind != Material::Kind::solid;
                     --y) {
                    near_[place_of(x, y, z)] = true;
                    if (y < 64) now.push_back({x, y, z}); // above it everything is open
                }
        for (int step = 0; step < OpenSky::k_steps; ++step) {
            std::vector<std::array<int, 3>> next;
            for (const auto& from : now)
                for (std::size_t i = 0; i < 6; ++i) {
                    auto to = from;
                    to[i / 2] += i % 2 == 0 ? 1 : -1;
                    const auto [x, y, z] = to;
                    if (x < -k_far || x >= k_side + k_far || z < -k_far || z >= k_side + k_far || y < 0
                        || y >= k_world_height || near_[place_of(x, y, z)]
                        || block(x, y, z).kind == Material::Kind::solid)
                        continue;
                    near_[place_of(x, y, z)] = true;
                    next.push_back(to);
                }
            now = std::move(next);
        }
    }
    [[nodiscard]] bool is_near_sky(int x, int y, int z) const {
        return near_.empty() || y >= k_world_height || (y >= 0 && near_[place_of(x, y, z)]);
    }

    const Scene& scene_;
    Materials& materials_;
    Part part_;
    std::vector<bool> near_; ///< empty if all faces are wanted
    std::multiset<UnitFace> out_;
};

void expect_right(const Scene& scene, const FaceChoice& choice = {}) {
    Materials materials(world::Assets::built_in());
    const auto found = scene.mesh(materials, choice);
    const auto expected = Oracle(scene, materials, choice).faces();
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
    const FaceChoice inner{.part = {{0, 0, 0}, {31, 319, 31}}};
    scene.mesh(materials, inner, &quads);
    EXPECT_EQ(quads.size(), 6U) << "a part is cut out of its surroundings";
    const FaceChoice small{.part = {{4, 10, 5}, {7, 10, 5}}};
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
        expect_right(scene, {.part = {{2, 20, -1}, {40, 33, 17}}});
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

/// Ground with a cave whose mouth is in the north-west, a roof over the corner of four chunks, and a lake.
Scene make_country() {
    Scene scene;
    for (int x = -32; x < 64; ++x)
        for (int z = -32; z < 64; ++z)
            for (int y = 40; y < 46; ++y) {
                const bool is_cave = y == 43 && x < 20 && z == 5;
                const bool is_mouth = x == -12 && z == 5 && y > 43;
                if (!is_cave && !is_mouth) scene.set(x, y, z, y == 45 ? "Soil_Grass" : "Rock_Stone");
            }
    for (int x = -9; x < 9; ++x)
        for (int z = -9; z < 9; ++z) scene.set(x, 49, z, "Rock_Marble");
    for (int x = 20; x < 30; ++x)
        for (int z = 20; z < 30; ++z)
            for (int y = 42; y < 46; ++y) {
                scene.set(x, y, z, "Empty");
                if (y < 45) scene.flood(x, y, z, "Water_Source");
            }
    scene.set(26, 46, 4, "Plant_Grass_Sharp");
    scene.set(2, 46, 2, "Plant_Grass_Sharp");
    scene.set(16, 43, 5, "Furniture_Village_Chest_Small");
    return scene;
}

TEST(ChunkMesher, TheSurfaceIsWhatIsNearTheOpenSky) {
    const auto scene = make_country();
    expect_right(scene, {.surface = true});
    Materials materials(world::Assets::built_in());
    const auto surface = scene.mesh(materials, {.surface = true});
    const auto has = [&](int x, int y, int z, Face face) {
        return std::ranges::any_of(surface, [&](const UnitFace& each) {
            return std::get<0>(each) == x && std::get<1>(each) == y && std::get<2>(each) == z
                   && std::get<3>(each) == face;
        });
    };
    EXPECT_TRUE(has(12, 45, 12, Face::up)) << "ground";
    EXPECT_TRUE(has(3, 49, 3, Face::down)) << "a roof from below, near its edge";
    EXPECT_TRUE(has(6, 45, 6, Face::up)) << "the ground below it";
    EXPECT_FALSE(has(0, 45, 0, Face::up)) << "its middle is farther from the sky than it counts";
    EXPECT_TRUE(has(24, 41, 24, Face::up)) << "the bottom of the lake";
    EXPECT_FALSE(has(16, 42, 5, Face::up)) << "a cave";
    EXPECT_FALSE(has(16, 43, 5, Face::up)) << "and what is in it";
    EXPECT_FALSE(has(12, 40, 12, Face::down)) << "the bottom of the world";
}

TEST(ChunkMesher, TheSurfaceOfWhatWasCutIsClosed) {
    const auto scene = make_country();
    const FaceChoice cut{.part = {{INT16_MIN, INT16_MIN, INT16_MIN}, {INT16_MAX, 43, 17}}, .surface = true};
    expect_right(scene, cut);
    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    scene.mesh(materials, cut, &quads);
    EXPECT_TRUE(std::ranges::any_of(quads, [](const Quad& quad) {
        return quad.face() == Face::up && quad.y() == 42 && quad.z() == 5;
    })) << "the floor of the cave";
    EXPECT_TRUE(std::ranges::any_of(quads, [](const Quad& quad) {
        return quad.face() == Face::south && quad.z() == 17 && quad.width() == 32;
    })) << "rock where it was cut";
}

TEST(ChunkMesher, FacesHaveTheLightOfTheCellTheyLookAt) {
    Scene scene;
    for (int x = -32; x < 64; ++x)
        for (int z = -32; z < 64; ++z) scene.set(x, 31, z, "Rock_Stone");
    scene.set(31, 32, 9, "Rock_Marble");
    const auto lit = [](int red, int blue) { return chunk::LightValue::of(red, 0, blue, 15); };
    std::vector<std::uint16_t> light(k_cells, lit(0, 0).packed);
    light[4 | 6 << 5] = lit(15, 0).packed; // 4, 32, 6
    ASSERT_TRUE(scene.at(0, 0).edit_section(1));
    (*scene.at(0, 0).edit_section(1))->global_light.set(chunk::Light::ConstExpanded(light), 0);
    std::vector<std::uint16_t> beside(k_cells, lit(0, 7).packed);
    (*scene.at(32, 0).edit_section(1))->local_light.set(chunk::Light::ConstExpanded(beside), 0);
    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    scene.mesh(materials, {.surface = true, .lamps = true}, &quads);
    const auto light_of = [&](int x, int y, int z, Face face) {
        for (const auto& quad : quads)
            if (quad.face() == face && quad.x() == x && quad.y() == y && quad.z() == z)
                return int{quad.light()};
        return -1;
    };
    EXPECT_EQ(light_of(4, 31, 6, Face::up), 15);
    EXPECT_EQ(light_of(31, 32, 9, Face::east), 7 << 8) << "the cell is in the next chunk";
    EXPECT_EQ(light_of(31, 32, 9, Face::west), 0);
    scene.mesh(materials, {.surface = true}, &quads);
    EXPECT_EQ(light_of(4, 31, 6, Face::up), -1) << "without lamps it is part of the ground";
}

TEST(MeshFile, HasTheColoursTintsAndFacesOfAChunk) {
    auto scene = make_country();
    std::array<std::int32_t, k_columns> tints{};
    for (int i = 0; i < k_columns; ++i) tints[static_cast<std::size_t>(i)] = 0x10'2030 + i * 0x101;
    (*scene.at(0, 0).edit_tints())->assign(tints);
    MeshFileMaker maker(world::Assets::built_in());
    const auto file = maker.make(scene.at(0, 0), scene.around(), MeshFileMaker::Faces::surface);
    EXPECT_EQ(file, maker.make(scene.at(0, 0), scene.around(), MeshFileMaker::Faces::surface));
    MeshFileMaker other(world::Assets::built_in());
    Scene stones;
    stones.set(4, 4, 4, "Rock_Marble");
    (void)other.make(stones.at(0, 0), {}, MeshFileMaker::Faces::all);
    EXPECT_EQ(file, other.make(scene.at(0, 0), scene.around(), MeshFileMaker::Faces::surface))
        << "whatever was made before";

    Materials materials(world::Assets::built_in());
    std::vector<Quad> quads;
    const auto expected = scene.mesh(materials, {.surface = true, .lamps = true}, &quads);
    EXPECT_EQ(maker.quads(), quads.size());
    Reader in(file);
    EXPECT_EQ(as_text(in.take(4)), "OMSH");
    EXPECT_EQ(in.u8(), 1);
    EXPECT_EQ(in.u8(), 0);
    const std::size_t count = in.le<std::uint16_t>();
    const std::size_t opaque = in.le<std::uint32_t>();
    const std::size_t records = opaque + in.le<std::uint32_t>();
    ASSERT_TRUE(in.ok());
    EXPECT_GT(records, opaque) << "water";
    Buffer body(count * 8 + 3 * k_columns + records * 10);
    auto* tool = libdeflate_alloc_decompressor();
    std::size_t size = 0;
    ASSERT_EQ(
        libdeflate_zlib_decompress(tool, file.data() + 16, file.size() - 16, body.data(), body.size(), &size),
        LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(tool);
    ASSERT_EQ(size, body.size());

    const auto* planes = body.data() + count * 8;
    std::uint8_t red = 0;
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7, 8, 40}) red = static_cast<std::uint8_t>(red + planes[i]);
    EXPECT_EQ(red, tints[40] >> 16) << "along the first row, then down";
    planes += 3 * k_columns;
    const auto number = [&](std::size_t i, std::size_t first, std::size_t bytes) {
        std::uint32_t value = 0;
        for (std::size_t byte = 0; byte < bytes; ++byte)
            value |= std::uint32_t{planes[(first + byte) * records + i]} << (8 * byte);
        return value;
    };
    const auto colours = map::Colours(world::Assets::built_in());
    std::multiset<UnitFace> found;
    std::uint32_t cell = 0;
    std::uint16_t own = 0;
    for (std::size_t i = 0; i < records; ++i) {
        cell = (cell + number(i, 0, 3)) & 0xFF'FFFF;
        own = static_cast<std::uint16_t>(own + number(i, 6, 2));
        ASSERT_LT(own, count);
        const auto what = number(i, 5, 1);
        const auto quad = Quad::make(Face::up, static_cast<int>(cell & 31), static_cast<int>(cell >> 10),
                                     static_cast<int>(cell >> 5 & 31), static_cast<int>(number(i, 3, 1)) + 1,
                                     static_cast<int>(number(i, 4, 1)) + 1, 0, static_cast<Shape>(what >> 3));
        EXPECT_EQ(number(i, 8, 2), 0U) << "it is dark";
        // The tables have other numbers; the face is that of what is there.
        const auto is_same = [&](const Quad& each) {
            return each.place << 3 == quad.place << 3 && each.shape() == quad.shape()
                   && (materials[each.material()].alpha < 1) == (i >= opaque)
                   && ((what & 7) > 5 || static_cast<unsigned>(each.face()) == (what & 7));
        };
        const auto same = std::ranges::find_if(quads, is_same);
        ASSERT_NE(same, quads.end());
        for (unsigned face = 0; face < k_faces; ++face) {
            const bool has = (what & 7) == face || (what & 7) == 7 || ((what & 7) == 6 && face != 1);
            if (has) take_apart({(quad.place << 3 >> 3) | face << 29, same->look}, materials, found);
        }
        const auto* entry = body.data() + std::size_t{own} * 8;
        EXPECT_EQ(entry[7], i < opaque ? 255 : 153);
        const auto& material = materials[same->material()];
        if (material.kind == Material::Kind::fluid) continue;
        const auto look = colours.block(material.key);
        EXPECT_EQ(entry[0], look.base.red);
        EXPECT_EQ(entry[6], look.biome_percent);
        EXPECT_EQ(entry[5], look.biome_percent < 100 && look.has_particle ? look.particle.blue : 255);
    }
    EXPECT_TRUE(found == expected);
    const auto all = maker.make(scene.at(0, 0), scene.around(), MeshFileMaker::Faces::all);
    EXPECT_EQ(all[5], 1);
    EXPECT_GT(maker.quads(), quads.size());
}

TEST(MeshFile, AnyNumberOfKeysIsForgottenAgain) {
    MeshFileMaker maker(world::Assets::built_in());
    for (int round = 0; round < 6; ++round) {
        Scene scene;
        for (int i = 0; i < 2'000; ++i)
            scene.set(i % 32, 1 + i / 1024 * 2, i / 32 % 32, fmt::format("Stranger_{}_{}", round, i));
        const auto file = maker.make(scene.at(0, 0), scene.around(), MeshFileMaker::Faces::all);
        EXPECT_EQ(load_le<std::uint16_t>(file.data() + 6), 2'000);
        EXPECT_LE(maker.materials(), 8'192U + 2'000);
    }
}

} // namespace
} // namespace orbis::mesh

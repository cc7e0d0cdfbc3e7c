#include "mesh/chunk_mesher.hpp"

#include "mesh/open_sky.hpp"

#include <algorithm>
#include <bit>

/// docs/design/mesh.md
namespace orbis::mesh {

namespace {

using chunk::Chunk;

/// Turns a square of bits by its diagonal: bit x of row z becomes bit z of row x.
void transpose(LayerRows& rows) {
    std::uint32_t mask = 0x0000'FFFF;
    for (std::size_t step = 16; step != 0; step >>= 1, mask ^= mask << step)
        for (std::size_t row = 0; row < k_side; row = (row + step + 1) & ~step) {
            const auto swapped = (rows[row] >> step ^ rows[row + step]) & mask;
            rows[row + step] ^= swapped;
            rows[row] ^= swapped << step;
        }
}

} // namespace

struct ChunkMesher::Work {
    explicit Work(Materials& all) : materials(all) {}

    Materials& materials;
    ChunkCells middle, north, south, west, east;
    std::array<LayerRows, k_side> faces; ///< of one direction in one section
    std::vector<Quad>* out = nullptr;
    FaceChoice choice;
    std::unique_ptr<OpenSky> sky;                       ///< where only the surface is wanted
    std::array<std::unique_ptr<ChunkCells>, 4> corners; ///< then: the chunks there

    void read(ChunkCells& cells, const Chunk* chunk, int dx, int dz,
              ChunkCells::Read what = ChunkCells::Read::all);
    void find_sky(const Neighbours& around);
    void mesh_section(int y);
    void mesh_cubes(int y, Material::Kind kind);
    void mesh_pieces(int y);
    void mesh_fluids(int y);

    /// Cells of a kind on the far side of the faces of a row, at the places of the cells themselves.
    [[nodiscard]] std::uint32_t beyond(Face face, Material::Kind kind, int y, int z) const;
    [[nodiscard]] const ChunkCells* step(Face face, int& x, int& y, int& z) const;

    /// Faces of `rows` that nothing hides, into `faces`; whether there are any.
    template <typename Same>
    bool find_faces(Face face, Material::Kind kind, int y, const ChunkRows& rows, Same is_same);
    template <typename MaterialAt>
    void merge_faces(Face face, int y, Shape shape, MaterialAt material_at);
    /// Material and light in one number.
    [[nodiscard]] std::uint32_t lit(std::uint32_t material, const ChunkCells& cells, int x, int y,
                                    int z) const {
        return choice.lamps ? material | static_cast<std::uint32_t>(cells.lamps(x, y, z)) << 16 : material;
    }
    [[nodiscard]] std::uint32_t lit(std::uint32_t material, Face face, int x, int y, int z) const {
        if (!choice.lamps) return material;
        const auto* cells = step(face, x, y, z);
        return lit(material, *cells, x, y, z);
    }
};

/// `dx` and `dz` say where a chunk beside the middle one begins.
void ChunkMesher::Work::read(ChunkCells& cells, const Chunk* chunk, int dx, int dz, ChunkCells::Read what) {
    auto moved = choice.part;
    moved.first[0] -= dx;
    moved.last[0] -= dx;
    moved.first[2] -= dz;
    moved.last[2] -= dz;
    cells.reset(chunk, moved, materials, what);
}

/// Needs the cells of the five chunks.
void ChunkMesher::Work::find_sky(const Neighbours& around) {
    if (!sky) {
        sky = std::make_unique<OpenSky>();
        for (auto& corner : corners) corner = std::make_unique<ChunkCells>();
    }
    constexpr auto k_solid = ChunkCells::Read::solid;
    read(*corners[0], around.north_west, -k_side, -k_side, k_solid);
    read(*corners[1], around.north_east, k_side, -k_side, k_solid);
    read(*corners[2], around.south_west, -k_side, k_side, k_solid);
    read(*corners[3], around.south_east, k_side, k_side, k_solid);
    sky->find({corners[0].get(), &north, corners[1].get(), &west, &middle, &east, corners[2].get(), &south,
               corners[3].get()});
}

std::uint32_t ChunkMesher::Work::beyond(Face face, Material::Kind kind, int y, int z) const {
    const auto rows_of = [kind](const ChunkCells& cells, int height, int row) {
        return cells.rows(kind)[static_cast<std::size_t>(height)][static_cast<std::size_t>(row)];
    };
    switch (face) {
    case Face::up: return y + 1 < k_world_height ? rows_of(middle, y + 1, z) : 0;
    case Face::down: return y > 0 ? rows_of(middle, y - 1, z) : 0;
    case Face::north: return z > 0 ? rows_of(middle, y, z - 1) : rows_of(north, y, k_side - 1);
    case Face::south: return z + 1 < k_side ? rows_of(middle, y, z + 1) : rows_of(south, y, 0);
    case Face::west: return rows_of(middle, y, z) << 1 | rows_of(west, y, z) >> 31;
    case Face::east: return rows_of(middle, y, z) >> 1 | rows_of(east, y, z) << 31;
    }
    return 0;
}

/// The cell that a face looks at, and the chunk that it is in.
const ChunkCells* ChunkMesher::Work::step(Face face, int& x, int& y, int& z) const {
    const auto* cells = &middle;
    switch (face) {
    case Face::up: ++y; break;
    case Face::down: --y; break;
    case Face::north:
        if (--z < 0) cells = &north;
        break;
    case Face::south:
        if (++z == k_side) cells = &south;
        break;
    case Face::west:
        if (--x < 0) cells = &west;
        break;
    case Face::east:
        if (++x == k_side) cells = &east;
        break;
    }
    x &= k_side - 1;
    z &= k_side - 1;
    return cells;
}

template <typename Same>
bool ChunkMesher::Work::find_faces(Face face, Material::Kind kind, int y, const ChunkRows& rows,
                                   Same is_same) {
    std::uint32_t any = 0;
    for (int layer = 0; layer < k_side; ++layer)
        for (int z = 0; z < k_side; ++z) {
            const int height = y * k_side + layer;
            auto bits = rows[static_cast<std::size_t>(height)][static_cast<std::size_t>(z)];
            if (bits != 0) {
                bits &= ~beyond(face, Material::Kind::solid, height, z);
                if (choice.surface) bits &= sky->beyond(face, height, z);
                if (kind != Material::Kind::solid)
                    for (auto both = bits & beyond(face, kind, height, z); both != 0; both &= both - 1) {
                        const int x = std::countr_zero(both);
                        int to_x = x;
                        int to_y = height;
                        int to_z = z;
                        const auto* cells = step(face, to_x, to_y, to_z);
                        if (is_same(x, height, z, *cells, to_x, to_y, to_z)) bits &= ~(1U << x);
                    }
            }
            faces[static_cast<std::size_t>(layer)][static_cast<std::size_t>(z)] = bits;
            any |= bits;
        }
    return any != 0;
}

/// Makes rectangles of `faces`, row by row: as wide as possible, then as high.
template <typename MaterialAt>
void ChunkMesher::Work::merge_faces(Face face, int y, Shape shape, MaterialAt material_at) {
    const int bottom = y * k_side;
    const auto look_at = [&](int x, int height, int z) {
        return lit(material_at(x, height, z), face, x, height, z);
    };
    // Rows of a plane along u, from one to the next along v.
    const auto merge = [&](auto row_of, auto at, auto make) {
        for (int v = 0; v < k_side; ++v)
            for (auto& row = row_of(v); row != 0;) {
                const int u = std::countr_zero(row);
                const auto material = at(u, v);
                int width = 1;
                while (u + width < k_side && (row >> (u + width) & 1) != 0 && at(u + width, v) == material)
                    ++width;
                const auto mask = (~std::uint32_t{0} >> (k_side - width)) << u;
                row &= ~mask;
                int height = 1;
                const auto goes_on = [&](int next) {
                    if ((row_of(next) & mask) != mask) return false;
                    for (int i = 0; i < width; ++i)
                        if (at(u + i, next) != material) return false;
                    return true;
                };
                while (v + height < k_side && goes_on(v + height)) row_of(v + height++) &= ~mask;
                make(u, v, width, height, material);
            }
    };
    const auto add = [&](int x, int layer, int z, int width, int height, std::uint32_t look) {
        out->push_back(Quad::make(face, x, bottom + layer, z, width, height, static_cast<std::uint16_t>(look),
                                  shape, static_cast<std::uint16_t>(look >> 16)));
    };
    const auto i = [](int number) { return static_cast<std::size_t>(number); };
    if (face == Face::up || face == Face::down) {
        for (int layer = 0; layer < k_side; ++layer)
            merge([&](int z) -> std::uint32_t& { return faces[i(layer)][i(z)]; },
                  [&](int x, int z) { return look_at(x, bottom + layer, z); },
                  [&](int x, int z, int width, int height, std::uint32_t material) {
                      add(x, layer, z, width, height, material);
                  });
    } else if (face == Face::north || face == Face::south) {
        for (int z = 0; z < k_side; ++z)
            merge([&](int layer) -> std::uint32_t& { return faces[i(layer)][i(z)]; },
                  [&](int x, int layer) { return look_at(x, bottom + layer, z); },
                  [&](int x, int layer, int width, int height, std::uint32_t material) {
                      add(x, layer, z, width, height, material);
                  });
    } else {
        for (auto& layer : faces) transpose(layer); // now by y and x, bits along z
        for (int x = 0; x < k_side; ++x)
            merge([&](int layer) -> std::uint32_t& { return faces[i(layer)][i(x)]; },
                  [&](int z, int layer) { return look_at(x, bottom + layer, z); },
                  [&](int z, int layer, int width, int height, std::uint32_t material) {
                      add(x, layer, z, width, height, material);
                  });
    }
}

void ChunkMesher::Work::mesh_cubes(int y, Material::Kind kind) {
    const auto& rows = middle.rows(kind);
    for (std::size_t number = 0; number < k_faces; ++number) {
        const auto face = static_cast<Face>(number);
        const auto is_same = [this](int x, int height, int z, const ChunkCells& there, int to_x, int to_y,
                                    int to_z) {
            return middle.block(x, height, z) == there.block(to_x, to_y, to_z);
        };
        if (!find_faces(face, kind, y, rows, is_same)) continue;
        merge_faces(face, y, Shape::cube,
                    [this](int x, int height, int z) { return middle.block(x, height, z); });
    }
}

/// Each stands alone, and only what it stands on hides one of its faces.
void ChunkMesher::Work::mesh_pieces(int y) {
    const auto& rows = middle.rows(Material::Kind::piece);
    for (int height = y * k_side; height < (y + 1) * k_side; ++height)
        for (int z = 0; z < k_side; ++z) {
            const auto on_ground = beyond(Face::down, Material::Kind::solid, height, z);
            auto bits = rows[static_cast<std::size_t>(height)][static_cast<std::size_t>(z)];
            if (choice.surface) bits &= sky->row(height, z);
            for (; bits != 0; bits &= bits - 1) {
                const int x = std::countr_zero(bits);
                const auto material = middle.block(x, height, z);
                const auto look = lit(material, middle, x, height, z);
                for (std::size_t face = 0; face < k_faces; ++face)
                    if (static_cast<Face>(face) != Face::down || (on_ground >> x & 1) == 0)
                        out->push_back(Quad::make(static_cast<Face>(face), x, height, z, 1, 1, material,
                                                  materials[material].shape,
                                                  static_cast<std::uint16_t>(look >> 16)));
            }
        }
}

/// The highest fluid of a column ends below the top of its cell, what is below it does not.
void ChunkMesher::Work::mesh_fluids(int y) {
    const auto& fluid_rows = middle.rows(Material::Kind::fluid);
    const auto& solid_rows = middle.rows(Material::Kind::solid);
    const auto chosen = std::make_unique<ChunkRows>();
    for (const auto shape : {Shape::cube, Shape::liquid}) {
        for (int height = y * k_side; height < (y + 1) * k_side; ++height)
            for (int z = 0; z < k_side; ++z) {
                const auto at = static_cast<std::size_t>(height);
                const auto row = static_cast<std::size_t>(z);
                const auto above = beyond(Face::up, Material::Kind::fluid, height, z);
                (*chosen)[at][row] =
                    fluid_rows[at][row] & ~solid_rows[at][row] & (shape == Shape::cube ? above : ~above);
            }
        for (std::size_t number = 0; number < k_faces; ++number) {
            const auto face = static_cast<Face>(number);
            const auto is_same = [this](int x, int height, int z, const ChunkCells& there, int to_x, int to_y,
                                        int to_z) {
                return middle.fluid(x, height, z) == there.fluid(to_x, to_y, to_z);
            };
            if (!find_faces(face, Material::Kind::fluid, y, *chosen, is_same)) continue;
            merge_faces(face, y, shape,
                        [this](int x, int height, int z) { return middle.fluid(x, height, z); });
        }
    }
}

void ChunkMesher::Work::mesh_section(int y) {
    const auto has = [&](Material::Kind kind) { return middle.section_has(kind, y); };
    if (has(Material::Kind::solid)) mesh_cubes(y, Material::Kind::solid);
    if (has(Material::Kind::clear)) mesh_cubes(y, Material::Kind::clear);
    if (has(Material::Kind::piece)) mesh_pieces(y);
    if (has(Material::Kind::fluid)) mesh_fluids(y);
}

ChunkMesher::ChunkMesher(Materials& materials) : work_(std::make_unique<Work>(materials)) {}
ChunkMesher::~ChunkMesher() = default;

void ChunkMesher::make(const Chunk& chunk, const Neighbours& around, const FaceChoice& choice,
                       std::vector<Quad>& out) {
    work_->out = &out;
    work_->choice = choice;
    work_->read(work_->middle, &chunk, 0, 0);
    work_->read(work_->north, around.north, 0, -k_side);
    work_->read(work_->south, around.south, 0, k_side);
    work_->read(work_->west, around.west, -k_side, 0);
    work_->read(work_->east, around.east, k_side, 0);
    if (choice.surface) work_->find_sky(around);
    for (int y = 0; y < k_sections; ++y) work_->mesh_section(y);
}

} // namespace orbis::mesh

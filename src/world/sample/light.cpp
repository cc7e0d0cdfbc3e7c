#include "world/sample/light.hpp"

#include <algorithm>

namespace orbis::world::sample {
namespace {

struct Cell {
    std::int16_t x;
    std::int16_t y;
    std::int16_t z;
};

/// Each of the four channels one weaker, not below 0.
std::uint16_t weaker(std::uint16_t light) {
    const auto some = static_cast<std::uint16_t>((light | light >> 1 | light >> 2 | light >> 3) & 0x1111);
    return static_cast<std::uint16_t>(light - some);
}

/// The stronger one of each channel.
std::uint16_t stronger(std::uint16_t a, std::uint16_t b) {
    std::uint16_t out = 0;
    for (int shift = 0; shift < 16; shift += 4)
        out = static_cast<std::uint16_t>(out | std::max(a >> shift & 15, b >> shift & 15) << shift);
    return out;
}

/// Lets the light of the queued cells flow on until nothing changes any more. `Cells` says where light may go
/// (`enters`) and keeps the values (`get`, `set`).
template <typename Cells>
void spread(Cells& cells, std::vector<Cell>& queue) {
    constexpr std::array<std::array<int, 3>, 6> steps{
        {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const auto [x, y, z] = queue[next];
        const auto light = weaker(cells.get(x, y, z));
        if (light == 0) continue;
        for (const auto& [dx, dy, dz] : steps) {
            const int nx = x + dx;
            const int ny = y + dy;
            const int nz = z + dz;
            if (!cells.enters(nx, ny, nz)) continue;
            const auto before = cells.get(nx, ny, nz);
            const auto after = stronger(before, light);
            if (after == before) continue;
            cells.set(nx, ny, nz, after);
            queue.push_back({static_cast<std::int16_t>(nx), static_cast<std::int16_t>(ny),
                             static_cast<std::int16_t>(nz)});
        }
        if (next == 1U << 20) { // what was handled needs no memory any more
            queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(next));
            next = 0;
        }
    }
    queue.clear();
}

std::size_t section_index(int x, int y, int z) {
    const int chunk = ((z >> 5) - k_low_chunk) * k_chunks + (x >> 5) - k_low_chunk;
    return static_cast<std::size_t>(chunk) * k_sections + static_cast<std::size_t>(y >> 5);
}

bool in_world(int x, int y, int z) { return Landscape::inside(x, z) && y >= 0 && y < k_world_height; }

} // namespace

/// The cells of the whole world, for `spread`.
struct WorldLight::Cells {
    WorldLight& world;

    [[nodiscard]] bool enters(int x, int y, int z) const {
        return in_world(x, y, z) && world.passes(world.canvas_.at(x, y, z));
    }
    [[nodiscard]] std::uint16_t get(int x, int y, int z) const {
        const auto index = section_index(x, y, z);
        const auto& section = world.sections_[index];
        return section ? (*section)[static_cast<std::size_t>(CellIndex(x, y, z).value)]
                       : world.uniform_[index];
    }
    void set(int x, int y, int z, std::uint16_t light) {
        const auto index = section_index(x, y, z);
        auto& section = world.sections_[index];
        if (!section) {
            section = std::make_unique<SectionLight>();
            section->fill(world.uniform_[index]);
        }
        (*section)[static_cast<std::size_t>(CellIndex(x, y, z).value)] = light;
    }
};

WorldLight::WorldLight(const Canvas& canvas)
    : canvas_(canvas),
      heights_(static_cast<std::size_t>(k_blocks) * k_blocks),
      sections_(static_cast<std::size_t>(k_chunks) * k_chunks * k_sections),
      uniform_(sections_.size()) {
    for (std::size_t i = 0; i < canvas.keys().size(); ++i) {
        const auto* type = canvas.type(static_cast<Block>(i));
        passes_[i] = type == nullptr || type->opacity != Opacity::solid;
        if (type != nullptr && type->light)
            emitted_[i] = static_cast<std::uint16_t>(type->light->red / 17 | type->light->green / 17 << 4
                                                     | type->light->blue / 17 << 8);
    }
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x)
            heights_[static_cast<std::size_t>((z - k_low) * k_blocks + x - k_low)] =
                static_cast<std::int16_t>(canvas.height(x, z));

    Cells cells{*this};
    // Daylight: whole sections above everything at once, then what is left of each column.
    for (int cz = k_low; cz < k_low + k_blocks; cz += k_side)
        for (int cx = k_low; cx < k_low + k_blocks; cx += k_side) {
            int highest = 0;
            for (int i = 0; i < k_columns; ++i)
                highest = std::max(highest, height(cx + (i & 31), cz + (i >> 5)));
            const int first_free = (highest >> 5) + 1;
            for (int y = first_free; y < k_sections; ++y)
                uniform_[section_index(cx, y * k_side, cz)] = k_daylight;
            for (int i = 0; i < k_columns; ++i) {
                const int x = cx + (i & 31);
                const int z = cz + (i >> 5);
                for (int y = height(x, z) + 1; y < first_free * k_side; ++y) cells.set(x, y, z, k_daylight);
            }
        }
    // Light flows from where a lit cell stands beside a column that is higher, or on top of leaves.
    std::vector<Cell> queue;
    const auto add = [&](int x, int y, int z) {
        queue.push_back(
            {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), static_cast<std::int16_t>(z)});
    };
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x) {
            const int last = highest_beside_shade(x, z);
            for (int y = height(x, z) + 1; y <= last && y < k_world_height; ++y) add(x, y, z);
        }
    for (int cz = k_low_chunk; cz < k_low_chunk + k_chunks; ++cz)
        for (int cx = k_low_chunk; cx < k_low_chunk + k_chunks; ++cx)
            for (int cy = 0; cy < k_sections; ++cy) {
                const auto* section = canvas.section({cx, cy, cz});
                if (section == nullptr) continue;
                for (int i = 0; i < k_cells; ++i) {
                    const auto light = emitted(section->blocks[static_cast<std::size_t>(i)]);
                    if (light == 0) continue;
                    const CellIndex cell(i);
                    const int x = cx * k_side + cell.x();
                    const int y = cy * k_side + cell.y();
                    const int z = cz * k_side + cell.z();
                    cells.set(x, y, z, stronger(cells.get(x, y, z), light));
                    add(x, y, z);
                }
            }
    spread(cells, queue);
}

int WorldLight::height(int x, int z) const {
    // Nothing beyond the edge can be in the shade.
    if (!Landscape::inside(x, z)) return -1;
    return heights_[static_cast<std::size_t>((z - k_low) * k_blocks + x - k_low)];
}

int WorldLight::highest_beside_shade(int x, int z) const {
    return std::max(
        {height(x - 1, z), height(x + 1, z), height(x, z - 1), height(x, z + 1), height(x, z) + 1});
}

void WorldLight::global(SectionPos at, SectionLight& out) const {
    const auto index = section_index(at.x * k_side, at.y * k_side, at.z * k_side);
    if (sections_[index])
        out = *sections_[index];
    else
        out.fill(uniform_[index]);
}

void WorldLight::local(SectionPos at, SectionLight& out) const {
    struct Inside {
        const WorldLight& world;
        const Canvas::Section* section;
        SectionLight& light;

        [[nodiscard]] bool enters(int x, int y, int z) const {
            if (((x | y | z) & ~31) != 0) return false;
            return section == nullptr
                   || world.passes(section->blocks[static_cast<std::size_t>(CellIndex(x, y, z).value)]);
        }
        [[nodiscard]] std::uint16_t get(int x, int y, int z) const {
            return light[static_cast<std::size_t>(CellIndex(x, y, z).value)];
        }
        void set(int x, int y, int z, std::uint16_t value) const {
            light[static_cast<std::size_t>(CellIndex(x, y, z).value)] = value;
        }
    };
    Inside cells{*this, canvas_.section(at), out};
    std::array<int, k_columns> tops;
    for (std::size_t i = 0; i < tops.size(); ++i)
        tops[i] = height(at.x * k_side + static_cast<int>(i & 31), at.z * k_side + static_cast<int>(i >> 5));
    const auto [lowest, highest] = std::ranges::minmax(tops);
    // Most sections are all sky, or all rock: there is nothing to spread in them.
    const bool gives_light =
        cells.section != nullptr
        && std::ranges::any_of(cells.section->blocks, [&](Block block) { return emitted(block) != 0; });
    if (!gives_light && (highest < at.y * k_side || lowest >= (at.y + 1) * k_side)) {
        out.fill(highest < at.y * k_side ? k_daylight : 0);
        return;
    }
    std::vector<Cell> queue;
    for (std::size_t column = 0; column < tops.size(); ++column) {
        const ColumnIndex place(static_cast<int>(column));
        const int last = highest_beside_shade(at.x * k_side + place.x(), at.z * k_side + place.z());
        for (int y = 0; y < k_side; ++y) {
            const CellIndex cell(place.x(), y, place.z());
            const auto index = static_cast<std::size_t>(cell.value);
            const int sky = at.y * k_side + y > tops[column] ? k_daylight : 0;
            const int own = cells.section == nullptr ? 0 : emitted(cells.section->blocks[index]);
            out[index] = static_cast<std::uint16_t>(sky | own);
            if (own != 0 || (sky != 0 && at.y * k_side + y <= last))
                queue.push_back({static_cast<std::int16_t>(place.x()), static_cast<std::int16_t>(y),
                                 static_cast<std::int16_t>(place.z())});
        }
    }
    spread(cells, queue);
}

} // namespace orbis::world::sample

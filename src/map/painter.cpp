#include "map/painter.hpp"

#include "map/chunk_looks.hpp"
#include "map/ramp.hpp"

#include <algorithm>
#include <map>

namespace orbis::map {

namespace {

constexpr Rgba k_rock{40, 40, 46, 255};

Rgba opaque(Colour colour) { return {colour.red, colour.green, colour.blue, 255}; }

Colour tint_of(std::int32_t stored) {
    const auto bits = static_cast<std::uint32_t>(stored);
    return {static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 8),
            static_cast<std::uint8_t>(bits)};
}

std::uint8_t times(std::uint8_t a, int b) { return static_cast<std::uint8_t>(a * b / 255); }

Rgba dimmed(Rgba colour, int red, int green, int blue) {
    return {times(colour.r, red), times(colour.g, green), times(colour.b, blue), colour.a};
}

bool in_world(int y) { return y >= 0 && y < k_world_height; }

} // namespace

struct ChunkPainter::Memory {
    explicit Memory(const Colours& colours) : looks(colours) {}

    chunk::Chunk chunk;
    ChunkLooks looks;
    std::array<std::int16_t, k_columns> heights{};
    std::array<std::int32_t, k_columns> tints{};
    bool has_heights = false; ///< the two above are those of the chunk
    Sheet sheet;              ///< for callers who want only pixels or edges

    void read_columns();
    Rgba block_colour(ColumnIndex column, int y);
    void draw_surface(int ceiling, Sheet& out);
    void draw_caves(int ceiling, Sheet& out);
    void draw_heights(Sheet& out);
    void draw_environments(Sheet& out);
    void draw_light(Sheet& out);
    void draw_fluid(ColumnIndex column, int ceiling, Sheet& out);
    [[nodiscard]] int surface(ColumnIndex column) const {
        return heights[static_cast<std::size_t>(column.value)];
    }
    /// Whether there is a block at the surface of the column.
    bool has_surface(ColumnIndex column) {
        const int h = surface(column);
        return in_world(h) && !looks.block(column, h).look.empty;
    }
};

void ChunkPainter::Memory::read_columns() {
    if (has_heights) return;
    has_heights = true;
    chunk.heights().expand(heights);
    chunk.tints().expand(tints);
    const bool readable = chunk.columns_state() == chunk::PartState::decoded;
    if (readable || std::ranges::any_of(heights, [](auto h) { return h != 0; })) return;
    for (int i = 0; i < k_columns; ++i)
        heights[static_cast<std::size_t>(i)] =
            static_cast<std::int16_t>(std::max(0, looks.highest_opaque(ColumnIndex(i), k_world_height - 1)));
}

/// Steps 1 to 3 of a pixel.
Rgba ChunkPainter::Memory::block_colour(ColumnIndex column, int y) {
    if (!in_world(y)) return {};
    const auto& cell = looks.block(column, y);
    if (cell.look.empty || cell.flat.a != 0) return cell.flat;
    return opaque(cell.look.tinted(tint_of(tints[static_cast<std::size_t>(column.value)])));
}

/// Step 5 but for the mixing, with nothing above `ceiling`.
void ChunkPainter::Memory::draw_fluid(ColumnIndex column, int ceiling, Sheet& out) {
    const auto i = static_cast<std::size_t>(column.value);
    const int h = out.height[i];
    int top = ceiling;
    FluidLook fluid;
    for (; top >= h; --top) {
        if (!looks.layer_has_fluid(top)) continue;
        fluid = looks.fluid(column, top);
        if (fluid.fluid) break;
    }
    if (!fluid.fluid) return;
    int bottom = top;
    while (bottom > h && looks.fluid(column, bottom - 1).same_body(fluid)) --bottom;
    Rgba f{255, 255, 255, 255};
    if (fluid.water)
        if (const auto tint = looks.colours().water_tint(chunk.environments().at(column, top)))
            f = opaque(*tint);
    if (fluid.has_particle) f = dimmed(f, fluid.particle.red, fluid.particle.green, fluid.particle.blue);
    out.fluid[i] = f;
    out.depth[i] = static_cast<std::uint16_t>(top - bottom + 1);
    out.has_fluid = true;
}

void ChunkPainter::Memory::draw_surface(int ceiling, Sheet& out) {
    const int highest_fluid = std::min(ceiling, looks.highest_fluid_layer());
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const auto place = static_cast<std::size_t>(i);
        int h = surface(column);
        if (h > ceiling && ceiling < k_world_height - 1) h = looks.highest_opaque(column, ceiling);
        out.height[place] = static_cast<std::int16_t>(h);
        out.colour[place] = block_colour(column, h);
        if (out.colour[place].a != 0 && highest_fluid >= h) draw_fluid(column, highest_fluid, out);
    }
}

void ChunkPainter::Memory::draw_caves(int ceiling, Sheet& out) {
    const int highest_fluid = looks.highest_fluid_layer();
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const auto place = static_cast<std::size_t>(i);
        const int h = surface(column);
        out.height[place] = static_cast<std::int16_t>(std::min(h, ceiling));
        if (!has_surface(column)) continue;
        const int start = std::min(ceiling, looks.highest_ground(column, h));
        const int open = looks.highest_open(column, start);
        const int floor = looks.highest_opaque(column, open);
        out.colour[place] = k_rock;
        if (floor < 0) continue;
        const int light = 255 - std::min(180, (start - floor) * 2);
        out.height[place] = static_cast<std::int16_t>(floor);
        out.colour[place] = dimmed(block_colour(column, floor), light, light, light);
        if (highest_fluid < floor) continue;
        draw_fluid(column, std::min(highest_fluid, open), out);
        out.fluid[place] = dimmed(out.fluid[place], light, light, light);
    }
}

void ChunkPainter::Memory::draw_heights(Sheet& out) {
    out.has_lines = true;
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const int h = surface(column);
        out.height[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(h);
        if (has_surface(column)) out.colour[static_cast<std::size_t>(i)] = opaque(height_colour(h));
    }
}

void ChunkPainter::Memory::draw_environments(Sheet& out) {
    std::string_view key;
    Rgba colour;
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const int h = surface(column);
        out.height[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(h);
        const auto next = chunk.environments().at(column, std::clamp(h, 0, k_world_height - 1));
        if (i == 0 || next != key) {
            key = next;
            colour = opaque(looks.colours().environment(key));
        }
        out.colour[static_cast<std::size_t>(i)] = colour;
    }
}

void ChunkPainter::Memory::draw_light(Sheet& out) {
    draw_surface(k_world_height - 1, out);
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const auto place = static_cast<std::size_t>(i);
        auto& colour = out.colour[place];
        if (colour.a == 0) continue;
        // The cell over the ground, or over the water on it.
        int y = out.height[place] + 1;
        if (out.fluid[place].a != 0)
            while (y < k_world_height && looks.fluid(column, y).fluid) ++y;
        auto light = chunk::LightValue::of(0, 0, 0, 15);
        if (y < k_world_height) {
            const auto& section = chunk.section(y >> 5);
            const CellIndex cell(i | (y & 31) << 10);
            if (section.global_light.present())
                light = section.global_light.at(cell);
            else if (section.local_light.present())
                light = section.local_light.at(cell);
        }
        const auto lit = night_light(light);
        // Half grey by itself, so that dark ground can be told from the dark.
        const int luma = (colour.r * 77 + colour.g * 151 + colour.b * 28) / 256;
        const auto grey = static_cast<std::uint8_t>((luma + 255) / 2);
        colour = dimmed({grey, grey, grey, 255}, lit.red, lit.green, lit.blue);
        out.fluid[place] = dimmed(out.fluid[place], lit.red, lit.green, lit.blue);
    }
}

ChunkPainter::ChunkPainter(const Colours& colours) : memory_(std::make_unique<Memory>(colours)) {}
ChunkPainter::~ChunkPainter() = default;

Result<void> ChunkPainter::read(Bytes document, chunk::Parts parts) {
    memory_->has_heights = false;
    memory_->looks.reset(memory_->chunk);
    return memory_->chunk.read(document, parts);
}

const chunk::Chunk& ChunkPainter::chunk() const { return memory_->chunk; }

void ChunkPainter::draw(Layer layer, Sheet& out) {
    memory_->read_columns();
    out.colour.fill({});
    out.fluid.fill({});
    out.has_fluid = out.has_lines = false;
    switch (layer.kind) {
    case LayerKind::surface: return memory_->draw_surface(k_world_height - 1, out);
    case LayerKind::slice: return memory_->draw_surface(layer.y, out);
    case LayerKind::cave: return memory_->draw_caves(layer.y, out);
    case LayerKind::height: return memory_->draw_heights(out);
    case LayerKind::light: return memory_->draw_light(out);
    case LayerKind::environment: return memory_->draw_environments(out);
    }
}

void ChunkPainter::paint(Layer layer, const Neighbours& around, Rgba* out, std::size_t stride) {
    draw(layer, memory_->sheet);
    shade(memory_->sheet, around, out, stride);
}

Edges ChunkPainter::edges(Layer layer) {
    draw(layer, memory_->sheet);
    return memory_->sheet.edges();
}

void ChunkPainter::for_each_surface_block(const VisitBlock& visit) {
    memory_->read_columns();
    std::map<std::string_view, int> columns;
    std::map<std::string_view, BlockLook> looks;
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        if (!memory_->has_surface(column)) continue;
        const int h = memory_->surface(column);
        const auto key = memory_->looks.key(column, h);
        ++columns[key];
        looks.try_emplace(key, memory_->looks.block(column, h).look);
    }
    for (const auto& [key, count] : columns) visit(key, looks.at(key), count);
}

} // namespace orbis::map

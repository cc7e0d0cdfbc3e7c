#include "map/painter.hpp"

#include "map/chunk_looks.hpp"
#include "map/ramp.hpp"
#include "map/shown_light.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace orbis::map {

namespace {

constexpr Rgba k_rock{40, 40, 46, 255};

Rgba opaque(Colour colour) { return {colour.red, colour.green, colour.blue, 255}; }

Rgba dimmed(Rgba colour, int red, int green, int blue) {
    const auto channel = [](std::uint8_t a, int b) { return static_cast<std::uint8_t>(a * b / 255); };
    return {channel(colour.r, red), channel(colour.g, green), channel(colour.b, blue), colour.a};
}

} // namespace

struct ChunkPainter::Memory {
    explicit Memory(const Colours& colours) : looks(colours) {}

    chunk::Chunk chunk;
    ChunkLooks looks;
    ColumnHeights heights{};
    std::array<std::int32_t, k_columns> tints{};
    bool has_heights = false;                         ///< the two above are those of the chunk
    TintInput blocks;                                 ///< scratch
    std::optional<std::string_view> last_environment; ///< of this chunk
    std::optional<Colour> last_water_tint;
    UnshadedChunk unshaded; ///< for callers who want only pixels or edges

    void read_columns();
    void draw_blocks(UnshadedChunk& out);
    void draw_surface(int ceiling, UnshadedChunk& out);
    void draw_caves(int ceiling, UnshadedChunk& out);
    void draw_heights(UnshadedChunk& out);
    void draw_environments(UnshadedChunk& out);
    void draw_light(UnshadedChunk& out);
    struct FluidTop {
        int y = 0;
        FluidLook look;
    };
    FluidTop highest_fluid(ColumnIndex column, int ceiling, int lowest);
    Rgba fluid_colour(ColumnIndex column, const FluidTop& fluid);
    void draw_fluid(ColumnIndex column, int ceiling, UnshadedChunk& out);
    std::optional<Colour> water_tint(std::string_view environment);
    void draw_fluids(int ceiling, UnshadedChunk& out);
};

void ChunkPainter::Memory::read_columns() {
    if (has_heights) return;
    has_heights = true;
    chunk.heights().expand(heights);
    chunk.tints().expand(tints);
    const bool readable = chunk.columns_state() == chunk::PartState::decoded;
    if (readable || std::ranges::any_of(heights, [](auto h) { return h != 0; })) return;
    ColumnHeights top;
    top.fill(k_world_height - 1);
    looks.highest(Sought::opaque, top, heights);
    for (auto& h : heights) h = std::max(h, std::int16_t{0});
}

/// Steps 1 to 3 of the pixels, at the heights of the unshaded chunk.
void ChunkPainter::Memory::draw_blocks(UnshadedChunk& out) {
    looks.gather(out.height, blocks);
    tint(blocks, tints, out.colour);
}

/// Columns beside each other mostly are in the same environment, so the last answer is kept.
std::optional<Colour> ChunkPainter::Memory::water_tint(std::string_view environment) {
    if (!last_environment || *last_environment != environment) {
        last_environment = environment;
        last_water_tint = looks.colours().water_tint(environment);
    }
    return last_water_tint;
}

/// The highest cell from `ceiling` down to `lowest` with a fluid.
ChunkPainter::Memory::FluidTop ChunkPainter::Memory::highest_fluid(ColumnIndex column, int ceiling,
                                                                   int lowest) {
    FluidTop found;
    for (found.y = ceiling; found.y >= lowest; --found.y) {
        if (!looks.layer_may_have_fluid(found.y)) continue;
        found.look = looks.fluid(column, found.y);
        if (found.look.fluid) break;
    }
    return found;
}

/// `f` of step 5.
Rgba ChunkPainter::Memory::fluid_colour(ColumnIndex column, const FluidTop& fluid) {
    Rgba f{255, 255, 255, 255};
    if (fluid.look.water) {
        chunk.read_environments(); // here for the first time: most chunks have no water
        if (const auto tint = water_tint(chunk.environments().at(column, fluid.y))) f = opaque(*tint);
    }
    const auto& particle = fluid.look.particle;
    return fluid.look.has_particle ? dimmed(f, particle.red, particle.green, particle.blue) : f;
}

/// Step 5 but for the mixing, with nothing above `ceiling`.
void ChunkPainter::Memory::draw_fluid(ColumnIndex column, int ceiling, UnshadedChunk& out) {
    const auto i = static_cast<std::size_t>(column.value);
    const int h = out.height[i];
    const auto fluid = highest_fluid(column, ceiling, h);
    if (!fluid.look.fluid) return;
    int bottom = fluid.y;
    while (bottom > h && looks.fluid(column, bottom - 1).same_body(fluid.look)) --bottom;
    out.fluid[i] = fluid_colour(column, fluid);
    out.depth[i] = static_cast<std::uint16_t>(fluid.y - bottom + 1);
    out.has_fluid = true;
}

void ChunkPainter::Memory::draw_fluids(int ceiling, UnshadedChunk& out) {
    const int lowest = std::ranges::min(out.height); // what is below, such as lava in caves, is not seen
    const int highest = std::min(ceiling, looks.highest_fluid_layer(lowest));
    if (highest < lowest) return;
    for (std::size_t i = 0; i < k_columns; ++i)
        if (out.colour[i].a != 0 && out.height[i] <= highest)
            draw_fluid(ColumnIndex(static_cast<int>(i)), highest, out);
}

void ChunkPainter::Memory::draw_surface(int ceiling, UnshadedChunk& out) {
    out.height = heights;
    if (ceiling < k_world_height - 1) {
        ColumnHeights from; // of the columns that reach above the ceiling
        ColumnHeights found;
        for (std::size_t i = 0; i < k_columns; ++i)
            from[i] = heights[i] > ceiling ? static_cast<std::int16_t>(ceiling) : std::int16_t{-1};
        looks.highest(Sought::opaque, from, found);
        for (std::size_t i = 0; i < k_columns; ++i)
            if (from[i] >= 0) out.height[i] = found[i];
    }
    draw_blocks(out);
    draw_fluids(ceiling, out);
}

void ChunkPainter::Memory::draw_caves(int ceiling, UnshadedChunk& out) {
    std::array<bool, k_columns> has_pixel;
    ColumnHeights from;
    ColumnHeights starts;
    ColumnHeights opens;
    ColumnHeights floors;
    looks.gather(heights, blocks);
    for (std::size_t i = 0; i < k_columns; ++i) {
        has_pixel[i] = blocks.base[i] != 0;
        from[i] = has_pixel[i] ? heights[i] : std::int16_t{-1};
    }
    looks.highest(Sought::ground, from, starts);
    const auto limit = static_cast<std::int16_t>(ceiling);
    for (auto& start : starts) start = std::min(start, limit);
    looks.highest(Sought::open, starts, opens);
    looks.highest(Sought::opaque, opens, floors);
    for (std::size_t i = 0; i < k_columns; ++i)
        out.height[i] = floors[i] >= 0 ? floors[i] : std::min(heights[i], limit);
    draw_blocks(out);
    const int highest_fluid = looks.highest_fluid_layer(0);
    for (int i = 0; i < k_columns; ++i) {
        const auto place = static_cast<std::size_t>(i);
        auto& colour = out.colour[place];
        if (floors[place] < 0) {
            colour = has_pixel[place] ? k_rock : Rgba{};
            continue;
        }
        const int floor = out.height[place];
        const int light = 255 - std::min(180, (starts[place] - floor) * 2);
        colour = dimmed(colour, light, light, light);
        if (highest_fluid < floor) continue;
        draw_fluid(ColumnIndex(i), std::min<int>(highest_fluid, opens[place]), out);
        out.fluid[place] = dimmed(out.fluid[place], light, light, light);
    }
}

void ChunkPainter::Memory::draw_heights(UnshadedChunk& out) {
    static const auto k_colours = [] {
        std::array<Rgba, k_world_height> made;
        for (int h = 0; h < k_world_height; ++h) made[static_cast<std::size_t>(h)] = opaque(height_colour(h));
        return made;
    }();
    out.has_lines = true;
    out.height = heights;
    looks.gather(heights, blocks);
    for (std::size_t i = 0; i < k_columns; ++i)
        if (blocks.base[i] != 0) out.colour[i] = k_colours[static_cast<std::size_t>(heights[i])];
}

void ChunkPainter::Memory::draw_environments(UnshadedChunk& out) {
    std::string_view key;
    Rgba colour;
    out.height = heights;
    for (std::size_t i = 0; i < k_columns; ++i) {
        const auto next = chunk.environments().at(ColumnIndex(static_cast<int>(i)),
                                                  std::clamp<int>(heights[i], 0, k_world_height - 1));
        if (i == 0 || next != key) {
            key = next;
            colour = opaque(looks.colours().environment(key));
        }
        out.colour[i] = colour;
    }
}

void ChunkPainter::Memory::draw_light(UnshadedChunk& out) {
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
                light = shown_global_light(section, cell);
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
    memory_->last_environment.reset();
    memory_->looks.reset(memory_->chunk);
    return memory_->chunk.read(document, parts);
}

const chunk::Chunk& ChunkPainter::chunk() const { return memory_->chunk; }

void ChunkPainter::draw(Layer layer, UnshadedChunk& out) {
    memory_->read_columns();
    out.colour.fill({});
    out.fluid.fill({});
    out.depth.fill(1);
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
    draw(layer, memory_->unshaded);
    shade(memory_->unshaded, around, out, stride);
}

Edges ChunkPainter::edges(Layer layer) {
    draw(layer, memory_->unshaded);
    return memory_->unshaded.edges();
}

void ChunkPainter::for_each_surface_fluid(const VisitFluid& visit) {
    auto& memory = *memory_;
    memory.read_columns();
    const int lowest = std::ranges::min(memory.heights);
    const int highest = memory.looks.highest_fluid_layer(lowest);
    if (highest < lowest) return;
    struct Seen {
        std::string_view key;
        Rgba colour;
        int columns;
    };
    std::vector<Seen> seen; // some few
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const int h = memory.heights[static_cast<std::size_t>(i)];
        if (h < 0 || h > highest) continue;
        const auto fluid = memory.highest_fluid(column, highest, h);
        if (!fluid.look.fluid || memory.looks.key(column, h) == chunk::k_empty_key) continue;
        const CellIndex cell(i | (fluid.y & (k_side - 1)) << 10);
        const auto key = memory.chunk.section(fluid.y / k_side).fluid_at(cell).key;
        const auto colour = memory.fluid_colour(column, fluid);
        const auto known = std::ranges::find_if(
            seen, [&](const Seen& each) { return each.colour == colour && each.key == key; });
        if (known == seen.end())
            seen.push_back({key, colour, 1});
        else
            ++known->columns;
    }
    for (const auto& each : seen) visit(each.key, each.colour, each.columns);
}

} // namespace orbis::map

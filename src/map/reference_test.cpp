#include "map/reference_test.hpp"

#include "chunk/chunk.hpp"
#include "map/colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::map::reference {

/// What the reference knows of its chunks.
class World::Columns {
public:
    explicit Columns(const world::Assets& assets) : assets_(assets) {}

    void add(ChunkPos pos, Buffer document) {
        auto chunk = chunk::Chunk::decode(std::move(document));
        if (!chunk) return;
        bool all_zero = true;
        for (int i = 0; i < 1024; ++i) all_zero = all_zero && chunk->heights().at(ColumnIndex(i)) == 0;
        auto kept = std::make_unique<chunk::Chunk>(*std::move(chunk));
        if (all_zero && kept->columns_state() != chunk::PartState::decoded)
            without_heights_.insert(kept.get());
        chunks_.emplace(pos, std::move(kept));
    }
    [[nodiscard]] std::size_t chunks() const { return chunks_.size(); }

    [[nodiscard]] Rgba pixel(Layer layer, int x, int z) const {
        const auto* chunk = find(x, z);
        if (chunk == nullptr) return {};
        const int h = *height(layer, x, z);
        const int surface = surface_height(*chunk, x, z);
        const bool has_surface = key_at(*chunk, x, surface, z) != "Empty";
        switch (layer.kind) {
        case LayerKind::surface:
        case LayerKind::slice: {
            if (h < 0 || key_at(*chunk, x, h, z) == "Empty") return {};
            auto c = shaded(layer, block_colour(*chunk, x, h, z), x, z);
            return finish(
                covered(c, fluid_of(*chunk, x, z, layer.kind == LayerKind::slice ? layer.y : 319, h)));
        }
        case LayerKind::cave: {
            if (!has_surface) return {};
            const auto cave = find_cave(*chunk, x, z, layer.y);
            if (!cave) return finish(shaded(layer, {40, 40, 46}, x, z));
            const int light = 255 - std::min(180, (cave->start - cave->floor) * 2);
            auto c = scaled(block_colour(*chunk, x, cave->floor, z), {light, light, light});
            auto fluid = fluid_of(*chunk, x, z, cave->open, cave->floor);
            if (fluid) fluid->colour = scaled(fluid->colour, {light, light, light});
            return finish(covered(shaded(layer, c, x, z), fluid));
        }
        case LayerKind::height: return has_surface ? height_pixel(layer, x, z) : Rgba{};
        case LayerKind::light: return has_surface ? light_pixel(*chunk, layer, x, z) : Rgba{};
        case LayerKind::environment: {
            const auto key = chunk->environment({x, std::clamp(h, 0, 319), z});
            const auto c = Colours(assets_).environment(key);
            return finish(shaded(layer, {c.red, c.green, c.blue}, x, z));
        }
        }
        return {};
    }

    /// The height that the layer is shaded with; nothing if there is no chunk.
    [[nodiscard]] std::optional<int> height(Layer layer, int x, int z) const {
        const BlockPos pos{x, 0, z};
        auto& known = heights_[{layer, pos.chunk()}];
        if (known.empty()) known.resize(k_columns);
        auto& here = known[static_cast<std::size_t>(pos.column().value)];
        if (!here) here = find_height(layer, x, z);
        return *here;
    }

private:
    struct Int3 {
        int r = 0;
        int g = 0;
        int b = 0;
    };

    [[nodiscard]] std::optional<int> find_height(Layer layer, int x, int z) const {
        const auto* chunk = find(x, z);
        if (chunk == nullptr) return std::nullopt;
        const int h = surface_height(*chunk, x, z);
        if (layer.kind == LayerKind::slice && layer.y < 319 && h > layer.y)
            return highest_opaque(*chunk, x, z, layer.y);
        if (layer.kind == LayerKind::cave) {
            if (key_at(*chunk, x, h, z) != "Empty")
                if (const auto cave = find_cave(*chunk, x, z, layer.y)) return cave->floor;
            return std::min(h, layer.y);
        }
        return h;
    }

    struct Fluid {
        Int3 colour;
        int depth = 0;
    };
    struct Cave {
        int start; ///< where the search begins
        int open;  ///< the highest open cell
        int floor; ///< the block below it
    };

    [[nodiscard]] const chunk::Chunk* find(int x, int z) const {
        const auto found = chunks_.find(BlockPos{x, 0, z}.chunk());
        return found == chunks_.end() ? nullptr : found->second.get();
    }

    [[nodiscard]] static std::string_view key_at(const chunk::Chunk& chunk, int x, int y, int z) {
        return chunk.block({x, y, z}).key;
    }

    [[nodiscard]] bool opaque(std::string_view key) const {
        if (key == "Empty") return false;
        const auto* type = assets_.block(key);
        return type == nullptr || type->opacity != world::Opacity::transparent;
    }

    [[nodiscard]] int highest_opaque(const chunk::Chunk& chunk, int x, int z, int from) const {
        for (int y = from; y >= 0; --y)
            if (known_opaque(chunk, x, y, z)) return y;
        return -1;
    }

    /// As `opaque`, under the name that migrations give where the stored one is not known.
    [[nodiscard]] bool known_opaque(const chunk::Chunk& chunk, int x, int y, int z) const {
        const auto key = key_at(chunk, x, y, z);
        if (!opaque(key)) return false;
        const auto now = todays_name(chunk, key, y);
        return now == key || opaque(now);
    }

    [[nodiscard]] std::string_view todays_name(const chunk::Chunk& chunk, std::string_view key, int y) const {
        if (assets_.block(key) != nullptr) return key;
        const auto& section = chunk.section(y / 32);
        const int migrations = section.version >= 6 ? std::max(0, section.migration_count) : 0;
        const auto now = assets_.migrations.apply(key, static_cast<std::size_t>(migrations));
        return assets_.block(now) != nullptr ? now : key;
    }

    [[nodiscard]] int surface_height(const chunk::Chunk& chunk, int x, int z) const {
        if (without_heights_.contains(&chunk)) return std::max(0, highest_opaque(chunk, x, z, 319));
        return chunk.heights().at(ColumnIndex(x, z));
    }

    [[nodiscard]] Int3 block_colour(const chunk::Chunk& chunk, int x, int y, int z) const {
        const auto key = todays_name(chunk, key_at(chunk, x, y, z), y);
        const auto* type = assets_.block(key);
        if (type == nullptr) {
            const auto guess = Colours(assets_).block(key);
            return {guess.particle.red, guess.particle.green, guess.particle.blue};
        }
        const auto tint = static_cast<std::uint32_t>(chunk.tints().at(ColumnIndex(x, z)));
        const Int3 t{static_cast<int>(tint >> 16 & 255), static_cast<int>(tint >> 8 & 255),
                     static_cast<int>(tint & 255)};
        Int3 s{255, 255, 255};
        if (!type->tint_up.empty()) s = {type->tint_up[0].red, type->tint_up[0].green, type->tint_up[0].blue};
        const float m = static_cast<float>(type->biome_tint_up) / 100.0F;
        const auto step2 = [m](int s_channel, int t_channel) {
            const float difference = static_cast<float>(t_channel - s_channel);
            const float change = difference * m;
            const float sum = static_cast<float>(s_channel) + change;
            return static_cast<int>(sum);
        };
        Int3 c{step2(s.r, t.r), step2(s.g, t.g), step2(s.b, t.b)};
        if (m < 1.0F && type->particle)
            c = scaled(c, {type->particle->red, type->particle->green, type->particle->blue});
        return c;
    }

    [[nodiscard]] static Int3 scaled(Int3 a, Int3 b) {
        return {a.r * b.r / 255, a.g * b.g / 255, a.b * b.b / 255};
    }

    [[nodiscard]] Int3 shaded(Layer layer, Int3 c, int x, int z) const {
        const int own = *height(layer, x, z);
        const auto at = [&](int dx, int dz) {
            return static_cast<float>(height(layer, x + dx, z + dz).value_or(own));
        };
        const float n = at(0, -1);
        const float ne = at(1, -1);
        const float e = at(1, 0);
        const float se = at(1, 1);
        const float s = at(0, 1);
        const float sw = at(-1, 1);
        const float w = at(-1, 0);
        const float nw = at(-1, -1);
        const float dx = (e - w) + (se - nw) / 2.0F;
        const float dz = (s - n) + (sw - ne) / 2.0F;
        const auto normal = normalise(dx, 3.0F, dz);
        const auto light = normalise(-0.2F, 0.8F, 0.5F);
        const float x_part = normal[0] * light[0];
        const float y_part = normal[1] * light[1];
        const float z_part = normal[2] * light[2];
        const float xy_part = x_part + y_part;
        const float dot = xy_part + z_part;
        const float lit = 0.6F * std::max(0.0F, dot);
        const float shade = 0.4F + lit;
        const auto channel = [shade](int value) {
            const float product = static_cast<float>(value) * shade;
            return static_cast<int>(std::min(255.0F, product));
        };
        return {channel(c.r), channel(c.g), channel(c.b)};
    }

    [[nodiscard]] static std::array<float, 3> normalise(float x, float y, float z) {
        const float xx = x * x;
        const float yy = y * y;
        const float zz = z * z;
        const float two = xx + yy;
        const float three = two + zz;
        const float length = std::sqrt(three);
        return {x / length, y / length, z / length};
    }

    [[nodiscard]] static bool is_dry(const chunk::Section& section) {
        return section.old_keys().empty()
               && std::ranges::all_of(section.fluids.entries(),
                                      [](const auto& entry) { return entry.value == "Empty"; });
    }

    [[nodiscard]] std::optional<Fluid> fluid_of(const chunk::Chunk& chunk, int x, int z, int from,
                                                int h) const {
        const auto key = [&](int y) { return chunk.fluid({x, y, z}).key; };
        const auto particle = [&](int y) -> std::optional<Colour> {
            const auto* type = assets_.fluid(key(y));
            return type == nullptr ? std::nullopt : type->particle;
        };
        int top = from;
        while (top >= h && key(top) == "Empty") // whole sections at once if there is none
            top -= top >= 0 && is_dry(chunk.section(top / 32)) ? top % 32 + 1 : 1;
        if (top < h) return std::nullopt;
        int bottom = top;
        while (bottom - 1 >= h && key(bottom - 1) != "Empty" && particle(bottom - 1) == particle(top))
            --bottom;
        Int3 f{255, 255, 255};
        const auto* type = assets_.fluid(key(top));
        if (type != nullptr && std::ranges::count(type->effects, "Water") > 0) {
            const auto* environment = assets_.environment(chunk.environment({x, top, z}));
            if (environment != nullptr && environment->water_tint) {
                const auto tint = *environment->water_tint;
                f = scaled(f, {tint.red, tint.green, tint.blue});
            }
        }
        if (const auto p = particle(top)) f = scaled(f, {p->red, p->green, p->blue});
        return Fluid{f, top - bottom + 1};
    }

    [[nodiscard]] static Int3 covered(Int3 c, const std::optional<Fluid>& fluid) {
        if (!fluid) return c;
        const float part = std::min(1.0F, 1.0F / static_cast<float>(fluid->depth));
        const auto mix = [part](int under, int over) {
            const float difference = static_cast<float>(under - over);
            const float change = difference * part;
            const float sum = static_cast<float>(over) + change;
            return static_cast<int>(sum);
        };
        return {mix(c.r, fluid->colour.r), mix(c.g, fluid->colour.g), mix(c.b, fluid->colour.b)};
    }

    [[nodiscard]] bool is_ground(const chunk::Chunk& chunk, int x, int y, int z) const {
        const auto key = todays_name(chunk, key_at(chunk, x, y, z), y);
        const auto* type = assets_.block(key);
        if (type == nullptr) return Colours(assets_).block(key).ground;
        static const std::vector<std::string> others{"Wood", "Leaves", "Plant", "SeaLife",      "Roof",
                                                     "Wall", "Cloth",  "Props", "LeavesGround", "Cover"};
        return type->opacity == world::Opacity::solid && type->material == world::Material::solid
               && type->draw_type != world::DrawType::model && std::ranges::count(others, type->group) == 0;
    }

    [[nodiscard]] std::optional<Cave> find_cave(const chunk::Chunk& chunk, int x, int z, int from) const {
        int ground = surface_height(chunk, x, z);
        while (ground >= 0 && !is_ground(chunk, x, ground, z)) --ground;
        const int start = std::min(from, ground);
        int open = start;
        while (open >= 0 && known_opaque(chunk, x, open, z)) --open;
        const int floor = highest_opaque(chunk, x, z, open);
        return floor < 0 ? std::nullopt : std::optional(Cave{start, open, floor});
    }

    [[nodiscard]] Rgba height_pixel(Layer layer, int x, int z) const {
        struct Stop {
            int height;
            Int3 colour;
        };
        static const std::vector<Stop> stops{
            {0, {44, 24, 76}},     {30, {78, 48, 120}},   {60, {74, 96, 140}},    {80, {56, 130, 124}},
            {100, {76, 156, 92}},  {120, {144, 184, 84}}, {140, {222, 210, 106}}, {165, {230, 158, 78}},
            {195, {198, 100, 72}}, {225, {156, 78, 98}},  {260, {192, 164, 196}}, {319, {255, 255, 255}},
        };
        const int own = *height(layer, x, z);
        const int h = std::clamp(own, 0, 319);
        Int3 c;
        for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
            const auto& low = stops[i];
            const auto& high = stops[i + 1];
            if (h < low.height || h > high.height) continue;
            const auto mix = [&](int a, int b) {
                return (a * (high.height - h) + b * (h - low.height)) / (high.height - low.height);
            };
            c = {mix(low.colour.r, high.colour.r), mix(low.colour.g, high.colour.g),
                 mix(low.colour.b, high.colour.b)};
            break;
        }
        c = shaded(layer, c, x, z);
        const auto crosses = [&](int step) {
            const auto band = [step](int y) {
                return static_cast<int>(std::floor(static_cast<double>(y) / step));
            };
            for (const auto& [dx, dz] : std::vector<std::pair<int, int>>{{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
                if (band(height(layer, x + dx, z + dz).value_or(own)) < band(own)) return true;
            return false;
        };
        if (crosses(10)) {
            const int kept = crosses(50) ? 2 : 3;
            c = {c.r * kept / 4, c.g * kept / 4, c.b * kept / 4};
        }
        return finish(c);
    }

    [[nodiscard]] Rgba light_pixel(const chunk::Chunk& chunk, Layer layer, int x, int z) const {
        const int h = surface_height(chunk, x, z);
        auto fluid = fluid_of(chunk, x, z, 319, h);
        int y = h + 1;
        if (fluid)
            while (chunk.fluid({x, y, z}).key != "Empty") ++y;
        auto light = chunk::LightValue::of(0, 0, 0, 15);
        if (y < 320) {
            const auto& section = chunk.section(y / 32);
            const BlockPos pos{x, y, z};
            if (section.global_light.present())
                light = section.global_light.at(pos.cell());
            else if (section.local_light.present())
                light = section.local_light.at(pos.cell());
            const bool is_older = section.global_light.change_id() != section.global_counter
                                  && section.local_light.change_id() == section.local_counter;
            if (section.global_light.present() && section.local_light.present() && is_older)
                for (const int shift : {0, 4, 8, 12}) {
                    const auto local = section.local_light.at(pos.cell()).packed >> shift & 15;
                    const auto stale = light.packed >> shift & 15;
                    light.packed = static_cast<std::uint16_t>(light.packed - (stale << shift)
                                                              + (std::max(stale, local) << shift));
                }
        }
        const Int3 lit{std::min(255, 44 + 2 * light.sky() + 12 * light.red()),
                       std::min(255, 46 + 2 * light.sky() + 12 * light.green()),
                       std::min(255, 64 + 4 * light.sky() + 12 * light.blue())};
        const auto c = block_colour(chunk, x, h, z);
        const int grey = ((c.r * 77 + c.g * 151 + c.b * 28) / 256 + 255) / 2;
        if (fluid) fluid->colour = scaled(fluid->colour, lit);
        return finish(covered(shaded(layer, scaled({grey, grey, grey}, lit), x, z), fluid));
    }

    [[nodiscard]] static Rgba finish(Int3 c) {
        return {static_cast<std::uint8_t>(c.r), static_cast<std::uint8_t>(c.g),
                static_cast<std::uint8_t>(c.b), 255};
    }

    const world::Assets& assets_;
    std::map<ChunkPos, std::unique_ptr<chunk::Chunk>> chunks_;
    std::set<const chunk::Chunk*> without_heights_; ///< theirs cannot be read
    /// Those found before.
    mutable std::map<std::pair<Layer, ChunkPos>, std::vector<std::optional<std::optional<int>>>> heights_;
};

World::World(const world::Assets& assets) : columns_(std::make_unique<Columns>(assets)) {}
World::~World() = default;
void World::add(ChunkPos pos, Buffer document) { columns_->add(pos, std::move(document)); }
std::size_t World::chunks() const { return columns_->chunks(); }
Rgba World::pixel(Layer layer, int x, int z) const { return columns_->pixel(layer, x, z); }
std::optional<int> World::height(Layer layer, int x, int z) const { return columns_->height(layer, x, z); }

} // namespace orbis::map::reference

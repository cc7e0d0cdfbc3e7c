#include "map/map_state.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"

#include <fmt/format.h>

namespace orbis::map {
namespace {

constexpr std::string_view k_state_magic = "OrbisMapState";
/// Goes up with that of a region's state too: a program that can read this one can read those that it names.
constexpr std::uint32_t k_state_version = 2;
constexpr std::uint64_t k_largest_state = std::uint64_t{1} << 32;
/// To be raised whenever the same chunk and the same tables give other pixels or other facts than before.
constexpr std::uint32_t k_map_rules = 4;

void write_text(Writer& to, std::string_view text) {
    to.le(static_cast<std::uint32_t>(text.size()));
    to.bytes(as_bytes(text));
}

std::string read_text(Reader& in) { return std::string(as_text(in.take(in.le<std::uint32_t>()))); }

template <typename Pos>
void write_pos(Writer& to, Pos pos) {
    to.le(pos.x);
    to.le(pos.z);
}

template <typename Pos>
Pos read_pos(Reader& in) {
    Pos pos;
    pos.x = in.le<std::int32_t>();
    pos.z = in.le<std::int32_t>();
    return pos;
}

template <typename Entries>
void write_count(Writer& to, const Entries& entries) {
    to.le(static_cast<std::uint32_t>(entries.size()));
}

/// Calls `read` as often as the count says, while there is something to read.
template <typename Read>
void repeat(Reader& in, Read&& read) {
    const auto count = in.le<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) read();
}

void write_colour(Writer& to, const std::optional<world::Colour>& colour) {
    to.u8(colour ? 1 : 0);
    if (!colour) return;
    to.u8(colour->red);
    to.u8(colour->green);
    to.u8(colour->blue);
}

} // namespace

Buffer MapState::save() const {
    Buffer content;
    Writer to(content);
    to.le(recipe);
    write_count(to, layers);
    for (const auto& [layer, levels] : layers) {
        write_text(to, id(layer));
        write_count(to, levels);
        for (const auto& tiles : levels) {
            write_count(to, tiles);
            for (const auto& [pos, hash] : tiles) {
                write_pos(to, pos);
                to.le(hash);
            }
        }
    }
    write_count(to, regions);
    for (const auto& [pos, region] : regions) {
        write_pos(to, pos);
        to.le(region.state);
        to.le(region.chunks);
        write_pos(to, region.least);
        write_pos(to, region.most);
    }
    write_count(to, redo);
    for (const auto pos : redo) write_pos(to, pos);
    to.le(facts);
    to.le(inspect);
    to.le(facts_recipe);
    write_text(to, legend);
    Compressor compressor(1);
    Buffer file;
    Writer out(file);
    out.bytes(as_bytes(k_state_magic));
    out.le(k_state_version);
    out.bytes(compressor.compress(content).value());
    return file;
}

Result<MapState> MapState::load(Bytes file) {
    Reader outer(file);
    const auto magic = outer.take(k_state_magic.size());
    const auto version = outer.le<std::uint32_t>();
    if (!outer.ok() || as_text(magic) != k_state_magic)
        return fail(Errc::bad_magic, "expected the state of a map, found another file");
    if (version != k_state_version)
        return fail(Errc::unsupported, "expected version {} of a map's state, found {}", k_state_version,
                    version);
    const auto size = zstd_content_size(outer.rest());
    if (!size) return fail(Errc::bad_frame, "the state of a map has no size");
    Decompressor decompressor;
    TRY(const auto content, decompressor.decompress(outer.rest(), *size, k_largest_state));
    Reader in(content);
    MapState state;
    state.recipe = in.le<std::uint64_t>();
    std::optional<Error> problem;
    repeat(in, [&] {
        auto& layer = state.layers.emplace_back();
        if (auto parsed = parse_layer(read_text(in)))
            layer.layer = *parsed;
        else if (!problem)
            problem = std::move(parsed).error();
        repeat(in, [&] {
            auto& tiles = layer.levels.emplace_back();
            repeat(in, [&] {
                const auto pos = read_pos<TilePos>(in);
                tiles[pos] = in.le<std::uint64_t>();
            });
        });
    });
    repeat(in, [&] {
        auto& region = state.regions[read_pos<RegionPos>(in)];
        region.state = in.le<std::uint64_t>();
        region.chunks = in.le<std::uint32_t>();
        region.least = read_pos<ChunkPos>(in);
        region.most = read_pos<ChunkPos>(in);
    });
    repeat(in, [&] { state.redo.insert(read_pos<TilePos>(in)); });
    state.facts = in.le<std::uint64_t>();
    state.inspect = in.le<std::uint64_t>();
    state.facts_recipe = in.le<std::uint64_t>();
    state.legend = read_text(in);
    if (problem) return std::unexpected(*std::move(problem));
    if (!in.ok() || in.remaining() != 0)
        return fail(Errc::truncated, "the state of a map has a wrong length");
    return state;
}

std::string MapState::tile_path(Layer layer, int level, TilePos pos, std::uint64_t hash) {
    return fmt::format("tiles/{}/{}/{:n}.{}.png", id(layer), level, pos, hash_text(hash));
}

std::string MapState::region_path(RegionPos pos, std::uint64_t hash) {
    return fmt::format("state/{:n}.{}.bin", pos, hash_text(hash));
}

std::string MapState::state_path(std::uint64_t hash) { return fmt::format("state/{}.bin", hash_text(hash)); }
std::string MapState::facts_path(std::uint64_t hash) { return fmt::format("facts/{}.js", hash_text(hash)); }
std::string MapState::inspect_path(std::uint64_t hash) {
    return fmt::format("inspect/{}.js", hash_text(hash));
}

void MapState::add_paths(std::uint64_t own_hash, std::set<std::string>& out) const {
    out.insert(state_path(own_hash));
    out.insert(facts_path(facts));
    out.insert(inspect_path(inspect));
    for (const auto& [layer, levels] : layers)
        for (std::size_t level = 0; level < levels.size(); ++level)
            for (const auto& [pos, hash] : levels[level])
                out.insert(tile_path(layer, static_cast<int>(level), pos, hash));
    for (const auto& [pos, region] : regions) out.insert(region_path(pos, region.state));
}

std::uint64_t recipe_of(const world::Assets& assets, std::span<const Layer> layers) {
    Buffer all;
    Writer to(all);
    to.le(k_map_rules);
    write_text(to, TileEncoder::version());
    for (const auto layer : layers) write_text(to, id(layer));
    for (const auto& block : assets.blocks.all()) {
        write_text(to, block.key);
        to.u8(static_cast<std::uint8_t>(block.draw_type));
        to.u8(static_cast<std::uint8_t>(block.material));
        to.u8(static_cast<std::uint8_t>(block.opacity));
        write_text(to, block.group);
        write_colour(to, block.particle);
        for (const auto colour : block.tint_up) write_colour(to, colour);
        to.le(static_cast<std::int32_t>(block.biome_tint_up));
    }
    for (const auto& fluid : assets.fluids.all()) {
        write_text(to, fluid.key);
        for (const auto& effect : fluid.effects) write_text(to, effect);
        write_colour(to, fluid.particle);
    }
    for (const auto& environment : assets.environments.all()) {
        write_text(to, environment.key);
        write_colour(to, environment.water_tint);
    }
    return content_hash(all);
}

} // namespace orbis::map

#include "game/codec/apply_packets.hpp"

#include "bytes/reader.hpp"
#include "game/codec/light_codec.hpp"
#include "game/codec/palette_codec.hpp"
#include "packets/world.hpp"

#include <limits>
#include <string_view>
#include <vector>

namespace orbis::game {

using chunk::EnvironmentRun;

namespace {

std::unexpected<Error> in_part(Error&& problem, std::string_view part) {
    return fail(std::move(problem).about(part));
}

/// A palette with what its numbers stand for.
template <typename Value>
struct Cells {
    std::vector<std::uint16_t> cells; ///< indices into `values`
    std::vector<Value> values;

    void put_into(chunk::Palette<Value>& palette) const {
        if (cells.empty())
            palette.fill(chunk::Palette<Value>::empty_value());
        else
            palette.assign(std::span<const std::uint16_t, k_cells>(cells), values);
    }
};

Result<Cells<std::string_view>> read_keys(Reader& in, const IdTable& ids) {
    const auto start = in.position();
    TRY(auto palette, read_palette(in));
    Cells<std::string_view> out;
    for (const auto id : palette.values) {
        const auto name = ids.name(id);
        if (!name)
            return fail(error(Errc::not_found, "a palette has the id {}, which has no name", id).at(start));
        out.values.push_back(*name);
    }
    out.cells = std::move(palette.cells);
    return out;
}

template <typename Value>
Result<Cells<Value>> read_numbers(Reader& in) {
    constexpr auto k_most = std::numeric_limits<Value>::max();
    const auto start = in.position();
    TRY(auto palette, read_palette(in));
    Cells<Value> out;
    for (const auto value : palette.values) {
        if (value < 0 || value > k_most)
            return fail(
                error(Errc::out_of_range, "a palette has the value {}, expected 0 to {}", value, k_most)
                    .at(start));
        out.values.push_back(static_cast<Value>(value));
    }
    out.cells = std::move(palette.cells);
    return out;
}

struct Blocks {
    Cells<std::string_view> keys;
    Cells<std::uint16_t> fillers;
    Cells<std::uint8_t> rotations;
};

Result<Blocks> read_blocks(Bytes data, const IdTable& ids) {
    Reader in(data);
    Blocks out;
    TRY(out.keys, read_keys(in, ids));
    TRY(out.fillers, read_numbers<std::uint16_t>(in));
    TRY(out.rotations, read_numbers<std::uint8_t>(in));
    TRY_DO(check_end(in));
    return out;
}

struct Fluids {
    Cells<std::string_view> keys;
    Bytes levels; ///< two to a byte, the even index in the low half
};

Result<Fluids> read_fluids(Bytes data, const IdTable& ids) {
    Reader in(data);
    Fluids out;
    TRY(out.keys, read_keys(in, ids));
    const auto at = in.position();
    const auto has_levels = in.u8();
    if (has_levels > 1)
        return fail(
            error(Errc::bad_value, "the flag of the levels is {}, expected 0 or 1", has_levels).at(at));
    if (has_levels == 1) out.levels = in.take(k_cells / 2);
    if (!in.ok()) return fail(error(Errc::truncated, "the fluid levels end early").at(in.position()));
    TRY_DO(check_end(in));
    return out;
}

template <typename Number>
Result<void> read_map(Bytes data, std::string_view part, chunk::ColumnMap<Number>& out) {
    chunk::ColumnMap<Number> map;
    Error problem;
    Reader in(data);
    if (!map.read(in, problem)) return in_part(std::move(problem), part);
    if (auto end = check_end(in); !end) return in_part(std::move(end).error(), part);
    if (auto whole = map.check(); !whole)
        return in_part(std::move(whole).error().at(data.size() - chunk::ColumnMap<Number>::k_packed_bytes),
                       part);
    std::array<Number, k_columns> values;
    map.expand(values);
    out.assign(values);
    return {};
}

using Runs = std::vector<EnvironmentRun>;

/// Of runs that begin at the same height the last one counts. The game sends the lowest one from 0 also
/// where it ends below the world, as all natural terrain has it: there it is kept.
void add_run(Runs& runs, std::int32_t from, std::string_view key) {
    const auto last_from = runs.size() < 2 ? 0 : runs[runs.size() - 2].max_y + 1;
    if (runs.size() == 1 || (!runs.empty() && from > last_from))
        runs.back().max_y = from - 1;
    else if (!runs.empty())
        runs.pop_back();
    runs.push_back({EnvironmentRun::k_no_end, key});
}

Result<Runs> read_runs(Reader& in, ColumnIndex column, const IdTable& ids) {
    const auto start = in.position();
    const std::size_t count = in.le<std::uint16_t>();
    if (!in.ok() || in.remaining() < count * 4)
        return fail(error(Errc::truncated, "environments end in {}", column).at(start));
    if (count == 0 || count > k_world_height)
        return fail(error(Errc::out_of_range, "{} has {} environments, expected 1 to {}", column, count,
                          k_world_height)
                        .at(start));
    Runs runs;
    runs.reserve(count);
    std::int32_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = in.position();
        const std::int32_t from = in.le<std::uint16_t>();
        const auto id = in.le<std::uint16_t>();
        const auto name = ids.name(id);
        if (!name) return fail(error(Errc::not_found, "the environment {} has no name", id).at(at + 2));
        if (i == 0 ? from != 0 : from < before)
            return fail(error(Errc::bad_value, "environment {} of {} begins at {}, expected {}{}", i, column,
                              from, before, i == 0 ? "" : " or more")
                            .at(at));
        add_run(runs, from, *name);
        before = from;
    }
    return runs;
}

Result<std::vector<Runs>> read_environments(Bytes data, const IdTable& ids) {
    Reader in(data);
    std::vector<Runs> columns;
    for (int i = 0; i < k_columns; ++i) {
        TRY(auto runs, read_runs(in, ColumnIndex(i), ids));
        columns.push_back(std::move(runs));
    }
    TRY_DO(check_end(in));
    return columns;
}

/// Runs `read` on a byte array that may be absent; the error names it.
template <typename Read>
auto read_part(const protocol::Opt<Bytes>& bytes, std::string_view part, Read&& read)
    -> Result<std::optional<typename decltype(read(Bytes()))::value_type>> {
    if (!bytes) return std::nullopt;
    auto out = read(*bytes);
    if (!out) return in_part(std::move(out).error(), part);
    return *std::move(out);
}

void set_light(chunk::Light& light, const ReceivedLight& values, std::int16_t counter) {
    if (values)
        light.set(chunk::Light::ConstExpanded(*values), counter);
    else
        light.clear(counter);
}

} // namespace

Result<void> apply(const packets::SetChunk& packet, const WireIds& ids, chunk::Chunk& chunk) {
    TRY(const auto blocks,
        read_part(packet.data, "SetChunk.data", [&](Bytes bytes) { return read_blocks(bytes, ids.blocks); }));
    TRY(const auto local, read_part(packet.local_light, "SetChunk.localLight", read_light));
    TRY(const auto global, read_part(packet.global_light, "SetChunk.globalLight", read_light));
    TRY(auto* section, chunk.edit_section(packet.y));
    const auto filled = blocks ? *blocks : Blocks();
    filled.keys.put_into(section->blocks);
    filled.fillers.put_into(section->fillers);
    filled.rotations.put_into(section->rotations);
    if (section->ticking.count() > 0) section->ticking.clear();
    section->invalidate_light();
    if (local) set_light(section->local_light, *local, section->local_counter);
    if (global) set_light(section->global_light, *global, section->global_counter);
    return {};
}

Result<void> apply(const packets::SetFluids& packet, const WireIds& ids, chunk::Chunk& chunk) {
    TRY(const auto fluids, read_part(packet.data, "SetFluids.data",
                                     [&](Bytes bytes) { return read_fluids(bytes, ids.fluids); }));
    TRY(auto* section, chunk.edit_section(packet.y));
    const auto filled = fluids ? *fluids : Fluids();
    filled.keys.put_into(section->fluids);
    if (filled.levels.empty() && !section->levels.present()) return {};
    for (int i = 0; i < k_cells; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto level = filled.levels.empty() ? 0 : filled.levels[place >> 1] >> ((place & 1) * 4) & 15;
        section->levels.set(CellIndex(i), static_cast<std::uint8_t>(level));
    }
    return {};
}

Result<void> apply(const packets::SetChunkHeightmap& packet, chunk::Chunk& chunk) {
    if (!packet.heightmap) return {};
    TRY(auto* heights, chunk.edit_heights());
    return read_map(*packet.heightmap, "SetChunkHeightmap.heightmap", *heights);
}

Result<void> apply(const packets::SetChunkTintmap& packet, chunk::Chunk& chunk) {
    if (!packet.tintmap) return {};
    TRY(auto* tints, chunk.edit_tints());
    return read_map(*packet.tintmap, "SetChunkTintmap.tintmap", *tints);
}

Result<void> apply(const packets::SetChunkEnvironments& packet, const WireIds& ids, chunk::Chunk& chunk) {
    TRY(const auto columns,
        read_part(packet.environments, "SetChunkEnvironments.environments",
                  [&](Bytes bytes) { return read_environments(bytes, ids.environments); }));
    if (!columns) return {};
    TRY(auto* environments, chunk.edit_environments());
    for (int i = 0; i < k_columns; ++i)
        environments->set_runs(ColumnIndex(i), (*columns)[static_cast<std::size_t>(i)]);
    return {};
}

} // namespace orbis::game

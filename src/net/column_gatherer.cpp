#include "net/column_gatherer.hpp"

#include "bytes/reader.hpp"
#include "packets/world.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/varint.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

/// Where packets of one section, and of changes in one, have their y.
constexpr std::size_t k_section_y_at = 5;
constexpr std::size_t k_change_y_at = 4;
/// In the first byte of `SetChunk`: it has blocks.
constexpr std::uint8_t k_has_blocks = 4;

const protocol::PacketInfo& gathered_packet(const protocol::Dialect& dialect, std::string_view name) {
    return *dialect.schema().registry().find(name); // the dialect has looked for it
}

std::unexpected<Error> ends_early(std::string_view packet, const Reader& in) {
    return fail(error(Errc::truncated, "the packet ends early").at(in.position()).about(packet));
}

/// A count or length; one that cannot be read is longer than what is there.
std::size_t take_varint(Reader& in) {
    const auto rest = in.rest();
    const auto read = protocol::read_varint(rest.data(), rest.size());
    if (read.value < 0) return rest.size() + 1;
    in.skip(read.length);
    return static_cast<std::size_t>(read.value);
}

Bytes take_array(Reader& in) {
    const auto length = take_varint(in);
    return in.take(length);
}

ChunkPos take_chunk_pos(Reader& in) {
    const auto x = in.le<std::int32_t>();
    const auto z = in.le<std::int32_t>();
    return {x, z};
}

void take_heights(Reader& in, HeightArray& heights) {
    for (auto& height : heights) height = in.le<std::int32_t>();
}

std::int16_t short_height(std::int32_t height) {
    return static_cast<std::int16_t>(std::clamp<std::int32_t>(height, INT16_MIN, INT16_MAX));
}

packets::SetChunk empty_section(ChunkPos pos, int y) {
    packets::SetChunk section;
    section.x = pos.x;
    section.y = y;
    section.z = pos.z;
    return section;
}

} // namespace

ColumnGatherer::ColumnGatherer(const protocol::Dialect& dialect, Limits limits)
    : dialect_(dialect), limits_(limits) {
    const auto learn = [&](std::string_view name, Hear heard_by) {
        kinds_.push_back({gathered_packet(dialect, name).id, heard_by});
    };
    learn("SetColumn", &ColumnGatherer::hear_column);
    learn("SetChunkHeightmap", &ColumnGatherer::hear_heights);
    learn("ServerSetHeight", &ColumnGatherer::hear_height);
    learn("ServerSetHeights", &ColumnGatherer::hear_some_heights);
    learn("SetChunkEnvironments", &ColumnGatherer::hear_environments);
    learn("SetAbsentChunks", &ColumnGatherer::hear_absent);
    learn("UnloadChunk", &ColumnGatherer::hear_unload);
    learn("UnloadChunks", &ColumnGatherer::hear_unloads);
    learn("ClearChunks", &ColumnGatherer::hear_clear);
    for (const auto* packet : {&packets::SetChunk::k_info, &packets::SetFluids::k_info,
                               &packets::ServerSetBlock::k_info, &packets::ServerSetBlocks::k_info,
                               &packets::ServerSetFluid::k_info, &packets::ServerSetFluids::k_info})
        of_sections_.emplace_back(gathered_packet(dialect, packet->name).id, packet);
}

bool ColumnGatherer::hears(std::int32_t other_id) const {
    if (std::ranges::find(kinds_, other_id, &Kind::id) != kinds_.end()) return true;
    return is_taller_ && std::ranges::find(of_sections_, other_id, [](const auto& each) {
                             return each.first;
                         }) != of_sections_.end();
}

Result<std::span<const ColumnGatherer::Heard>> ColumnGatherer::hear(std::int32_t other_id, Bytes payload,
                                                                    const IsRead& is_read) {
    out_.clear();
    ends_.clear();
    heard_.clear();
    const auto kind = std::ranges::find(kinds_, other_id, &Kind::id);
    TRY_DO(kind != kinds_.end() ? (this->*kind->hear)(payload, is_read) : hear_section(other_id, payload));
    std::size_t start = 0;
    for (const auto& [packet, end] : ends_) {
        heard_.push_back({packet, Bytes(out_).subspan(start, end - start)});
        start = end;
    }
    return heard_;
}

void ColumnGatherer::enter(Bytes join) {
    columns_.clear();
    by_pos_.clear();
    bytes_ = 0;
    lowest_ = 0;
    highest_ = k_sections - 1;
    is_taller_ = false;
    const auto& schema = dialect_.schema();
    const auto packet = decode(*schema.packet("JoinWorld"), join, schema.read_rules());
    if (!packet) return; // the session finds the same
    const auto number = [&](std::string_view field, std::int64_t otherwise) {
        const auto* value = packet->find(field);
        const auto* said = value != nullptr ? value->as<std::int64_t>() : nullptr;
        return said != nullptr ? *said : otherwise;
    };
    const auto lowest = number("minSectionY", 0);
    const auto highest = number("maxSectionY", k_sections - 1);
    is_taller_ = lowest < 0 || highest >= k_sections;
    lowest_ = static_cast<int>(std::clamp<std::int64_t>(lowest, 0, k_sections - 1));
    highest_ = static_cast<int>(std::clamp<std::int64_t>(highest, lowest_, k_sections - 1));
}

ColumnGatherer::Column* ColumnGatherer::find(ChunkPos pos) {
    const auto known = by_pos_.find(pos);
    return known == by_pos_.end() ? nullptr : &*known->second;
}

ColumnGatherer::Column& ColumnGatherer::column_at(ChunkPos pos) {
    if (auto* known = find(pos)) return *known;
    if (columns_.size() >= limits_.columns) forget(columns_.front().pos);
    columns_.push_back({.pos = pos});
    by_pos_.emplace(pos, std::prev(columns_.end()));
    return columns_.back();
}

void ColumnGatherer::forget(ChunkPos pos) {
    const auto known = by_pos_.find(pos);
    if (known == by_pos_.end()) return;
    bytes_ -= known->second->bytes;
    columns_.erase(known->second);
    by_pos_.erase(known);
}

void ColumnGatherer::measure(Column& column) {
    bytes_ -= column.bytes;
    column.bytes = sizeof(Column) + column.heights.capacity() * sizeof(std::int16_t);
    for (const auto& section : column.environments) column.bytes += section.bytes();
    bytes_ += column.bytes;
    while (bytes_ > limits_.bytes && columns_.size() > 1) {
        const auto& first = columns_.front();
        forget(&first == &column ? std::next(columns_.begin())->pos : first.pos);
    }
}

bool ColumnGatherer::has_environments(const Column& column) const {
    for (int y = lowest_; y <= highest_; ++y)
        if (!column.environments[static_cast<std::size_t>(y)].is_known() && (column.absent >> y & 1) == 0)
            return false;
    return true;
}

template <protocol::Packet P>
Result<void> ColumnGatherer::say(const P& packet, const IsRead& is_read) {
    if (!is_read(P::k_info)) return {};
    TRY(const auto payload, writer_.write(packet));
    out_.insert(out_.end(), payload.begin(), payload.end());
    ends_.emplace_back(&P::k_info, out_.size());
    return {};
}

Result<void> ColumnGatherer::say_heights(const Column& column, const IsRead& is_read) {
    HeightArray heights;
    std::ranges::copy(column.heights, heights.begin());
    Buffer map;
    append_height_map(heights, map);
    return say(packets::SetChunkHeightmap{column.pos.x, column.pos.z, Bytes(map)}, is_read);
}

Result<void> ColumnGatherer::say_environments(const Column& column, const IsRead& is_read) {
    Buffer runs;
    SectionRuns::append_column(column.environments, runs);
    return say(packets::SetChunkEnvironments{column.pos.x, column.pos.z, Bytes(runs)}, is_read);
}

ColumnGatherer::Column& ColumnGatherer::keep_heights(ChunkPos pos, const HeightArray& heights) {
    auto& column = column_at(pos);
    column.heights.resize(heights.size());
    std::ranges::transform(heights, column.heights.begin(), short_height);
    measure(column);
    return column;
}

Result<void> ColumnGatherer::hear_heights(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    const auto pos = take_chunk_pos(in);
    HeightArray heights;
    take_heights(in, heights);
    if (!in.ok()) return ends_early("SetChunkHeightmap", in);
    return say_heights(keep_heights(pos, heights), is_read);
}

/// Sections of the usual build that the world does not have are empty.
Result<void> ColumnGatherer::hear_column(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    const auto pos = take_chunk_pos(in);
    HeightArray heights;
    take_heights(in, heights);
    const auto tints = take_array(in);
    if (!in.ok()) return ends_early("SetColumn", in);
    TRY_DO(say_heights(keep_heights(pos, heights), is_read));
    if (!tints.empty()) TRY_DO(say(packets::SetChunkTintmap{pos.x, pos.z, tints}, is_read));
    for (int y = 0; y < k_sections; ++y)
        if (!is_in_world(y)) TRY_DO(say(empty_section(pos, y), is_read));
    return {};
}

Result<void> ColumnGatherer::hear_height(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    BlockPos pos;
    pos.x = in.le<std::int32_t>();
    pos.z = in.le<std::int32_t>();
    const auto height = in.le<std::int32_t>();
    if (!in.ok()) return ends_early("ServerSetHeight", in);
    auto* column = find(pos.chunk());
    if (column == nullptr || column->heights.empty()) return {};
    column->heights[static_cast<std::size_t>(pos.column().value)] = short_height(height);
    return say_heights(*column, is_read);
}

Result<void> ColumnGatherer::hear_some_heights(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    const auto pos = take_chunk_pos(in);
    const auto count = take_varint(in);
    auto* column = find(pos);
    const bool is_known = column != nullptr && !column->heights.empty();
    for (std::size_t left = count; left > 0 && in.ok(); --left) {
        const auto index = in.le<std::int16_t>();
        const auto height = in.le<std::int32_t>();
        if (index < 0 || index >= k_columns)
            return fail(error(Errc::out_of_range, "column {}, expected 0 to {}", index, k_columns - 1)
                            .about("ServerSetHeights"));
        if (is_known && in.ok()) column->heights[static_cast<std::size_t>(index)] = short_height(height);
    }
    if (!in.ok()) return ends_early("ServerSetHeights", in);
    if (!is_known || count == 0) return {};
    return say_heights(*column, is_read);
}

Result<void> ColumnGatherer::hear_environments(Bytes payload, const IsRead& is_read) {
    if (!is_read(packets::SetChunkEnvironments::k_info)) return {};
    Reader in(payload);
    const auto x = in.le<std::int32_t>();
    const auto y = in.le<std::int32_t>();
    const auto z = in.le<std::int32_t>();
    const auto palette = take_array(in);
    if (!in.ok()) return ends_early("SetChunkEnvironments", in);
    if (!is_in_world(y)) return {};
    auto runs = SectionRuns::read(palette);
    if (!runs) return fail(std::move(runs).error().about("SetChunkEnvironments"));
    auto& column = column_at({x, z});
    column.environments[static_cast<std::size_t>(y)] = *std::move(runs);
    measure(column);
    if (!has_environments(column)) return {};
    return say_environments(column, is_read);
}

Result<void> ColumnGatherer::hear_absent(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    const bool has_list = (in.u8() & 1) != 0;
    const auto pos = take_chunk_pos(in);
    std::uint32_t absent = 0;
    for (auto left = has_list ? take_varint(in) : 0; left > 0 && in.ok(); --left)
        if (const auto y = in.le<std::int32_t>(); is_in_world(y)) absent |= 1U << y;
    if (!in.ok()) return ends_early("SetAbsentChunks", in);
    bool is_all = true;
    for (int y = lowest_; y <= highest_; ++y) is_all = is_all && (absent >> y & 1) != 0;
    if (!has_list || is_all) {
        forget(pos);
        return say(packets::UnloadChunk{pos.x, pos.z}, is_read);
    }
    if (absent == 0) return {};
    auto& column = column_at(pos);
    const bool was_whole = has_environments(column);
    column.absent |= absent;
    measure(column);
    for (int y = 0; y < k_sections; ++y)
        if ((absent >> y & 1) != 0) TRY_DO(say(empty_section(pos, y), is_read));
    const bool has_some = std::ranges::any_of(column.environments, &SectionRuns::is_known);
    if (was_whole || !has_some || !has_environments(column)) return {};
    return say_environments(column, is_read);
}

Result<void> ColumnGatherer::hear_unload(Bytes payload, const IsRead& is_read) {
    Reader in(payload);
    const auto pos = take_chunk_pos(in);
    if (!in.ok()) return ends_early("UnloadChunk", in);
    forget(pos);
    return say(packets::UnloadChunk{pos.x, pos.z}, is_read);
}

/// Sections that go while their column stays are kept: the usual build cannot say that.
Result<void> ColumnGatherer::hear_unloads(Bytes payload, const IsRead& is_read) {
    const auto& schema = dialect_.schema();
    const auto packet = decode(*schema.packet("UnloadChunks"), payload, schema.read_rules());
    if (!packet) return fail(packet.error().error());
    const auto* columns = packet->find("columns")->as<protocol::Value::List>();
    if (columns == nullptr) return {};
    for (std::size_t at = 0; at + 1 < columns->size(); at += 2) {
        const auto number = [&](std::size_t index) {
            return static_cast<std::int32_t>(*(*columns)[index].as<std::int64_t>());
        };
        const ChunkPos pos{number(at), number(at + 1)};
        forget(pos);
        TRY_DO(say(packets::UnloadChunk{pos.x, pos.z}, is_read));
    }
    return {};
}

Result<void> ColumnGatherer::hear_clear(Bytes, const IsRead& is_read) {
    for (const auto& column : columns_)
        TRY_DO(say(packets::UnloadChunk{column.pos.x, column.pos.z}, is_read));
    columns_.clear();
    by_pos_.clear();
    bytes_ = 0;
    return {};
}

/// Passes on what is about a section of which the usual build has a word.
Result<void> ColumnGatherer::hear_section(std::int32_t id, Bytes payload) {
    const auto* packet =
        std::ranges::find(of_sections_, id, [](const auto& each) { return each.first; })->second;
    const bool is_whole =
        packet->id == packets::SetChunk::k_info.id || packet->id == packets::SetFluids::k_info.id;
    const bool is_one_cell =
        packet->id == packets::ServerSetBlock::k_info.id || packet->id == packets::ServerSetFluid::k_info.id;
    Reader in(payload);
    in.skip(is_whole ? k_section_y_at : k_change_y_at);
    const auto y = in.le<std::int32_t>();
    if (!in.ok()) return ends_early(packet->name, in);
    if (!is_in_world(is_one_cell ? y >> 5 : y)) {
        if (packet->id == packets::SetChunk::k_info.id && (payload[0] & k_has_blocks) != 0)
            ++sections_outside_;
        return {};
    }
    out_.assign(payload.begin(), payload.end());
    ends_.emplace_back(packet, out_.size());
    return {};
}

} // namespace orbis::net

#include "net/column_splitter.hpp"

#include "bytes/writer.hpp"
#include "packets/world.hpp"
#include "protocol/packet_codec.hpp"
#include "protocol/varint.hpp"

namespace orbis::net {
namespace {

const protocol::PacketInfo& split_packet(const protocol::Dialect& dialect, std::string_view name) {
    return *dialect.schema().registry().find(name); // the dialect has looked for it
}

void append_array(Writer& out, Bytes array) {
    std::array<std::uint8_t, protocol::k_largest_varint> length;
    const auto* end = protocol::write_varint(length.data(), static_cast<std::uint32_t>(array.size()));
    out.bytes({length.data(), static_cast<std::size_t>(end - length.data())});
    out.bytes(array);
}

template <typename P>
Result<const P*> decoded(Bytes payload, protocol::Arena& arena) {
    arena.reset();
    auto* packet = arena.take<P>(1);
    new (packet) P;
    if (auto read = protocol::decode(payload, arena, *packet); !read) return fail(read.error().error());
    return packet;
}

} // namespace

ColumnSplitter::ColumnSplitter(const protocol::Dialect& dialect)
    : column_(split_packet(dialect, "SetColumn")),
      heights_(split_packet(dialect, "SetChunkHeightmap")),
      environments_(split_packet(dialect, "SetChunkEnvironments")) {}

bool ColumnSplitter::says(std::int32_t usual_id) const {
    return usual_id == packets::SetChunkHeightmap::k_info.id
           || usual_id == packets::SetChunkEnvironments::k_info.id;
}

Result<void> ColumnSplitter::say(std::int32_t usual_id, Bytes payload, const Take& take) {
    return usual_id == packets::SetChunkHeightmap::k_info.id ? say_heights(payload, take)
                                                             : say_environments(payload, take);
}

bool ColumnSplitter::says_as_one(std::int32_t first_id, std::int32_t second_id) const {
    return first_id == packets::SetChunkHeightmap::k_info.id
           && second_id == packets::SetChunkTintmap::k_info.id;
}

Result<void> ColumnSplitter::say_heights(Bytes payload, const Take& take) {
    TRY(const auto* packet, decoded<packets::SetChunkHeightmap>(payload, arena_));
    HeightArray heights{};
    if (packet->heightmap) TRY_DO(read_height_map(*packet->heightmap, heights));
    out_.clear();
    Writer out(out_);
    out.le(packet->x);
    out.le(packet->z);
    for (const auto height : heights) out.le(height);
    return take(heights_, {out_, {}});
}

Result<void> ColumnSplitter::say_as_one(Bytes heights, Bytes tints, const Take& take) {
    return say_heights(heights, [&](const protocol::PacketInfo&, const Payload&) -> Result<void> {
        TRY(const auto* packet, decoded<packets::SetChunkTintmap>(tints, arena_));
        Writer out(out_); // a column is its heights and then its tints
        append_array(out, packet->tintmap.value_or({}));
        return take(column_, {out_, {}});
    });
}

Result<void> ColumnSplitter::say_environments(Bytes payload, const Take& take) {
    TRY(const auto* packet, decoded<packets::SetChunkEnvironments>(payload, arena_));
    if (!packet->environments) return {};
    TRY(const auto runs, ColumnRuns::read(*packet->environments));
    const auto take_plain = [&](int y, Bytes palette) -> Result<void> {
        out_.clear();
        Writer out(out_);
        out.le(packet->x);
        out.le(std::int32_t{y});
        out.le(packet->z);
        append_array(out, palette);
        return take(environments_, {out_, {}});
    };
    if (!environments_.compressed) return runs.cut(0, k_sections, take_plain);
    const auto take_packed = [&](Bytes frame, std::size_t size) {
        return take(environments_, {frame, size});
    };
    if (!packer_) packer_ = std::make_unique<SectionPacker>();
    return packer_->pack({packet->x, packet->z}, runs, take_packed, take_plain);
}

} // namespace orbis::net

#include "jobs/snapshot/manifest.hpp"

#include "bytes/inner_path.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"

namespace orbis::jobs::snapshot {

namespace {

constexpr std::string_view k_manifest_magic = "OrbisSna";
constexpr std::uint32_t k_manifest_version = 2;
constexpr std::uint32_t k_first_with_modes = 2; ///< before, every entry was a file with unknown permissions
constexpr std::uint16_t k_mode_link = 0x8000;
constexpr std::uint16_t k_mode_known = 0x4000;
constexpr std::size_t k_header = 40;
constexpr std::uint64_t k_largest_body = 64 << 20;
constexpr std::uint16_t k_opaque = 0x8000;
constexpr int k_level = 9;
constexpr std::size_t k_longest_text = 0xFFFF;

void put_text(Writer& out, std::string_view text) {
    text = text.substr(0, k_longest_text);
    out.be(static_cast<std::uint16_t>(text.size()));
    out.bytes(as_bytes(text));
}

std::string take_text(Reader& in) { return std::string(as_text(in.take(in.be<std::uint16_t>()))); }

Key take_key(Reader& in) {
    const auto bytes = in.take(Key::k_size);
    return bytes.size() == Key::k_size ? Key::load(bytes.data()) : Key{};
}

/// Counts are not believed: every entry takes bytes that must be there before memory is taken for it.
std::uint32_t take_count(Reader& in, std::size_t least_size) {
    const auto count = in.be<std::uint32_t>();
    if (count > in.remaining() / least_size) {
        in.skip(in.remaining() + 1); // lets the reader fail
        return 0;
    }
    return count;
}

std::uint64_t pieces_of(std::uint64_t size) { return (size + k_piece_size - 1) / k_piece_size; }

std::uint16_t mode_of(const FileRecord& file) {
    const auto link = file.is_link ? k_mode_link : std::uint16_t{0};
    if (!file.permissions) return link;
    const auto bits = static_cast<unsigned>(*file.permissions & std::filesystem::perms::all);
    return static_cast<std::uint16_t>(link | k_mode_known | bits);
}

void set_mode(FileRecord& file, std::uint16_t mode) {
    file.is_link = (mode & k_mode_link) != 0;
    if ((mode & k_mode_known) != 0)
        file.permissions = static_cast<std::filesystem::perms>(mode) & std::filesystem::perms::all;
}

Buffer encode_body(const Manifest& manifest) {
    Buffer body;
    Writer out(body);
    out.be(manifest.time);
    put_text(out, manifest.name);
    put_text(out, manifest.note);
    put_text(out, manifest.source);
    out.u8(static_cast<std::uint8_t>(manifest.kind));
    for (const auto number : {manifest.chunks, manifest.new_chunks, manifest.bytes_added}) out.be(number);
    out.be(static_cast<std::uint32_t>(manifest.worlds.size()));
    for (const auto& world : manifest.worlds) {
        put_text(out, world.name);
        out.be(static_cast<std::uint32_t>(world.regions.size()));
        for (const auto& region : world.regions) {
            out.be(region.pos.x);
            out.be(region.pos.z);
            out.be(region.chunks);
            out.bytes(region.table.bytes);
        }
    }
    out.be(static_cast<std::uint32_t>(manifest.files.size()));
    for (const auto& file : manifest.files) {
        put_text(out, file.path);
        out.be(mode_of(file));
        out.be(file.size);
        for (const auto& key : file.pieces) out.bytes(key.bytes);
    }
    return body;
}

Result<void> decode_world(Reader& in, WorldRecord& world) {
    world.name = take_text(in);
    const auto regions = take_count(in, 30);
    world.regions.reserve(regions);
    for (std::uint32_t i = 0; i < regions; ++i) {
        RegionRecord region;
        region.pos.x = in.be<std::int32_t>();
        region.pos.z = in.be<std::int32_t>();
        region.chunks = in.be<std::uint16_t>();
        region.table = take_key(in);
        if (!world.regions.empty() && !(world.regions.back().pos < region.pos))
            return fail(error(Errc::bad_value, "expected regions in order, found {:n} after {:n}", region.pos,
                              world.regions.back().pos));
        world.regions.push_back(region);
    }
    if (in.ok() && (!is_inner_path(world.name) || world.name.find('/') != std::string::npos))
        return fail(error(Errc::bad_value, "expected the name of a world, found {}", world.name));
    return {};
}

Result<void> decode_file(Reader& in, std::uint32_t version, FileRecord& file) {
    file.path = take_text(in);
    if (version >= k_first_with_modes) set_mode(file, in.be<std::uint16_t>());
    file.size = in.be<std::uint64_t>();
    const auto pieces = pieces_of(file.size);
    if (pieces > in.remaining() / Key::k_size) {
        in.skip(in.remaining() + 1);
        return {};
    }
    file.pieces.reserve(pieces);
    for (std::uint64_t i = 0; i < pieces; ++i) file.pieces.push_back(take_key(in));
    std::string_view path = file.path;
    if (path.ends_with('/')) path.remove_suffix(1); // an empty folder
    if (in.ok() && !is_inner_path(path))
        return fail(error(Errc::bad_value, "expected a path below the root, found {}", file.path));
    return {};
}

Result<Manifest> decode_body(Bytes body, std::uint32_t version) {
    Reader in(body);
    Manifest manifest;
    manifest.time = in.be<std::int64_t>();
    manifest.name = take_text(in);
    manifest.note = take_text(in);
    manifest.source = take_text(in);
    const auto kind = in.u8();
    if (kind > static_cast<std::uint8_t>(world::Location::Kind::rocksdb))
        return fail(error(Errc::bad_value, "expected a kind of place up to 4, found {}", kind));
    manifest.kind = static_cast<world::Location::Kind>(kind);
    for (auto* number : {&manifest.chunks, &manifest.new_chunks, &manifest.bytes_added})
        *number = in.be<std::uint64_t>();
    manifest.worlds.resize(take_count(in, 6));
    for (auto& world : manifest.worlds) TRY_DO(decode_world(in, world));
    manifest.files.resize(take_count(in, 10));
    for (auto& file : manifest.files) TRY_DO(decode_file(in, version, file));
    if (!in.ok() || in.remaining() != 0)
        return fail(error(Errc::truncated,
                          "expected a body that ends with its last file, found {} bytes left", in.remaining())
                        .at(in.position()));
    if (manifest.kind != world::Location::Kind::universe && manifest.worlds.size() != 1)
        return fail(error(Errc::bad_value, "expected one world, found {}", manifest.worlds.size()));
    return manifest;
}

} // namespace

Buffer encode_table(const std::vector<TableEntry>& entries) {
    Buffer bytes;
    Writer out(bytes);
    for (const auto& entry : entries) {
        const auto slot = static_cast<std::uint16_t>(entry.slot.value);
        out.be(static_cast<std::uint16_t>(entry.is_opaque ? slot | k_opaque : slot));
        out.bytes(entry.key.bytes);
        if (entry.is_opaque) out.be(entry.raw_size);
    }
    return bytes;
}

Result<std::vector<TableEntry>> decode_table(Bytes bytes) {
    Reader in(bytes);
    std::vector<TableEntry> entries;
    entries.reserve(bytes.size() / 22);
    std::int32_t last = -1;
    while (in.remaining() > 0) {
        const auto slot = in.be<std::uint16_t>();
        TableEntry entry;
        entry.is_opaque = (slot & k_opaque) != 0;
        entry.slot.value = slot & ~k_opaque;
        entry.key = take_key(in);
        if (entry.is_opaque) entry.raw_size = in.be<std::uint32_t>();
        if (!in.ok() || entry.slot.value <= last || entry.slot.value >= k_columns)
            return fail(error(Errc::bad_value, "expected a table of ascending slots, found {} after {}",
                              entry.slot.value, last)
                            .at(in.position()));
        last = entry.slot.value;
        entries.push_back(entry);
    }
    return entries;
}

Result<Buffer> Manifest::encode() const {
    const auto body = encode_body(*this);
    if (body.size() > k_largest_body)
        return fail(error(Errc::too_large,
                          "expected a list of files and regions of at most {} bytes, found {}",
                          k_largest_body, body.size())
                        .advise("keep each world in its own store"));
    Compressor compressor(k_level);
    TRY(const auto frame, compressor.compress(body));
    Buffer bytes;
    Writer out(bytes);
    out.bytes(as_bytes(k_manifest_magic));
    out.be(k_manifest_version);
    out.be(static_cast<std::uint32_t>(body.size()));
    out.be(static_cast<std::uint32_t>(frame.size()));
    out.bytes(key_of(body).bytes);
    out.bytes(frame);
    return bytes;
}

Result<Manifest> Manifest::decode(Bytes bytes) {
    if (bytes.size() < k_header)
        return fail(
            error(Errc::truncated, "expected a header of {} bytes, found {}", k_header, bytes.size()));
    Reader in(bytes);
    if (as_text(in.take(k_manifest_magic.size())) != k_manifest_magic)
        return fail(error(Errc::bad_magic, "expected {}, found another magic", k_manifest_magic).at(0));
    const auto version = in.be<std::uint32_t>();
    if (version < 1 || version > k_manifest_version)
        return fail(
            error(Errc::unsupported, "expected version 1 to {}, found {}", k_manifest_version, version)
                .at(8)
                .advise("use a newer orbis"));
    const auto size = in.be<std::uint32_t>();
    const auto stored = in.be<std::uint32_t>();
    const auto key = take_key(in);
    if (stored != in.remaining())
        return fail(
            error(Errc::truncated, "expected {} bytes after the header, found {}", stored, in.remaining())
                .at(16));
    Decompressor decompressor;
    // Against nothing: the keys of holes shrink further than any chunk.
    auto body = decompressor.decompress_against({}, in.rest(), size, k_largest_body);
    if (!body) return std::unexpected(std::move(body).error());
    if (key_of(*body) != key)
        return fail(
            error(Errc::mismatch, "expected a body with the key {}, found another", key.hex()).at(20));
    return decode_body(*body, version);
}

} // namespace orbis::jobs::snapshot

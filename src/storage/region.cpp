#include "storage/region.hpp"

#include "bytes/reader.hpp"
#include "storage/region_file.hpp"
#include "storage/region_v0.hpp"

#include <fmt/format.h>

#include <charconv>

namespace orbis::storage {

namespace {

constexpr std::int32_t k_most_blobs = 1 << 20;
constexpr std::int32_t k_least_segment = 64;
constexpr std::int32_t k_largest_segment = 1 << 24;
constexpr std::string_view k_suffix = ".region.bin";

constexpr std::string_view k_restore_file = "restore the file from a backup";

std::string printable(Bytes bytes) {
    std::string text;
    for (const auto byte : bytes)
        if (byte >= 0x20 && byte < 0x7F)
            text += static_cast<char>(byte);
        else
            text += fmt::format("\\x{:02x}", byte);
    return text;
}

} // namespace

Result<RegionHeader> read_region_header(const File& file, RegionPos position) {
    const auto problem = [&](Error&& error, std::uint64_t offset) {
        return fail(std::move(error).in_file(file.name()).at(position).at(offset).advise(k_restore_file));
    };
    TRY(const auto size, file.size());
    if (size == 0) return problem(error(Errc::truncated, "expected a region file, found an empty file"), 0);
    if (size < RegionHeader::k_size)
        return problem(error(Errc::truncated,
                             "expected a header of {} bytes, found the end of the file after {}",
                             RegionHeader::k_size, size),
                       size);

    TRY(const auto view, file.view(0, RegionHeader::k_size));
    Reader in(view.bytes());
    const auto magic = in.take(RegionHeader::k_magic.size());
    RegionHeader header;
    header.version = in.be<std::int32_t>();
    header.blob_count = in.be<std::int32_t>();
    header.segment_size = in.be<std::int32_t>();
    TRY_DO(file.check(view));

    if (as_text(magic) != RegionHeader::k_magic)
        return problem(error(Errc::bad_magic, "expected the magic {}, found {}", RegionHeader::k_magic,
                             printable(magic)),
                       0);
    if (header.version != 0 && header.version != 1)
        return problem(error(Errc::unsupported, "expected container version 0 or 1, found {}", header.version)
                           .advise("a newer game may have written it: use a newer orbis"),
                       20);
    if (header.blob_count < 1 || header.blob_count > k_most_blobs)
        return problem(error(Errc::bad_value, "expected a blob count of 1 to {}, found {}", k_most_blobs,
                             header.blob_count),
                       24);
    if (header.segment_size < k_least_segment || header.segment_size > k_largest_segment)
        return problem(error(Errc::bad_value, "expected a segment size of {} to {}, found {}",
                             k_least_segment, k_largest_segment, header.segment_size),
                       28);
    if (size < header.base())
        return problem(
            error(Errc::truncated,
                  "expected an index of {} entries up to offset {}, found the end of the file at {}",
                  header.blob_count, header.base(), size),
            size);
    return header;
}

Error Region::place(Error&& error, Slot slot) const {
    const auto chunk = position_.chunk(slot);
    return std::move(error).in_file(name()).at(position_).at(chunk);
}

Result<std::int32_t> Region::read_i32(std::uint64_t offset) const {
    TRY(const auto view, file_->view(offset, 4));
    const auto value = load_be<std::int32_t>(view.bytes().data());
    TRY_DO(file_->check(view));
    return value;
}

Result<std::int32_t> Region::entry(Slot slot) const {
    if (slot.value < 0 || slot.value >= header_.blob_count) return 0;
    return read_i32(header_.index_offset(slot.value));
}

Result<std::unique_ptr<Region>> open_region(std::unique_ptr<File> file, RegionPos position) {
    TRY(const auto header, read_region_header(*file, position));
    if (header.version == 0) return RegionV0::open(std::move(file), position);
    TRY(auto region, RegionFile::open(std::move(file), position, RegionAccess::read));
    return region;
}

Result<void> check_rewritable(const Region& region) {
    const auto& header = region.header();
    if (header.blob_count <= k_columns) return {};
    const auto count = static_cast<std::uint64_t>(header.blob_count - k_columns);
    TRY(const auto view, region.file().view(header.index_offset(k_columns), 4 * count));
    for (std::uint64_t i = 0; i < count; ++i)
        if (load_be<std::int32_t>(view.bytes().data() + 4 * i) != 0)
            return fail(
                error(Errc::unsupported,
                      "expected index entries for the 1024 chunks of a region, found one more in slot {}",
                      k_columns + static_cast<std::int64_t>(i))
                    .in_file(region.name())
                    .at(header.index_offset(k_columns) + 4 * i)
                    .advise("the file was not changed, so that nothing of it is lost"));
    return region.file().check(view);
}

std::string region_file_name(RegionPos position) { return fmt::format("{:n}{}", position, k_suffix); }

std::optional<RegionPos> parse_region_file_name(std::string_view name) {
    if (!name.ends_with(k_suffix)) return std::nullopt;
    const auto numbers = name.substr(0, name.size() - k_suffix.size());
    const auto* const end = numbers.data() + numbers.size();
    RegionPos position;
    const auto x = std::from_chars(numbers.data(), end, position.x);
    if (x.ec != std::errc() || x.ptr == end || *x.ptr != '.') return std::nullopt;
    const auto z = std::from_chars(x.ptr + 1, end, position.z);
    if (z.ec != std::errc() || z.ptr != end) return std::nullopt;
    // A chunk has 32-bit coordinates, so a region has 27-bit ones; other spellings of a number do not count.
    constexpr std::int32_t most = 1 << 26;
    if (position.x < -most || position.x >= most || position.z < -most || position.z >= most)
        return std::nullopt;
    if (region_file_name(position) != name) return std::nullopt;
    return position;
}

} // namespace orbis::storage

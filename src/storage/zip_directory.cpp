#include "storage/zip_directory.hpp"

#include "bytes/inner_path.hpp"
#include "bytes/reader.hpp"

#include <algorithm>

namespace orbis::storage {

namespace {

constexpr std::uint32_t k_entry = 0x02014B50;
constexpr std::uint32_t k_local = 0x04034B50;
constexpr std::uint32_t k_end = 0x06054B50;
constexpr std::uint32_t k_end64 = 0x06064B50;
constexpr std::uint32_t k_locator64 = 0x07064B50;
constexpr std::uint64_t k_end_size = 22;
constexpr std::uint64_t k_locator_size = 20;
constexpr std::uint64_t k_longest_comment = 0xFFFF;
/// A world has some ten thousand files, five folders deep. What no honest backup has would only cost memory.
constexpr std::size_t k_most_entries = 1'000'000;
constexpr std::size_t k_most_parts = 64;
constexpr std::size_t k_longest_path = 4096;

struct Where {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::string comment;
};

Error not_a_zip(const File& file, std::string_view expected) {
    return error(Errc::bad_value, "not a complete zip: {} is missing", expected)
        .in_file(file.name())
        .advise("the zip may be cut off; use another backup");
}

/// A name with `/` between its parts. One that leads out of the zip gives nothing: no honest backup has it,
/// and the name may be used as a path later.
std::string normal_path(std::string_view name) {
    std::string path;
    for (std::size_t at = 0; at < name.size();) {
        const auto end = std::min(name.find_first_of("/\\", at), name.size());
        const auto part = name.substr(at, end - at);
        if (part == "..") return {};
        if (!part.empty() && part != ".") {
            if (!path.empty()) path += '/';
            path += part;
        }
        at = end + 1;
    }
    return is_inner_path(path) ? path : std::string();
}

Result<void> check_depth(const File& file, const ZipEntry& entry, std::uint64_t at) {
    const auto parts = static_cast<std::size_t>(std::ranges::count(entry.path, '/')) + 1;
    if (parts <= k_most_parts && entry.path.size() <= k_longest_path) return {};
    return fail(
        error(Errc::too_deep,
              "paths in a zip have at most {} parts and {} bytes; this zip has one of {} parts and {} bytes",
              k_most_parts, k_longest_path, parts, entry.path.size())
            .in_file(file.name())
            .at(at)
            .advise("no backup of a world has such paths; use another one"));
}

/// A zip64 file repeats the fields of the end record that did not fit, in a record of its own.
Result<void> widen(const File& file, std::uint64_t end_offset, Where& where) {
    if (end_offset < k_locator_size) return {};
    TRY(const auto view, file.view(end_offset - k_locator_size, k_locator_size));
    Reader locator(view.bytes());
    if (locator.le<std::uint32_t>() != k_locator64) return {};
    locator.skip(4);
    const auto at = locator.le<std::uint64_t>();
    TRY(const auto record, file.view(at, 56));
    Reader in(record.bytes());
    if (in.le<std::uint32_t>() != k_end64) return fail(not_a_zip(file, "its zip64 end record"));
    in.skip(36);
    where.size = in.le<std::uint64_t>();
    where.offset = in.le<std::uint64_t>();
    return {};
}

Result<Where> find_directory(const File& file) {
    TRY(const auto size, file.size());
    const auto tail = std::min(size, k_end_size + k_longest_comment);
    TRY(const auto view, file.view(size - tail, tail));
    const auto bytes = view.bytes();
    for (auto at = static_cast<std::int64_t>(tail) - static_cast<std::int64_t>(k_end_size); at >= 0; --at) {
        Reader in(bytes.subspan(static_cast<std::size_t>(at)));
        if (in.le<std::uint32_t>() != k_end) continue;
        in.skip(8);
        Where where;
        where.size = in.le<std::uint32_t>();
        where.offset = in.le<std::uint32_t>();
        const auto length = in.le<std::uint16_t>();
        if (in.remaining() != length) continue; // these bytes stand inside a comment
        where.comment = as_text(in.rest());
        TRY_DO(widen(file, size - tail + static_cast<std::uint64_t>(at), where));
        return where;
    }
    return fail(not_a_zip(file, "its end record"));
}

/// The fields of the 64-bit extra block stand there only for those that are all ones, in this order.
void widen(ZipEntry& entry, Bytes extra) {
    Reader in(extra);
    while (in.ok() && in.remaining() >= 4) {
        const auto tag = in.le<std::uint16_t>();
        const auto body = in.take(in.le<std::uint16_t>());
        if (tag != 1) continue;
        Reader wide(body);
        for (auto* field : {&entry.size, &entry.packed_size, &entry.header_offset})
            if (*field == 0xFFFFFFFF) *field = wide.le<std::uint64_t>();
        return;
    }
}

} // namespace

Result<ZipDirectory> read_zip_directory(const File& file) {
    TRY(auto where, find_directory(file));
    TRY(const auto view, file.view(where.offset, where.size));
    ZipDirectory directory{.entries = {}, .comment = std::move(where.comment)};
    Reader in(view.bytes());
    while (in.remaining() > 0) {
        const auto at = where.offset + in.position();
        if (in.le<std::uint32_t>() != k_entry)
            return fail(error(Errc::bad_value, "expected an entry of the zip's directory, found other bytes")
                            .in_file(file.name())
                            .at(at));
        ZipEntry entry;
        in.skip(4);
        entry.flags = in.le<std::uint16_t>();
        entry.method = in.le<std::uint16_t>();
        in.skip(8);
        entry.packed_size = in.le<std::uint32_t>();
        entry.size = in.le<std::uint32_t>();
        const auto name_length = in.le<std::uint16_t>();
        const auto extra_length = in.le<std::uint16_t>();
        const auto comment_length = in.le<std::uint16_t>();
        in.skip(8);
        entry.header_offset = in.le<std::uint32_t>();
        const auto name = as_text(in.take(name_length));
        const auto extra = in.take(extra_length);
        in.skip(comment_length);
        if (!in.ok())
            return fail(error(Errc::truncated, "the zip's directory ends inside an entry")
                            .in_file(file.name())
                            .at(at));
        widen(entry, extra);
        entry.path = normal_path(name);
        entry.is_folder = name.ends_with('/') || name.ends_with('\\');
        TRY_DO(check_depth(file, entry, at));
        if (directory.entries.size() == k_most_entries)
            return fail(error(Errc::too_large, "the zip has more than {} files", k_most_entries)
                            .in_file(file.name())
                            .advise("unpack it first and give the folder"));
        directory.entries.push_back(std::move(entry));
    }
    TRY_DO(file.check(view));
    return directory;
}

Result<std::uint64_t> zip_data_offset(const File& file, const ZipEntry& entry) {
    TRY(const auto view, file.view(entry.header_offset, 30));
    Reader in(view.bytes());
    if (in.le<std::uint32_t>() != k_local)
        return fail(
            error(Errc::bad_value, "expected the header of {} in the zip, found other bytes", entry.path)
                .in_file(file.name())
                .at(entry.header_offset));
    in.skip(22);
    const auto name_length = in.le<std::uint16_t>();
    const auto extra_length = in.le<std::uint16_t>();
    return entry.header_offset + 30 + name_length + extra_length;
}

} // namespace orbis::storage

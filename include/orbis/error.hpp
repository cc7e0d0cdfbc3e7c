#pragma once

#include "orbis/position.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Everything that can fail returns a `Result`: either the value, or an `Error`. Nothing here throws, except
/// that memory may run out.
namespace orbis {

/// What went wrong, as far as a caller can act on it.
enum class Errc : std::uint8_t {
    not_found,    ///< the path, world or chunk is not there
    exists,       ///< it is there already and nobody said to overwrite it
    io,           ///< the operating system could not read or write
    no_space,     ///< the disk is full
    busy,         ///< another process has it open
    read_only,    ///< this store cannot be written
    unknown_kind, ///< nothing that this program knows
    unsupported,  ///< known, but a version or feature that this build cannot handle
    truncated,    ///< the bytes end too early
    bad_magic,    ///< the file is of another kind
    bad_value,    ///< a field holds what it never may
    out_of_range, ///< a position or count points outside of its container
    overlap,      ///< two things claim the same bytes
    bad_frame,    ///< compressed data that does not decompress to what was promised
    too_large,    ///< larger than the limit that protects memory
    too_deep,     ///< nested deeper than the limit that protects the stack
    bad_text,     ///< text that is not what its encoding or grammar allows
    mismatch,     ///< what was read back differs from what was written
    usage,        ///< the call asks for something that makes no sense
};

/// The code as it is printed, `bad_magic` for example. Stable: scripts may rely on it.
[[nodiscard]] constexpr std::string_view name(Errc code) {
    switch (code) {
    case Errc::not_found: return "not_found";
    case Errc::exists: return "exists";
    case Errc::io: return "io";
    case Errc::no_space: return "no_space";
    case Errc::busy: return "busy";
    case Errc::read_only: return "read_only";
    case Errc::unknown_kind: return "unknown_kind";
    case Errc::unsupported: return "unsupported";
    case Errc::truncated: return "truncated";
    case Errc::bad_magic: return "bad_magic";
    case Errc::bad_value: return "bad_value";
    case Errc::out_of_range: return "out_of_range";
    case Errc::overlap: return "overlap";
    case Errc::bad_frame: return "bad_frame";
    case Errc::too_large: return "too_large";
    case Errc::too_deep: return "too_deep";
    case Errc::bad_text: return "bad_text";
    case Errc::mismatch: return "mismatch";
    case Errc::usage: return "usage";
    }
    return "unknown";
}

/// One failure: a code for the program, where it is, and for people what is wrong and what to do next.
struct Error {
    Errc code = Errc::io; ///< for the program
    std::string problem;  ///< "expected …, found …" as one sentence without a full stop

    std::string file;                    ///< path, empty when no file is involved
    std::optional<RegionPos> region;     ///< of the file
    std::optional<ChunkPos> chunk;       ///< of the world
    std::optional<int> section;          ///< of the chunk, from the bottom
    std::string part;                    ///< of all these, such as "Block" or "AuthToken"
    std::optional<std::uint64_t> offset; ///< byte offset in the file (or document) where the problem starts

    std::string advice; ///< the next step, empty when there is nothing to do

    /// Each of these fills a field that is still empty, so that the innermost place wins.
    Error&& in_file(std::string_view path) &&;
    Error&& at(RegionPos pos) &&;                  ///< the region
    Error&& at(ChunkPos pos) &&;                   ///< the chunk
    Error&& in_section(int y) &&;                  ///< the section of the chunk
    Error&& about(std::string_view what) &&;       ///< the part of all these
    Error&& at(std::uint64_t byte_offset) &&;      ///< the offset in the file
    Error&& advise(std::string_view next_step) &&; ///< what to do next

    /// Where in the file it is: `region -1.0, chunk -3,4, section 2, Block`.
    [[nodiscard]] std::string subject() const;
    /// The whole of it in one line: `file: subject, offset N: problem (advice)`.
    [[nodiscard]] std::string text() const;
};

/// What a function gives, or why it could not.
template <typename T>
using Result = std::expected<T, Error>;

inline Error&& Error::in_file(std::string_view path) && {
    if (file.empty()) file = path;
    return std::move(*this);
}

inline Error&& Error::at(RegionPos pos) && {
    if (!region) region = pos;
    return std::move(*this);
}

inline Error&& Error::at(ChunkPos pos) && {
    if (!chunk) chunk = pos;
    return std::move(*this);
}

inline Error&& Error::in_section(int y) && {
    if (!section) section = y;
    return std::move(*this);
}

inline Error&& Error::about(std::string_view what) && {
    if (part.empty()) part = what;
    return std::move(*this);
}

inline Error&& Error::at(std::uint64_t byte_offset) && {
    if (!offset) offset = byte_offset;
    return std::move(*this);
}

inline Error&& Error::advise(std::string_view next_step) && {
    if (advice.empty()) advice = next_step;
    return std::move(*this);
}

inline std::string Error::subject() const {
    std::string text;
    const auto add = [&text](const std::string& more) {
        if (!text.empty() && !more.empty()) text += ", ";
        text += more;
    };
    if (region) add("region " + std::to_string(region->x) + '.' + std::to_string(region->z));
    if (chunk) add("chunk " + std::to_string(chunk->x) + ',' + std::to_string(chunk->z));
    if (section) add("section " + std::to_string(*section));
    add(part);
    return text;
}

inline std::string Error::text() const {
    std::string line = file;
    const auto place = [this, &line](const std::string& more) {
        if (more.empty()) return;
        if (!line.empty()) line += line.size() == file.size() ? ": " : ", ";
        line += more;
    };
    place(subject());
    if (offset) place("offset " + std::to_string(*offset));
    if (!line.empty()) line += ": ";
    line += problem;
    if (!advice.empty()) line += " (" + advice + ')';
    return line;
}

} // namespace orbis

#pragma once

#include "bytes/position.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
std::string_view name(Errc code);

/// One failure: a code for the program, where it is, and for people what is wrong and what to do next.
struct Error {
    Errc code = Errc::io;
    std::string problem; ///< "expected …, found …" as one sentence without a full stop

    std::string file;                    ///< path, empty when no file is involved
    std::optional<RegionPos> region;     ///< of the file
    std::optional<ChunkPos> chunk;       ///< of the world
    std::optional<int> section;          ///< of the chunk, from the bottom
    std::string part;                    ///< of all these, such as "Block" or "AuthToken"
    std::optional<std::uint64_t> offset; ///< byte offset in the file (or document) where the problem starts

    std::string advice; ///< the next step, empty when there is nothing to do

    /// Each of these fills a field that is still empty, so that the innermost place wins.
    Error&& in_file(std::string_view path) &&;
    Error&& at(RegionPos pos) &&;
    Error&& at(ChunkPos pos) &&;
    Error&& in_section(int y) &&;
    Error&& about(std::string_view what) &&;
    Error&& at(std::uint64_t byte_offset) &&;
    Error&& advise(std::string_view next_step) &&;

    /// Where in the file it is: `region -1.0, chunk -3,4, section 2, Block`.
    [[nodiscard]] std::string subject() const;
    /// The whole of it in one line: `file: subject, offset N: problem (advice)`.
    [[nodiscard]] std::string text() const;
};

template <typename T>
using Result = std::expected<T, Error>;

/// Makes an error from a format string and its arguments.
template <typename... Args>
[[nodiscard]] Error error(Errc code, fmt::format_string<Args...> format, Args&&... args) {
    Error made;
    made.code = code;
    made.problem = fmt::format(format, std::forward<Args>(args)...);
    return made;
}

/// `return fail(Errc::truncated, "…", …);`
template <typename... Args>
[[nodiscard]] std::unexpected<Error> fail(Errc code, fmt::format_string<Args...> format, Args&&... args) {
    return std::unexpected(error(code, format, std::forward<Args>(args)...));
}

/// `return fail(error(…).at(20));`
[[nodiscard]] inline std::unexpected<Error> fail(Error&& error) { return std::unexpected(std::move(error)); }

} // namespace orbis

#define ORBIS_JOIN_(a, b) a##b
#define ORBIS_JOIN(a, b) ORBIS_JOIN_(a, b)

/// `TRY(auto header, read_header(bytes));` declares `header`, or returns the error to the caller.
#define TRY(declaration, ...)                                                                                \
    auto ORBIS_JOIN(try_, __LINE__) = (__VA_ARGS__);                                                         \
    if (!ORBIS_JOIN(try_, __LINE__)) [[unlikely]]                                                            \
        return std::unexpected(std::move(ORBIS_JOIN(try_, __LINE__)).error());                               \
    declaration = *std::move(ORBIS_JOIN(try_, __LINE__))

/// The same for a `Result<void>`.
#define TRY_DO(...)                                                                                          \
    if (auto ORBIS_JOIN(try_, __LINE__) = (__VA_ARGS__); !ORBIS_JOIN(try_, __LINE__)) [[unlikely]]           \
    return std::unexpected(std::move(ORBIS_JOIN(try_, __LINE__)).error())

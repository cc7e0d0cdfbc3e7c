#pragma once

#include "bytes/position.hpp"
#include "orbis/error.hpp"

#include <fmt/core.h>

#include <expected>
#include <utility>

namespace orbis {

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

#pragma once

#include <cstdlib>

namespace orbis::test {

/// Whether the thread sanitizer watches.
#if defined(__SANITIZE_THREAD__) // as g++ says it
inline constexpr bool k_watches_threads = true;
#elif defined(__has_feature)
inline constexpr bool k_watches_threads = __has_feature(thread_sanitizer);
#else
inline constexpr bool k_watches_threads = false;
#endif

/// Whether a sanitizer watches, which makes everything several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // as g++ says it
inline constexpr bool k_is_sanitized = true;
#elif defined(__has_feature) // as clang says it
inline constexpr bool k_is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool k_is_sanitized = false;
#endif

/// Whether tests look at fewer of equal things: under a sanitizer, and in `./test LAYER`, which is for an
/// answer after each changed line.
inline bool looks_at_fewer() {
    static const bool fewer = k_is_sanitized || std::getenv("ORBIS_TESTS_FEWER") != nullptr;
    return fewer;
}

/// How many of equal things are looked at, and the step from one to the next: all of them where `./test`
/// proves what is right, else a fourth, which comes by the same code.
inline int amount(int all) { return looks_at_fewer() ? (all + 3) / 4 : all; }
inline int step() { return looks_at_fewer() ? 4 : 1; }

} // namespace orbis::test

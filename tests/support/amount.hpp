#pragma once

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

/// How many of equal things are looked at, and the step from one to the next: all of them in a release build,
/// which proves what is right. Under a sanitizer a fourth, which comes by the same code.
constexpr int amount(int all) { return k_is_sanitized ? (all + 3) / 4 : all; }
inline constexpr int k_step = k_is_sanitized ? 4 : 1;

} // namespace orbis::test

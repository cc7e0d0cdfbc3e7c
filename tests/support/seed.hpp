#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace orbis::test {

/// The seed of this run: `ORBIS_SEED` where it is set, else a fresh one.
inline std::uint64_t run_seed() {
    if (const char* set = std::getenv("ORBIS_SEED")) // NOLINT(concurrency-mt-unsafe): nobody sets it
        return std::strtoull(set, nullptr, 10);
    return std::random_device{}();
}

} // namespace orbis::test

/// Declares a random generator with the run's seed; every failure in its scope says how to repeat it.
#define SEEDED_RANDOM(name)                                                                                  \
    const auto name##_seed = ::orbis::test::run_seed();                                                      \
    std::mt19937_64 name(name##_seed);                                                                       \
    SCOPED_TRACE(::fmt::format("repeat with ORBIS_SEED={}", name##_seed))

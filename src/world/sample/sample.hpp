#pragma once

#include "bytes/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

/// The sample universe (docs/design/sample.md): made from code and a seed, the same bytes on every machine.
namespace orbis::world::sample {

inline constexpr std::uint64_t k_default_seed = 1;
/// Seeds above this do not fit into the `Seed` of a world.
inline constexpr std::uint64_t k_largest_seed = 0x7FFF'FFFF'FFFF'FFFF;

struct SampleOptions {
    std::uint64_t seed = k_default_seed;
    std::size_t threads = 1;
    /// Told after each chunk how many of how many are written.
    std::function<void(std::size_t done, std::size_t total)> on_progress;
};

struct SampleReport {
    std::size_t chunks = 0;
    std::size_t files = 0;  ///< besides the chunks
    std::size_t blocks = 0; ///< different block keys
    std::size_t entities = 0;
    std::size_t block_components = 0;
};

/// Writes a universe with one world into `folder`, which must be absent or an empty folder. It appears there
/// only when it is complete: until then it grows in a folder beside it. Needs about 130 MB of memory for a
/// moment.
Result<SampleReport> write_sample(const std::filesystem::path& folder, const SampleOptions& options);

} // namespace orbis::world::sample

#pragma once

#include "bytes/result.hpp"

#include <filesystem>

namespace orbis::bench {

/// Goes up when the bytes of the made dense world change.
inline constexpr int k_dense_version = 1;

/// Writes a world of 176 chunks into the folder, which must be there and empty: as many bytes, kinds of
/// blocks and regions as a dense world of the game has. The same bytes on every machine.
Result<void> write_dense_world(const std::filesystem::path& chunks);

} // namespace orbis::bench

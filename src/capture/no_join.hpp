#pragma once

#include "bytes/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace orbis::capture {

/// What is wrong with a capture in which a player, or anybody, joins no world, and what to do then. Of one
/// that is damaged only the part before that was read.
Error no_join(const std::filesystem::path& file, std::optional<std::uint64_t> player, bool is_damaged);

} // namespace orbis::capture

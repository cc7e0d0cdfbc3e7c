#pragma once

#include "app/console.hpp"
#include "world/sample/sample.hpp"

#include <filesystem>

namespace orbis::app {

/// Makes a sample universe in a folder, with a progress bar.
Result<world::sample::SampleReport> make_sample(Console& console, const std::filesystem::path& folder,
                                                std::uint64_t seed, std::size_t threads);

/// The sample universe of this user, which is made when there is none yet: `orbis/sample` in the user's data
/// folder ($XDG_DATA_HOME, else ~/.local/share). Its path.
Result<std::filesystem::path> make_default_sample(Console& console, std::size_t threads);

} // namespace orbis::app

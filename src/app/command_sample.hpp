#pragma once

#include "app/command.hpp"

namespace orbis::app {

std::unique_ptr<Command> make_command_sample();

/// Where `orbis up` keeps its sample universe: `orbis/sample` in the user's data folder ($XDG_DATA_HOME, else
/// ~/.local/share).
Result<std::filesystem::path> default_sample_folder();

/// Makes the default sample universe unless it is there already; its path.
Result<std::filesystem::path> make_default_sample(Console& console, std::size_t threads);

} // namespace orbis::app

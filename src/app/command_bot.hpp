#pragma once

#include "app/command.hpp"

namespace orbis::app {

std::unique_ptr<Command> make_command_bot();

} // namespace orbis::app

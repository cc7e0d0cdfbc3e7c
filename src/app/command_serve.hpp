#pragma once

#include "app/command.hpp"

namespace orbis::app {

std::unique_ptr<Command> make_command_serve();

} // namespace orbis::app

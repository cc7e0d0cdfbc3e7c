#pragma once

#include "app/command.hpp"

namespace orbis::app {

std::unique_ptr<Command> make_command_download();

} // namespace orbis::app

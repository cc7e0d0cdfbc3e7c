// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/shared.hpp"
#include "packets/v2026_02_17/connection.hpp"
#include "packets/v2026_02_17/interaction.hpp"
#include "packets/v2026_02_17/player.hpp"
#include "packets/v2026_02_17/window.hpp"
#include "packets/v2026_02_17/world.hpp"
#include "packets/v2026_02_17/registry.hpp"

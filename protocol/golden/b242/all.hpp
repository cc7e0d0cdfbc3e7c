// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "packets/vb242/interface.hpp"
#include "packets/vb242/player.hpp"
#include "packets/vb242/setup.hpp"
#include "packets/vb242/world.hpp"
#include "packets/vb242/registry.hpp"

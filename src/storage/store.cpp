#include "storage/position.hpp"

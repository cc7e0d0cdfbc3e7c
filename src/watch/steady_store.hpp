#pragma once

#include "storage/store.hpp"

#include <memory>

namespace orbis::watch {

/// The same chunks for reading only, and whole even while a game server writes them: what changes while it is
/// read is read again. Stores that are not region files are handed through.
std::shared_ptr<storage::Store> make_steady(std::shared_ptr<storage::Store> store);

} // namespace orbis::watch

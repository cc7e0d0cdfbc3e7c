#pragma once

#include "storage/store.hpp"

#include <vector>

namespace orbis::storage {

/// The game's `Empty` provider: holds nothing and forgets what is written.
std::unique_ptr<Store> make_empty_store(std::string name);

/// The game's `Migration` provider: the first loader that has a chunk wins, a loader that fails falls through
/// to the next, writes go to the saver. A chunk is removed from all of them, or it would come back.
std::unique_ptr<Store> make_migration_store(std::vector<std::shared_ptr<Store>> loaders,
                                            std::shared_ptr<Store> saver, std::string name);

} // namespace orbis::storage

#pragma once

#include "storage/region_store.hpp"

#include <string_view>
#include <vector>

namespace orbis::storage {

/// How a world keeps its chunks: `ChunkStorage` of its `config.json` (docs/formats/world-folder.md).
struct Provider {
    enum class Type : std::uint8_t { hytale, indexed_storage, rocks_db, migration, empty };

    Type type = Type::hytale;
    std::vector<Provider> loaders; ///< of a migration
    std::vector<Provider> saver;   ///< of a migration: one
};

/// The name that the game uses, such as `IndexedStorage`; and back.
std::string_view name(Provider::Type type);
std::optional<Provider::Type> parse_provider_type(std::string_view name);

/// Opens the chunks of a world folder with its provider. Nothing but the options decides about writing.
Result<std::shared_ptr<Store>> open_store(const Folder& world, const Provider& provider,
                                          const StoreOptions& options);

} // namespace orbis::storage

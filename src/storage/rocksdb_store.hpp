#pragma once

#include "storage/region_store.hpp"

namespace orbis::storage {

/// Opens a RocksDB world: `folder` is the database itself (`db/` of a world). See docs/formats/rocksdb.md.
/// `unsupported` when this build has no RocksDB, or when the database was written in a table format that
/// its release cannot read.
Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& folder,
                                                  const StoreOptions& options);

/// Whether the folder looks like a RocksDB database.
bool is_rocksdb_folder(const Folder& folder);

} // namespace orbis::storage

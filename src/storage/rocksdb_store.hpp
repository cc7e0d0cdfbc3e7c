#pragma once

#include "storage/region_store.hpp"

namespace orbis::storage {

/// Opens a RocksDB world: `folder` is the database itself (`db/` of a world). See docs/formats/rocksdb.md.
/// `unsupported` when this build has no RocksDB, or when the database was written in a table format that
/// its release cannot read.
Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& folder,
                                                  const StoreOptions& options);

/// Whether the log of a database that can be opened is whole to its end. After a loss of power it may end
/// inside a record; the library then ignores the log, and what it held is lost.
Result<void> check_rocksdb_log(const std::filesystem::path& folder);

/// Bytes on disk before and after.
struct DatabaseSizes {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

/// Lets the library rewrite the database without what was overwritten or removed; a dry run only measures.
Result<DatabaseSizes> compact_rocksdb(const std::filesystem::path& folder, bool force, bool dry_run);

/// Whether the folder looks like a RocksDB database.
bool is_rocksdb_folder(const Folder& folder);

} // namespace orbis::storage

#pragma once

#include "bytes/file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orbis::storage {

/// One file of a zip, as the central directory names it.
struct ZipEntry {
    std::string path; ///< with `/`, whatever the writer used
    std::uint64_t size = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t header_offset = 0; ///< of the local header
    std::uint16_t method = 0;        ///< 0 is stored
    std::uint16_t flags = 0;
    bool is_folder = false;

    [[nodiscard]] bool is_stored() const { return method == 0 && (flags & 1) == 0 && size == packed_size; }
};

struct ZipDirectory {
    std::vector<ZipEntry> entries; ///< in the order of the file, which is how libzip counts them
    std::string comment;           ///< the game puts its build here
};

/// Reads the central directory, zip64 included. What libzip does not tell is where an entry's bytes are, and
/// that is what reading them in place needs.
Result<ZipDirectory> read_zip_directory(const File& file);

/// Where the bytes of an entry start.
Result<std::uint64_t> zip_data_offset(const File& file, const ZipEntry& entry);

} // namespace orbis::storage

#include "app/save_file.hpp"

#include "bytes/file.hpp"

namespace orbis::app {

Result<void> save_new_file(const std::filesystem::path& path, Bytes bytes) {
    TRY(auto file, open_file(path, FileMode::create));
    auto written = file->write(0, bytes);
    if (written) written = file->sync();
    std::error_code ignored;
    if (!written) std::filesystem::remove(path, ignored);
    return written;
}

} // namespace orbis::app

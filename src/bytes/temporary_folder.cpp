#include "bytes/temporary_folder.hpp"

#include "bytes/system_error.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace orbis {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(std::string_view purpose) {
    std::error_code ignored;
    const auto place = fs::temp_directory_path(ignored);
    std::string name = (place / fmt::format("orbis-{}-XXXXXX", purpose)).string();
    if (mkdtemp(name.data()) == nullptr)
        return fail(write_error("create a temporary folder")
                        .in_file(place.string())
                        .advise("set TMPDIR to a folder that you may write to"));
    return TemporaryFolder(fs::path(name));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace orbis

#include "bytes/inside.hpp"

#include <algorithm>

namespace orbis {

namespace fs = std::filesystem;

fs::path resolved_path(const fs::path& path) {
    std::error_code code;
    auto found = fs::weakly_canonical(fs::absolute(path), code);
    if (code) found = fs::absolute(path).lexically_normal();
    return found.has_filename() ? found : found.parent_path(); // without a slash at the end
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto inner = resolved_path(path);
    const auto outer = resolved_path(folder);
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

} // namespace orbis

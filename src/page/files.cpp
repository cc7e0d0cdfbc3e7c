#include "page/files.hpp"

#include <algorithm>

namespace orbis::page {

const File* find(std::string_view path) {
    const auto all = files();
    const auto found = std::ranges::lower_bound(all, path, {}, &File::path);
    return found == all.end() || found->path != path ? nullptr : &*found;
}

} // namespace orbis::page

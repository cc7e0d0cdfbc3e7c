#pragma once

#include <functional>
#include <string_view>

namespace orbis::chunk {

/// The table of renamed blocks, as far as a section needs it. The owner of the table wraps it in this.
struct Migrations {
    /// The count that a section of today stores.
    int count = 0;
    /// The key of today for a key that was stored with `stored_count` steps. The result lives as long as the
    /// key or the table.
    std::function<std::string_view(std::string_view key, int stored_count)> apply;
};

} // namespace orbis::chunk

#pragma once

#include "storage/tree.hpp"

#include <string>
#include <vector>

namespace orbis::world {

/// A JSON file of a world or universe as the document it stands for.
Result<Buffer> read_json(const storage::Folder& folder, std::string_view name);

/// Names of the JSON files in a folder, sorted; also of those that only their `.bak` is left of. A folder
/// that is not there has none.
Result<std::vector<std::string>> json_names(const storage::Folder& folder);

} // namespace orbis::world

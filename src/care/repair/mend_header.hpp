#pragma once

#include "bytes/file.hpp"
#include "bytes/position.hpp"

#include <optional>

namespace orbis::care {

/// The header that a region file must have, where its own is broken but the index behind it can be trusted:
/// its entries lead to whole chunks, more than not, and to most of the file. Nothing where that is not so.
std::optional<Buffer> header_by_content(const File& file);

} // namespace orbis::care

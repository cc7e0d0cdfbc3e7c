#pragma once

#include "bytes/file.hpp"
#include "bytes/position.hpp"

#include <optional>

namespace orbis::jobs {

/// The header that a region file must have, where its own is broken but the index after it can be trusted:
/// its entries lead to whole chunks, more than not, and to most of the file. Nothing if that is not so.
std::optional<Buffer> rebuilt_header(const File& file);

} // namespace orbis::jobs

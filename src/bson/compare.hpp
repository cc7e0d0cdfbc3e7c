#pragma once

#include "bson/view.hpp"

namespace orbis::bson {

/// Whether two documents hold the same values under the same keys. The order of keys means nothing, types and
/// the order in arrays do. Damaged documents are the same only when every byte is.
bool same_content(const Document& a, const Document& b);

} // namespace orbis::bson

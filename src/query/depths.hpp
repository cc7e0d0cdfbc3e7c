#pragma once

#include "query/filter.hpp"
#include "query/session.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace orbis::query {

/// Cells by height, from 0 at the bottom.
using ByHeight = std::array<std::uint64_t, k_sections * k_side>;

struct Depths {
    std::map<std::string, ByHeight> keys;
    std::uint64_t chunks = 0; ///< that were read
};

/// At which heights the keys of a filter are, added up over all chunks that it admits. What cannot be read
/// goes to the session.
Result<Depths> count_by_height(Session& session, Filter filter);

} // namespace orbis::query

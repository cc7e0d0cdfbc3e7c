#pragma once

#include "query/filter.hpp"
#include "query/session.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orbis::query {

struct Stack {
    std::string id;
    std::int64_t quantity = 0;
    std::string part;                 ///< of the container, such as `InputContainer` of a bench
    std::optional<std::int64_t> slot; ///< where it has a number
    double durability = 0;
};

/// A block that holds items, with all of them.
struct Container {
    const world::World* world = nullptr;
    BlockPos pos;
    std::string key; ///< of the block
    std::int64_t capacity = 0;
    std::string droplist; ///< what it is filled from when a player opens it; empty for none
    std::vector<Stack> stacks;
};

/// Calls `visit` with each container of the chunks that a filter admits, in the order of the world. What
/// cannot be read goes to the session.
Result<void> for_each_container(Session& session, Filter filter,
                                const std::function<void(const Container&)>& visit);

} // namespace orbis::query

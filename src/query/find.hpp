#pragma once

#include "query/filter.hpp"
#include "query/session.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::query {

enum class HitKind : std::uint8_t { block, item, entity };

/// `block`, `item`, `entity`.
std::string_view name(HitKind kind);

/// One thing that was found. A block of several cells is one hit, at its base; a container is one hit for
/// each kind of item in it; an entity is found by its type and by its name. Texts live as long as the call.
struct Hit {
    HitKind kind = HitKind::block;
    const world::World* world = nullptr;
    std::array<double, 3> at{}; ///< of a block and a container whole numbers
    std::string_view key;       ///< of the block, the item, the type of the entity
    std::string_view detail{};  ///< the key of the container, the name of the entity; empty for none
    std::int64_t pieces = 1;    ///< of the item in this container
};

/// All that was found of one key.
struct HitCount {
    HitKind kind;
    std::string key;
    std::uint64_t hits = 0;
    std::uint64_t pieces = 0;
};

struct FindQuestion {
    Filter filter; ///< keys, a box, chunks
    bool blocks = true;
    bool items = true;
    bool entities = true;
    std::optional<std::array<double, 3>> near{}; ///< the nearest hits first; else in the order of the world
    std::uint64_t limit = 0;                     ///< hits that are told; 0 for all, which are counted anyway
    bool counts_all = true;                      ///< else the search ends with the limit
};

/// Looks for keys in all chunks that a filter admits; how many of each there are, the most frequent first.
/// What cannot be read goes to the session.
Result<std::vector<HitCount>> find(Session& session, const FindQuestion& question,
                                   const std::function<void(const Hit&)>& on_hit);

} // namespace orbis::query

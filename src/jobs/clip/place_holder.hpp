#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "jobs/clip/turn.hpp"

#include <array>
#include <optional>
#include <set>

/// Holders of components at another place: what is inside of them that says where they are.
namespace orbis::jobs {

/// The 16 bytes of a UUID, the most significant first.
using Uuid = std::array<std::uint8_t, 16>;

/// New ids for entities that exist twice afterwards. An id that is not among them, such as that of a player,
/// stays as it is.
class NewIds {
public:
    /// Ids that nobody can foresee.
    NewIds();
    void add(const Uuid& id) { known_.insert(id); }
    /// All ids of an entity and of those that are kept inside of it.
    void add_all_of(const bson::Document& entity);
    /// The new id; the same one for the same id.
    [[nodiscard]] std::optional<Uuid> of(const Uuid& id) const;

private:
    std::set<Uuid> known_;
    std::array<std::uint8_t, 32> secret_{};
};

/// From one place to another: turned, then moved.
struct Placement {
    Turn turn;
    std::int64_t dx = 0;
    std::int64_t dy = 0;
    std::int64_t dz = 0;
    const NewIds* ids = nullptr; ///< none: ids stay as they are
};

/// The holder of an entity at its new place: positions, directions and yaws in all of its components, and in
/// those of entities that are kept inside of it.
Result<Buffer> placed_entity(const bson::Document& holder, const Placement& placement);

/// The position of an entity; nothing if it has none.
std::optional<Turn::Point> entity_point(const bson::Document& holder);

/// The holder with that position as its `Transform.Position`, if it has one.
Result<Buffer> with_entity_point(const bson::Document& holder, Turn::Point point);

/// The holder of a block whose components say where it is: each `Position` says that it is at `at`.
Result<Buffer> placed_block_holder(const bson::Document& holder, BlockPos at);

} // namespace orbis::jobs

#pragma once

#include "game/entities/entity_table.hpp"
#include "net/outgoing_frame.hpp"
#include "packets/shared.hpp"

namespace orbis::game {

/// From where and how far a player sees.
struct Eye {
    packets::Position at{};
    double radius = 0; ///< in blocks
    NetworkId own = NetworkId::none;
    bool is_builder = false; ///< in creative mode
    bool sees_others = true; ///< besides itself

    friend bool operator==(const Eye& a, const Eye& b) {
        return a.at.x == b.at.x && a.at.y == b.at.y && a.at.z == b.at.z && a.radius == b.radius
               && a.own == b.own && a.is_builder == b.is_builder && a.sees_others == b.sees_others;
    }
};

/// Whether an entity with a box of this size is near enough to be seen, by the square of its distance.
inline bool is_near_enough(double distance2, float box_side, double radius) {
    return distance2 <= radius * radius && static_cast<double>(box_side) >= 3.5e-5 * distance2;
}

/// What a player knows of the entities of its world: eight bytes for each that it sees. For one table only;
/// a player who goes to another world needs a new one.
class EntityView {
public:
    EntityView() = default;
    /// For a client of another build.
    explicit EntityView(const Wording* wording) : wording_(wording) {}

    /// How many entities the player knows.
    [[nodiscard]] std::size_t size() const { return known_.size(); }

private:
    friend class EntityUpdater;

    struct SeenEntity {
        NetworkId id;
        std::uint32_t slot;
    };
    std::vector<SeenEntity> known_;
    std::uint64_t last_ = 0; ///< revision of the table when this was up to date
    Eye eye_;
    const Wording* wording_ = nullptr; ///< null for the usual one
    bool must_look_ = true;
    bool owes_own_ = false; ///< the player was told of itself alone; the game then does so once more
};

/// Makes the packets that tell viewers what is new. Keeps memory that all viewers need for a moment: one for
/// each thread.
class EntityUpdater {
public:
    /// Fast, because these packets live for a thirtieth of a second (docs/design/serve.md has the figures).
    static constexpr int k_level = -1;

    explicit EntityUpdater(int level = k_level) : framer_(level) {}

    /// The payload of the `EntityUpdates` that brings the view up to date with the last tick; empty when
    /// there is nothing to say. Valid until the next call.
    Bytes payload(EntityView& view, const EntityTable& table, const Eye& eye);
    /// The same as a frame to be sent; nothing when there is nothing to say.
    Result<std::optional<net::OutgoingFrame>> frame(EntityView& view, const EntityTable& table,
                                                    const Eye& eye);

private:
    /// What became of an entity in this pass over a view.
    struct Mark {
        std::uint32_t pass = 0;
        std::uint32_t state = 0; ///< 0 known before, 1 met
    };

    void look_at(EntityView& view, const EntityTable& table, const std::vector<EntityTable::Spot>& spots,
                 const Eye& eye, std::uint32_t own_slot);
    void meet(EntityView& view, const EntityTable& table, std::uint32_t slot, bool own);

    protocol::PayloadFramer framer_;
    std::vector<Mark> marks_; ///< by slot
    std::uint32_t pass_ = 0;
    std::vector<EntityView::SeenEntity> met_;
    Buffer out_;
    std::uint32_t updates_ = 0;
};

} // namespace orbis::game

#pragma once

#include "game/entities/entity_state.hpp"
#include "game/entities/wording.hpp"
#include "packets/shared.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace orbis::game {

/// The entities of a world, what changed of each and when, and where they are. Viewers read it through
/// `EntityUpdater`. Everything here is done by one thread.
///
/// A change is in the bytes of its component at once; `end_tick` writes the updates that viewers who were
/// there for the last tick need, once for all of them.
class EntityTable {
public:
    NetworkId add(EntityState state);
    /// Nothing happens if there is no such entity, here and below: its player may have just left.
    void remove(NetworkId id);

    void move(NetworkId id, const Transform& transform);
    void move(NetworkId id, const Transform& transform, const packets::MovementStates& movement);
    /// Adds a component or puts it in place of the one of its type. Bytes that are the same are no
    /// change.
    void set(NetworkId id, Component component);
    void unset(NetworkId id, ComponentType type);

    /// What has changed is news for viewers from now on.
    void end_tick();

    [[nodiscard]] bool has(NetworkId id) const { return slots_by_id_.contains(id); }
    /// Null if there is no such entity.
    [[nodiscard]] const Transform* transform(NetworkId id) const;
    [[nodiscard]] std::size_t size() const { return slots_by_id_.size(); }

private:
    friend class EntityUpdater;

    using Slot = std::uint32_t;
    /// Counts ticks in which something changed.
    using Revision = std::uint64_t;

    struct Part {
        Component component;
        Revision changed = 0;
        bool present = true; ///< one that was taken away stays, so that viewers can be told
        /// What it is in other wordings, by their numbers, as far as somebody has asked; empty: cannot be
        /// said.
        mutable std::vector<std::optional<Buffer>> said{};

        void set(Bytes bytes) {
            component.bytes.assign(bytes.begin(), bytes.end());
            said.clear();
        }
        /// Null for the usual wording.
        [[nodiscard]] Bytes in(const Wording* wording) const;
    };
    struct Entity {
        NetworkId id = NetworkId::none;
        Transform transform;
        std::vector<Part> parts;
        std::uint64_t cell = 0;
        std::uint32_t place = 0; ///< in the cell
        bool is_dirty = false;   ///< in dirty_
    };
    /// What a viewer needs to know of an entity that it knows already, side by side for all entities.
    struct News {
        NetworkId id = NetworkId::none;
        Revision changed = 0;
        std::uint32_t begin = 0; ///< of the update with what changed in the last tick
        std::uint32_t size = 0;
        std::uint32_t types = 0; ///< of the components in it, a bit for each
    };
    /// An entity in its cell of the grid.
    struct Spot {
        packets::Position at;
        float box_side;
        Slot slot;
        bool is_for_builders;
    };
    struct Cell {
        std::int32_t x;
        std::int32_t z;
        std::vector<Spot> spots;
    };

    /// Blocks along a side of a cell of the grid.
    static constexpr double k_cell = 128;
    static std::int32_t cell_of(double coordinate);
    static std::uint64_t cell_key(std::int32_t x, std::int32_t z) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32
               | static_cast<std::uint32_t>(z);
    }

    Entity* find(NetworkId id);
    Slot slot_of(const Entity& entity) const { return static_cast<Slot>(&entity - entities_.data()); }
    Part& part(Entity& entity, ComponentType type);
    void touch(Entity& entity, Part& part);
    void put_movement(Entity& entity, const packets::MovementStates& movement);
    void put_transform(Entity& entity, const Transform& transform);
    void enter_cell(Entity& entity, Spot spot);
    void leave_cell(Entity& entity);
    Spot& spot(Entity& entity) { return cells_.at(entity.cell).spots[entity.place]; }

    /// Who reads an update. A player is told its own place once, and never how it moves: it knows both
    /// better than the server.
    enum class Reader : std::uint8_t { other, own_first, own };
    /// Appends the update of an entity: all of it, or what changed after `since`. False when there is nothing
    /// to say, and then nothing is appended.
    bool write_all(Slot slot, Reader reader, const Wording* wording, Buffer& out) const;
    bool write_since(Slot slot, Revision since, Reader reader, const Wording* wording, Buffer& out) const;
    /// The update with what changed in the last tick, as others read it, in another wording; empty where that
    /// cannot say it. Valid until the next call.
    [[nodiscard]] Bytes last_update(Slot slot, const Wording& wording) const;

    /// The updates of the last tick in another wording, as far as somebody has asked.
    struct Worded {
        struct Place {
            Revision written = 0;
            std::uint32_t begin = 0;
            std::uint32_t size = 0;
        };
        Revision revision = 0; ///< of all of them
        Buffer bytes;
        std::vector<Place> places; ///< by slot
    };

    std::vector<Entity> entities_; ///< by slot; free ones have no id
    std::vector<News> news_;       ///< by slot
    std::vector<Slot> free_;
    std::vector<Slot> dirty_;
    std::unordered_map<NetworkId, Slot> slots_by_id_;
    std::unordered_map<std::uint64_t, Cell> cells_;
    Buffer written_;                     ///< the updates of the last tick
    mutable std::vector<Worded> worded_; ///< by the numbers of wordings
    Revision revision_ = 1;
    bool has_changed_ = false;
    std::int32_t next_id_ = 1;
};

} // namespace orbis::game

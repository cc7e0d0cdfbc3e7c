// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/shared.hpp"

namespace orbis::protocol::v2026_02_17 {

enum class ApplyForceState : std::uint8_t { waiting, ground, collision, timer };
constexpr std::uint32_t value_count(ApplyForceState) { return 4; }
enum class BlockFace : std::uint8_t { none, up, down, north, south, east, west };
constexpr std::uint32_t value_count(BlockFace) { return 7; }
enum class InteractionState : std::uint8_t { finished, skip, item_changed, failed, not_finished };
constexpr std::uint32_t value_count(InteractionState) { return 5; }
enum class InteractionType : std::uint8_t { primary, secondary, ability1, ability2, ability3, use, pick,
    pickup, collision_enter, collision_leave, collision, entity_stat_effect, swap_to, swap_from, death,
    wielding, projectile_spawn, projectile_hit, projectile_miss, projectile_bounce, held, held_offhand,
    equipped, dodge, game_mode_swap };
constexpr std::uint32_t value_count(InteractionType) { return 25; }
enum class MovementDirection : std::uint8_t { none, forward, back, left, right, forward_left, forward_right,
    back_left, back_right };
constexpr std::uint32_t value_count(MovementDirection) { return 9; }
enum class Rotation : std::uint8_t { none, ninety, one_eighty, two_seventy };
constexpr std::uint32_t value_count(Rotation) { return 4; }

struct BlockPosition {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(BlockPosition) == 12);

struct BlockRotation {
    Rotation rotation_yaw{};
    Rotation rotation_pitch{};
    Rotation rotation_roll{};

    static constexpr std::uint32_t k_fixed = 3, k_var_start = 3;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct ForkedChainId {
    std::int32_t entry_index = 0;
    std::int32_t sub_index = 0;
    Link<ForkedChainId> forked_id;

    static constexpr std::uint32_t k_fixed = 9, k_var_start = 9;
    static std::size_t read(Decoder& in, std::size_t at, ForkedChainId& v);
    static std::size_t measure(Encoder& out, const ForkedChainId& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const ForkedChainId& v);
};

struct Vector3f {
    float x = 0;
    float y = 0;
    float z = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(Vector3f) == 12);

struct InteractionChainData {
    std::int32_t entity_id = -1;
    Uuid proxy_id{};
    Opt<Vector3f> hit_location;
    Opt<BlockPosition> block_position;
    std::int32_t target_slot = INT32_MIN;
    Opt<Vector3f> hit_normal;
    Opt<Text> hit_detail;

    static constexpr std::uint32_t k_fixed = 61, k_var_start = 61;
    static std::size_t read(Decoder& in, std::size_t at, InteractionChainData& v);
    static std::size_t measure(Encoder& out, const InteractionChainData& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const InteractionChainData& v);
};

struct InteractionSyncData {
    InteractionState state{};
    float progress = 0;
    std::int32_t operation_counter = 0;
    std::int32_t root_interaction = 0;
    std::int32_t total_forks = 0;
    std::int32_t entity_id = 0;
    std::int32_t entered_root_interaction = INT32_MIN;
    Opt<BlockPosition> block_position;
    BlockFace block_face{};
    Opt<BlockRotation> block_rotation;
    std::int32_t placed_block_id = INT32_MIN;
    float charge_value = -1.0F;
    std::int32_t chaining_index = -1;
    std::int32_t flag_index = -1;
    Opt<Position> attacker_pos;
    Opt<Direction> attacker_rot;
    Opt<Position> raycast_hit;
    float raycast_distance = 0;
    Opt<Vector3f> raycast_normal;
    MovementDirection movement_direction{};
    ApplyForceState apply_force_state{};
    std::int32_t next_label = 0;
    Opt<Uuid> generated_uuid;
    Opt<Map<InteractionType, std::int32_t>> fork_counts;
    Opt<List<SelectedHitEntity>> hit_entities;

    static constexpr std::uint32_t k_fixed = 157, k_var_start = 165;
    static std::size_t read(Decoder& in, std::size_t at, InteractionSyncData& v);
    static std::size_t measure(Encoder& out, const InteractionSyncData& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const InteractionSyncData& v);
};

struct SelectedHitEntity {
    std::int32_t network_id = 0;
    Opt<Vector3f> hit_location;
    Opt<Position> position;
    Opt<Direction> body_rotation;

    static constexpr std::uint32_t k_fixed = 53, k_var_start = 53;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct SyncInteractionChain {
    std::int32_t active_hotbar_slot = 0;
    std::int32_t active_utility_slot = 0;
    std::int32_t active_tools_slot = 0;
    bool initial = false;
    bool desync = false;
    std::int32_t override_root_interaction = INT32_MIN;
    InteractionType interaction_type{};
    std::int32_t equip_slot = 0;
    std::int32_t chain_id = 0;
    InteractionState state{};
    std::int32_t operation_base_index = 0;
    Opt<Text> item_in_hand_id;
    Opt<Text> utility_item_id;
    Opt<Text> tools_item_id;
    Opt<ForkedChainId> forked_id;
    Opt<InteractionChainData> data;
    Opt<List<SyncInteractionChain>> new_forks;
    Opt<Sparse<InteractionSyncData>> interaction_data;

    static constexpr std::uint32_t k_fixed = 33, k_var_start = 61;
    static std::size_t read(Decoder& in, std::size_t at, SyncInteractionChain& v);
    static std::size_t measure(Encoder& out, const SyncInteractionChain& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const SyncInteractionChain& v);
};

struct SyncInteractionChains {
    List<SyncInteractionChain> updates;

    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr PacketInfo k_info{290, "SyncInteractionChains", "interaction",
                                       protocol::Direction::both, protocol::Channel{0}, false,
                                       0, 1, 1677721600};
    static constexpr bool k_bounded = false;
    static std::size_t read(Decoder& in, std::size_t at, SyncInteractionChains& v);
    static std::size_t measure(Encoder& out, const SyncInteractionChains& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const SyncInteractionChains& v);
};

} // namespace orbis::protocol::v2026_02_17

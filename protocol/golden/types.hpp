// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

#include <variant>

namespace orbis::protocol::v2026_02_17 {

enum class ApplyForceState : std::uint8_t { waiting, ground, collision, timer };
constexpr std::uint32_t value_count(ApplyForceState) { return 4; }
enum class BlockFace : std::uint8_t { none, up, down, north, south, east, west };
constexpr std::uint32_t value_count(BlockFace) { return 7; }
enum class ClientType : std::uint8_t { game, editor };
constexpr std::uint32_t value_count(ClientType) { return 2; }
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
enum class SortType : std::uint8_t { name, type, rarity };
constexpr std::uint32_t value_count(SortType) { return 3; }

struct BlockPosition;
struct BlockRotation;
struct CancelCraftingAction;
struct ChangeBlockAction;
struct ClientMovement;
struct Connect;
struct CraftItemAction;
struct CraftRecipeAction;
struct Direction;
struct ForkedChainId;
struct HalfFloatPosition;
struct HostAddress;
struct InteractionChainData;
struct InteractionSyncData;
struct MovementStates;
struct Position;
struct SelectSlotAction;
struct SelectedHitEntity;
struct SendWindowAction;
struct SetActiveAction;
struct SetChunk;
struct SortItemsAction;
struct SyncInteractionChain;
struct SyncInteractionChains;
struct TeleportAck;
struct TierUpgradeAction;
struct UpdateCategoryAction;
struct Vector3d;
struct Vector3f;

using WindowAction = std::variant<CraftRecipeAction, TierUpgradeAction, SelectSlotAction, ChangeBlockAction,
    SetActiveAction, CraftItemAction, UpdateCategoryAction, CancelCraftingAction, SortItemsAction>;

struct BlockPosition {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(BlockPosition) == 12);

struct BlockRotation {
    Rotation rotation_yaw{};
    Rotation rotation_pitch{};
    Rotation rotation_roll{};

    static constexpr std::uint32_t k_fixed = 3, k_var_start = 3;
    static constexpr bool k_bulk = false;
};

struct CancelCraftingAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false;
};

struct ChangeBlockAction {
    bool down = false;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false;
};

struct MovementStates {
    bool idle = false;
    bool horizontal_idle = false;
    bool jumping = false;
    bool flying = false;
    bool walking = false;
    bool running = false;
    bool sprinting = false;
    bool crouching = false;
    bool forced_crouching = false;
    bool falling = false;
    bool climbing = false;
    bool in_fluid = false;
    bool swimming = false;
    bool swim_jumping = false;
    bool on_ground = false;
    bool mantling = false;
    bool sliding = false;
    bool mounting = false;
    bool rolling = false;
    bool sitting = false;
    bool gliding = false;
    bool sleeping = false;

    static constexpr std::uint32_t k_fixed = 22, k_var_start = 22;
    static constexpr bool k_bulk = false;
};
static_assert(sizeof(MovementStates) == 22);

struct HalfFloatPosition {
    std::int16_t x = 0;
    std::int16_t y = 0;
    std::int16_t z = 0;

    static constexpr std::uint32_t k_fixed = 6, k_var_start = 6;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(HalfFloatPosition) == 6);

struct Position {
    double x = 0;
    double y = 0;
    double z = 0;

    static constexpr std::uint32_t k_fixed = 24, k_var_start = 24;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(Position) == 24);

struct Direction {
    float yaw = 0;
    float pitch = 0;
    float roll = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(Direction) == 12);

struct TeleportAck {
    std::int8_t teleport_id = 0;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(TeleportAck) == 1);

struct Vector3d {
    double x = 0;
    double y = 0;
    double z = 0;

    static constexpr std::uint32_t k_fixed = 24, k_var_start = 24;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(Vector3d) == 24);

struct ClientMovement {
    Opt<MovementStates> movement_states;
    Opt<HalfFloatPosition> relative_position;
    Opt<Position> absolute_position;
    Opt<Direction> body_orientation;
    Opt<Direction> look_orientation;
    Opt<TeleportAck> teleport_ack;
    Opt<Position> wish_movement;
    Opt<Vector3d> velocity;
    std::int32_t mounted_to = 0;
    Opt<MovementStates> rider_movement_states;

    static constexpr std::uint32_t k_fixed = 153, k_var_start = 153;
    static constexpr bool k_bulk = false;
    static constexpr PacketInfo k_info{108, "ClientMovement", "player",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       153, 153, 153};
    static constexpr bool k_bounded = false;
};

struct HostAddress {
    std::int16_t port = 0;
    Text host;

    static constexpr std::uint32_t k_fixed = 2, k_var_start = 2;
};

struct Connect {
    std::int32_t protocol_crc = 0;
    std::int32_t protocol_build_number = 0;
    Text client_version;
    ClientType client_type{};
    Uuid uuid{};
    Text username;
    Opt<Text> identity_token;
    Text language;
    Opt<Bytes> referral_data;
    Opt<HostAddress> referral_source;

    static constexpr std::uint32_t k_fixed = 46, k_var_start = 66;
    static constexpr PacketInfo k_info{0, "Connect", "connection",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       46, 68, 38013};
    static constexpr bool k_bounded = false;
};

struct CraftItemAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false;
};

struct CraftRecipeAction {
    std::int32_t quantity = 0;
    Opt<Text> recipe_id;

    static constexpr std::uint32_t k_fixed = 5, k_var_start = 5;
};

struct ForkedChainId {
    std::int32_t entry_index = 0;
    std::int32_t sub_index = 0;
    Link<ForkedChainId> forked_id;

    static constexpr std::uint32_t k_fixed = 9, k_var_start = 9;
};

struct Vector3f {
    float x = 0;
    float y = 0;
    float z = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true;
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
};

struct SelectSlotAction {
    std::int32_t slot = 0;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr bool k_bulk = true;
};
static_assert(sizeof(SelectSlotAction) == 4);

struct SelectedHitEntity {
    std::int32_t network_id = 0;
    Opt<Vector3f> hit_location;
    Opt<Position> position;
    Opt<Direction> body_rotation;

    static constexpr std::uint32_t k_fixed = 53, k_var_start = 53;
    static constexpr bool k_bulk = false;
};

struct TierUpgradeAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false;
};

struct SetActiveAction {
    bool state = false;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false;
};

struct UpdateCategoryAction {
    Text category;
    Text item_category;

    static constexpr std::uint32_t k_fixed = 0, k_var_start = 8;
};

struct SortItemsAction {
    SortType sort_type{};

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false;
};

struct SendWindowAction {
    std::int32_t id = 0;
    WindowAction action;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr PacketInfo k_info{203, "SendWindowAction", "window",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       4, 5, 32768027};
    static constexpr bool k_bounded = false;
};

struct SetChunk {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    Opt<Bytes> local_light;
    Opt<Bytes> global_light;
    Opt<Bytes> data;

    static constexpr std::uint32_t k_fixed = 13, k_var_start = 25;
    static constexpr PacketInfo k_info{131, "SetChunk", "world",
                                       protocol::Direction::to_client, protocol::Channel{1}, true,
                                       13, 25, 12288040};
    static constexpr bool k_bounded = false;
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
};

struct SyncInteractionChains {
    List<SyncInteractionChain> updates;

    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr PacketInfo k_info{290, "SyncInteractionChains", "interaction",
                                       protocol::Direction::both, protocol::Channel{0}, false,
                                       0, 1, 1677721600};
    static constexpr bool k_bounded = false;
};

} // namespace orbis::protocol::v2026_02_17

// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include <cstdint>

namespace orbis::protocol::v2026_02_17 {

enum class ApplyForceState : std::uint8_t;
enum class BlockFace : std::uint8_t;
enum class ClientType : std::uint8_t;
enum class InteractionState : std::uint8_t;
enum class InteractionType : std::uint8_t;
enum class MovementDirection : std::uint8_t;
enum class Rotation : std::uint8_t;
enum class SortType : std::uint8_t;
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

} // namespace orbis::protocol::v2026_02_17

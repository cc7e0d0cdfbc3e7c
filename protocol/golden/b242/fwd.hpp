// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include <cstdint>

namespace orbis::protocol::vb242 {

enum class EventTitleStyle : std::uint8_t;
struct BoolParamValue;
struct ClientMovement;
struct Direction;
struct DoubleParamValue;
struct FormattedMessage;
struct FormattedMessageImage;
struct HalfFloatPosition;
struct IntParamValue;
struct LongParamValue;
struct MovementStates;
struct Position;
struct SetColumn;
struct ShowEventTitle;
struct StringParamValue;
struct TeleportAck;
struct Vector3d;
struct ViewRadius;

} // namespace orbis::protocol::vb242

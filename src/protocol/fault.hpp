#pragma once

#include "bytes/result.hpp"
#include "protocol/read_rules.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace orbis::protocol {

/// Why a payload is refused.
enum class Fault : std::uint8_t {
    none,
    read_range,    ///< a read outside the payload
    length_bad,    ///< a count or length that is cut off, malformed or negative
    too_long,      ///< more than the limit of the field
    overrun,       ///< the announced elements do not fit after their count
    enum_bad,      ///< no value of the enum
    type_unknown,  ///< no member of the union
    key_duplicate, ///< a map key for the second time
    recursion,     ///< nested deeper than the limit
    offset_range,  ///< an offset that leads out of the variable block (builds from 2026.05.07 on)
    text_bad,      ///< text that its encoding does not allow
    value_range,   ///< smaller or larger than the field allows
    not_finite,    ///< a float that is infinite or not a number (builds from 242 on)
    work,          ///< overlapping fields that unfold to far more than the bytes that are there
    not_canonical, ///< readable, but not as any writer writes it (strict readers, and builds from 242 on)
};

/// `enum-bad` for example: the codes of the vectors. Stable: scripts may rely on them.
std::string_view name(Fault fault);

/// A refused payload: why, where, and in which field.
struct Failure {
    Fault fault = Fault::none;
    std::size_t at = 0; ///< offset in the payload
    std::string field;  ///< path from the packet, such as "SetChunk.data"; empty when not known

    /// As an error of the library, for messages.
    [[nodiscard]] Error error() const;
};

/// Structs nested deeper than this are refused; real packets stay below ten.
inline constexpr int k_depth_limit = 64;

/// How much a payload of `size` bytes may unfold to, counted in bytes and elements read. Fields that do not
/// overlap stay far below it.
constexpr std::int64_t work_limit(std::size_t size) { return 65'536 + 16 * static_cast<std::int64_t>(size); }

} // namespace orbis::protocol

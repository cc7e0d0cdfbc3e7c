#pragma once

#include "protocol/generic_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace orbis::protocol {

/// What a part of a payload is.
enum class Part : std::uint8_t {
    value,      ///< of a field, of an element, or of an entry of a map
    key,        ///< of an entry of a map
    absent,     ///< the place of a field in the fixed block that is not there
    unreadable, ///< a field that does not parse
    presence,   ///< bits that say which fields or elements are there
    slot,       ///< the offset of a field
    count,      ///< of bytes or elements
    type_id,    ///< which struct of a union follows
};

/// `presence` for example. Stable: the page of the inspector relies on them.
std::string_view name(Part part);

/// Where a part of a payload is.
struct Span {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
    std::uint32_t parent = 0; ///< the span around it; of the first its own number
    /// Of the field in its layout, of the element in its list, of the entry in its map. 0 for parts that are
    /// none of these.
    std::uint32_t index = 0;
    const Type* type = nullptr; ///< of a value; null for the packet, and for parts that are no values
    Part part = Part::value;
    std::int8_t bit = -1; ///< of a flag that shares its byte with others

    [[nodiscard]] std::uint32_t end() const { return at + size; }
};

/// The spans of a payload. The first is the packet; each comes after the one around it, and those of a struct
/// in the order of its fields.
///
/// In a payload as the game writes it spans nest, do not overlap but for flags that share a byte, and those
/// in a struct, list, map or union cover all of it. In a damaged one fields may overlap.
class SpanLog {
public:
    /// More are left out: then the last of a list or struct have no span of their own.
    static constexpr std::size_t k_most = 65'536;
    static constexpr std::uint32_t k_none = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
    [[nodiscard]] bool is_cut() const { return is_cut_; }
    void clear();

    /// For the decoder: adds a span and says its number, k_none where there is no room.
    std::uint32_t add(const Span& span);
    void set_end(std::uint32_t number, std::size_t end);
    /// Takes away all from this number on.
    void cut_back(std::size_t size) { spans_.resize(std::min(size, spans_.size())); }

private:
    std::vector<Span> spans_;
    bool is_cut_ = false;
};

/// As `decode_what_parses` without a log, and says which bytes each part was read from.
Value decode_what_parses(const Layout& layout, Bytes payload, ReadRules rules, SpanLog& spans);

/// The value of each span, as parts of `packet`, which they were read with; null for spans that have none.
std::vector<const Value*> values_of(const SpanLog& spans, const Value& packet);

} // namespace orbis::protocol

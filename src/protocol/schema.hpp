#pragma once

#include "bytes/result.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/read_rules.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::protocol {

struct Layout;

/// An enum: on the wire an index into its names, or a byte in which each name has a bit.
struct Enumeration {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::uint8_t> bits; ///< of flags: the bit of each name; empty for others

    [[nodiscard]] bool is_flags() const { return !bits.empty(); }
    /// All bits that have a name.
    [[nodiscard]] std::uint8_t all_bits() const;
};

/// A union: a varint type id, then the struct that it selects.
struct Union {
    std::string name;
    std::map<std::int32_t, const Layout*> types;

    /// The type id of a member, nothing when it is not one.
    [[nodiscard]] std::optional<std::int32_t> id_of(const Layout* member) const;
};

enum class Kind : std::uint8_t {
    boolean,
    i8,
    i16,
    i32,
    i64,
    f32,
    f64,
    uuid,
    enumeration,
    flags, ///< a byte of flags: the value is the list of those that are set
    structure,
    choice,     ///< a union
    text,       ///< varint byte length, then the bytes
    fixed_text, ///< `limit` bytes, padded with zeros
    list,
    fixed_list,  ///< `limit` elements without a count
    sparse_list, ///< presence bits after the count
    map,
};

/// The type of a field, an element, a key or a value.
struct Type {
    Kind kind = Kind::boolean;
    bool ascii = false;                       ///< text: no bytes over 127
    bool unchecked_write = false;             ///< list: the game's writer ignores the limit
    bool wide = false;                        ///< enum: four bytes
    bool finite = false;                      ///< float: neither infinite nor NaN
    std::uint32_t limit = 0;                  ///< most bytes of text, most elements of a list or map
    const Enumeration* enumeration = nullptr; ///< of Kind::enumeration and Kind::flags
    const Layout* layout = nullptr;           ///< of Kind::structure
    const Union* choice = nullptr;            ///< of Kind::choice
    const Type* element = nullptr;            ///< of lists, flags and map values
    const Type* key = nullptr;                ///< of maps

    [[nodiscard]] bool is_bytes() const {
        return (kind == Kind::list || kind == Kind::fixed_list) && element->kind == Kind::i8;
    }

    /// Bytes that every value takes; 0 when values differ in size.
    [[nodiscard]] std::uint32_t width() const;

    /// The size that the game's reader assumes for an element at the least.
    [[nodiscard]] std::uint32_t least() const;

    /// As it is written in pages and listings: `list of Asset (up to 4096000)`.
    [[nodiscard]] std::string text() const;
};

struct Field {
    std::string name;
    Type type;
    std::int32_t null_bit = -1;      ///< bit number in the presence bits, -1 when the field is always there
    std::int32_t at = -1;            ///< offset in the fixed block, -1 for variable fields
    std::int32_t slot_at = -1;       ///< offset of the offset slot, -1 when the field has none
    std::int32_t packed_bit = -1;    ///< of a bool that shares its byte with others: which bit it is
    std::optional<double> min_value; ///< smaller values are refused
    std::optional<double> max_value; ///< larger values are refused

    [[nodiscard]] bool is_packed() const { return packed_bit >= 0; }
    [[nodiscard]] bool is_fixed() const { return at >= 0; }
    [[nodiscard]] bool is_inline() const { return at < 0 && slot_at < 0; }
    [[nodiscard]] bool is_nullable() const { return null_bit >= 0; }
};

/// How a struct or packet is laid out in memory (docs/formats/protocol.md).
struct Layout {
    std::string name;
    std::string category;
    std::uint32_t null_bytes = 0;
    std::uint32_t fixed = 0;
    std::uint32_t var_count = 0;
    std::uint32_t var_start = 0;
    std::uint32_t max = 0;
    bool unused = false;
    std::vector<Field> fields;

    [[nodiscard]] const Field* find(std::string_view field) const;
};

/// One protocol: every packet, struct, union and enum of a game build. Layouts point at each other, so a
/// schema stays where it is.
class Schema {
public:
    /// Reads the formats `hytale-wire/1` and `hytale-wire/2`. Offsets and references are checked, so that
    /// codecs can trust them.
    static Result<std::unique_ptr<const Schema>> parse(std::string_view json);

    Schema(const Schema&) = delete;
    Schema& operator=(const Schema&) = delete;

    [[nodiscard]] const std::string& build() const { return build_; }
    [[nodiscard]] std::int32_t version() const { return version_; }
    [[nodiscard]] std::int32_t build_number() const { return build_number_; }

    /// The rules of the build's reader.
    [[nodiscard]] ReadRules read_rules(bool strict = false) const {
        return ReadRules::of_build(build_number_, strict);
    }

    [[nodiscard]] const Registry& registry() const { return registry_; }

    /// The layout of a packet; null when the build has no such packet.
    [[nodiscard]] const Layout* packet(std::int32_t id) const;
    [[nodiscard]] const Layout* packet(std::string_view name) const;

    /// A struct or packet by name.
    [[nodiscard]] const Layout* layout(std::string_view name) const;

    [[nodiscard]] const std::map<std::string, Layout, std::less<>>& layouts() const { return layouts_; }
    [[nodiscard]] const std::map<std::string, Enumeration, std::less<>>& enumerations() const {
        return enumerations_;
    }
    [[nodiscard]] const std::map<std::string, Union, std::less<>>& unions() const { return unions_; }

private:
    friend class SchemaParser;
    Schema() = default;

    std::string build_;
    std::int32_t version_ = 0;
    std::int32_t build_number_ = 0;
    std::map<std::string, Enumeration, std::less<>> enumerations_;
    std::map<std::string, Union, std::less<>> unions_;
    std::map<std::string, Layout, std::less<>> layouts_; ///< structs and packets
    std::deque<Type> types_;                             ///< elements, keys and values
    std::vector<PacketInfo> infos_;
    Registry registry_{{}};
};

} // namespace orbis::protocol

#pragma once

#include "protocol/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace orbis::protocol {

/// Says values of one schema in the words of another, by the names of fields, enum values and members of
/// unions (docs/design/builds.md). What the other schema has no word for is left out; what it has more gets
/// its plainest value, or the one that was given for it.
class Translation {
public:
    /// Values for fields that only the other schema has: "Struct.field" and the value.
    using Given = std::map<std::string, Value, std::less<>>;
    /// The fields of one packet that have another name there: theirs, ours.
    using Renamed = std::map<std::string, std::string, std::less<>>;

    /// A boolean of one build that is an enum with another name in the other, wherever it occurs.
    struct Switch {
        std::string flag; ///< the field that is a boolean
        std::string name; ///< the field that is an enum
        std::string off;  ///< the value that stands for false; all others stand for true
        std::string on;   ///< the value that true becomes
    };

    explicit Translation(Given given = {}, std::vector<Switch> switches = {}, Renamed flat_fields = {})
        : given_(std::move(given)), switches_(std::move(switches)), flat_fields_(std::move(flat_fields)) {}

    [[nodiscard]] const Given& given() const { return given_; }
    /// Whether a field that only the other schema has gets more than its plainest value.
    [[nodiscard]] bool decides(const Layout& to, const Field& field) const;

    /// A record of `to` that says what a record of another layout says.
    [[nodiscard]] Value record(const Value& value, const Layout& to, const Renamed& renamed = {}) const;

private:
    /// Absent where the type has no word for it.
    [[nodiscard]] Value translated(const Value& value, const Type& from, const Type& to) const;
    [[nodiscard]] Value field(const Value& value, const Field& from, const Layout& layout,
                              const Field& to) const;
    [[nodiscard]] Value missing(const Layout& layout, const Field& field) const;
    /// What a switch makes of a record; absent where none does.
    [[nodiscard]] Value switched(const Value::Record& said, const Field& to) const;
    /// The member of a union as a struct that has the fields of all members, and the other way.
    [[nodiscard]] Value flattened(const Value& value, const Layout& to) const;
    [[nodiscard]] Value unflattened(const Value& value, const Union& to) const;
    [[nodiscard]] std::string_view flat_field(const Layout& member, std::string_view field) const;
    [[nodiscard]] const Field* own_field(const Layout& member, std::string_view flat) const;
    [[nodiscard]] Value elements(const Value::List& list, const Type& from, const Type& to) const;
    [[nodiscard]] Value entries(const Value::Entries& entries, const Type& from, const Type& to) const;

    Given given_;
    std::vector<Switch> switches_;
    Renamed flat_fields_; ///< "Member.field" and what it is in the struct with those of all
};

/// Which floats are said; some builds refuse those that are not finite.
enum class Floats : std::uint8_t { any, finite };
/// Whether everything that `from` can say has the same bytes in `to`.
bool has_same_bytes(const Layout& from, const Layout& to, Floats floats = Floats::any);

} // namespace orbis::protocol

#pragma once

#include "game/content/pack_documents.hpp"

#include <span>
#include <string_view>

/// Which member of an asset file becomes which field of a registry, and how (docs/formats/registries.md).
namespace orbis::game {

enum class PackRule : std::uint8_t {
    plain,       ///< as the type of the field says
    decibels,    ///< to a factor
    semitones,   ///< to a factor
    per_255,     ///< a list of parts of one, to a colour
    number,      ///< a name, to its number in a registry: of the value, the elements of a list, the values of
                 ///< a map, or the keys of a map with numbers
    group,       ///< names of groups of blocks, to their numbers
    tag,         ///< the name of a tag, to its number
    textures,    ///< textures of the sides of a cube
    weights,     ///< a list whose weights become parts of one
    tint,        ///< the first colour of a list, to a number, on one side
    tint_all,    ///< the same on all sides
    percent_all, ///< a number on all sides
    moons,       ///< a list of days and textures, to a map
    hours,       ///< a list of hours and values, to a map
};

/// One member. `field` may lead into a struct: `tint.top`.
struct PackRow {
    std::string_view key;
    std::string_view field;
    PackRule rule = PackRule::plain;
    PackKind kind = PackKind::item; ///< of the rule `number`
};

/// The members of a struct that has a table. In others members are called as the fields, with a capital
/// letter.
std::span<const PackRow> pack_rows(std::string_view layout);
bool has_pack_rows(std::string_view layout);

/// What a field of a struct is where a file does not say it, if that is not zero or nothing.
struct PackDefault {
    std::string_view layout;
    std::string_view field;
    double number = 0;
    std::string_view text{}; ///< of an enum
    bool is_present = false; ///< a list, map or struct that is there
};
std::span<const PackDefault> pack_defaults();

/// Structs that name entries of registries that stay empty, such as systems of particles: always nothing.
bool is_left_out(std::string_view layout);

/// A registry that files add entries to.
struct PackRegistry {
    std::string_view packet;
    std::string_view field; ///< that has the entries
    PackKind kind;
    std::string_view id; ///< the field of an entry that has its name; empty if none has
    /// Whether a file says what is different from our own entry of that name, or from the first entry.
    bool is_onto_own = false;
};
std::span<const PackRegistry> pack_registries();

} // namespace orbis::game

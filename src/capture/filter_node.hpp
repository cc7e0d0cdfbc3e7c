#pragma once

#include "protocol/schema.hpp"
#include "protocol/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a filter is made of, for its reader and its matcher only.
namespace orbis::capture {

/// What is asked about.
enum class Subject : std::uint8_t { packet, id, category, size, channel, to, player, build, field };

enum class Compare : std::uint8_t { present, equal, unequal, less, at_most, more, at_least, like, unlike };

/// A step from a value into it.
struct FilterStep {
    enum class Kind : std::uint8_t {
        field,   ///< of a struct
        any,     ///< each element of a list or value of a map
        element, ///< that with this number or key
        type,    ///< the name of a struct in a union
    };
    Kind kind = Kind::field;
    std::string name{}; ///< of the field, or the key
    std::size_t column = 0;
};

/// What is compared with.
struct FilterWord {
    std::string text{};
    std::string pattern{}; ///< in lower case, for `~`
    std::optional<std::int64_t> integer{};
    std::optional<double> number{};
    bool is_quoted = false;
    bool is_null = false;
};

/// One question.
struct FilterTest {
    Subject subject = Subject::packet;
    Compare compare = Compare::present;
    FilterWord word{};
    std::string packet{}; ///< of a field; `*` for any
    std::vector<FilterStep> path{};
};

struct FilterNode {
    enum class Kind : std::uint8_t { all, any, no, test };
    Kind kind = Kind::test;
    std::vector<FilterNode> parts{};
    FilterTest test{};
};

/// The types that a path can lead to, from a packet on; with the step where it ends otherwise and the names
/// that are possible there.
struct FilterPath {
    std::vector<const protocol::Type*> types;
    bool is_type_name = false; ///< the path ends with the name of a struct
    std::size_t bad_step = 0;
    std::vector<std::string_view> names;

    [[nodiscard]] bool exists() const { return is_type_name || !types.empty(); }
};
FilterPath follow(const protocol::Layout& packet, const std::vector<FilterStep>& path);

/// Why values of this type cannot be compared so; empty where they can.
std::string why_not(const protocol::Type& type, Compare compare, const FilterWord& word);

/// Whether a value compares so, or a part of it if it is a list or map; `equal` for `unequal`, and `like` for
/// `unlike`.
bool compares(const protocol::Value& value, Compare compare, const FilterWord& word);
/// `text` in lower case has the pattern in it, or is as it says with `*` and `?`.
bool is_like(std::string_view text, std::string_view pattern);
bool compare_numbers(double left, Compare compare, double right);

} // namespace orbis::capture

#pragma once

#include "protocol/value.hpp"

namespace orbis::protocol {

/// The plainest value of a type: zero, empty, the first name of an enum, the first member of a union, and of
/// structs such values in all fields that cannot be absent.
Value plainest_value(const Type& type);
Value plainest_value(const Layout& layout);

/// Gives the plainest value to all fields without a value that cannot be absent, in the record and in all
/// records inside of it.
void fill_missing_fields(Value& value);

} // namespace orbis::protocol

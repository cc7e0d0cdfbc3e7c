#pragma once

#include "protocol/value.hpp"

#include <expected>
#include <optional>

namespace orbis::protocol {

/// Reads a payload as `layout` says. The rules are those of docs/formats/protocol.md.
std::expected<Value, Failure> decode(const Layout& layout, Bytes payload, ReadRules rules);
/// The same into a value that has its place already, and with the memory of its fields if it is a record;
/// what is in it after a failure means nothing.
std::optional<Failure> decode_into(Value& out, const Layout& layout, Bytes payload, ReadRules rules);

/// The same for tools that only watch: a field that does not parse becomes Value::Unreadable with the bytes
/// from its start to the next field or the end, and reading goes on after it. Fields need not follow each
/// other without gaps, whatever the rules say. Never fails.
Value decode_what_parses(const Layout& layout, Bytes payload, ReadRules rules);

/// Appends the payload of a value as the game's writer writes it. A value that does not suit the layout is
/// an error that names the field, and nothing is appended.
Result<void> encode(const Layout& layout, const Value& value, Buffer& out);

} // namespace orbis::protocol

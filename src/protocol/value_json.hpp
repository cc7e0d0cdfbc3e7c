#pragma once

#include "bytes/json_writer.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/value.hpp"

namespace orbis::protocol {

/// Writes a value in its canonical JSON (docs/formats/protocol.md). What could not be read is an object with
/// its bytes in hex as "$bytes" and the reason as "$error". Malformed text shows U+FFFD.
void write_json(JsonWriter& json, const Value& value);
/// The same for a part of a packet: its type says whether a record is the member of a union, which carries
/// the name of its struct.
void write_json(JsonWriter& json, const Type& type, const Value& value);

/// Reads the canonical JSON of a struct or packet. Members that are missing are absent fields; members that
/// the layout does not know are an error.
Result<Value> read_json(const Layout& layout, const JsonTree& tree);
/// The same for a value of any type; null is an error.
Result<Value> read_json(const Type& type, const JsonTree& tree);

} // namespace orbis::protocol

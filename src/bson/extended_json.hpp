#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <string>
#include <string_view>

/// MongoDB's strict extended JSON as the game writes it: whole numbers of 64 bits are plain, binary data is
/// `{"$binary": base64, "$type": "04"}` (docs/formats/bson.md).
namespace orbis::bson {

struct JsonStyle {
    /// Spaces per level; 0 puts everything on one line.
    int indent = 0;
    /// A binary longer than this becomes `{"$binary_bytes": length}`, for people who look at a chunk; such
    /// text cannot be read back. Negative: no limit.
    std::int64_t longest_binary = -1;
    /// To the letter as the game writes its files: doubles as Java prints them (`1.0E-5`), and wrappers such
    /// as `$binary` over several lines.
    bool as_the_game = false;
    /// Levels around the document, for text that becomes a part of another.
    int level = 0;
};

/// Text of a whole document. Damage inside it is an error, as is nesting beyond `k_max_depth`.
Result<std::string> to_extended_json(const Document& document, JsonStyle style = {});

/// The document that a JSON object describes, with its order of keys. A whole number becomes int32 where it
/// fits, else int64; a number with point or exponent becomes a double.
Result<Buffer> from_extended_json(std::string_view text);

/// `data` in the usual alphabet with padding.
std::string to_base64(Bytes data);
/// Nothing if the text is not base64.
std::optional<Buffer> from_base64(std::string_view text);

} // namespace orbis::bson

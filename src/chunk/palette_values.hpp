#pragma once

#include "bytes/bytes.hpp"
#include "bytes/reader.hpp"
#include "bytes/utf8.hpp"
#include "bytes/writer.hpp"

#include <cstdint>
#include <string_view>

/// How the three kinds of palette values are stored.
namespace orbis::chunk {

/// Keys are views of the stored bytes. False if the text is not UTF-8; ask the reader about the length.
inline bool read_palette_value(Reader& in, std::string_view& value) {
    value = as_text(in.take(in.be<std::uint16_t>()));
    return is_utf8(value);
}
inline bool read_palette_value(Reader& in, std::uint16_t& value) {
    value = in.be<std::uint16_t>();
    return true;
}
inline bool read_palette_value(Reader& in, std::uint8_t& value) {
    value = in.u8();
    return true;
}

inline void write_palette_value(Writer& out, std::string_view value) {
    out.be(static_cast<std::uint16_t>(value.size()));
    out.bytes(as_bytes(value));
}
inline void write_palette_value(Writer& out, std::uint16_t value) { out.be(value); }
inline void write_palette_value(Writer& out, std::uint8_t value) { out.u8(value); }

} // namespace orbis::chunk

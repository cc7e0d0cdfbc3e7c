#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/writer.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::bson {

/// The key of an array element: `index_key(3)` is "3".
std::string index_key(std::size_t index);

/// Appends one document to a buffer, element by element, in the order of the calls. The caller keeps nested
/// documents balanced; keys and texts must not hold a zero byte where BSON ends them with one.
///
///     Buffer out;
///     Writer doc(out);
///     doc.int32("Version", 3).document("Components").string("Id", "x").end();
///     doc.finish();
class Writer {
public:
    explicit Writer(Buffer& out) : out_(out) { open(); }

    Writer& real(std::string_view key, double value);
    Writer& string(std::string_view key, std::string_view text);
    Writer& binary(std::string_view key, Bytes data, std::uint8_t subtype = k_subtype_generic);
    /// 16 bytes, the most significant first.
    Writer& uuid(std::string_view key, const std::array<std::uint8_t, 16>& value);
    Writer& boolean(std::string_view key, bool value);
    Writer& null(std::string_view key);
    Writer& int32(std::string_view key, std::int32_t value);
    Writer& int64(std::string_view key, std::int64_t value);
    Writer& datetime(std::string_view key, std::int64_t milliseconds);
    /// A whole document made elsewhere.
    Writer& document(std::string_view key, Bytes document);
    /// A value as it stands in another document.
    Writer& value(std::string_view key, Type type, Bytes value);
    /// An element as it stands in another document, with its key.
    Writer& element(const Element& element);

    /// Opens a nested document or array; `end` closes it.
    Writer& document(std::string_view key);
    Writer& array(std::string_view key);
    Writer& end();

    /// Closes the document itself. Nothing may be written after it.
    void finish();

private:
    void open();
    void head(Type type, std::string_view key);

    Buffer& out_;
    std::vector<std::size_t> starts_;
};

/// A document of its own.
Buffer empty_document();

} // namespace orbis::bson

#include "bson/writer.hpp"

#include <fmt/format.h>

namespace orbis::bson {

std::string index_key(std::size_t index) { return fmt::to_string(index); }

void Writer::open() {
    starts_.push_back(out_.size());
    out_.resize(out_.size() + 4);
}

void Writer::head(Type type, std::string_view key) {
    orbis::Writer out(out_);
    out.u8(static_cast<std::uint8_t>(type));
    out.bytes(as_bytes(key));
    out.u8(0);
}

Writer& Writer::real(std::string_view key, double value) {
    head(Type::real, key);
    orbis::Writer(out_).le(value);
    return *this;
}

Writer& Writer::string(std::string_view key, std::string_view text) {
    head(Type::string, key);
    orbis::Writer out(out_);
    out.le(static_cast<std::int32_t>(text.size() + 1));
    out.bytes(as_bytes(text));
    out.u8(0);
    return *this;
}

Writer& Writer::binary(std::string_view key, Bytes data, std::uint8_t subtype) {
    head(Type::binary, key);
    orbis::Writer out(out_);
    out.le(static_cast<std::int32_t>(data.size()));
    out.u8(subtype);
    out.bytes(data);
    return *this;
}

Writer& Writer::uuid(std::string_view key, const std::array<std::uint8_t, 16>& value) {
    return binary(key, value, k_subtype_uuid);
}

Writer& Writer::boolean(std::string_view key, bool value) {
    head(Type::boolean, key);
    orbis::Writer(out_).u8(value ? 1 : 0);
    return *this;
}

Writer& Writer::null(std::string_view key) {
    head(Type::null, key);
    return *this;
}

Writer& Writer::int32(std::string_view key, std::int32_t value) {
    head(Type::int32, key);
    orbis::Writer(out_).le(value);
    return *this;
}

Writer& Writer::int64(std::string_view key, std::int64_t value) {
    head(Type::int64, key);
    orbis::Writer(out_).le(value);
    return *this;
}

Writer& Writer::datetime(std::string_view key, std::int64_t milliseconds) {
    head(Type::datetime, key);
    orbis::Writer(out_).le(milliseconds);
    return *this;
}

Writer& Writer::document(std::string_view key, Bytes document) {
    return value(key, Type::document, document);
}

Writer& Writer::value(std::string_view key, Type type, Bytes value) {
    head(type, key);
    orbis::Writer(out_).bytes(value);
    return *this;
}

Writer& Writer::element(const Element& element) {
    orbis::Writer(out_).bytes(element.raw());
    return *this;
}

Writer& Writer::document(std::string_view key) {
    head(Type::document, key);
    open();
    return *this;
}

Writer& Writer::array(std::string_view key) {
    head(Type::array, key);
    open();
    return *this;
}

Writer& Writer::end() {
    out_.push_back(0);
    const auto start = starts_.back();
    starts_.pop_back();
    store_le(out_.data() + start, static_cast<std::int32_t>(out_.size() - start));
    return *this;
}

void Writer::finish() {
    while (!starts_.empty()) end();
}

Buffer empty_document() { return {5, 0, 0, 0, 0}; }

} // namespace orbis::bson

#pragma once

#include "bytes/bytes.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// BSON in place (docs/formats/bson.md): nothing is copied, everything is checked against its bounds.
namespace orbis::bson {

enum class Type : std::uint8_t {
    real = 0x01,
    string = 0x02,
    document = 0x03,
    array = 0x04,
    binary = 0x05,
    undefined = 0x06,
    object_id = 0x07,
    boolean = 0x08,
    datetime = 0x09,
    null = 0x0A,
    regex = 0x0B,
    db_pointer = 0x0C,
    code = 0x0D,
    symbol = 0x0E,
    code_with_scope = 0x0F,
    int32 = 0x10,
    timestamp = 0x11,
    int64 = 0x12,
    decimal128 = 0x13,
    min_key = 0xFF,
    max_key = 0x7F,
};

/// The name as MongoDB's own documentation has it, `int32` for example.
std::string_view name(Type type);

/// Nesting beyond this is refused wherever a document is walked. Real chunks nest about a dozen deep.
inline constexpr int k_max_depth = 200;

inline constexpr std::uint8_t k_subtype_generic = 0;
inline constexpr std::size_t k_binary_head = 5; ///< length and subtype, before the data
inline constexpr std::uint8_t k_subtype_uuid = 4;

struct Binary {
    std::uint8_t subtype = 0;
    Bytes data;
};

class Document;

/// One element of a document. The bytes belong to the owner of the document.
class Element {
public:
    [[nodiscard]] Type type() const { return type_; }
    [[nodiscard]] std::string_view key() const { return key_; }
    /// The value as stored, with the lengths that belong to it.
    [[nodiscard]] Bytes value() const { return value_; }
    /// The whole element: type byte, key, value.
    [[nodiscard]] Bytes raw() const {
        const auto* first = reinterpret_cast<const std::uint8_t*>(key_.data()) - 1;
        return {first, static_cast<std::size_t>(value_.data() + value_.size() - first)};
    }
    /// Where the type byte and the value are, counted from the start of the outermost document.
    [[nodiscard]] std::size_t offset() const { return value_offset_ - key_.size() - 2; }
    [[nodiscard]] std::size_t value_offset() const { return value_offset_; }

    // Nothing if the element is of another type; bounds were checked when the element was found.
    [[nodiscard]] std::optional<double> real() const {
        if (type_ != Type::real) return std::nullopt;
        return load_le<double>(value_.data());
    }
    [[nodiscard]] std::optional<std::string_view> string() const {
        if (type_ != Type::string) return std::nullopt;
        return as_text(value_.subspan(4, value_.size() - 5));
    }
    [[nodiscard]] std::optional<Document> document() const;
    [[nodiscard]] std::optional<Document> array() const;
    [[nodiscard]] std::optional<Binary> binary() const {
        if (type_ != Type::binary) return std::nullopt;
        return Binary{value_[4], value_.subspan(k_binary_head)};
    }
    [[nodiscard]] std::optional<bool> boolean() const {
        if (type_ != Type::boolean) return std::nullopt;
        return value_[0] != 0;
    }
    [[nodiscard]] std::optional<std::int32_t> int32() const {
        if (type_ != Type::int32) return std::nullopt;
        return load_le<std::int32_t>(value_.data());
    }
    [[nodiscard]] std::optional<std::int64_t> int64() const {
        if (type_ != Type::int64) return std::nullopt;
        return load_le<std::int64_t>(value_.data());
    }
    /// Any whole number: int32 or int64.
    [[nodiscard]] std::optional<std::int64_t> integer() const {
        if (const auto narrow = int32()) return *narrow;
        return int64();
    }
    /// Any number: double, int32 or int64.
    [[nodiscard]] std::optional<double> number() const {
        if (const auto whole = integer()) return static_cast<double>(*whole);
        return real();
    }
    [[nodiscard]] bool is_null() const { return type_ == Type::null; }

private:
    friend class Cursor;
    std::string_view key_;
    Bytes value_;
    std::size_t value_offset_ = 0;
    Type type_ = Type::null;
};

/// A document whose own length was checked; the elements are checked as they are read.
///
///     i32 le   length of the document with this field and the final zero
///     elements u8 type, zero-terminated key, value
///     u8       0
class Document {
public:
    /// The empty document.
    Document();

    /// `bytes` must be exactly one document. `base` is what offsets in errors count from.
    static Result<Document> open(Bytes bytes, std::size_t base = 0);

    [[nodiscard]] Bytes bytes() const { return bytes_; }
    /// Where the document starts in the outermost one.
    [[nodiscard]] std::size_t offset() const { return base_; }
    [[nodiscard]] bool empty() const { return bytes_.size() <= 5; }

    /// The first element with this key; nothing if there is none or the bytes before it are damaged. Use a
    /// `Cursor` or `validate` where the difference matters.
    [[nodiscard]] std::optional<Element> find(std::string_view key) const;

    /// `find` through nested documents and arrays: `find_path({"Components", "BlockChunk", "Data"})`.
    [[nodiscard]] std::optional<Element> find_path(std::initializer_list<std::string_view> path) const;

    /// The nested document with this key.
    [[nodiscard]] std::optional<Document> document(std::string_view key) const;
    /// The array with this key.
    [[nodiscard]] std::optional<Document> array(std::string_view key) const;

private:
    friend class Element;
    friend class Cursor;
    Document(Bytes bytes, std::size_t base) : bytes_(bytes), base_(base) {}

    Bytes bytes_;
    std::size_t base_ = 0;
};

inline std::optional<Document> Element::document() const {
    if (type_ != Type::document) return std::nullopt;
    return Document(value_, value_offset_);
}

inline std::optional<Document> Element::array() const {
    if (type_ != Type::array) return std::nullopt;
    return Document(value_, value_offset_);
}

/// Steps through the elements of one document and remembers failure.
///
///     for (Cursor at(document); at.next();) use(at.element());
class Cursor {
public:
    explicit Cursor(const Document& document)
        : begin_(document.bytes_.data()),
          at_(begin_ + 4),
          end_(begin_ + document.bytes_.size() - 1),
          base_(document.base_) {}

    /// False at the end and where the bytes are damaged; `ok()` tells which.
    bool next();

    [[nodiscard]] const Element& element() const { return element_; }
    [[nodiscard]] const Element* operator->() const { return &element_; }
    [[nodiscard]] bool ok() const { return problem_ == nullptr; }
    /// What is wrong and where, after `ok()` said no.
    [[nodiscard]] Error error() const;

private:
    bool stop(Errc code, const char* problem, const std::uint8_t* at);

    const std::uint8_t* begin_;
    const std::uint8_t* at_;
    const std::uint8_t* end_; ///< the final zero
    std::size_t base_;
    Element element_;
    const char* problem_ = nullptr;
    Errc code_ = Errc::bad_value;
    std::size_t problem_offset_ = 0;
};

/// Walks everything: lengths, terminators, types, UTF-8 of keys and strings, booleans of 0 or 1, depth.
/// Takes no stack for nesting.
Result<void> validate(const Document& document);
/// `Document::open` and `validate`.
Result<Document> open_validated(Bytes bytes);

} // namespace orbis::bson

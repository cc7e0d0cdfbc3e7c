#include "bson/view.hpp"

#include "bytes/utf8.hpp"

#include <array>
#include <bit>
#include <vector>

namespace orbis::bson {

namespace {

constexpr std::array<std::uint8_t, 5> k_empty = {5, 0, 0, 0, 0};

/// Sizes of the types that have a fixed one; -1 for those that have a length, -2 for what is not a type.
constexpr std::int8_t k_carries_length = -1;
constexpr std::int8_t k_no_type = -2;

constexpr std::array<std::int8_t, 256> fixed_sizes() {
    std::array<std::int8_t, 256> sizes{};
    sizes.fill(k_no_type);
    const auto set = [&](Type type, std::int8_t size) { sizes[static_cast<std::uint8_t>(type)] = size; };
    set(Type::real, 8);
    set(Type::undefined, 0);
    set(Type::object_id, 12);
    set(Type::boolean, 1);
    set(Type::datetime, 8);
    set(Type::null, 0);
    set(Type::int32, 4);
    set(Type::timestamp, 8);
    set(Type::int64, 8);
    set(Type::decimal128, 16);
    set(Type::min_key, 0);
    set(Type::max_key, 0);
    for (const auto type : {Type::string, Type::document, Type::array, Type::binary, Type::regex,
                            Type::db_pointer, Type::code, Type::symbol, Type::code_with_scope})
        set(type, k_carries_length);
    return sizes;
}

constexpr auto k_fixed_sizes = fixed_sizes();

/// Size of a value that begins with its length, or the problem with it.
struct Sized {
    std::size_t size = 0;
    const char* problem = nullptr;
    Errc code = Errc::bad_value;
};

Sized string_size(const std::uint8_t* at, std::size_t room) {
    if (room < 5) return {0, "a string ends before its length", Errc::truncated};
    const auto length = load_le<std::int32_t>(at);
    if (length < 1) return {0, "the length of a string is below one", Errc::bad_value};
    if (static_cast<std::size_t>(length) > room - 4)
        return {0, "a string is longer than its document", Errc::truncated};
    const auto size = static_cast<std::size_t>(length) + 4;
    if (at[size - 1] != 0) return {0, "a string does not end with a zero byte", Errc::bad_value};
    return {size};
}

Sized document_size(const std::uint8_t* at, std::size_t room) {
    if (room < 5) return {0, "a nested document ends before its length", Errc::truncated};
    const auto length = load_le<std::int32_t>(at);
    if (length < 5) return {0, "the length of a nested document is below five", Errc::bad_value};
    if (static_cast<std::size_t>(length) > room)
        return {0, "a nested document is longer than the one around it", Errc::truncated};
    if (at[length - 1] != 0) return {0, "a nested document does not end with a zero byte", Errc::bad_value};
    return {static_cast<std::size_t>(length)};
}

Sized c_string_size(const std::uint8_t* at, std::size_t room) {
    const auto* zero = room == 0 ? nullptr : static_cast<const std::uint8_t*>(std::memchr(at, 0, room));
    if (zero == nullptr) return {0, "a text has no zero byte at its end", Errc::truncated};
    return {static_cast<std::size_t>(zero - at) + 1};
}

Sized carried_size(Type type, const std::uint8_t* at, std::size_t room) {
    switch (type) {
    case Type::document:
    case Type::array: return document_size(at, room);
    case Type::string:
    case Type::code:
    case Type::symbol: return string_size(at, room);
    case Type::binary: {
        if (room < 5) return {0, "binary data ends before its length", Errc::truncated};
        const auto length = load_le<std::int32_t>(at);
        if (length < 0) return {0, "the length of binary data is negative", Errc::bad_value};
        if (static_cast<std::size_t>(length) > room - 5)
            return {0, "binary data is longer than its document", Errc::truncated};
        return {static_cast<std::size_t>(length) + 5};
    }
    case Type::regex: {
        const auto pattern = c_string_size(at, room);
        if (pattern.problem != nullptr) return pattern;
        const auto options = c_string_size(at + pattern.size, room - pattern.size);
        if (options.problem != nullptr) return options;
        return {pattern.size + options.size};
    }
    case Type::db_pointer: {
        const auto text = string_size(at, room);
        if (text.problem != nullptr) return text;
        if (room - text.size < 12) return {0, "a pointer ends before its object id", Errc::truncated};
        return {text.size + 12};
    }
    case Type::code_with_scope: {
        if (room < 14) return {0, "code with scope ends before its length", Errc::truncated};
        const auto length = load_le<std::int32_t>(at);
        if (length < 14 || static_cast<std::size_t>(length) > room)
            return {0, "the length of code with scope does not fit", Errc::bad_value};
        const auto text = string_size(at + 4, static_cast<std::size_t>(length) - 4);
        if (text.problem != nullptr) return text;
        const auto scope =
            document_size(at + 4 + text.size, static_cast<std::size_t>(length) - 4 - text.size);
        if (scope.problem != nullptr) return scope;
        if (4 + text.size + scope.size != static_cast<std::size_t>(length))
            return {0, "code with scope does not fill its length", Errc::bad_value};
        return {static_cast<std::size_t>(length)};
    }
    default: return {0, "not a type that carries a length", Errc::bad_value};
    }
}

/// The size of a sound document, array or binary; 0 for anything else.
inline std::size_t nested_size(std::uint8_t type, const std::uint8_t* at, std::size_t room) {
    if (room < 5) return 0;
    const std::size_t length = load_le<std::uint32_t>(at); // a negative one is larger than all
    if (type == static_cast<std::uint8_t>(Type::binary)) return length <= room - 5 ? length + 5 : 0;
    const bool is_document =
        type == static_cast<std::uint8_t>(Type::document) || type == static_cast<std::uint8_t>(Type::array);
    return is_document && length >= 5 && length <= room && at[length - 1] == 0 ? length : 0;
}

/// The zero byte at the end of the key that starts at `key`; `end` if there is none before it. Eight bytes at
/// a time: to find the ends of keys is most of a walk over a document.
const std::uint8_t* end_of_key(const std::uint8_t* key, const std::uint8_t* end) {
    constexpr std::uint64_t k_ones = 0x0101010101010101;
    for (; end - key >= 8; key += 8) {
        const auto word = load_le<std::uint64_t>(key);
        const auto zeros = (word - k_ones) & ~word & k_ones << 7; // right up to the first one
        if (zeros != 0) return key + std::countr_zero(zeros) / 8;
    }
    while (key < end && *key != 0) ++key;
    return key;
}

} // namespace

std::string_view name(Type type) {
    switch (type) {
    case Type::real: return "double";
    case Type::string: return "string";
    case Type::document: return "document";
    case Type::array: return "array";
    case Type::binary: return "binary";
    case Type::undefined: return "undefined";
    case Type::object_id: return "objectId";
    case Type::boolean: return "bool";
    case Type::datetime: return "date";
    case Type::null: return "null";
    case Type::regex: return "regex";
    case Type::db_pointer: return "dbPointer";
    case Type::code: return "javascript";
    case Type::symbol: return "symbol";
    case Type::code_with_scope: return "javascriptWithScope";
    case Type::int32: return "int32";
    case Type::timestamp: return "timestamp";
    case Type::int64: return "int64";
    case Type::decimal128: return "decimal128";
    case Type::min_key: return "minKey";
    case Type::max_key: return "maxKey";
    }
    return "unknown";
}

Document::Document() : bytes_(k_empty) {}

Result<Document> Document::open(Bytes bytes, std::size_t base) {
    if (bytes.size() < 5)
        return fail(
            error(Errc::truncated, "expected a BSON document of at least 5 bytes, found {}", bytes.size())
                .at(base));
    const auto length = load_le<std::int32_t>(bytes.data());
    if (length < 0 || static_cast<std::size_t>(length) != bytes.size())
        return fail(error(static_cast<std::size_t>(length < 0 ? 0 : length) > bytes.size() ? Errc::truncated
                                                                                           : Errc::bad_value,
                          "expected a BSON document of {} bytes, as it states, found {}", length,
                          bytes.size())
                        .at(base));
    if (bytes.back() != 0)
        return fail(error(Errc::bad_value, "the BSON document does not end with a zero byte")
                        .at(base + bytes.size() - 1));
    return Document(bytes, base);
}

std::optional<Element> Document::find(std::string_view key) const {
    for (Cursor at(*this); at.next();)
        if (at->key() == key) return at.element();
    return std::nullopt;
}

std::optional<Element> Document::find_path(std::initializer_list<std::string_view> path) const {
    Document here = *this;
    std::optional<Element> found;
    for (const auto& key : path) {
        if (found) {
            const auto next = found->type() == Type::array ? found->array() : found->document();
            if (!next) return std::nullopt;
            here = *next;
        }
        found = here.find(key);
        if (!found) return std::nullopt;
    }
    return found;
}

std::optional<Document> Document::document(std::string_view key) const {
    const auto found = find(key);
    return found ? found->document() : std::nullopt;
}

std::optional<Document> Document::array(std::string_view key) const {
    const auto found = find(key);
    return found ? found->array() : std::nullopt;
}

bool Cursor::stop(Errc code, const char* problem, const std::uint8_t* at) {
    problem_ = problem;
    code_ = code;
    problem_offset_ = base_ + static_cast<std::size_t>(at - begin_);
    at_ = end_;
    return false;
}

Error Cursor::error() const {
    return orbis::error(code_, "{}", problem_ == nullptr ? "" : problem_).at(problem_offset_);
}

bool Cursor::next() {
    if (at_ >= end_) return false;
    const auto* start = at_;
    const auto type = *start;
    if (type == 0) return stop(Errc::bad_value, "a document ends before its stated length", start);
    const auto size = k_fixed_sizes[type];
    if (size == k_no_type) return stop(Errc::unknown_kind, "expected a BSON type, found another byte", start);
    const auto* key = start + 1;
    const auto* zero = end_of_key(key, end_);
    if (zero >= end_) return stop(Errc::truncated, "a key has no zero byte at its end", key);
    const auto* value = zero + 1;
    const auto room = static_cast<std::size_t>(end_ - value);
    auto length = static_cast<std::size_t>(size);
    if (const auto nested = nested_size(type, value, room); nested != 0) { // as most are
        length = nested;
    } else if (size == k_carries_length) {
        const auto sized = carried_size(static_cast<Type>(type), value, room);
        if (sized.problem != nullptr) return stop(sized.code, sized.problem, value);
        length = sized.size;
    } else if (length > room) {
        return stop(Errc::truncated, "a value is longer than its document", value);
    }
    element_.type_ = static_cast<Type>(type);
    element_.key_ = {reinterpret_cast<const char*>(key), static_cast<std::size_t>(zero - key)};
    element_.value_ = {value, length};
    element_.value_offset_ = base_ + static_cast<std::size_t>(value - begin_);
    at_ = value + length;
    return true;
}

namespace {

/// Checks of a single element beyond its bounds.
Result<void> check_element(const Element& element) {
    if (const auto good = utf8_valid_prefix(element.key()); good != element.key().size())
        return fail(error(Errc::bad_text, "a key is not UTF-8").at(element.offset() + 1 + good));
    if (element.type() == Type::boolean && element.value()[0] > 1)
        return fail(error(Errc::bad_value, "expected 0 or 1 as a boolean, found {}", element.value()[0])
                        .at(element.value_offset()));
    std::string_view text;
    if (element.type() == Type::string || element.type() == Type::code || element.type() == Type::symbol)
        text = as_text(element.value().subspan(4, element.value().size() - 5));
    if (const auto good = utf8_valid_prefix(text); good != text.size())
        return fail(error(Errc::bad_text, "'{}' holds text that is not UTF-8", element.key())
                        .at(element.value_offset() + 4 + good));
    return {};
}

} // namespace

Result<void> validate(const Document& document) {
    std::vector<Cursor> open;
    open.emplace_back(document);
    while (!open.empty()) {
        auto& cursor = open.back();
        if (!cursor.next()) {
            if (!cursor.ok()) return fail(cursor.error());
            open.pop_back();
            continue;
        }
        const auto& element = cursor.element();
        TRY_DO(check_element(element));
        const auto nested = element.type() == Type::array ? element.array() : element.document();
        if (!nested) continue;
        if (static_cast<int>(open.size()) >= k_max_depth)
            return fail(error(Errc::too_deep, "documents are nested deeper than {} levels", k_max_depth)
                            .at(element.value_offset()));
        open.emplace_back(*nested); // `cursor` and `element` are gone from here on
    }
    return {};
}

Result<Document> open_validated(Bytes bytes) {
    TRY(const auto document, Document::open(bytes));
    TRY_DO(validate(document));
    return document;
}

} // namespace orbis::bson

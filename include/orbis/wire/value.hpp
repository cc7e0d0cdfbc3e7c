#pragma once

#include "orbis/export.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::wire {

struct Inside; // what the library itself may see

/// A value in a packet: a field, an element of a list, an entry of a map. It shares the memory of its packet
/// and keeps it alive, so that it may be copied and kept at will. Later changes of the packet do not show in
/// it.
///
///     packet["position"]["x"].number()
///
/// Asking for what is not there is no error: it gives a value of the kind `none`, and that gives what the
/// caller names as `otherwise`.
class ORBIS_API Value {
public:
    /// What a value can be.
    enum class Kind : std::uint8_t {
        none,       ///< an optional field without a value, or nothing at all
        boolean,    ///< true or false
        integer,    ///< a whole number of up to 64 bits
        real,       ///< a number of 32 or 64 bits with a fraction
        text,       ///< text, not always valid UTF-8
        name,       ///< one of the names of an enum
        uuid,       ///< a UUID
        bytes,      ///< a list of bytes
        list,       ///< values in a row; in sparse lists some are `none`
        map,        ///< keys and values
        record,     ///< fields with names
        unreadable, ///< what did not parse, kept as bytes (`Reading::keep`)
    };

    /// A value of the kind `none`.
    Value();

    /// What this value is.
    [[nodiscard]] Kind kind() const;
    /// Whether there is a value.
    explicit operator bool() const { return kind() != Kind::none; }

    /// The field of a record, or what a map has for a key that is a text or a name.
    [[nodiscard]] Value operator[](std::string_view field) const;
    /// The element of a list, the value of an entry of a map, or the field of a record, by its number.
    [[nodiscard]] Value operator[](std::size_t index) const;
    /// The number of elements, entries or fields; 0 for everything else.
    [[nodiscard]] std::size_t size() const;
    /// The key of an entry of a map by its number.
    [[nodiscard]] Value key(std::size_t index) const;
    /// The name of a field of a record by its number; valid for the life of the program.
    [[nodiscard]] std::string_view field_name(std::size_t index) const;
    /// The name of the struct that a record is of; else empty. Valid for the life of the program.
    [[nodiscard]] std::string_view type() const;
    /// Whether a record of another type could stand in its place. JSON then names the type, as `"$type"`.
    [[nodiscard]] bool is_variant() const;

    /// The value if it is a boolean.
    [[nodiscard]] bool boolean(bool otherwise = false) const;
    /// The value if it is a whole number.
    [[nodiscard]] std::int64_t integer(std::int64_t otherwise = 0) const;
    /// The value if it is a number of any kind.
    [[nodiscard]] double number(double otherwise = 0) const;
    /// Text as it came, the name of an enum's value, or a UUID in its usual form.
    [[nodiscard]] std::string text(std::string_view otherwise = {}) const;
    /// A copy of bytes, also of those that did not parse, or of the bytes of a text.
    [[nodiscard]] std::vector<std::uint8_t> bytes() const;

    /// As JSON in one line: records are objects, maps lists of `[key, value]`, bytes hex digits. Text that is
    /// not UTF-8 shows U+FFFD.
    [[nodiscard]] std::string json() const;

    /// Goes through the values that `operator[]` with numbers gives.
    class Iterator {
    public:
        using value_type = Value;               ///< what it gives
        using difference_type = std::ptrdiff_t; ///< between two of them
        /// Behind the end of nothing.
        Iterator() = default;
        /// At the element with that number. The value must outlive the iterator.
        Iterator(const Value& all, std::size_t index) : all_(&all), index_(index) {}
        /// The element.
        Value operator*() const { return (*all_)[index_]; }
        /// To the next one.
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        /// To the next one.
        Iterator operator++(int) { return {*all_, index_++}; }
        /// Whether both are at the same element.
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

    private:
        const Value* all_ = nullptr;
        std::size_t index_ = 0;
    };
    /// The first element, entry or field.
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    /// Behind the last one.
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    friend struct Inside;
    Value(std::shared_ptr<const void> owner, const void* node, const void* type);

    std::shared_ptr<const void> owner_; ///< of the whole packet
    const void* node_ = nullptr;
    const void* type_ = nullptr; ///< that the schema gives the node; null for a packet itself
};

} // namespace orbis::wire

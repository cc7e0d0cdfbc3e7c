#pragma once

#include "bytes/bytes.hpp"
#include "protocol/fault.hpp"
#include "protocol/schema.hpp"
#include "protocol/types.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace orbis::protocol {

/// A value of any type of a schema: what the schema-driven codec reads and writes. It owns what it holds,
/// but records and enums refer to their schema, which must outlive them.
struct Value {
    /// A value of an enum.
    struct Symbol {
        const Enumeration* enumeration;
        std::uint8_t index;
        bool operator==(const Symbol&) const = default;
    };
    using List = std::vector<Value>;
    /// Keys and values in wire order.
    using Entries = std::vector<std::pair<Value, Value>>;
    /// A struct, or the member of a union: one value per field of the layout, in its order.
    struct Record {
        const Layout* layout;
        std::vector<Value> fields;
        bool operator==(const Record&) const = default;
    };
    /// What could not be read, kept as it is.
    struct Unreadable {
        Buffer bytes;
        Fault fault;
        bool operator==(const Unreadable&) const = default;
    };

    /// Nothing stands for an absent field. All integers are 64 bits wide here; text is kept byte for byte,
    /// also where it is malformed.
    using Content = std::variant<std::monostate, bool, std::int64_t, float, double, Uuid, Symbol, std::string,
                                 Buffer, List, Entries, Record, Unreadable>;

    // All of these are in the source file: the type contains itself, and not every compiler can make them
    // here.
    Value();
    Value(Content content_); // NOLINT: a value of every kind is a value
    Value(const Value& other);
    Value(Value&& other) noexcept;
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept;
    ~Value();

    Content content;

    [[nodiscard]] bool is_absent() const { return std::holds_alternative<std::monostate>(content); }

    template <typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&content);
    }

    /// The field of a record; null when this is not a record or has no such field.
    [[nodiscard]] const Value* find(std::string_view field) const;

    bool operator==(const Value& other) const;
};

/// Whether a number is within the limits of its field; other values always are.
bool is_in_range(const Field& field, const Value& value);
/// Moves a number to the nearest that its field allows.
void put_in_range(const Field& field, Value& value);

} // namespace orbis::protocol

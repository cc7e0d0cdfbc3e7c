#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace orbis::chunk {

/// A number per column: heights (`std::int16_t`) or tints (`std::int32_t`, 0xAARRGGBB). Read in place and
/// borrowed until the first change. All fields are little-endian.
///
///     i16  keys K               0 stands for the single key 0
///     K ×  i16 or i32
///     i32  packed length, 1280
///     1280 bytes: 1024 indices of 10 bits, the lowest bit first
template <typename Number>
class ColumnMap {
public:
    static constexpr std::size_t k_packed_bytes = 1280;
    static constexpr std::size_t k_most_keys = 1024;

    ColumnMap() { reset(); }

    bool read(Reader& in, Error& problem);
    /// 0 everywhere.
    void reset();

    /// A column whose index names no key reads as 0.
    [[nodiscard]] Number at(ColumnIndex column) const {
        const auto index = index_at(column);
        return index < keys_ ? key(index) : Number{0};
    }
    void expand(std::span<Number, k_columns> out) const;
    [[nodiscard]] std::size_t keys() const { return keys_; }
    [[nodiscard]] bool changed() const { return changed_; }

    /// False if the column had the value already.
    bool set(ColumnIndex column, Number value);
    void assign(std::span<const Number, k_columns> values);

    /// Columns whose index names no key.
    [[nodiscard]] Result<void> check() const;

    void append_to(Buffer& out) const;

private:
    [[nodiscard]] std::size_t index_at(ColumnIndex column) const {
        const auto bit = static_cast<std::size_t>(column.value) * 10;
        return static_cast<std::size_t>(load_le<std::uint16_t>(packed_ + (bit >> 3))) >> (bit & 7) & 1023;
    }
    [[nodiscard]] Number key(std::size_t index) const {
        return load_le<Number>(key_data_ + index * sizeof(Number));
    }
    void own();
    void put(ColumnIndex column, std::size_t index);

    const std::uint8_t* key_data_;
    const std::uint8_t* packed_;
    std::size_t keys_ = 0;
    bool changed_ = false;
    Bytes raw_;
    Buffer own_keys_;
    Buffer own_packed_;
};

using Heights = ColumnMap<std::int16_t>;
using Tints = ColumnMap<std::int32_t>;

extern template class ColumnMap<std::int16_t>;
extern template class ColumnMap<std::int32_t>;

} // namespace orbis::chunk

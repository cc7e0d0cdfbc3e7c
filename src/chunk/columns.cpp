#include "chunk/columns.hpp"

#include "bytes/writer.hpp"

#include <map>

namespace orbis::chunk {

namespace {

constexpr std::array<std::uint8_t, 1280> k_zero_column_bytes{};

} // namespace

template <typename Number>
void ColumnMap<Number>::reset() {
    key_data_ = k_zero_column_bytes.data();
    packed_ = k_zero_column_bytes.data();
    keys_ = 1;
    changed_ = false;
    raw_ = {};
}

template <typename Number>
bool ColumnMap<Number>::read(Reader& in, Error& problem) {
    reset();
    const auto start = in.position();
    const auto before = in.rest();
    const auto count = in.le<std::int16_t>();
    if (in.ok() && (count < 0 || static_cast<std::size_t>(count) > k_most_keys)) {
        problem = error(Errc::out_of_range, "{} keys, expected 0 to {}", count, k_most_keys).at(start);
        return false;
    }
    const auto keys = in.take(static_cast<std::size_t>(count) * sizeof(Number));
    const auto length = in.le<std::int32_t>();
    if (in.ok() && length != static_cast<std::int32_t>(k_packed_bytes)) {
        problem =
            error(Errc::bad_value, "the packed indices take {} bytes, expected {}", length, k_packed_bytes)
                .at(in.position() - 4);
        return false;
    }
    const auto packed = in.take(k_packed_bytes);
    if (!in.ok()) {
        problem = error(Errc::truncated, "the column map ends early").at(in.position());
        return false;
    }
    packed_ = packed.data();
    if (count > 0) { // else the one key 0 that `reset` has set
        keys_ = static_cast<std::size_t>(count);
        key_data_ = keys.data();
    }
    raw_ = before.first(in.position() - start);
    return true;
}

template <typename Number>
void ColumnMap<Number>::expand(std::span<Number, k_columns> out) const {
    for (int i = 0; i < k_columns; ++i) out[static_cast<std::size_t>(i)] = at(ColumnIndex(i));
}

template <typename Number>
void ColumnMap<Number>::own() {
    if (changed_) return;
    own_keys_.assign(key_data_, key_data_ + keys_ * sizeof(Number));
    own_packed_.assign(packed_, packed_ + k_packed_bytes);
    key_data_ = own_keys_.data();
    packed_ = own_packed_.data();
    changed_ = true;
}

template <typename Number>
void ColumnMap<Number>::put(ColumnIndex column, std::size_t index) {
    const auto bit = static_cast<std::size_t>(column.value) * 10;
    auto* at = own_packed_.data() + (bit >> 3);
    const auto shift = bit & 7;
    const auto kept = load_le<std::uint16_t>(at) & ~(1023U << shift);
    store_le(at, static_cast<std::uint16_t>(kept | index << shift));
}

template <typename Number>
bool ColumnMap<Number>::set(ColumnIndex column, Number value) {
    if (at(column) == value && index_at(column) < keys_) return false;
    own();
    std::size_t index = 0;
    while (index < keys_ && key(index) != value) ++index;
    if (index == keys_) {
        if (keys_ == k_most_keys) { // unused keys must be among them, as there are no more columns than keys
            std::array<Number, k_columns> values;
            expand(values);
            values[static_cast<std::size_t>(column.value)] = value;
            assign(values);
            return true;
        }
        Writer(own_keys_).le(value);
        key_data_ = own_keys_.data();
        ++keys_;
    }
    put(column, index);
    return true;
}

template <typename Number>
void ColumnMap<Number>::assign(std::span<const Number, k_columns> values) {
    own_keys_.clear();
    own_packed_.assign(k_packed_bytes, 0);
    packed_ = own_packed_.data();
    changed_ = true;
    std::map<Number, std::size_t> indices;
    for (int i = 0; i < k_columns; ++i) {
        const auto value = values[static_cast<std::size_t>(i)];
        const auto [known, is_new] = indices.try_emplace(value, indices.size());
        if (is_new) Writer(own_keys_).le(value);
        put(ColumnIndex(i), known->second);
    }
    keys_ = indices.size();
    key_data_ = own_keys_.data();
}

template <typename Number>
Result<void> ColumnMap<Number>::check() const {
    for (int i = 0; i < k_columns; ++i)
        if (index_at(ColumnIndex(i)) >= keys_)
            return fail(Errc::out_of_range, "{} has the index {}, but there are only {} keys", ColumnIndex(i),
                        index_at(ColumnIndex(i)), keys_);
    return {};
}

template <typename Number>
void ColumnMap<Number>::append_to(Buffer& buffer) const {
    Writer out(buffer);
    if (!changed_ && !raw_.empty()) return out.bytes(raw_);
    out.le(static_cast<std::int16_t>(keys_));
    out.bytes({key_data_, keys_ * sizeof(Number)});
    out.le(static_cast<std::int32_t>(k_packed_bytes));
    out.bytes({packed_, k_packed_bytes});
}

template class ColumnMap<std::int16_t>;
template class ColumnMap<std::int32_t>;

} // namespace orbis::chunk

#pragma once

#include "protocol/elements.hpp"
#include "protocol/repeated_key.hpp"

#include <string>
#include <vector>

/// Lists and maps in the manner of elements.hpp.
namespace orbis::protocol {

/// `count` elements one after the other, into memory of the arena.
template <typename Of>
std::size_t read_elements(Decoder& in, std::size_t at, std::size_t count, List<typename Of::Value>& out) {
    using T = typename Of::Value;
    // A claim that the bytes cannot keep is refused before memory is taken for it.
    if (count > in.remaining(at) / Of::k_step + 1) [[unlikely]]
        return in.refuse(Fault::overrun, at);
    auto* const elements = in.arena().take<T>(count);
    out = List<T>(elements, count);
    if (Of::k_width > 0 && in.has(at, count * Of::k_width)) [[likely]] {
        if constexpr (Of::k_width > 0) {
            if constexpr (Of::k_bulk) {
                if (count > 0) std::memcpy(elements, in.bytes(at), count * Of::k_width);
            } else {
                const auto* from = in.bytes(at);
                for (std::size_t index = 0; index < count; ++index, from += Of::k_width)
                    Of::load(in, from, elements[index]);
            }
        }
        return in.ok() ? at + count * Of::k_width : Decoder::k_nowhere;
    }
    ++in.lists;
    for (std::size_t index = 0; index < count; ++index) {
        at = Of::read(in, at, elements[index]);
        if (!in.ok()) [[unlikely]]
            return Decoder::k_nowhere;
    }
    --in.lists;
    return at;
}

template <typename Of, std::uint32_t Limit, bool Unchecked = false>
struct ListOf {
    using Value = List<typename Of::Value>;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;

    static std::size_t read(Decoder& in, std::size_t at, Value& out, bool is_inline = false) {
        const auto head = in.count(at, Limit, is_inline, Of::k_width > 0);
        if (!in.has(head.first, std::size_t{head.count} * Of::k_least)) [[unlikely]]
            return in.refuse(Fault::overrun, at);
        in.spend(head.count, at);
        return read_elements<Of>(in, head.first, head.count, out) + head.skew;
    }
    static std::size_t measure(Encoder& out, const Value& value) {
        std::size_t sum = varint_size(static_cast<std::uint32_t>(value.size()));
        if constexpr (Of::k_width > 0) return sum + value.size() * Of::k_width;
        for (const auto& element : value) sum += Of::measure(out, element);
        return sum;
    }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const Value& value) {
        out.limit(value.size(), Unchecked ? INT32_MAX : Limit);
        if (!out.room(at, k_largest_varint + value.size() * Of::k_width)) [[unlikely]]
            return at;
        at = write_varint(at, static_cast<std::uint32_t>(value.size()));
        if constexpr (Of::k_width == 0) {
            for (const auto& element : value) at = Of::write(out, at, element);
        } else if constexpr (Of::k_bulk) {
            at = put_bytes(at, value.data(), value.size_bytes());
        } else {
            for (const auto& element : value) {
                Of::store(out, at, element);
                at += Of::k_width;
            }
        }
        return at;
    }
};

template <typename Of, std::uint32_t Limit>
struct SparseOf {
    using Value = Sparse<typename Of::Value>;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;

    static std::size_t read(Decoder& in, std::size_t at, Value& out, bool is_inline = false) {
        const auto head = in.count(at, Limit, is_inline, Of::k_width > 0);
        const auto width = (head.count + 7) / 8;
        if (!in.has(head.first, width)) [[unlikely]]
            return in.refuse(Fault::read_range, at);
        in.spend(head.count, at);
        out.count = head.count;
        out.bits = Bytes(in.bytes(head.first), width);
        return read_elements<Of>(in, head.first + width, set_bits(out.bits, out.count), out.present)
               + head.skew;
    }
    static std::size_t measure(Encoder& out, const Value& value) {
        std::size_t sum = varint_size(value.count) + (std::size_t{value.count} + 7) / 8;
        for (const auto& element : value.present) sum += Of::measure(out, element);
        return sum;
    }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const Value& value) {
        const auto width = (std::size_t{value.count} + 7) / 8;
        if (value.bits.size() < width || set_bits(value.bits, value.count) != value.present.size()) {
            out.fail(Errc::mismatch, value.count, value.present.size());
            return at;
        }
        out.limit(value.count, Limit);
        if (!out.room(at, k_largest_varint + width)) [[unlikely]]
            return at;
        at = write_varint(at, value.count);
        if (width > 0) {
            std::memcpy(at, value.bits.data(), width);
            if (value.count % 8 != 0)
                at[width - 1] &= static_cast<std::uint8_t>((1U << (value.count % 8)) - 1);
        }
        at += width;
        for (const auto& element : value.present) at = Of::write(out, at, element);
        return at;
    }
};

/// Whether one of the keys occurs twice.
template <typename K, typename V>
bool repeats_key(Arena& arena, const List<Entry<K, V>>& entries) {
    if (entries.size() < 2) return false;
    if constexpr (std::is_same_v<K, Text>) {
        auto* keys = arena.take<Text>(entries.size());
        for (std::size_t index = 0; index < entries.size(); ++index) keys[index] = entries[index].key;
        return repeats(arena, std::span(keys, entries.size()));
    } else if constexpr (std::is_same_v<K, Uuid>) {
        auto* keys = arena.take<Uuid>(entries.size());
        for (std::size_t index = 0; index < entries.size(); ++index) keys[index] = entries[index].key;
        return repeats(arena, std::span(keys, entries.size()));
    } else if constexpr (requires { value_count(K{}); }) {
        std::array<std::uint64_t, 4> seen{}; // a bit for each value of the enum
        std::uint64_t twice = 0;
        for (const auto& entry : entries) {
            const auto key = static_cast<std::uint8_t>(entry.key);
            auto& bits = seen[key / 64]; // NOLINT: four words for 256 values
            twice |= bits >> (key % 64) & 1;
            bits |= std::uint64_t{1} << (key % 64);
        }
        return twice != 0;
    } else if constexpr (std::is_class_v<K>) {
        std::vector<std::string> keys(entries.size());
        for (std::size_t index = 0; index < entries.size(); ++index)
            append_comparable(keys[index], entries[index].key);
        return repeats(std::span(keys));
    } else {
        auto* keys = arena.take<std::uint64_t>(entries.size());
        for (std::size_t index = 0; index < entries.size(); ++index)
            keys[index] = comparable_number(entries[index].key);
        return repeats(arena, std::span(keys, entries.size()));
    }
}

template <typename Key, typename Of, std::uint32_t Limit>
struct MapOf {
    using Item = Entry<typename Key::Value, typename Of::Value>;
    using Value = List<Item>;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;

    static std::size_t read(Decoder& in, std::size_t at, Value& out, bool is_inline = false) {
        const auto head = in.count(at, Limit, is_inline, Of::k_width > 0);
        if (!in.ok() || head.count > in.remaining(head.first) / (Key::k_step + Of::k_step) + 1) [[unlikely]]
            return in.refuse(Fault::read_range, at);
        in.spend(head.count, at);
        auto* const items = in.arena().take<Item>(head.count);
        auto next = head.first;
        ++in.lists;
        for (std::size_t index = 0; index < head.count; ++index) {
            next = Key::read(in, next, items[index].key);
            next = Of::read(in, next, items[index].value);
            if (!in.ok()) [[unlikely]]
                return Decoder::k_nowhere;
        }
        --in.lists;
        out = Value(items, head.count);
        if (repeats_key<typename Key::Value, typename Of::Value>(in.arena(), out)) [[unlikely]]
            return in.refuse(Fault::key_duplicate, at);
        return next + head.skew;
    }
    static std::size_t measure(Encoder& out, const Value& value) {
        std::size_t sum = varint_size(static_cast<std::uint32_t>(value.size()));
        for (const auto& item : value) sum += Key::measure(out, item.key) + Of::measure(out, item.value);
        return sum;
    }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const Value& value) {
        out.limit(value.size(), Limit);
        if (!out.room(at, k_largest_varint)) [[unlikely]]
            return at;
        at = write_varint(at, static_cast<std::uint32_t>(value.size()));
        for (const auto& item : value) at = Of::write(out, Key::write(out, at, item.key), item.value);
        return at;
    }
};

} // namespace orbis::protocol

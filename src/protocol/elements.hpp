#pragma once

#include "protocol/decoder.hpp"
#include "protocol/encoder.hpp"
#include "protocol/plain.hpp"

#include <algorithm>
#include <array>
#include <variant>

/// How each kind of value is read and written, as types: generated code names them for lists, maps and
/// variable fields, `ListOf<Struct<Asset>, 4096000>` for example. Each has
///
///     Value    the C++ type
///     k_width  bytes of every value, 0 when they differ
///     k_least  the size that the game's reader assumes at the least
///     k_step   bytes that an element takes at the least
///     read     reads at a position and returns the one after, or k_nowhere
///     measure  the size of the encoded value
///     write    checks limits and room, writes and returns the byte after
///
/// Values of fixed width also have load and store, which do not check bounds. Lists and maps are in
/// list_elements.hpp.
namespace orbis::protocol {

/// Reads the variable field of a struct and moves the struct's end past it.
template <typename Of>
void take(Decoder& in, std::size_t at, typename Of::Value& out, std::size_t& end) {
    end = std::max(end, Of::read(in, at, out));
}

/// The same for a field without an offset slot.
template <typename Of>
void take_inline(Decoder& in, std::size_t at, typename Of::Value& out, std::size_t& end) {
    if constexpr (requires { Of::read(in, at, out, true); })
        end = std::max(end, Of::read(in, at, out, true));
    else
        end = std::max(end, Of::read(in, at, out));
}

/// Room for the target of a link, or null when it is absent.
template <typename T>
T* link(Decoder& in, Link<T>& out, bool present) {
    auto* target = present ? in.arena().take<T>(1) : nullptr;
    out = target;
    return target;
}

/// Becomes a value of any type field by field. A plain variant would clear all of its memory first, which
/// takes longer than reading most members.
struct Fresh {
    template <typename T>
    operator T() const { // NOLINT(google-explicit-constructor): that is what it is for
        T made;          // not T{}, which clears everything
        return made;
    }
};

/// Makes the member of a union, over whatever bytes were there.
template <std::size_t Index, typename Variant>
auto& pick(Variant& out) {
    std::construct_at(&out, std::in_place_index<Index>, Fresh{});
    return *std::get_if<Index>(&out);
}

/// What values of fixed width have in common.
template <typename Self, typename T, std::uint32_t Width>
struct FixedElement { // NOLINT(bugprone-crtp-constructor-accessibility): nobody makes one by itself
    using Value = T;
    static constexpr std::uint32_t k_width = Width;
    static constexpr std::uint32_t k_least = Width;
    static constexpr std::uint32_t k_step = Width;
    static constexpr bool k_bulk = false; ///< whether a list is the same bytes in memory and on the wire

    static std::size_t read(Decoder& in, std::size_t at, T& out) {
        if (!in.has(at, Width)) [[unlikely]]
            return in.refuse(Fault::read_range, at);
        Self::load(in, in.bytes(at), out);
        return at + Width;
    }
    static std::size_t measure(Encoder&, const T&) { return Width; }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const T& value) {
        if (!out.room(at, Width)) [[unlikely]]
            return at;
        Self::store(out, at, value);
        return at + Width;
    }
};

/// An integer or float.
template <typename T>
struct Number : FixedElement<Number<T>, T, sizeof(T)> {
    static constexpr bool k_bulk = true;
    static void load(Decoder&, const std::uint8_t* at, T& out) { out = load_le<T>(at); }
    static void store(Encoder&, std::uint8_t* at, T value) { store_le(at, value); }
};

struct Flag : FixedElement<Flag, bool, 1> {
    static void load(Decoder&, const std::uint8_t* at, bool& out) { load_flag(at, out); }
    static void store(Encoder&, std::uint8_t* at, bool value) { *at = value ? 1 : 0; }
};

struct UuidOf : FixedElement<UuidOf, Uuid, 16> {
    static constexpr bool k_bulk = true;
    static void load(Decoder&, const std::uint8_t* at, Uuid& out) { std::memcpy(out.data(), at, 16); }
    static void store(Encoder&, std::uint8_t* at, const Uuid& value) { std::memcpy(at, value.data(), 16); }
};

template <typename E>
struct Symbol : FixedElement<Symbol<E>, E, 1> {
    static void load(Decoder& in, const std::uint8_t* at, E& out) { in.symbol(at, out); }
    static void store(Encoder& out, std::uint8_t* at, E value) { out.symbol(at, value); }
};

/// An enum of four bytes.
template <typename E>
struct WideSymbol : FixedElement<WideSymbol<E>, E, 4> {
    static void load(Decoder& in, const std::uint8_t* at, E& out) { in.wide_symbol(at, out); }
    static void store(Encoder& out, std::uint8_t* at, E value) { out.wide_symbol(at, value); }
};

/// A byte of flags.
template <typename E>
struct FlagsOf : FixedElement<FlagsOf<E>, E, 1> {
    static void load(Decoder& in, const std::uint8_t* at, E& out) { in.flags(at, out); }
    static void store(Encoder& out, std::uint8_t* at, E value) { out.flags(at, value); }
};

/// A float that must be a number.
template <typename T>
struct FiniteNumber : FixedElement<FiniteNumber<T>, T, sizeof(T)> {
    static void load(Decoder& in, const std::uint8_t* at, T& out) {
        out = load_le<T>(at);
        in.finite(at, out);
    }
    static void store(Encoder& out, std::uint8_t* at, T value) {
        out.finite(value);
        store_le(at, value);
    }
};

/// `Count` elements of fixed width without a count.
template <typename Of, std::uint32_t Count>
struct ArrayOf
    : FixedElement<ArrayOf<Of, Count>, std::array<typename Of::Value, Count>, Count * Of::k_width> {
    using Value = std::array<typename Of::Value, Count>;
    static constexpr bool k_bulk = Of::k_bulk;
    static void load(Decoder& in, const std::uint8_t* at, Value& out) {
        for (auto& element : out) {
            Of::load(in, at, element);
            at += Of::k_width;
        }
    }
    static void store(Encoder& out, std::uint8_t* at, const Value& value) {
        for (const auto& element : value) {
            Of::store(out, at, element);
            at += Of::k_width;
        }
    }
};

/// Structs that need no coder: those of nothing but numbers are copied, generated code loads and stores the
/// others.
template <AnyBytesWillDo T>
void load_whole(const std::uint8_t* at, T& out) {
    if constexpr (T::k_bulk)
        load_plain(at, out);
    else
        load_fixed(at, out);
}
template <AnyBytesWillDo T>
void store_whole(std::uint8_t* at, const T& value) {
    if constexpr (T::k_bulk)
        store_plain(at, value);
    else
        store_fixed(at, value);
}

/// Which parts of a struct must be there when its payload ends inside it. Generated code says so for those
/// where it is not all of it.
constexpr std::span<const FixedPart> parts_of(const void*) { return {}; }

/// A struct without variable fields. It may be cut off if nothing must be there, so that reading one by
/// itself asks for its parts; in a list only the last one can be.
template <FixedStruct T>
struct Fixed : FixedElement<Fixed<T>, T, T::k_fixed> {
    static constexpr bool k_bulk = T::k_bulk;
    static void load(Decoder& in, const std::uint8_t* at, T& out) {
        if constexpr (AnyBytesWillDo<T>)
            load_whole(at, out);
        else
            load_fixed(in, at, out);
    }
    static void store(Encoder& out, std::uint8_t* at, const T& value) {
        if constexpr (AnyBytesWillDo<T>)
            store_whole(at, value);
        else
            store_fixed(out, at, value);
    }
    static std::size_t read(Decoder& in, std::size_t at, T& out) {
        load(in, in.fixed(at, T::k_fixed, parts_of(&out)), out);
        return in.ok() ? at + T::k_fixed : Decoder::k_nowhere;
    }
};

/// A struct with variable fields.
template <typename T>
struct Struct {
    using Value = T;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = T::k_fixed;
    static constexpr std::uint32_t k_step = std::max(T::k_var_start, 1U);
    static std::size_t read(Decoder& in, std::size_t at, T& out) { return T::read(in, at, out); }
    static std::size_t measure(Encoder& out, const T& value) { return T::measure(out, value); }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const T& value) {
        return T::write(out, at, value);
    }
};

/// A union. Its functions have names of their own: a variant can be made from every member, and a compiler
/// that had to consider that for every struct would be busy for long.
template <typename T>
struct Choice {
    using Value = T;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;
    static std::size_t read(Decoder& in, std::size_t at, T& out) { return read_union(in, at, out); }
    static std::size_t measure(Encoder& out, const T& value) { return measure_union(out, value); }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, const T& value) {
        return write_union(out, at, value);
    }
};

template <std::uint32_t Limit, bool Ascii = false>
struct TextOf {
    using Value = Text;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;

    static std::size_t read(Decoder& in, std::size_t at, Text& out) {
        const auto length = in.varint(at);
        const auto size = static_cast<std::uint32_t>(length.value);
        if (size > Limit) [[unlikely]]
            return in.refuse(Fault::too_long, at);
        const auto first = at + length.length;
        if (!in.has(first, size)) [[unlikely]]
            return in.refuse(Fault::read_range, at);
        out = Text(reinterpret_cast<const char*>(in.bytes(first)), size);
        if (in.rules().strict || (Ascii && in.rules().bounded)) [[unlikely]]
            in.check_text(out, Ascii, at);
        return first + size;
    }
    static std::size_t measure(Encoder&, Text value) {
        return varint_size(static_cast<std::uint32_t>(value.size())) + value.size();
    }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, Text value) {
        out.limit(value.size(), Limit);
        if constexpr (Ascii) out.ascii(value);
        if (!out.room(at, value.size() + k_largest_varint)) [[unlikely]]
            return at;
        return put_bytes(write_varint(at, static_cast<std::uint32_t>(value.size())), value.data(),
                         value.size());
    }
};

/// A list of i8: a view of the received bytes.
template <std::uint32_t Limit>
struct BytesOf {
    using Value = Bytes;
    static constexpr std::uint32_t k_width = 0;
    static constexpr std::uint32_t k_least = 1;
    static constexpr std::uint32_t k_step = 1;

    static std::size_t read(Decoder& in, std::size_t at, Bytes& out, bool is_inline = false) {
        const auto head = in.count(at, Limit, is_inline, true);
        if (!in.has(head.first, head.count)) [[unlikely]]
            return in.refuse(Fault::overrun, at);
        out = Bytes(in.bytes(head.first), head.count);
        return head.first + head.count + head.skew;
    }
    static std::size_t measure(Encoder&, Bytes value) {
        return varint_size(static_cast<std::uint32_t>(value.size())) + value.size();
    }
    static std::uint8_t* write(Encoder& out, std::uint8_t* at, Bytes value) {
        out.limit(value.size(), Limit);
        if (!out.room(at, value.size() + k_largest_varint)) [[unlikely]]
            return at;
        return put_bytes(write_varint(at, static_cast<std::uint32_t>(value.size())), value.data(),
                         value.size());
    }
};

} // namespace orbis::protocol

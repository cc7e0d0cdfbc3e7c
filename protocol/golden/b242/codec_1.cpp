// Made by protocol/generate.py from the schema of b242; not to be edited.
#include "packets/vb242/interface.hpp"
#include "protocol/list_elements.hpp"

namespace orbis::protocol::vb242 {


inline void load_fixed(const std::uint8_t* p, BoolParamValue& v) {
    load_flag(p, v.value);
}
inline void store_fixed(std::uint8_t* p, const BoolParamValue& v) {
    store_plain(p, v.value);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, DoubleParamValue& v) {
    load_plain(p, v.value);
    in.finite(p, v.value);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const DoubleParamValue& v) {
    store_plain(p, v.value);
    out.finite(v.value);
}

// FormattedMessage
std::size_t FormattedMessage::read(Decoder& in, std::size_t at, FormattedMessage& v) {
    const auto* p = in.open(at, 40, {});
    const auto bits0 = p[0];
    const auto bits1 = p[1];
    load_flag(p + 2, bits0 & 0x01, v.bold);
    load_flag(p + 3, bits0 & 0x02, v.italic);
    load_flag(p + 4, bits0 & 0x04, v.monospace);
    load_flag(p + 5, bits0 & 0x08, v.underlined);
    load_flag(p + 6, bits0 & 0x10, v.strikethrough);
    load_flag(p + 7, v.markup_enabled);
    auto end = at + 40;
    if (v.raw_text.set(in.in_turn(at + 40, p + 8, end, bits0 & 0x20)))
        take<TextOf<4096000>>(in, end, *v.raw_text, end);
    if (v.message_id.set(in.in_turn(at + 40, p + 12, end, bits0 & 0x40)))
        take<TextOf<4096000>>(in, end, *v.message_id, end);
    if (v.children.set(in.in_turn(at + 40, p + 16, end, bits0 & 0x80)))
        take<ListOf<Struct<FormattedMessage>, 4096000>>(in, end, *v.children, end);
    if (v.params.set(in.in_turn(at + 40, p + 20, end, bits1 & 0x01)))
        take<MapOf<TextOf<4096000>, Choice<ParamValue>, 4096000>>(in, end, *v.params, end);
    if (v.message_params.set(in.in_turn(at + 40, p + 24, end, bits1 & 0x02)))
        take<MapOf<TextOf<4096000>, Struct<FormattedMessage>, 4096000>>(in, end, *v.message_params, end);
    if (v.color.set(in.in_turn(at + 40, p + 28, end, bits1 & 0x04)))
        take<TextOf<4096000>>(in, end, *v.color, end);
    if (v.link.set(in.in_turn(at + 40, p + 32, end, bits1 & 0x08)))
        take<TextOf<4096000>>(in, end, *v.link, end);
    if (v.image.set(in.in_turn(at + 40, p + 36, end, bits1 & 0x10)))
        take<Struct<FormattedMessageImage>>(in, end, *v.image, end);
    return in.close(end);
}
std::size_t FormattedMessage::measure(Encoder& out, const FormattedMessage& v) {
    if (!out.enter()) return 0;
    std::size_t sum = 40;
    if (v.raw_text) sum += TextOf<4096000>::measure(out, *v.raw_text);
    if (v.message_id) sum += TextOf<4096000>::measure(out, *v.message_id);
    if (v.children) sum += ListOf<Struct<FormattedMessage>, 4096000>::measure(out, *v.children);
    if (v.params) sum += MapOf<TextOf<4096000>, Choice<ParamValue>, 4096000>::measure(out, *v.params);
    if (v.message_params)
        sum += MapOf<TextOf<4096000>, Struct<FormattedMessage>, 4096000>::measure(out, *v.message_params);
    if (v.color) sum += TextOf<4096000>::measure(out, *v.color);
    if (v.link) sum += TextOf<4096000>::measure(out, *v.link);
    if (v.image) sum += Struct<FormattedMessageImage>::measure(out, *v.image);
    out.leave();
    return sum;
}
std::uint8_t* FormattedMessage::write(Encoder& out, std::uint8_t* p, const FormattedMessage& v) {
    if (!out.room(p, 40)) return p;
    if (!out.enter()) return p;
    p[0] = static_cast<std::uint8_t>(v.bold.has_value() | v.italic.has_value() << 1 | v.monospace.has_value()
        << 2 | v.underlined.has_value() << 3 | v.strikethrough.has_value() << 4 | v.raw_text.has_value() << 5
        | v.message_id.has_value() << 6 | v.children.has_value() << 7);
    p[1] = static_cast<std::uint8_t>(v.params.has_value() | v.message_params.has_value() << 1 |
        v.color.has_value() << 2 | v.link.has_value() << 3 | v.image.has_value() << 4);
    store_plain(p + 2, v.bold);
    store_plain(p + 3, v.italic);
    store_plain(p + 4, v.monospace);
    store_plain(p + 5, v.underlined);
    store_plain(p + 6, v.strikethrough);
    store_plain(p + 7, v.markup_enabled);
    auto* next = p + 40;
    if (put_slot(p + 8, p + 40, next, v.raw_text.has_value()))
        next = TextOf<4096000>::write(out, next, *v.raw_text);
    if (put_slot(p + 12, p + 40, next, v.message_id.has_value()))
        next = TextOf<4096000>::write(out, next, *v.message_id);
    if (put_slot(p + 16, p + 40, next, v.children.has_value()))
        next = ListOf<Struct<FormattedMessage>, 4096000>::write(out, next, *v.children);
    if (put_slot(p + 20, p + 40, next, v.params.has_value()))
        next = MapOf<TextOf<4096000>, Choice<ParamValue>, 4096000>::write(out, next, *v.params);
    if (put_slot(p + 24, p + 40, next, v.message_params.has_value()))
        next = MapOf<TextOf<4096000>, Struct<FormattedMessage>, 4096000>::write(out, next, *v.message_params);
    if (put_slot(p + 28, p + 40, next, v.color.has_value()))
        next = TextOf<4096000>::write(out, next, *v.color);
    if (put_slot(p + 32, p + 40, next, v.link.has_value())) next = TextOf<4096000>::write(out, next, *v.link);
    if (put_slot(p + 36, p + 40, next, v.image.has_value()))
        next = Struct<FormattedMessageImage>::write(out, next, *v.image);
    out.leave();
    return next;
}

// FormattedMessageImage
std::size_t FormattedMessageImage::read(Decoder& in, std::size_t at, FormattedMessageImage& v) {
    const auto* p = in.open(at, 8, {});
    load_plain(p, v.width);
    load_plain(p + 4, v.height);
    auto end = at + 8;
    take_inline<TextOf<4096000>>(in, at + 8, v.file_path, end);
    return in.close(end);
}
std::size_t FormattedMessageImage::measure(Encoder& out, const FormattedMessageImage& v) {
    std::size_t sum = 8;
    sum += TextOf<4096000>::measure(out, v.file_path);
    return sum;
}
std::uint8_t* FormattedMessageImage::write(Encoder& out, std::uint8_t* p, const FormattedMessageImage& v) {
    if (!out.room(p, 8)) return p;
    store_plain(p, v.width);
    store_plain(p + 4, v.height);
    auto* next = p + 8;
    next = TextOf<4096000>::write(out, next, v.file_path);
    return next;
}

// ParamValue
std::size_t read_union(Decoder& in, std::size_t at, ParamValue& v) {
    const auto id = in.varint(at);
    switch (id.value) {
    case 0: return Struct<StringParamValue>::read(in, at + id.length, pick<0>(v));
    case 1: return Fixed<BoolParamValue>::read(in, at + id.length, pick<1>(v));
    case 2: return Fixed<DoubleParamValue>::read(in, at + id.length, pick<2>(v));
    case 3: return Fixed<IntParamValue>::read(in, at + id.length, pick<3>(v));
    case 4: return Fixed<LongParamValue>::read(in, at + id.length, pick<4>(v));
    default: return in.refuse(Fault::type_unknown, at);
    }
}
std::size_t measure_union(Encoder& out, const ParamValue& v) {
    switch (v.index()) {
    case 0: return 1 + Struct<StringParamValue>::measure(out, *std::get_if<0>(&v));
    case 1: return 1 + Fixed<BoolParamValue>::measure(out, *std::get_if<1>(&v));
    case 2: return 1 + Fixed<DoubleParamValue>::measure(out, *std::get_if<2>(&v));
    case 3: return 1 + Fixed<IntParamValue>::measure(out, *std::get_if<3>(&v));
    case 4: return 1 + Fixed<LongParamValue>::measure(out, *std::get_if<4>(&v));
    default: return 0;
    }
}
std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const ParamValue& v) {
    if (!out.room(p, k_largest_varint)) return p;
    switch (v.index()) {
    case 0: return Struct<StringParamValue>::write(out, write_varint(p, 0), *std::get_if<0>(&v));
    case 1: return Fixed<BoolParamValue>::write(out, write_varint(p, 1), *std::get_if<1>(&v));
    case 2: return Fixed<DoubleParamValue>::write(out, write_varint(p, 2), *std::get_if<2>(&v));
    case 3: return Fixed<IntParamValue>::write(out, write_varint(p, 3), *std::get_if<3>(&v));
    case 4: return Fixed<LongParamValue>::write(out, write_varint(p, 4), *std::get_if<4>(&v));
    default: return p;
    }
}

} // namespace orbis::protocol::vb242

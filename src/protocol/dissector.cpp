#include "protocol/dissector.hpp"

#include "bytes/append_format.hpp"

#include <fmt/format.h>

namespace orbis::protocol {

namespace {

/// A type as a Lua table; the script knows the same kinds.
std::string lua_type(const Type& type) {
    switch (type.kind) {
    case Kind::boolean:
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64:
    case Kind::f32:
    case Kind::f64:
    case Kind::uuid: return fmt::format("{{k=\"{}\"}}", type.text());
    case Kind::enumeration:
        return fmt::format("{{k=\"{}\",name=\"{}\"}}", type.wide ? "wide" : "enum", type.enumeration->name);
    case Kind::flags: return fmt::format("{{k=\"flags\",name=\"{}\"}}", type.enumeration->name);
    case Kind::structure: return fmt::format("{{k=\"struct\",name=\"{}\"}}", type.layout->name);
    case Kind::choice: return fmt::format("{{k=\"union\",name=\"{}\"}}", type.choice->name);
    case Kind::text: return "{k=\"text\"}";
    case Kind::fixed_text: return fmt::format("{{k=\"fixed\",len={}}}", type.limit);
    case Kind::list:
        if (type.is_bytes()) return "{k=\"bytes\"}";
        return fmt::format("{{k=\"list\",of={}}}", lua_type(*type.element));
    case Kind::fixed_list:
        return fmt::format("{{k=\"array\",len={},width={},of={}}}", type.limit, type.width(),
                           lua_type(*type.element));
    case Kind::sparse_list: return fmt::format("{{k=\"sparse\",of={}}}", lua_type(*type.element));
    case Kind::map:
        return fmt::format("{{k=\"map\",key={},of={}}}", lua_type(*type.key), lua_type(*type.element));
    }
    return "{}";
}

void add_layout(std::string& out, const Layout& layout) {
    append_format(out, "S.{}={{start={},", layout.name, layout.var_start);
    for (const auto& field : layout.fields) {
        append_format(out, "\n {{\"{}\",{}", field.name, lua_type(field.type));
        if (field.is_fixed()) append_format(out, ",at={}", field.at);
        if (field.is_packed()) append_format(out, ",mask={}", 1 << field.packed_bit);
        if (field.slot_at >= 0) append_format(out, ",slot={}", field.slot_at);
        if (field.is_nullable()) append_format(out, ",bit={}", field.null_bit);
        out += "},";
    }
    out += "}\n";
}

} // namespace

std::string dissector(const Schema& schema) {
    std::string out;
    append_format(
        out,
        "-- Wireshark dissector for the packets of build {}, made by `orbis packet dissector`.\n"
        "-- Use: wireshark -X lua_script:hytale.lua, or put it into the folder for personal plugins.\n"
        "local BUILD = \"{}\"\nlocal E, U, S, P = {{}}, {{}}, {{}}, {{}}\n",
        schema.build(), schema.build());
    for (const auto& [name, enumeration] : schema.enumerations()) {
        append_format(out, "E.{}={{", name);
        for (std::size_t index = 0; index < enumeration.values.size(); ++index)
            enumeration.is_flags()
                ? append_format(out, "[{}]=\"{}\",", enumeration.bits[index], enumeration.values[index])
                : append_format(out, "\"{}\",", enumeration.values[index]);
        out += "}\n";
    }
    for (const auto& [name, choice] : schema.unions()) {
        append_format(out, "U.{}={{", name);
        for (const auto& [id, member] : choice.types) append_format(out, "[{}]=\"{}\",", id, member->name);
        out += "}\n";
    }
    for (const auto& [name, layout] : schema.layouts())
        if (!layout.unused) add_layout(out, layout);
    for (const auto& packet : schema.registry().packets())
        append_format(out, "P[{}]={{name=\"{}\",category=\"{}\",direction=\"{}\",compressed={}}}\n",
                      packet.id, packet.name, packet.category, name(packet.direction), packet.compressed);
    out += dissector_script();
    return out;
}

} // namespace orbis::protocol

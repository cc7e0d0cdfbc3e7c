"""The header with the C++ types of a schema: enums, structs, unions and packets."""

from generator.model import PRIMITIVES, kind, snake

DIRECTIONS = {"ToClient": "to_client", "ToServer": "to_server", "Both": "both", None: "unstated"}


def header(schema):
    out = [
        f"// Made by protocol/generate.py from the schema of {schema.build}; not to be edited.",
        "#pragma once",
        "",
        '#include "protocol/packet_info.hpp"',
        '#include "protocol/types.hpp"',
        "",
        "#include <variant>",
        "",
        f"namespace orbis::protocol::{schema.namespace} {{",
        "",
    ]
    for name in sorted(schema.enums):
        out += enum(name, schema.enums[name]["values"])
    out.append("")
    for name in sorted(schema.layouts):
        out.append(f"struct {name};")
    out.append("")
    for name in sorted(schema.unions):
        members = ", ".join(union_members(schema.unions[name]).values())
        out += wrapped(f"using {name} = std::variant<{members}>;")
    for name in schema.order:
        out += struct(schema, schema.layouts[name])
    out += ["", f"}} // namespace orbis::protocol::{schema.namespace}", ""]
    return "\n".join(out)


def union_members(union):
    """Type id -> struct name, in the order of the ids."""
    return {int(id_): union["types"][id_] for id_ in sorted(union["types"], key=int)}


def enum(name, values):
    names = [snake(value) for value in values]
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: two values have the same name in C++")
    return wrapped(f"enum class {name} : std::uint8_t {{ {', '.join(names)} }};") + [
        f"constexpr std::uint32_t value_count({name}) {{ return {len(values)}; }}"
    ]


def struct(schema, layout):
    name = layout["name"]
    fields = []
    for field in layout["fields"]:
        fields.append(f"    {field_type(schema, layout, field)} {snake(field['name'])}{initial(schema, layout, field)};")
    bulk = "true" if schema.is_packed(layout) else "false"
    constants = [f"    static constexpr std::uint32_t k_fixed = {layout['fixed']}, k_var_start = {layout['varStart']};"]
    if layout["varCount"] == 0:
        constants.append(f"    static constexpr bool k_bulk = {bulk};")
    if name in schema.packets:
        constants += info(schema, schema.packets[name])
    out = ["", f"struct {name} {{", *fields, *([""] if fields else []), *constants, "};"]
    if bulk == "true" or schema.is_flags(layout):
        out.append(f"static_assert(sizeof({name}) == {layout['fixed']});")
    return out


def info(schema, packet):
    direction = DIRECTIONS[packet.get("direction")]
    channel = schema.channels.get(packet.get("channel"), 0)
    compressed = "true" if packet["compressed"] else "false"
    bounded = "true" if schema.bounded else "false"
    return [
        f"    static constexpr PacketInfo k_info{{{packet['id']}, \"{packet['name']}\", \"{packet['package']}\",",
        f"                                       protocol::Direction::{direction}, protocol::Channel{{{channel}}}, {compressed},",
        f"                                       {packet['fixed']}, {schema.smallest(packet)}, {packet['max']}}};",
        f"    static constexpr bool k_bounded = {bounded};",
    ]


def field_type(schema, layout, field):
    type_ = cpp_type(schema, field["type"])
    if schema.is_link(layout, field):
        return f"Link<{type_}>"
    return f"Opt<{type_}>" if "null" in field else type_


def cpp_type(schema, type_):
    k = kind(type_)
    if k in PRIMITIVES:
        return PRIMITIVES[k][0]
    if k in ("enum", "struct", "union"):
        return type_[k]
    if k in ("string", "fixedString"):
        return "Text"
    if schema.is_bytes(type_):
        return "Bytes"
    if k == "array":
        container = "Sparse" if type_.get("sparse") else "List"
        return f"{container}<{cpp_type(schema, type_['array'])}>"
    if k == "map":
        return f"Map<{', '.join(cpp_type(schema, each) for each in type_['map'])}>"
    raise ValueError(f"no C++ type for {type_}")


def initial(schema, layout, field):
    """How a field starts: as in the game's own classes, else as zero."""
    type_ = field["type"]
    if "null" in field or kind(type_) in ("string", "fixedString", "array", "map", "struct", "union"):
        return ""
    default = field.get("default")
    if default is None:
        return "{}" if type_ == "uuid" or kind(type_) == "enum" else " = false" if type_ == "bool" else " = 0"
    if isinstance(default, bool):
        return " = true" if default else " = false"
    if default == -(2**31):
        return " = INT32_MIN"
    return f" = {float_text(default)}F" if type_ == "f32" else f" = {default}"


def float_text(value):
    text = repr(float(value))
    return text if "." in text or "e" in text else text + ".0"


def wrapped(text, width=110, indent=4):
    """One declaration on as many lines as it needs."""
    lines, line = [], text[: len(text) - len(text.lstrip())]
    for word in text.split():
        if line.strip() and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = " " * indent + word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line]

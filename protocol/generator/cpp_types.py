"""The headers with the C++ types of a schema: enums, structs, unions and packets."""

from functools import partial

from generator.model import PRIMITIVES, SHARED, kind, snake

DIRECTIONS = {"ToClient": "to_client", "ToServer": "to_server", "Both": "both", None: "unstated"}


def makers(schema):
    """File name -> what makes its text: a header for each family of packets, so that nobody reads those of others."""
    return {
        "fwd.hpp": lambda: forward(schema),
        **{f"{family}.hpp": partial(header, schema, family) for family in schema.families()},
        "registry.hpp": lambda: registry(schema),
        "all.hpp": lambda: everything(schema),
    }


def usual_makers(schema):
    """The same names one folder above, for those who take the packets of whatever build is the usual one."""
    return {f"../{file}": partial(usual, schema, file) for file in makers(schema)}


def page(schema, includes, lines):
    """A header with its usual head and namespace."""
    return "\n".join([
        banner(schema),
        "#pragma once",
        "",
        *includes,
        "",
        f"namespace orbis::protocol::{schema.namespace} {{",
        "",
        *lines,
        "",
        f"}} // namespace orbis::protocol::{schema.namespace}",
        "",
    ])


def banner(schema):
    return f"// Made by protocol/generate.py from the schema of {schema.build}; not to be edited."


def own(schema, file):
    return f'#include "packets/{schema.namespace}/{file}"'


def forward(schema):
    return page(schema, ["#include <cstdint>"], [
        *[f"enum class {name} : std::uint8_t;" for name in sorted(schema.enums)],
        *[f"struct {name};" for name in sorted(schema.layouts)],
    ])


def header(schema, family):
    def mine(names):
        return [name for name in names if schema.family[name] == family]

    unions = mine(sorted(schema.unions))
    if family != SHARED and SHARED in schema.families():
        includes = [own(schema, f"{SHARED}.hpp")]
    else:
        includes = [own(schema, "fwd.hpp"), '#include "protocol/packet_info.hpp"', '#include "protocol/types.hpp"']
    if unions:
        includes += ["", "#include <variant>"]
    out = []
    for name in mine(sorted(schema.enums)):
        values = schema.enums[name]
        out += flags(name, values["flags"]) if schema.is_flags_enum(name) else enum(name, values["values"])
    for name in unions:
        members = ", ".join(union_members(schema.unions[name]).values())
        out += ["", *wrapped(f"using {name} = std::variant<{members}>;"), *functions("", "_union", name)]
    for name in mine(schema.order):
        out += struct(schema, schema.layouts[name])
    return page(schema, includes, out[1:] if out[0] == "" else out)


def registry(schema):
    return page(schema, ['#include "protocol/packet_info.hpp"', "", "namespace orbis::protocol {", "struct PacketCode;", "}"], [
        "/// Every packet of the build, sorted by id.",
        "Registry registry();",
        "/// The same with the functions that read and write them.",
        "std::span<const PacketCode> packet_codes();",
    ])


def everything(schema):
    return "\n".join([
        banner(schema),
        "#pragma once",
        "",
        *[own(schema, f"{family}.hpp") for family in [*schema.families(), "registry"]],
        "",
    ])


def usual(schema, file):
    return "\n".join([
        banner(schema),
        "#pragma once",
        "",
        own(schema, file),
        "",
        "namespace orbis {",
        f"namespace packets = protocol::{schema.namespace};",
        "}",
        "",
    ])


def functions(prefix, suffix, name, measured=True):
    """The declarations of what reads and writes a struct or union."""
    return [
        f"{prefix}std::size_t read{suffix}(Decoder& in, std::size_t at, {name}& v);",
        *([f"{prefix}std::size_t measure{suffix}(Encoder& out, const {name}& v);"] if measured else []),
        f"{prefix}std::uint8_t* write{suffix}(Encoder& out, std::uint8_t* p, const {name}& v);",
    ]


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


def flags(name, bits):
    """A byte of flags, with the names for none and all of them that the schema may have."""
    bits = {value: bit for value, bit in bits.items() if value != "wire"}
    all_bits = 0
    for bit in bits.values():
        all_bits |= bit
    members = ", ".join(f"{snake(value)} = {bit}" for value, bit in bits.items())
    return wrapped(f"enum class {name} : std::uint8_t {{ {members} }};") + [
        f"constexpr std::uint8_t all_bits({name}) {{ return {all_bits}; }}",
        f"constexpr {name} operator|({name} a, {name} b) {{",
        f"    return static_cast<{name}>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));",
        "}",
    ]


def struct(schema, layout):
    name = layout["name"]
    fields = []
    for field in layout["fields"]:
        fields.append(f"    {field_type(schema, layout, field)} {snake(field['name'])}{initial(schema, layout, field)};")
    constants = [f"    static constexpr std::uint32_t k_fixed = {layout['fixed']}, k_var_start = {layout['varStart']};"]
    is_fixed = layout["varCount"] == 0
    bulk = schema.is_packed(layout)
    any_bytes = is_fixed and not schema.is_checked(layout)
    if is_fixed:
        constants.append(f"    static constexpr bool k_bulk = {truth(bulk)}, k_any_bytes = {truth(any_bytes)};")
    if name in schema.packets:
        constants += info(schema, schema.packets[name])
        if any_bytes:
            constants += [
                f"    static void load(const std::uint8_t* p, {name}& v);",
                f"    static void store(std::uint8_t* p, const {name}& v);",
            ]
    if name in schema.packets or not is_fixed:
        constants += functions("    static ", "", name, measured=not is_fixed)
    out = ["", f"struct {name} {{", *fields, *([""] if fields else []), *constants, "};"]
    if bulk or schema.is_flags(layout):
        out.append(f"static_assert(sizeof({name}) == {layout['fixed']});")
    return out


def truth(value):
    return "true" if value else "false"


def info(schema, packet):
    direction = DIRECTIONS[packet.get("direction")]
    channel = schema.channels.get(packet.get("channel"), 0)
    compressed = truth(packet["compressed"])
    return [
        f"    static constexpr PacketInfo k_info{{{packet['id']}, \"{packet['name']}\", \"{packet['package']}\",",
        f"                                       protocol::Direction::{direction}, protocol::Channel{{{channel}}}, {compressed},",
        f"                                       {packet['fixed']}, {schema.smallest(packet)}, {packet['max']}}};",
        f"    static constexpr bool k_bounded = {truth(schema.bounded)};",
        *(["    static constexpr bool k_canonical = true;"] if schema.canonical else []),
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
    if k == "fixedArray":
        return f"std::array<{cpp_type(schema, type_['fixedArray'])}, {type_['len']}>"
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
        return "{}" if type_ == "uuid" or kind(type_) in ("enum", "fixedArray") else " = false" if type_ == "bool" else " = 0"
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

"""The code that reads, measures and writes the types of a schema: one straight function each."""

from functools import partial

from generator.cpp_types import banner, own, union_members, wrapped
from generator.model import FLOATS, PRIMITIVES, kind, snake

FILES = 6  # each reads the same headers first; two cores are busy all the same


def makers(schema, count):
    """File name -> what makes its text, for everything but the headers."""
    sources = {f"codec_{index}.cpp": partial(source, schema, names) for index, names in enumerate(parts(schema, count), 1)}
    return {**sources, "registry.cpp": lambda: registry(schema)}


def parts(schema, most):
    """What has functions of its own, in files of about the same weight. What belongs together is close together."""
    names = [name for name in schema.layouts if not is_part(schema, name)] + list(schema.unions)
    names.sort(key=lambda name: (schema.family[name], name))
    weights = {n: 3 + len(schema.layouts[n]["fields"]) if n in schema.layouts else 30 for n in names}
    count = min(most, max(1, sum(weights.values()) // 40))
    target = sum(weights.values()) / count
    out, weight = [[]], 0
    for name in names:
        if weight > target * len(out) and len(out) < count:
            out.append([])
        out[-1].append(name)
        weight += weights[name]
    return out


def is_part(schema, name):
    """Structs of fixed size are read in place, as part of others."""
    return schema.layouts[name]["varCount"] == 0 and name not in schema.packets


def guarded(condition, statement):
    """`if (condition) statement`, on two lines when one would be long."""
    line = f"    if ({condition}) {statement}"
    return [line] if len(line) <= 110 else [f"    if ({condition})", f"        {statement}"]


def plus(name, offset):
    """`name + offset`, or just the name."""
    return f"{name} + {offset}" if offset else name


def source(schema, names):
    ns = f"orbis::protocol::{schema.namespace}"
    out = [
        banner(schema),
        *[own(schema, f"{family}.hpp") for family in sorted({schema.family[name] for name in names})],
        '#include "protocol/list_elements.hpp"',
        "",
        f"namespace {ns} {{",
        "",
    ]
    keys = key_structs(schema)
    out += [f"void append_comparable(std::string& out, const {name}& v);" for name in keys]
    for name in fixed_in(schema, names):
        out += fixed_struct(schema, schema.layouts[name])
    for name in names:
        if name in schema.unions:
            out += union(schema, name)
        elif schema.layouts[name]["varCount"] == 0:
            out += fixed_packet(schema, schema.layouts[name])
        else:
            out += variable_struct(schema, schema.layouts[name])
        if name in keys:
            out += comparable(schema.layouts[name])
    return "\n".join([*out, "", f"}} // namespace {ns}", ""])


# Structs of fixed size. Their code is inline in every file that needs it.


def fixed_in(schema, names):
    """The structs of fixed size that others read in place, those before these that hold them."""
    found, todo = set(), list(names)
    for name in names:
        layouts = [schema.layouts[name]] if name in schema.layouts else []
        todo += schema.unions[name]["types"].values() if name in schema.unions else ()
        todo += (named for layout in layouts for field in layout["fields"] for named in schema.named_in(field["type"]))
    while todo:
        name = todo.pop()
        if name in schema.layouts and schema.layouts[name]["varCount"] == 0 and name not in found:
            found.add(name)
            todo += (named for field in schema.layouts[name]["fields"] for named in schema.named_in(field["type"]))
    return [name for name in schema.order if name in found]


def fixed_packet(schema, layout):
    name = layout["name"]
    out = ["", f"// {name}"]
    if not schema.is_checked(layout):
        out += [
            f"void {name}::load(const std::uint8_t* p, {name}& v) {{ load_whole(p, v); }}",
            f"void {name}::store(std::uint8_t* p, const {name}& v) {{ store_whole(p, v); }}",
        ]
    return [
        *out,
        f"std::size_t {name}::read(Decoder& in, std::size_t at, {name}& v) {{ return Fixed<{name}>::read(in, at, v); }}",
        f"std::uint8_t* {name}::write(Encoder& out, std::uint8_t* p, const {name}& v) {{ return Fixed<{name}>::write(out, p, v); }}",
    ]


def fixed_struct(schema, layout):
    name, size = layout["name"], layout["fixed"]
    out = ["", *fixed_parts(schema, layout, "inline ")[0]]
    if len(out) > 1:
        out.append(f"constexpr std::span<const FixedPart> parts_of(const {name}*) {{ return k_parts_of_{name}; }}")
    if schema.is_packed(layout):
        return out if len(out) > 1 else []  # copied as it is
    reads, writes = [], []
    if schema.is_flags(layout):
        reads, writes = ["    load_flags(p, v);"], ["    store_plain(p, v);"]
    else:
        reads += presence_bytes(layout)
        for field in layout["fields"]:
            reads += read_fixed(schema, field)
        writes += presence_bits(layout)
        for field in layout["fields"]:
            writes += write_fixed(schema, field, layout)
    if not layout["fields"]:
        return [
            *out,
            f"inline void load_fixed(const std::uint8_t*, {name}&) {{}}",
            f"inline void store_fixed(std::uint8_t*, const {name}&) {{}}",
        ]
    checked = schema.is_checked(layout)
    return [
        *out,
        f"inline void load_fixed({'Decoder& in, ' if checked else ''}const std::uint8_t* p, {name}& v) {{",
        *reads,
        "}",
        f"inline void store_fixed({'Encoder& out, ' if checked else ''}std::uint8_t* p, const {name}& v) {{",
        *writes,
        "}",
    ]


def fixed_parts(schema, layout, prefix=""):
    """The table of what must be there when a payload ends inside of the block. Where all of it must, as in
    later builds, there is none."""
    if schema.bounded or layout["nullBytes"] == 0:
        return [], "{}"
    entries = [[0, layout["nullBytes"], -1, None]] if layout["nullBytes"] else []
    for field in layout["fields"]:
        if "inline" in field:
            continue
        at = field.get("at", field.get("slotAt"))
        width = schema.width(field["type"]) if "at" in field else 4
        inner = None
        if "at" in field and schema.is_fixed_struct(field["type"]):
            nested = schema.layouts[field["type"]["struct"]]
            inner = nested["name"] if nested["nullBytes"] else None
        bit = field.get("null", -1)
        last = entries[-1] if entries else None
        if last and not inner and not last[3] and bit == last[2] == -1 and last[0] + last[1] == at:
            last[1] += width
        else:
            entries.append([at, width, bit, inner])
    table = f"k_parts_of_{layout['name']}"
    rows = []
    for at, width, bit, inner in entries:
        more = f", k_parts_of_{inner}.data(), k_parts_of_{inner}.size()" if inner else ""
        rows.append(f"{{{at}, {width}, {bit}{more}}}")
    lines, line = [], "   "
    for row in rows:
        if len(line) + len(row) > 105:
            lines.append(line)
            line = "   "
        line += f" {row},"
    return [f"{prefix}constexpr std::array<FixedPart, {len(rows)}> {table}{{{{", *lines, line, "}};"], table


# Structs with variable fields


def variable_struct(schema, layout):
    return [
        "",
        f"// {layout['name']}",
        *fixed_parts(schema, layout)[0],
        *variable_read(schema, layout),
        *variable_measure(schema, layout),
        *variable_write(schema, layout),
    ]


def variable_read(schema, layout):
    name, start = layout["name"], layout["varStart"]
    uses_block = start > 0 and bool(layout["fields"])
    parts_ = fixed_parts(schema, layout)[1]
    out = [f"std::size_t {name}::read(Decoder& in, std::size_t at, {name}& v) {{"]
    out.append(f"    {'const auto* p = ' if uses_block else ''}in.open(at, {start}, {parts_});")
    out += presence_bytes(layout)
    for field in layout["fields"]:
        if "at" in field:
            out += read_fixed(schema, field)
    out.append(f"    auto end = {plus('at', start)};")
    for field in layout["fields"]:
        if "at" in field:
            continue
        member, of = "v." + snake(field["name"]), element(schema, field["type"])
        inline = "inline" in field
        base = plus("at", start)
        place = base if inline else f"in.slot({base}, {plus('p', field['slotAt'])})"
        present = bit(field) if "null" in field else "true"
        if schema.canonical and not inline:
            place, present = "end", f"in.in_turn({base}, {plus('p', field['slotAt'])}, end, {present})"
        call = f"take{'_inline' if inline else ''}<{of}>(in, {place}, {{}}, end);"
        if schema.is_link(layout, field):
            out += guarded(f"auto* inner = link(in, {member}, {present})", call.format("*inner"))
        elif "null" in field:
            out += guarded(f"{member}.set({present})", call.format("*" + member))
        else:
            out += [f"    {present};"] if present != "true" else []
            out += ["    " + call.format(member)]
    return [*out, "    return in.close(end);", "}"]


def variable_measure(schema, layout):
    name = layout["name"]
    out = [f"std::size_t {name}::measure(Encoder& out, const {name}& v) {{"]
    enter, leave = nesting(schema, layout, "0")
    out += enter
    out.append(f"    std::size_t sum = {layout['varStart']};")
    for field in layout["fields"]:
        if "at" in field:
            continue
        member, of = "v." + snake(field["name"]), element(schema, field["type"])
        if "null" in field or schema.is_link(layout, field):
            out += guarded(member, f"sum += {of}::measure(out, *{member});")
        else:
            out.append(f"    sum += {of}::measure(out, {member});")
    return [*out, *leave, "    return sum;", "}"]


def nesting(schema, layout, nothing):
    """What stands at the start and at the end of code that can come back to the same struct."""
    if layout["name"] in schema.recursive or any_list_of_itself(schema, layout):
        return [f"    if (!out.enter()) return {nothing};"], ["    out.leave();"]
    return [], []


def any_list_of_itself(schema, layout):
    """Whether a struct leads back to itself through lists or maps."""
    seen, todo = set(), [layout["name"]]
    while todo:
        for field in schema.layouts[todo.pop()]["fields"]:
            for type_ in schema.types_in(field["type"]):
                targets = []
                if kind(type_) == "struct":
                    targets = [type_["struct"]]
                elif kind(type_) == "union":
                    targets = list(schema.unions[type_["union"]]["types"].values())
                if layout["name"] in targets:
                    return True
                todo += [t for t in targets if t not in seen]
                seen.update(targets)
    return False


def variable_write(schema, layout):
    name, start = layout["name"], layout["varStart"]
    out = [f"std::uint8_t* {name}::write(Encoder& out, std::uint8_t* p, const {name}& v) {{"]
    if start > 0:
        out.append(f"    if (!out.room(p, {start})) return p;")
    enter, leave = nesting(schema, layout, "p")
    out += enter
    out += presence_bits(layout)
    for field in layout["fields"]:
        if "at" in field:
            out += write_fixed(schema, field, layout)
    out.append(f"    auto* next = {plus('p', start)};")
    for field in layout["fields"]:
        if "at" in field:
            continue
        member, of = "v." + snake(field["name"]), element(schema, field["type"])
        null = "null" in field
        must_link = not null and schema.is_link(layout, field)
        call = f"next = {of}::write(out, next, {'*' if null or must_link else ''}{member});"
        lines = guarded(f"out.required({member})", call) if must_link else [f"    {call}"]
        if "inline" in field:
            out += guarded(member, call) if null else lines
        else:
            present = f"{member}.has_value()" if null else "true"
            slot = f"put_slot({plus('p', field['slotAt'])}, {plus('p', start)}, next, {present})"
            out += guarded(slot, call) if null else [f"    {slot};", *lines]
    return [*out, *leave, "    return next;", "}"]


# Unions


def union(schema, name):
    members = {id_: element(schema, {"struct": member}) for id_, member in union_members(schema.unions[name]).items()}
    out = ["", f"// {name}", f"std::size_t read_union(Decoder& in, std::size_t at, {name}& v) {{"]
    out += ["    const auto id = in.varint(at);", "    switch (id.value) {"]
    for index, (id_, of) in enumerate(members.items()):
        out.append(f"    case {id_}: return {of}::read(in, at + id.length, pick<{index}>(v));")
    out += ["    default: return in.refuse(Fault::type_unknown, at);", "    }", "}"]
    out += [f"std::size_t measure_union(Encoder& out, const {name}& v) {{", "    switch (v.index()) {"]
    for index, (id_, of) in enumerate(members.items()):
        out.append(f"    case {index}: return {varint_size(id_)} + {of}::measure(out, *std::get_if<{index}>(&v));")
    out += ["    default: return 0;", "    }", "}"]
    out += [f"std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const {name}& v) {{"]
    out += ["    if (!out.room(p, k_largest_varint)) return p;", "    switch (v.index()) {"]
    for index, (id_, of) in enumerate(members.items()):
        out.append(f"    case {index}: return {of}::write(out, write_varint(p, {id_}), *std::get_if<{index}>(&v));")
    return [*out, "    default: return p;", "    }", "}"]


def varint_size(value):
    return max(1, (value.bit_length() + 6) // 7)


# Fields of fixed width


def presence_bytes(layout):
    """The presence bits in variables: the compiler cannot know that they stay the same while fields are set."""
    return [f"    const auto bits{byte} = p[{byte}];" for byte in range(layout["nullBytes"])]


def bit(field):
    return f"bits{field['null'] // 8} & {1 << field['null'] % 8:#04x}"


def plain(schema, type_):
    """The functions that load and store a value, there or not, without a branch: see src/protocol/plain.hpp."""
    layout = schema.layouts[type_["struct"]] if kind(type_) == "struct" else None
    if type_ == "bool":
        return "load_flag", "store_plain"
    if kind(type_) == "fixedArray":
        inner = plain(schema, type_["fixedArray"])
        return inner if inner[0] == "load_plain" and not schema.is_checked_type(type_) else (None, None)
    if layout and schema.is_flags(layout):
        return "load_flags", "store_plain"
    if kind(type_) in PRIMITIVES or (layout and layout["varCount"] == 0 and schema.is_packed(layout)):
        return "load_plain", "store_plain"
    return None, None


def read_fixed(schema, field):
    member = "v." + snake(field["name"])
    null = "null" in field
    target = "*" + member if null else member
    place = plus("p", field["at"])
    k = kind(field["type"])
    load, _ = plain(schema, field["type"])
    if "bit" in field:
        return [f"    {member} = (p[{field['at']}] & {1 << field['bit']:#04x}) != 0;"]
    if load and null:
        line = f"{load}({place}, {bit(field)}, {member});"
    elif load:
        line = f"{load}({place}, {member});"
    elif k == "enum":
        line = f"in.{symbol(schema, field['type'])}({place}, {target});"
    elif k == "fixedArray":
        line = f"{element(schema, field['type'])}::load(in, {place}, {target});"
    elif k == "struct":
        line = f"load_fixed({'in, ' if schema.is_checked_field(field) else ''}{place}, {target});"
    else:
        line = f"{target} = in.fixed_text({place}, {field['type']['len']});"
    out = [f"    {line}"]
    if null and not load:
        out = [f"    if ({member}.set({bit(field)})) {line}"]
    if schema.finite and k in FLOATS:
        out.append(f"    in.finite({place}, {member});")
    for check, least in limits(field):
        out.append(f"    in.{check}<{PRIMITIVES[k][0]}>({place}, {least}, {target});")
    return out


def limits(field):
    """The functions that check a number, each with its limit."""
    found = [(check, field[key]) for key, check in (("minValue", "at_least"), ("maxValue", "at_most")) if key in field]
    if found and "null" in field:
        raise ValueError(f"{field['name']}: limits of a field that may be absent are not known yet")
    return found


def symbol(schema, type_):
    """The function that reads or writes an enum."""
    return "flags" if schema.is_flags_enum(type_["enum"]) else "wide_symbol" if "wire" in type_ else "symbol"


def write_fixed(schema, field, layout):
    member = "v." + snake(field["name"])
    null = "null" in field
    value = "*" + member if null else member
    place = plus("p", field["at"])
    k = kind(field["type"])
    _, store = plain(schema, field["type"])
    if "bit" in field:
        return packed_byte(layout, field)
    if store:
        line = f"{store}({place}, {member});"
    elif k == "enum":
        line = f"out.{symbol(schema, field['type'])}({place}, {value});"
    elif k == "fixedArray":
        line = f"{element(schema, field['type'])}::store(out, {place}, {value});"
    elif k == "struct":
        line = f"store_fixed({'out, ' if schema.is_checked_field(field) else ''}{place}, {value});"
    else:
        line = f"out.fixed_text({place}, {field['type']['len']}, {value});"
    out = [f"    {line}"]
    if null and not store:  # absent fields are zeros
        zeros = f"std::memset({place}, 0, {schema.width(field['type'])});"
        out = [f"    if ({member}) {line}", f"    else {zeros}"] if len(line) < 90 else [
            f"    if ({member})", f"        {line}", "    else", f"        {zeros}"]
    if schema.finite and k in FLOATS:
        out.append(f"    out.finite({member});")
    out += [f"    out.{check}<{PRIMITIVES[k][0]}>({limit}, {value});" for check, limit in limits(field)]
    return out


def packed_byte(layout, field):
    """The booleans that share a byte, all of them at the first."""
    at = field["at"]
    sharing = [each for each in layout["fields"] if "bit" in each and each["at"] == at]
    if field is not sharing[0]:
        return []
    terms = [f"v.{snake(each['name'])}" + (f" << {each['bit']}" if each["bit"] else "") for each in sharing]
    return wrapped(f"    p[{at}] = static_cast<std::uint8_t>({' | '.join(terms)});", indent=8)


def presence_bits(layout):
    """One bit for each field that may be absent."""
    out = []
    for byte in range(layout["nullBytes"]):
        terms = []
        for field in layout["fields"]:
            if field.get("null", -1) // 8 == byte and "null" in field:
                shift = field["null"] % 8
                terms.append(f"v.{snake(field['name'])}.has_value()" + (f" << {shift}" if shift else ""))
        out += wrapped(f"    p[{byte}] = static_cast<std::uint8_t>({' | '.join(terms) if terms else 0});", indent=8)
    return out


# Values of variable fields, and elements


def element(schema, type_):
    """The C++ type that reads and writes a value, see src/protocol/elements.hpp."""
    k = kind(type_)
    if k == "bool":
        return "Flag"
    if k == "uuid":
        return "UuidOf"
    if k in PRIMITIVES:
        return f"{'FiniteNumber' if schema.finite and k in FLOATS else 'Number'}<{PRIMITIVES[k][0]}>"
    if k == "enum":
        of = {"flags": "FlagsOf", "wide_symbol": "WideSymbol", "symbol": "Symbol"}[symbol(schema, type_)]
        return f"{of}<{type_['enum']}>"
    if k == "fixedArray":
        return f"ArrayOf<{element(schema, type_['fixedArray'])}, {type_['len']}>"
    if k == "struct":
        return f"{'Fixed' if schema.is_fixed_struct(type_) else 'Struct'}<{type_['struct']}>"
    if k == "union":
        return f"Choice<{type_['union']}>"
    if k == "string":
        return f"TextOf<{type_['max']}{', true' if type_['string'] == 'ascii' else ''}>"
    if schema.is_bytes(type_):
        return f"BytesOf<{type_['max']}>"
    if k == "array" and type_.get("sparse"):
        return f"SparseOf<{element(schema, type_['array'])}, {type_['max']}>"
    if k == "array":
        unchecked = ", true" if type_.get("encodeUnchecked") else ""
        return f"ListOf<{element(schema, type_['array'])}, {type_['max']}{unchecked}>"
    if k == "map":
        key, value = (element(schema, each) for each in type_["map"])
        return f"MapOf<{key}, {value}, {type_['max']}>"
    raise ValueError(f"no element for {type_}")


# Structs that are keys of maps


def key_structs(schema):
    names = set()
    for layout in schema.layouts.values():
        for field in layout["fields"]:
            for type_ in schema.types_in(field["type"]):
                if kind(type_) == "map" and kind(type_["map"][0]) == "struct":
                    names.add(type_["map"][0]["struct"])
    return sorted(names)


def comparable(layout):
    lines = [f"    append_comparable(out, v.{snake(field['name'])});" for field in layout["fields"]]
    return [f"void append_comparable(std::string& out, const {layout['name']}& v) {{", *lines, "}"]


# The registry


def registry(schema):
    ns = f"orbis::protocol::{schema.namespace}"
    packets = sorted(schema.packets.values(), key=lambda p: p["id"])
    out = [
        banner(schema),
        own(schema, "all.hpp"),
        '#include "protocol/packet_table.hpp"',
        "",
        "#include <array>",
        "",
        f"namespace {ns} {{",
        "",
        "namespace {",
        "",
        f"constexpr std::array<PacketInfo, {len(packets)}> k_infos{{{{",
        *[f"    {packet['name']}::k_info," for packet in packets],
        "}};",
        "",
        f"constexpr std::array<PacketCode, {len(packets)}> k_codes{{{{",
        *[f"    code_of<{packet['name']}>()," for packet in packets],
        "}};",
        "",
        "} // namespace",
        "",
        "Registry registry() { return Registry(k_infos); }",
        "",
        "std::span<const PacketCode> packet_codes() { return k_codes; }",
        "",
        f"}} // namespace {ns}",
        "",
    ]
    return "\n".join(out)

"""Reference pages: every packet of one build by category, the types they are made of, and what other builds
have instead."""

import json
import pathlib

from generator.model import PRIMITIVES, kind

DIRECTIONS = {"ToClient": "to the client", "ToServer": "to the server", "Both": "both ways", None: "not stated"}
NOTE = "Made by `protocol/generate.py pages` from `protocol/schema/`; not to be edited."


def files(paths, build):
    """File name -> text, for the pages of one build; `paths` are the schema files of all."""
    schemas = sorted((json.loads(pathlib.Path(path).read_text()) for path in paths), key=_age)
    schema = next(each for each in schemas if each["build"] == build)
    categories = sorted({packet["package"] for packet in schema["packets"].values()})
    made = {"README.md": index(schema, schemas, categories)}
    for category in categories:
        made[f"{category}.md"] = category_page(schema, schemas, category)
    made["types.md"] = types_page(schema)
    return made


def _age(schema):
    return schema["protocol"]["version"], schema["protocol"].get("buildNumber", 0)


def index(schema, schemas, categories):
    out = [f"# Packets of {schema['build']}", "", NOTE, "", "| Id | Packet | Category | Direction | Channel | Compressed | Bytes |"]
    out.append("|---|---|---|---|---|---|---|")
    for name, packet in sorted(schema["packets"].items(), key=lambda item: item[1]["id"]):
        size = str(packet["fixed"]) if packet["varCount"] == 0 else f"{packet['varStart']} – {packet['max']}"
        category = packet["package"]
        out.append(
            f"| {packet['id']} | [{name}]({category}.md#{name.lower()}) | {category} | {DIRECTIONS[packet.get('direction')]} "
            f"| {packet.get('channel', '')} | {'yes' if packet['compressed'] else ''} | {size} |"
        )
    later = sorted({n for s in schemas for n in s["packets"]} - set(schema["packets"]))
    out += ["", "## Packets of other builds only", "", "| Packet | Id | Builds |", "|---|---|---|"]
    for name in later:
        having = [s for s in schemas if name in s["packets"]]
        ids = sorted({s["packets"][name]["id"] for s in having})
        out.append(f"| {name} | {', '.join(map(str, ids))} | {', '.join(s['build'] for s in having)} |")
    out += ["", "How the bytes lie: [the wire protocol](../formats/protocol.md). What the types hold: [types](types.md)."]
    out += ["By category: " + ", ".join(f"[{c}]({c}.md)" for c in categories) + ".", ""]
    return "\n".join(out)


def category_page(schema, schemas, category):
    out = [f"# Packets of {schema['build']}: {category}", "", NOTE]
    packets = [(n, p) for n, p in schema["packets"].items() if p["package"] == category]
    for name, packet in sorted(packets, key=lambda item: item[1]["id"]):
        facts = [f"Id {packet['id']}", DIRECTIONS[packet.get("direction")]]
        if "channel" in packet:
            facts.append(f"channel {packet['channel']}")
        if packet["compressed"]:
            facts.append("compressed")
        out += ["", f"## {name}", "", ", ".join(facts) + ". " + sizes(packet), *fields(schema, packet), *history(schemas, schema, name)]
    return "\n".join([*out, ""])


def sizes(layout):
    if not layout["fields"]:
        return "Empty."
    if layout["varCount"] == 0:
        return f"Always {layout['fixed']} bytes."
    return f"Fixed block {layout['fixed']} bytes, variable block from {layout['varStart']}, at most {layout['max']} bytes."


def fields(schema, layout):
    if not layout["fields"]:
        return []
    out = ["", "| Field | Place | Bit | Type |", "|---|---|---|---|"]
    for field in layout["fields"]:
        place = str(field["at"]) if "at" in field else f"slot at {field['slotAt']}" if "slotAt" in field else "behind the block"
        place += f", bit {field['bit']}" if "bit" in field else ""
        least = f", at least {field['minValue']}" if "minValue" in field else ""
        most = f", at most {field['maxValue']}" if "maxValue" in field else ""
        out.append(f"| {field['name']} | {place} | {field.get('null', '')} | {type_text(schema, field['type'])}{least}{most} |")
    return out


def type_text(schema, type_):
    k = kind(type_)
    if k in PRIMITIVES:
        return k
    if k == "fixedArray":
        return f"fixed list of {type_['len']} {type_text(schema, type_['fixedArray'])}"
    if k in ("enum", "struct", "union"):
        name = type_[k]
        if name in schema["packets"]:
            return f"[{name}]({schema['packets'][name]['package']}.md#{name.lower()})"
        return f"[{name}](types.md#{name.lower()})"
    if k == "string":
        return f"{'ASCII' if type_['string'] == 'ascii' else 'UTF-8'} text, up to {type_['max']} bytes"
    if k == "fixedString":
        return f"ASCII text of {type_['len']} bytes"
    limit = f", up to {type_['max']}" if "max" in type_ else ""
    if k == "array" and type_["array"] == "i8":
        return f"bytes{limit}"
    if k == "array":
        return f"{'sparse ' if type_.get('sparse') else ''}list of {type_text(schema, type_['array'])}{limit}"
    return f"map from {type_text(schema, type_['map'][0])} to {type_text(schema, type_['map'][1])}{limit}"


def history(schemas, schema, name):
    """In which builds the packet is, and in which of them its own layout differs from this one."""
    missing = [s["build"] for s in schemas if name not in s["packets"]]
    different = [s["build"] for s in schemas if name in s["packets"] and shape(s["packets"][name]) != shape(schema["packets"][name])]
    lines = []
    if missing:
        lines.append(f"Not in {', '.join(missing)}.")
    if different:
        lines.append(f"Another layout in {', '.join(different)}.")
    return ["", " ".join(lines)] if lines else []


def shape(packet):
    return packet["id"], packet["compressed"], json.dumps(packet["fields"])


def types_page(schema):
    out = [f"# Types of {schema['build']}", "", NOTE, "", "## Structs"]
    for name, struct in sorted(schema["structs"].items()):
        if not struct.get("unused"):
            out += ["", f"### {name}", "", sizes(struct), *fields(schema, struct)]
    out += ["", "## Unions"]
    for name, union in sorted(schema["unions"].items()):
        out += ["", f"### {name}", "", "| Id | Struct |", "|---|---|"]
        for id_, member in sorted(union["types"].items(), key=lambda item: int(item[0])):
            out.append(f"| {id_} | [{member}](#{member.lower()}) |")
    out += ["", "## Enums"]
    for name, enum in sorted(schema["enums"].items()):
        if not enum.get("unused"):
            values = ", ".join(f"{index} {value}" for index, value in enumerate(enum["values"]))
            out += ["", f"### {name}", "", values]
    return "\n".join([*out, ""])

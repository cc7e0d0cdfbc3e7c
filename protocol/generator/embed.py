"""One source file that puts every schema and the dissector into the program, so that it needs no files at run time."""

import json
import pathlib


def source(schemas, script, dialects):
    """The text of the source file for the given schema files, the script of the dissector and the folder of dialects."""
    builds = sorted((_build(path) for path in schemas), key=lambda b: (b["version"], b["number"]))
    out = [
        "// Made by protocol/generate.py from protocol/schema; not to be edited.",
        '#include "protocol/catalogue.hpp"',
        '#include "protocol/dissector.hpp"',
        "",
        "#include <array>",
        "",
        "// The files as they are; the assembler reads them far faster than a compiler reads literals.",
        "asm(R\"(",
        "    .pushsection .rodata",
    ]
    embedded = [(f"orbis_schema_{index}", build["path"]) for index, build in enumerate(builds)]
    embedded += [(f"orbis_dialect_{index}", pathlib.Path(dialects).resolve() / f"{build['build']}.json")
                 for index, build in enumerate(builds)]
    embedded.append(("orbis_dissector", pathlib.Path(script).resolve()))
    for symbol, path in embedded:
        out += [f"    .global {symbol}, {symbol}_end", f"{symbol}:", f'    .incbin "{path}"', f"{symbol}_end:", "    .byte 0"]
    out += ["    .popsection", ')");', ""]
    out += [f'extern "C" const char {symbol}[], {symbol}_end[];' for symbol, _ in embedded]
    out += [
        "",
        "namespace orbis::protocol {",
        "",
        "std::span<const BuildInfo> builds() {",
        f"    static const std::array<BuildInfo, {len(builds)}> all{{{{",
    ]
    for index, build in enumerate(builds):
        crc = "std::nullopt" if build["crc"] is None else f"static_cast<std::int32_t>({build['crc']:#x}U)"
        out += [
            f"        {{\"{build['build']}\", \"{build['same']}\", {build['version']}, {build['number']}, {crc},",
            f"         \"{build['hash']}\", {{orbis_schema_{index}, orbis_schema_{index}_end}},",
            f"         {{orbis_dialect_{index}, orbis_dialect_{index}_end}}, {_is_spoken(dialects, build)}}},",
        ]
    out += [
        "    }};",
        "    return all;",
        "}",
        "",
        "std::string_view dissector_script() { return {orbis_dissector, orbis_dissector_end}; }",
        "",
        "} // namespace orbis::protocol",
        "",
    ]
    return "\n".join(out)


def _is_spoken(dialects, build):
    manners = json.loads((pathlib.Path(dialects) / f"{build['build']}.json").read_text())
    return "true" if manners.get("spoken", True) else "false"


def _build(path):
    schema = json.loads(pathlib.Path(path).read_text())
    protocol = schema["protocol"]
    crc = protocol.get("crc")
    return {
        "path": pathlib.Path(path).resolve(),
        "build": schema["build"],
        "same": " ".join(schema.get("sameLayout", [])),
        "version": protocol["version"],
        "number": protocol.get("buildNumber", 0),
        "crc": None if crc is None else crc & 0xFFFFFFFF,
        "hash": protocol.get("hash", ""),
    }

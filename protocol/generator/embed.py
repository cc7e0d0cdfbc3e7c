"""One source file that puts every schema into the program, so that it needs no files at run time."""

import json
import pathlib


def source(schemas):
    """The text of the source file for the given schema files."""
    builds = sorted((_build(path) for path in schemas), key=lambda b: (b["version"], b["number"]))
    out = [
        "// Made by protocol/generate.py from protocol/schema; not to be edited.",
        '#include "protocol/catalogue.hpp"',
        "",
        "#include <array>",
        "",
        "// The files as they are; the assembler reads them far faster than a compiler reads literals.",
        "asm(R\"(",
        "    .pushsection .rodata",
    ]
    for index, build in enumerate(builds):
        out += [
            f"    .global orbis_schema_{index}, orbis_schema_{index}_end",
            f"orbis_schema_{index}:",
            f"    .incbin \"{build['path']}\"",
            f"orbis_schema_{index}_end:",
            "    .byte 0",
        ]
    out += ["    .popsection", ')");', ""]
    for index, _ in enumerate(builds):
        out.append(f"extern \"C\" const char orbis_schema_{index}[], orbis_schema_{index}_end[];")
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
            f"         \"{build['hash']}\", {{orbis_schema_{index}, orbis_schema_{index}_end}}}},",
        ]
    out += ["    }};", "    return all;", "}", "", "} // namespace orbis::protocol", ""]
    return "\n".join(out)


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

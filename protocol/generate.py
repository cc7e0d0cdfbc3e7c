#!/usr/bin/env python3
"""Makes code and pages from the wire schemas in protocol/schema.

    generate.py embed OUT.cpp SCHEMA...               the schemas themselves, as data of the program
    generate.py types OUT_FOLDER SCHEMA [OPTION...]   C++ types with the code that reads and writes them
    generate.py list SCHEMA [OPTION...]               the files that `types` makes, one per line
    generate.py golden                                protocol/golden: a few packets, so that a change shows
    generate.py pages                                 docs/packets: the reference pages
    generate.py check                                 whether golden and pages are up to date, and whether
                                                      every schema can be generated
"""

import argparse
import pathlib
import sys

from generator import cpp_codec, cpp_types, embed, pages
from generator.model import Schema

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "packets"
USUAL_BUILD = "2026.02.17"
GOLDEN = {  # build -> where its few packets are, and which
    USUAL_BUILD: (HERE / "golden", ["ClientMovement", "Connect", "SendWindowAction", "SetChunk", "SyncInteractionChains"]),
    "b242": (HERE / "golden" / "b242", ["ClientMovement", "SetColumn", "ShowEventTitle", "ViewRadius"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    embedding = commands.add_parser("embed")
    embedding.add_argument("out", type=pathlib.Path)
    embedding.add_argument("schemas", nargs="+", type=pathlib.Path)
    types = commands.add_parser("types")
    types.add_argument("out", type=pathlib.Path)
    types.add_argument("schema", type=pathlib.Path)
    listing = commands.add_parser("list")
    listing.add_argument("schema", type=pathlib.Path)
    for command in types, listing:
        command.add_argument("--only", nargs="+", help="just these packets and what they lead to")
        command.add_argument("--files", type=int, default=cpp_codec.FILES, help="source files to make, at the most")
        command.add_argument("--usual", action="store_true", help="the packets are also to be had without the build's name")
    for name in "golden", "pages", "check":
        commands.add_parser(name)
    options = parser.parse_args()

    if options.command == "embed":
        write(options.out, embed.source(options.schemas, HERE / "dissector.lua", HERE / "dialect"))
    elif options.command in ("types", "list"):
        makers = type_makers(Schema(options.schema, options.only), options.files, options.usual)
        if options.command == "list":
            print(*makers, sep="\n")
        else:
            write_all(options.out, texts(makers))
    elif options.command == "golden":
        for folder, files in golden_folders():
            write_all(folder, files)
    elif options.command == "pages":
        write_all(PAGES, page_files())
    elif options.command == "check":
        return check()
    return 0


def schema_paths():
    return sorted((HERE / "schema").glob("*.json"))


def type_makers(schema, files=cpp_codec.FILES, usual=False):
    """File name -> what makes its text."""
    makers = {**cpp_types.makers(schema), **cpp_codec.makers(schema, files)}
    return {**makers, **cpp_types.usual_makers(schema)} if usual else makers


def texts(makers):
    return {name: make() for name, make in makers.items()}


def golden_folders():
    """Each folder with its files, name -> text."""
    for build, (folder, packets) in GOLDEN.items():
        yield folder, texts(type_makers(Schema(HERE / "schema" / f"{build}.json", packets)))


def page_files():
    return pages.files(schema_paths(), USUAL_BUILD)


def check():
    """0 when everything is up to date; else names what is not."""
    stale = []
    for folder, files in (*golden_folders(), (PAGES, page_files())):
        there = {path.name for path in folder.iterdir() if path.is_file()} if folder.exists() else set()
        stale += [folder / name for name in sorted(there - set(files))]
        stale += [folder / name for name, text in files.items() if name not in there or (folder / name).read_text() != text]
    for path in stale:
        print(f"{path} is not up to date: run protocol/generate.py golden and pages", file=sys.stderr)
    for path in schema_paths():
        texts(type_makers(Schema(path)))
    return 1 if stale else 0


def write_all(folder, files):
    """Writes the files, and removes others beside them: a header of another time would still be found."""
    paths = {(folder / name).resolve(): text for name, text in files.items()}
    for path, text in paths.items():
        write(path, text)
    for beside in {path.parent for path in paths}:
        for path in beside.iterdir():
            if path.is_file() and path not in paths:
                path.unlink()


def write(path, text):
    """Writes a file unless it holds the text already, so that nothing is compiled again without need."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())

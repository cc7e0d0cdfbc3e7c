#!/usr/bin/env python3
"""Makes code and pages from the wire schemas in protocol/schema.

    generate.py embed OUT.cpp SCHEMA...    the schemas themselves, as data of the program
"""

import argparse
import pathlib
import sys

from generator import embed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    embedding = commands.add_parser("embed")
    embedding.add_argument("out", type=pathlib.Path)
    embedding.add_argument("schemas", nargs="+", type=pathlib.Path)
    options = parser.parse_args()

    if options.command == "embed":
        write(options.out, embed.source(options.schemas))
    return 0


def write(path, text):
    """Writes a file unless it holds the text already, so that nothing is compiled again without need."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())

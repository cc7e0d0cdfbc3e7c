#!/usr/bin/env python3
"""Checks that includes have one direction, between layers and between the parts of a layer, and that one file knows how
positions are written: layers.py ROOT

A layer includes only itself and the layers before it. A part of a layer is a subfolder of it, or the files that are
directly in its folder. Parts must not include each other in a circle; where a layer names the order of its parts, a part
includes only itself and the parts before it. In `app` only the argument that verbs share finds locations.
"""

import pathlib
import re
import sys

# docs/design/layers.md
LAYERS = ["bytes", "bson", "storage", "chunk", "world", "jobs", "watch", "page", "map", "mesh", "library", "protocol", "capture", "net", "wire", "query", "http", "game", "proxy", "inspect", "app"]
# The parts of a layer in their order. "." stands for the files directly in its folder.
PARTS = {
    "game": ["codec", "content", "entities", "chunks", "edits", "mapview", "player", "bot", "download", "replay", "serve"],
}
# Headers that only one file of a layer includes, so that what they do has one owner there.
OWNERS = {("app", "jobs/snapshot/source.hpp"): "app/world_argument.cpp"}


class Include:
    """One line that includes a file of the project."""

    def __init__(self, path, number, line):
        self.path, self.number, self.line = path, number, line
        self.layer, self.part = place_of(path)
        self.to_layer, self.to_part = place_of(pathlib.PurePath(re.match(r'#include "([^"]+)"', line)[1]))

    def __str__(self):
        return f"src/{self.path}:{self.number}: {self.line}"


def place_of(path):
    """The layer and the part of a file, by its path below src."""
    return path.parts[0], path.parts[1] if len(path.parts) > 2 else "."


def name_of(layer, part):
    return f"{layer}/{part}" if part != "." else f"the files of {layer}/"


def read_includes(source):
    for path in sorted(source.rglob("*.[ch]pp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r'#include "[a-z0-9_]+/', line):
                yield Include(path.relative_to(source), number, line)


def find_circle(links):
    """The parts of a circle in their order; nothing where there is none. `links` has the parts that a part includes."""
    done = set()

    def search(part, way):
        if part in way:
            return way[way.index(part):]
        if part in done:
            return []
        for other in sorted(links.get(part, {})):
            if circle := search(other, [*way, part]):
                return circle
        done.add(part)
        return []

    for part in sorted(links):
        if circle := search(part, []):
            return circle
    return []


def find_written_positions(source):
    """Texts for `fmt` with the numbers of a position, which are for the formatters of positions."""
    for path in sorted(source.rglob("*.[ch]pp")):
        if path.name.endswith(("_test.cpp", "_test.hpp", "position.hpp", "tile_pos.hpp")):
            continue
        text = path.read_text()
        for found in re.finditer(r'"[^"\n]*\{\},\{\}|"[^"\n]*(?<!\.)\{\}[,.] ?\{\}[^;]*?([\w.>*-]+)(\.|->)x, \1\2z\b', text):
            yield f"src/{path.relative_to(source)}:{text.count(chr(10), 0, found.start()) + 1}: {found[0].splitlines()[0]}"


def check(source):
    wrong = [f"{line}\n  give the position itself to fmt, as {{}} or {{:n}} (src/bytes/position.hpp)"
             for line in find_written_positions(source)]
    for path in sorted(source.iterdir()):
        if path.is_dir() and path.name not in LAYERS:
            wrong.append(f"src/{path.name} is not a layer of docs/design/layers.md")
    links = {layer: {} for layer in LAYERS}  # for each part the parts that it includes, with the lines
    for include in read_includes(source):
        layer, to_layer = include.layer, include.to_layer
        if layer not in LAYERS or to_layer not in LAYERS:
            continue  # of generated files, or told above
        if LAYERS.index(to_layer) > LAYERS.index(layer):
            wrong.append(f"{include}\n  {layer} may not include {to_layer}, which comes after it")
        header = re.match(r'#include "([^"]+)"', include.line)[1]
        if str(include.path) != OWNERS.get((layer, header), str(include.path)):
            wrong.append(f"{include}\n  in {layer} this is for {OWNERS[layer, header]} alone")
        if to_layer != layer or include.part == include.to_part:
            continue
        links[layer].setdefault(include.part, {}).setdefault(include.to_part, []).append(include)
        order = PARTS.get(layer, [])
        if include.part in order and include.to_part in order and order.index(include.to_part) > order.index(include.part):
            wrong.append(f"{include}\n  {name_of(layer, include.part)} may not include "
                         f"{name_of(layer, include.to_part)}, which comes after it")
    for layer, order in PARTS.items():
        found = {place_of(path.relative_to(source))[1] for path in (source / layer).rglob("*.[ch]pp")}
        wrong += [f"src/{layer}/{part} has no place in the order of parts in tests/layers.py" for part in sorted(found - set(order))]
        wrong += [f"tests/layers.py names src/{layer}/{part}, which is not there" for part in sorted(set(order) - found)]
    for layer in LAYERS:
        circle = find_circle(links[layer])
        if not circle:
            continue
        wrong.append(f"parts of {layer} include each other in a circle:")
        for part, other in zip(circle, circle[1:] + circle[:1]):
            lines = links[layer][part][other]
            wrong.append(f"  {name_of(layer, part)} includes {name_of(layer, other)}")
            wrong += [f"    {line}" for line in lines[:5]]
            if len(lines) > 5:
                wrong.append(f"    and {len(lines) - 5} more lines")
    return wrong


wrong = check(pathlib.Path(sys.argv[1]) / "src")
print("\n".join(wrong) or "every layer and every part of one includes only those before it; positions are written by one file")
sys.exit(1 if wrong else 0)

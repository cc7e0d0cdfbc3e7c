#!/usr/bin/env python3
"""Checks that a layer includes only itself and the layers before it: layers.py ROOT"""

import pathlib
import re
import sys

# docs/design/layers.md
LAYERS = ["bytes", "bson", "storage", "chunk", "world", "care", "watch", "page", "map", "protocol", "net", "http", "game", "app"]

source = pathlib.Path(sys.argv[1]) / "src"
wrong = []
for path in sorted(source.rglob("*.[ch]pp")):
    layer = path.relative_to(source).parts[0]
    if layer not in LAYERS:
        wrong.append(f"{path}: {layer} is not a layer of docs/design/layers.md")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        included = re.match(r'#include "([a-z0-9_]+)/', line)
        if included and included[1] in LAYERS and LAYERS.index(included[1]) > LAYERS.index(layer):
            wrong.append(f"{path}:{number}: {layer} may not include {included[1]}, which comes after it")
print("\n".join(wrong) or "every layer includes only those before it")
sys.exit(1 if wrong else 0)

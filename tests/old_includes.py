#!/usr/bin/env python3
"""Whether each source includes what it uses: tests/includes.py BUILD-FOLDER [PART-OF-A-PATH...]

Layers are compiled several sources at once, with headers of others read before (docs/design/building.md), which hides
what a source forgot to include. So each is read alone here, by the commands of a build without that, and nothing is made.

Most of that time would go into the same headers again and again. Sources that share headers therefore share a precompiled
header, which has nothing but what each of them reaches by its own includes: it can hide nothing from any of them.
"""

import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
build, parts = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]


def is_ours(file):
    path = pathlib.Path(file)
    return path.is_relative_to(root) and not path.is_relative_to(build)


def options_of(entry):
    """The command that compiles a source, without the source and what is made of it."""
    command = shlex.split(entry["command"])
    if pathlib.Path(command[0]).name == "ccache":
        del command[0]
    del command[command.index("-o"):command.index("-o") + 2]
    return tuple(word for word in command if word not in ("-c", entry["file"]))


@functools.cache
def includes_in(path):
    """What a file includes whatever is defined: not what stands under an #if."""
    names, depth = [], 0
    for line in path.read_text().splitlines():
        directive = re.match(r"\s*#\s*(if|endif|include)\w*\s*(?:[<\"](.+?)[>\"])?", line)
        if not directive:
            continue
        depth += {"if": 1, "endif": -1}.get(directive[1], 0)
        if directive[1] == "include" and directive[2] and depth == 0:
            names.append(directive[2])
    return names


@functools.cache
def resolved(name, folders):
    return next((path for folder in folders if (path := folder / name).is_file()), None)


def reached_from(file, options):
    """The headers that a source reaches: ours through and through, those of others by name."""
    folders = tuple(pathlib.Path(word[2:]) for word in options if word.startswith("-I"))
    reached, waiting = {}, [pathlib.Path(file)]
    while waiting:
        for name in includes_in(waiting.pop()):
            if name not in reached:
                reached[name] = resolved(name, folders)
                if reached[name]:
                    waiting.append(reached[name])
    return reached


Source = collections.namedtuple("Source", "file directory reached")


def cost(headers, ours):
    """About what reading headers takes. Those of others are long."""
    return sum(1 if header in ours else 10 for header in headers)


def grouped(sources, ours):
    """Splits sources into groups that share so many headers that a precompiled one for each group pays."""
    def shared(group):
        return frozenset.intersection(*(source.reached for source in group))

    common = shared(sources)
    best, best_gain = None, 0
    for header in sorted(frozenset.union(*(source.reached for source in sources)) - common):
        having = [source for source in sources if header in source.reached]
        others = [source for source in sources if header not in source.reached]
        gain = -cost(common, ours)
        for group in (having, others):
            gain += (len(group) - 1) * cost(shared(group) - common, ours) - cost(common, ours)
        gain += cost(common, ours)
        if gain > best_gain:
            best, best_gain = (having, others), gain
    if not best:
        return [(sources, common)]
    return grouped(best[0], ours) + grouped(best[1], ours)


def read(options, directory, *words):
    """What the compiler says: nothing when it understands. Format strings are checked by every other build."""
    run = subprocess.run([*options, *words, "-DFMT_CONSTEVAL=", "-fpch-instantiate-templates", "-w",
                          "-fno-caret-diagnostics"], cwd=directory, capture_output=True, text=True)
    return run.stderr or f"the compiler ended with {run.returncode}" if run.returncode else ""


def precompile(folder, number, options, group, headers, ours):
    """The precompiled header of a group. Our own headers come first, so that they bring what they need."""
    header = pathlib.Path(folder) / f"{number}.hpp"
    header.write_text("".join(f"#include <{name}>\n" for name in sorted(headers, key=lambda name: (name not in ours, name))))
    answer = read(options, group[0].directory, "-x", "c++-header", str(header), "-o", f"{header}.pch")
    return ("", f"{header}.pch") if not answer else (answer, None)


entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())
           if is_ours(entry["file"]) and all(part in entry["file"] for part in parts)}
ours, by_options = set(), collections.defaultdict(list)
for file, entry in entries.items():
    options = options_of(entry)
    reached = reached_from(file, options)
    ours.update(name for name, path in reached.items() if path)
    by_options[options].append(Source(file, entry["directory"], frozenset(reached)))
groups = [(options, group, headers) for options, sources in by_options.items() for group, headers in grouped(sources, ours)]

wrong = {}
with tempfile.TemporaryDirectory(dir=build) as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
    def check(numbered):
        number, (options, group, headers) = numbered
        words = []
        if len(group) > 1 and headers:
            answer, made = precompile(folder, number, options, group, headers, ours)
            if answer:
                return {f"headers that {group[0].file} reaches": answer}
            words = ["-include-pch", made]
        answers = {source.file: read(options, source.directory, *words, "-fsyntax-only", source.file) for source in group}
        if words:
            os.unlink(words[1])
        return {file: answer for file, answer in answers.items() if answer}

    for answers in workers.map(check, enumerate(sorted(groups, key=lambda group: -len(group[1])))):
        wrong.update(answers)
for file, answer in sorted(wrong.items()):
    print(f"{os.path.relpath(file, root)} does not include all that it uses:\n{answer}")
if wrong or not entries:
    sys.exit(f"includes: {len(wrong)} of {len(entries)} sources do not include what they use")
print(f"includes: {len(entries)} sources include what they use ({len(groups)} groups)")

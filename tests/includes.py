#!/usr/bin/env python3
"""Whether each source includes what it uses: tests/includes.py BUILD-FOLDER [PART-OF-A-PATH...]

Layers are compiled several sources at once, with headers of others read before (docs/design/building.md), which hides
what a source forgot to include. So each is read alone here, by the commands of a build without that, and nothing is made.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
build, parts = pathlib.Path(sys.argv[1]), sys.argv[2:]


def is_ours(file):
    path = pathlib.Path(file)
    return path.is_relative_to(root) and not path.is_relative_to(build.resolve())


def read(entry):
    """What the compiler says of a source: nothing when it includes all that it uses."""
    command = shlex.split(entry["command"])
    if pathlib.Path(command[0]).name == "ccache":
        del command[0]
    del command[command.index("-o"):command.index("-o") + 2]
    run = subprocess.run([*command, "-fsyntax-only", "-w", "-fno-caret-diagnostics"], cwd=entry["directory"],
                         capture_output=True, text=True)
    return run.stderr if run.returncode else ""


entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())
           if is_ours(entry["file"]) and all(part in entry["file"] for part in parts)}
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
    answers = dict(zip(entries, workers.map(read, entries.values())))
wrong = {file: answer for file, answer in answers.items() if answer}
for file, answer in sorted(wrong.items()):
    print(f"{pathlib.Path(file).relative_to(root)} does not include all that it uses:\n{answer}")
if wrong or not entries:
    sys.exit(f"includes: {len(wrong)} of {len(entries)} sources do not include what they use")
print(f"includes: {len(entries)} sources include what they use")

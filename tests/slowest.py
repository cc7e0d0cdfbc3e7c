#!/usr/bin/env python3
"""Prints the ten slowest tests of the last run of ctest: slowest.py BUILD_FOLDER

A program of GoogleTest counts as its single tests, which it writes into times/*.json; any other as a whole.
"""

import json
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1])
times = []
for path in (build / "times").glob("*.json"):
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            times.append((float(test["time"].removesuffix("s")), f"{suite['name']}.{test['name']}", path.stem))
programs = {name for _, _, name in times}
log = (build / "Testing/Temporary/LastTest.log").read_text(errors="replace")
for name, seconds in re.findall(r"^\d+/\d+ Testing: (\S+)\n.*?^Test time = +([\d.]+) sec", log, re.M | re.S):
    if name not in programs:
        times.append((float(seconds), name, ""))
print("the ten slowest tests:")
for seconds, name, program in sorted(times, reverse=True)[:10]:
    print(f"  {seconds:6.2f} s  {name}" + (f"  ({program})" if program else ""))

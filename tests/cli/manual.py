#!/usr/bin/env python3
"""Checks the manual pages: manual.py ORBIS

Each verb has a page, man and mandoc find nothing to complain about, and a page says the same as `orbis help VERB`:
every argument and option with its description, the text below them, the exit codes.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

orbis = pathlib.Path(sys.argv[1]).resolve()
failures = []


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def plain(text):
    """On one line, without what only one of the two has: backticks there, bold letters here."""
    return re.sub(r"\s+", " ", re.sub(".\x08", "", text).replace("`", "")).strip()


def expect(condition, what):
    if not condition:
        failures.append(what)


def entries_of(text):
    """(name, description) of the arguments and options in a help text."""
    found = []
    for line in text.splitlines():
        if re.match(r"  \S", line):
            name, _, description = line.strip().partition("   ")
            if len(name) > 27:  # the description begins on the next line, or behind this name
                name = line.strip()
                description = ""
            found.append([name.strip(), description.strip()])
        elif line.startswith(" " * 30) and found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def check_page(page, verb):
    environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFSEQ="")
    groff = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                           env=environment)
    expect(groff.returncode == 0 and groff.stderr == "", f"man complains: {groff.stderr}")
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
    expect(lint.returncode == 0, f"mandoc complains: {lint.stdout}")
    shown = plain(output("mandoc", "-T", "utf8", "-O", "width=200", page))
    text = output(orbis, "help", verb) if verb else output(orbis, "help")
    head, _, tail = text.partition("\n\n")
    sections, _, footer = tail.rpartition("\n\n")
    entries = entries_of(sections)
    expect(len(entries) >= 2, f"{page.name}: no options found in the help")
    for name, description in entries:
        wanted = plain(f"{name} {description}") if verb or name.startswith("-") else plain(description)
        expect(wanted in shown, f"{page.name} lacks: {wanted}")
        expect(not verb or shown.count(wanted) <= 1, f"{page.name} has more than once: {wanted}")
    for part in footer.split("Exit codes: "):
        expect(not verb or plain(part) in shown, f"{page.name} lacks: {plain(part)}")
    expect(plain(head.splitlines()[0]).removeprefix("orbis: ").removesuffix(".") in shown, f"{page.name} lacks its summary")


with tempfile.TemporaryDirectory(prefix="orbis-manual-") as folder:
    folder = pathlib.Path(folder) / "man" / "man1"
    output(orbis, "help", "--man", folder)
    verbs = [name for name, _ in entries_of(output(orbis, "help")) if not name.startswith("-")]
    expect(len(verbs) > 25, f"verbs found: {verbs}")
    pages = {path.name for path in folder.iterdir()}
    expect(pages == {"orbis.1"} | {f"orbis-{verb}.1" for verb in verbs}, f"pages: {sorted(pages)}")
    for verb in ["", *verbs]:
        check_page(folder / (f"orbis-{verb}.1" if verb else "orbis.1"), verb)
        if verb:
            text = output(orbis, verb, "--help")
            expect(text == output(orbis, "help", verb), f"orbis {verb} --help differs from orbis help {verb}")
            # What a value is called says what to give: PATH, COUNT … and not how it is stored.
            for name, _ in entries_of(text):
                expect(not re.search(r"^-.* (TEXT|INT|UINT|FLOAT|N)$", name), f"orbis {verb} {name}: say what the value is")

for failure in failures:
    print(failure)
print(f"{len(verbs) + 1} pages, {len(failures)} failures")
sys.exit(1 if failures else 0)

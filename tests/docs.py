#!/usr/bin/env python3
"""Checks that the pages name only what exists: docs.py ROOT

- a link leads to a file, and its anchor to a heading
- a file of the sources, tests or page that is written as code exists
- each name in the last column of the glossary is in the sources
- no walk of docs/design/flows.md names a file twice, and the walk of a served chunk has at most 15 stations
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
CODE_FILE = re.compile(r"`([\w./-]+\.(?:hpp|cpp|py|ts|svelte|cmake|lua))`")
GENERATED = re.compile(r"packets/|shared\.hpp|command_NAME\.cpp")  # made by the build, or a pattern for names
MOST_STATIONS = 15


def list_files():
    command = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [file for file in listed.stdout.splitlines() if (ROOT / file).is_file()]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts]


def without_examples(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", without_examples(page.read_text()), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"links to {target}, which does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"links to {target}, which has no such heading"


def check_code_files(page, text, files):
    """A path counts from the root, from src or from the folder of the page's subject; a name alone from anywhere."""
    ends = "\n" + "\n".join(files) + "\n"
    for name in sorted(set(CODE_FILE.findall(text))):
        if not GENERATED.match(name) and f"/{name}\n" not in ends and f"\n{name}\n" not in ends:
            yield f"names {name}, which does not exist"


def check_glossary(text, words):
    for row in re.findall(r"^\|.*\|$", text, flags=re.M):
        for name in re.findall(r"`([^`]+)`", row.split("|")[-2]):
            if re.fullmatch(r"[\w:]+", name) and name.split("::")[-1] not in words:
                yield f"names {name}, which is not in the sources"


def check_flows(text):
    for walk in text.split("\n## ")[1:]:
        title = walk.split("\n")[0]
        stations = re.findall(r"^\| (?:\d+ \| )?`([^`]+\.[ch]pp)`", walk, flags=re.M)
        if not stations:
            yield f"has no stations in the walk {title}"
        for station in sorted({one for one in stations if stations.count(one) > 1}):
            yield f"visits {station} twice in the walk {title}"
        if title == "A served chunk" and len(stations) > MOST_STATIONS:
            yield f"has {len(stations)} stations for a served chunk, more than {MOST_STATIONS}"


files = list_files()
words = set()
for file in files:
    if re.match(r"src/.*\.[ch]pp$", file):
        words.update(re.findall(r"\w+", (ROOT / file).read_text()))
wrong = []
pages = [ROOT / file for file in files if file.endswith(".md")]
for page in pages:
    text = without_examples(page.read_text())
    found = [*check_links(page, text), *check_code_files(page, text, files)]
    if page == ROOT / "docs/glossary.md":
        found += check_glossary(text, words)
    if page == ROOT / "docs/design/flows.md":
        found += check_flows(text)
    wrong += [f"{page.relative_to(ROOT)} {what}" for what in found]
print("\n".join(wrong) or f"{len(pages)} pages name only what exists")
sys.exit(1 if wrong else 0)

#!/usr/bin/env python3
"""Installs the program into a folder and looks at what is there: installed.py BUILD_FOLDER

`man` and bash must find what was installed by themselves, in the usual folders.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

failures = []


def expect(condition, what):
    print(("ok      " if condition else "FAILED  ") + what)
    if not condition:
        failures.append(what)


with tempfile.TemporaryDirectory(prefix="orbis-installed-") as prefix:
    prefix = pathlib.Path(prefix)
    subprocess.run(["cmake", "--install", sys.argv[1], "--prefix", prefix, "--component", "program"], check=True,
                   stdout=subprocess.DEVNULL)
    found = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    for path in ["bin/orbis", "share/man/man1/orbis.1", "share/man/man1/orbis-verify.1", "share/man/man1/orbis-help.1",
                 "share/bash-completion/completions/orbis", "share/zsh/site-functions/_orbis",
                 "share/fish/vendor_completions.d/orbis.fish"]:
        expect(path in found, f"{path} is installed")
    environment = dict(os.environ, MANPATH=str(prefix / "share/man"), MANWIDTH="80", LC_ALL="C.UTF-8", MANPAGER="cat",
                       PATH=f"{prefix / 'bin'}:{os.environ['PATH']}")
    page = subprocess.run(["man", "orbis-verify"], env=environment, capture_output=True, text=True)
    expect(page.returncode == 0 and "Check every chunk and file for damage" in page.stdout, f"man orbis-verify: {page.stderr}")
    version = subprocess.run(["orbis", "--version"], env=environment, capture_output=True, text=True, check=True).stdout.split()[1]
    expect(f"orbis {version}" in page.stdout, "the page has the version of the program")
    changes = (pathlib.Path(__file__).parents[2] / "CHANGELOG.md").read_text()
    heading = next(line for line in changes.splitlines() if line.startswith("## "))
    expect(heading.split()[1] == version and heading.split()[-1] in (prefix / "share/man/man1/orbis.1").read_text(),
           f"CHANGELOG.md begins with this version and its date: {heading}")
    script = prefix / "share/bash-completion/completions/orbis"
    loaded = subprocess.run(["bash", "-c", 'source "$1" && complete -p orbis', "_", script], capture_output=True, text=True)
    expect(loaded.stdout == "complete -F _orbis orbis\n", f"bash loads the completion: {loaded.stderr}")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
"""Runs the transcripts of tests/cli/cases and compares every byte of output.

    run.py ORBIS MAKE_FIXTURES [--update] [CASE…]

A transcript is a text file of commands and what they must print:

    # a remark
    $ orbis info world        a command for the shell, run in a fresh copy of the fixtures
    a line of stdout
    ! a line of stderr
    ? 1                       the exit code, when it is not 0

--update writes what the commands print now; read the difference before you commit it.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

CASES = pathlib.Path(__file__).parent / "cases"


def make_fixtures(program, folder):
    subprocess.run([program, folder], check=True)
    # A backup as the game makes it: stored, names relative to universe/, the build in the comment.
    with zipfile.ZipFile(folder / "backup.zip", "w", zipfile.ZIP_STORED) as backup:
        for path in sorted((folder / "universe").rglob("*")):
            if path.is_file():
                backup.write(path, str(path.relative_to(folder / "universe")).replace("/", "\\"))
        backup.comment = b"2026.02.17"
    (folder / "cut.zip").write_bytes((folder / "backup.zip").read_bytes()[:-40])


def sample_universe(orbis, folder):
    """The sample for commands that begin with a copy of it ($SAMPLE): making it takes longest of all."""
    if made := os.environ.get("ORBIS_SAMPLE"):
        return made
    subprocess.run([orbis, "sample", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return str(folder)


def run(command, orbis, folder):
    environment = dict(os.environ, PATH=f"{orbis.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                       TOOLS=str(pathlib.Path(__file__).resolve().parent))
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=900)
    lines = done.stdout.decode(errors="backslashreplace").splitlines()
    lines += ["! " + line for line in done.stderr.decode().splitlines()]
    if done.returncode != 0:
        lines.append(f"? {done.returncode}")
    return lines


def play(case, orbis, fixtures):
    """What the transcript says and what really happens, as two lists of lines."""
    expected = case.read_text().splitlines()
    with tempfile.TemporaryDirectory(prefix="orbis-cli-") as folder:
        shutil.copytree(fixtures, folder, symlinks=True, dirs_exist_ok=True)
        found = []
        for line in expected:
            if line.startswith("# "):
                found.append(line)
            elif line.startswith("$ "):
                found += [line, *run(line[2:], orbis, folder)]
    return expected, found


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    orbis, maker = (pathlib.Path(a).resolve() for a in arguments[:2])
    cases = [CASES / f"{name}.txt" for name in arguments[2:]] or sorted(CASES.glob("*.txt"))
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="orbis-cli-") as fixtures,
        tempfile.TemporaryDirectory(prefix="orbis-cli-") as made,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads,
    ):
        make_fixtures(maker, pathlib.Path(fixtures))
        os.environ["SAMPLE"] = sample_universe(orbis, pathlib.Path(made) / "sample")
        played = threads.map(lambda case: play(case, orbis, fixtures), cases)
        for case, (expected, found) in zip(cases, played):
            if expected == found:
                continue
            if update:
                case.write_text("\n".join(found) + "\n")
                print(f"updated {case.name}")
                continue
            failed += 1
            print(f"{case.name} differs:")
            diff = subprocess.run(["diff", "-u", str(case), "-"], input="\n".join(found) + "\n", text=True, capture_output=True)
            print(diff.stdout)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

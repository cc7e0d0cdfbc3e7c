#!/usr/bin/env python3
"""Runs every verb that reads or writes worlds on locations that were made to do harm.

    run.py ORBIS MAKE_FIXTURES [--sanitized] [PLACE…]

Whatever it finds, orbis must end by itself with exit code 0, 1 or 2, in time and in 256 MB, must change nothing
outside of the location and of what it was told to write, must copy nothing from there, and must print no character that
acts on a terminal. Under a sanitizer memory is not looked at, and each location meets a fourth of the verbs, another
fourth than the one before it, so that each verb still meets every fourth location.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import locations  # noqa: E402

SECONDS = 120  # nobody needs them; only what hangs does
LARGEST = 256 << 20
LARGEST_FILE = 2 << 40  # what is sparse may stay so

# P is the location, B a sound world, O a new path for output.
READING = [
    "info P", "info --json P", "ls P", "verify P", "verify --json --all P", "blocks P", "sql P SQL", "find P *", "containers P", "stats P *",
    "get P 5 100 5", "show P 0,0",
    "cat P 0,0", "digest P", "diff P B", "undelete P", "map P O", "undo --list P", "undo --dry-run P",
    "repair --dry-run P --from B", "map P --image O --chunks CHOICE", "convert P O", "convert P O --to rocksdb", "snapshot O P",
    "prefab export P 0,90,0..20,110,20 J", "export P -40,0,-40..90,319,90 M",
]
WRITING = [
    "undo P", "undo --forget P", "compact P", "upgrade P", "prune P --chunks 0,0", "restore P --from B --chunks all",
    "merge P --from B --chunks all", "repair P --from B", "restore B2 --from P --chunks all",
    "prefab paste P F 5 100 5 --create-chunks",
    "edit set P 5,40,5 Rock_Marble", "edit fill P Rock_Marble --box -40,0,-40..90,319,90 --dry-run --image O.png",
    "edit fill P Rock_Marble --surface 3 --skip-damaged", "edit replace P *=Rock_Basalt --skip-damaged",
    "edit copy P --box 0,0,0..40,90,20 --to 10,30,3 --mirror x --leave-cut",
    "edit move P --box 0,0,0..20,40,20 --to 3,1,3 --rotate 90 --leave-cut",
    "edit paste B2 --from P --box 0,0,0..40,319,40 --to 0,0,0 --leave-cut",
    "edit remove-entities P --skip-damaged", "edit relight P --skip-damaged", "edit relight P --dry-run --image O.png",
]
# P is a prefab.
PREFABS = [
    "prefab info P", "prefab info --all --json P", "prefab show P --image G", "prefab convert P J", "prefab convert P L",
    "prefab paste B2 P 0 50 0 --dry-run --replace-entities", "prefab paste B2 P 0 50 0 --create-chunks --rotate 90",
]
SOUND_PREFAB = ('{"version":8,"anchorX":0,"anchorY":0,"anchorZ":0,"blocks":[{"x":0,"y":0,"z":0,"name":"Rock_Stone"},'
                '{"x":0,"y":1,"z":0,"name":"Empty"}]}')
# A question that reads all that a location holds.
QUESTION = ("SELECT (SELECT max(key) FROM blocks), (SELECT max(key) FROM fluids), (SELECT max(id) FROM items), "
            "(SELECT max(data) FROM entities), (SELECT max(data) FROM block_components), (SELECT max(message) FROM findings), "
            "(SELECT max(name) FROM players), (SELECT max(name) FROM markers), (SELECT max(name) FROM warps), "
            "(SELECT max(value) FROM config), (SELECT max(file) FROM chunks)")
# The same for a selection.
CHOICE = "sql:SELECT chunk_x, chunk_z FROM blocks UNION SELECT chunk_x, chunk_z FROM items UNION SELECT CAST(x AS INTEGER) >> 5, CAST(z AS INTEGER) >> 5 FROM players"
# What lies behind a link must not be copied.
SECRET = b"a key that is none of their business"
# Prints documents byte for byte, as it says.
RAW = {"cat"}


def state_of(folder):
    """Everything below a folder that a verb could change."""
    state = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = b""
        if path.is_symlink():
            content = os.readlink(path).encode(errors="surrogateescape")
        elif path.is_file():
            content = hashlib.sha256(path.read_bytes()).digest()
        state[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns * (not path.is_dir()), content)
    return state


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # but for the ends of lines and what `ls` puts between columns


def control_in(output):
    """The first character that acts on a terminal, if there is one."""
    found = CONTROL.search(output.decode(errors="replace"))
    return repr(found[0]) if found else None


def wait(process):
    """The way it ended, and the largest memory that it had."""
    timer = threading.Timer(SECONDS, process.send_signal, [signal.SIGKILL])
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024


class Trial:
    """One location, or prefab, and all verbs on it."""

    def __init__(self, make, commands, tools):
        self.make = make
        self.commands = commands
        self.tools = tools
        self.problems = []

    def run(self):
        with tempfile.TemporaryDirectory(prefix="orbis-hostile-", dir=self.tools["scratch"]) as folder:
            box = pathlib.Path(folder)
            outside = box / "outside"
            outside.mkdir()
            (outside / "victim").write_text("precious")
            (outside / "private.key").write_bytes(SECRET)
            os.chmod(outside / "private.key", 0o600)
            self.location = box / "location"
            self.make(self.location, outside=outside, **self.tools["material"])
            before = state_of(outside)
            for number, command in enumerate(self.commands):
                self.call(box, number, command)
                if state_of(outside) != before:
                    self.complain(command, "changed something outside of the location")
                    before = state_of(outside)
        return self.problems

    def complain(self, command, what):
        self.problems.append(f"{self.make.__name__}: orbis {command}: {what}")

    def call(self, box, number, command):
        base = self.tools["material"]["base"]
        own = box / "own"
        if "B2" in command.split():
            shutil.copytree(base / "chunks-world", own)
        sound = box / "sound.prefab.json"
        sound.write_text(SOUND_PREFAB)
        new = box / f"out{number}"
        names = {"P": self.location, "B": base / "chunks-world", "B2": own, "O": new, "SQL": QUESTION, "CHOICE": CHOICE, "F": sound,
                 "J": new.with_suffix(".prefab.json"), "L": new.with_suffix(".lpf"), "G": new.with_suffix(".png"), "M": new.with_suffix(".obj")}
        words = [str(names.get(word, word)) for word in command.split()]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([self.tools["orbis"], *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       cwd=box, env=self.tools["environment"])
            code, memory = wait(process)
            out.seek(0)
            err.seek(0)
            printed = [err.read(4 << 20)] + ([] if words[0] in RAW else [out.read(4 << 20)])
        if code not in (0, 1, 2):
            self.complain(command, f"ended with {code}: {printed[0][-2000:].decode(errors='replace')}")
        if self.tools["memory"] and memory > LARGEST:
            self.complain(command, f"took {memory >> 20} MB")
        for text in printed:
            if found := control_in(text):
                self.complain(command, f"printed {found}")
        for rest in (names["O"], own):
            if rest.is_dir():
                used = sum(path.lstat().st_blocks * 512 for path in rest.rglob("*"))
                if used > LARGEST:
                    self.complain(command, f"wrote {used >> 20} MB")
                small = (path for path in rest.rglob("*") if path.lstat().st_size == len(SECRET))
                if any(path.read_bytes() == SECRET for path in small if not path.is_symlink()):
                    self.complain(command, "copied what is behind a link")
                shutil.rmtree(rest)
        for file in (names["J"], names["L"], names["G"]):
            if file.exists() and (file.stat().st_size > LARGEST or SECRET in file.read_bytes()):
                self.complain(command, "wrote what it must not")


def material(orbis, maker, scratch):
    base = scratch / "base"
    subprocess.run([maker, base], check=True)
    document = subprocess.run([orbis, "cat", base / "chunks-world", "0,0"], check=True, capture_output=True).stdout
    database = scratch / "database"
    made = subprocess.run([orbis, "convert", base / "chunks-world", database, "--to", "rocksdb"], capture_output=True)
    return {"base": base, "document": document, "database": database if made.returncode == 0 else None}


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    orbis, maker = (pathlib.Path(a).resolve() for a in arguments[:2])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    all_of_them = [(make, READING + WRITING) for make in locations.LOCATIONS]
    all_of_them += [(make, PREFABS) for make in locations.PREFABS]
    sanitized = "--sanitized" in sys.argv
    if sanitized:
        all_of_them = [(make, commands[number % 4::4]) for number, (make, commands) in enumerate(all_of_them)]
    chosen = [one for one in all_of_them if not arguments[2:] or one[0].__name__ in arguments[2:]]
    with (
        tempfile.TemporaryDirectory(prefix="orbis-hostile-") as scratch,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads,
    ):
        scratch = pathlib.Path(scratch)
        tools = {
            "orbis": orbis,
            "scratch": scratch,
            "memory": not sanitized,
            "environment": dict(os.environ, LC_ALL="C.UTF-8", XDG_CACHE_HOME=str(scratch / "cache")),
            "material": material(orbis, maker, scratch),
        }
        problems = [p for found in threads.map(lambda one: Trial(*one, tools).run(), chosen) for p in found]
    for problem in problems:
        print(problem)
    runs = sum(len(commands) for _, commands in chosen)
    print(f"{len(chosen)} locations and prefabs, {runs} commands: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

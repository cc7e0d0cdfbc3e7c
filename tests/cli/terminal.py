#!/usr/bin/env python3
"""Checks what needs a terminal: terminal.py ORBIS MAKE_FIXTURES

The progress bar shows on a terminal, never with --quiet and never into a pipe; binary data is kept off it. Colours show
there unless the user wants none, and tables are cut to its width.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

orbis, fixtures = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


PLAIN = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")} | {"TERM": "xterm"}


def on_terminal(*arguments, cwd, columns=80, messages=True, **environment):
    """Runs orbis with stdout and its messages on a terminal of its own: exit code and everything it showed."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(cwd)
        if not messages:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execve(orbis, [str(orbis), *arguments], PLAIN | environment)
    shown = b""
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:  # the other end closed
        pass
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode(errors="replace")


def piped(*arguments, cwd):
    done = subprocess.run([orbis, *arguments], cwd=cwd, env=PLAIN, capture_output=True, check=False)
    return done.stdout.decode()


def widest(text):
    return max(len(line) for line in uncoloured(text).splitlines())


def uncoloured(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


def check(condition, what):
    print(("ok      " if condition else "FAILED  ") + what)
    return bool(condition)


with tempfile.TemporaryDirectory(prefix="orbis-terminal-") as folder:
    subprocess.run([fixtures, folder], check=True)
    code, shown = on_terminal("convert", "world", "a", cwd=folder)
    good = check(code == 0 and "Copying [" in shown and "Verifying [" in shown, "a bar shows on a terminal")
    good &= check(shown.endswith("\x1b[K4 chunks written to a, 0 were already there, 4 verified; 1 other file copied\r\n"),
                  "the bar is gone before the last message")
    code, shown = on_terminal("convert", "world", "b", "--quiet", cwd=folder)
    good &= check(code == 0 and "[" not in shown, "--quiet shows no bar")
    done = subprocess.run([orbis, "convert", "world", "c"], cwd=folder, capture_output=True, check=True)
    good &= check(done.stderr == b"" and b"\r" not in done.stdout, "no bar goes into a pipe")
    code, shown = on_terminal("cat", "world", "0,0", cwd=folder)
    good &= check(code == 2 and "stdout is a terminal" in shown, "binary data is kept off the terminal")

    green, red, bold = "\x1b[32m", "\x1b[31m", "\x1b[1m"
    code, shown = on_terminal("verify", "chunks-world/chunks", "--quiet", cwd=folder)
    good &= check(code == 0 and shown.startswith(green) and "\x1b[0m" in shown, "a good verdict is green")
    code, shown = on_terminal("verify", "a", "--quiet", cwd=folder)
    good &= check(code == 1 and shown.startswith(red) and f"{red}damage\x1b[0m" in shown and f"{bold}Next:" in shown,
                  "a bad verdict and damage are red, the next step is a heading")
    code, shown = on_terminal("ls", "missing", cwd=folder)
    good &= check(code == 2 and shown.startswith(f"{red}orbis:\x1b[0m missing: "), "what went wrong begins in red")
    code, shown = on_terminal("help", "ls", cwd=folder)
    good &= check(f"{bold}Options:\x1b[0m" in shown, "headings of the help are bold")
    for what, options, environment in [
        ("NO_COLOR", [], {"NO_COLOR": "1"}), ("--color never", ["--color", "never"], {}), ("--json", ["--json"], {}),
        ("--json with --color always", ["--json", "--color", "always"], {}), ("a dumb terminal", [], {"TERM": "dumb"}),
    ]:
        _, shown = on_terminal("verify", "a", *options, "--quiet", cwd=folder, **environment)
        good &= check("\x1b[3" not in shown and "\x1b[1m" not in shown, f"no colours with {what}")
    _, shown = on_terminal("verify", "a", "--quiet", cwd=folder, NO_COLOR="")
    good &= check(red in shown, "an empty NO_COLOR is none")
    _, shown = on_terminal("verify", "a", "--color=always", cwd=folder, NO_COLOR="1")
    good &= check(red in shown, "--color always is stronger than NO_COLOR")
    good &= check("\x1b" not in piped("verify", "a", cwd=folder), "no colours go into a pipe")
    good &= check(red in piped("verify", "a", "--color", "always", cwd=folder), "--color always colours a pipe")

    whole = piped("packet", "list", cwd=folder)
    good &= check("…" not in whole and widest(whole) > 100, "tables are complete in a pipe")
    for columns in (60, 80, 100):
        _, shown = on_terminal("packet", "list", cwd=folder, columns=columns)
        good &= check(widest(shown) <= columns and len(shown.splitlines()) == len(whole.splitlines()) and "SetChunk" in shown,
                      f"a table fits {columns} columns, found {widest(shown)}")
    _, shown = on_terminal("packet", "list", cwd=folder, columns=80, COLUMNS="50")
    good &= check(widest(shown) <= 50, f"COLUMNS is obeyed, found {widest(shown)}")
    _, shown = on_terminal("verify", "--codes", cwd=folder, columns=70)
    good &= check(widest(shown) <= 70 and "…" in shown, "what is cut ends in …")
    _, shown = on_terminal("packet", "list", cwd=folder, columns=300)
    good &= check("…" not in shown, "a wide terminal shows everything")

    # Every verb with columns: the width is kept, colours come and go, and a pipe gets what it always got.
    for command in (["snapshot", "store", "world", "--name", "first"], ["keys", "make", "pair", "--kind", "ecdsa"]):
        subprocess.run([orbis, *command], cwd=folder, check=True, capture_output=True)
    faint, yellow = "\x1b[2m", "\x1b[33m"
    diff = ["diff", "chunks-world/chunks", "chunks-world/damaged"]
    for columns, expected, *arguments in [
        (60, [bold, faint], "ls", "world"), (80, [bold, faint], "ls", "universe"), (24, [bold], "ls", "old"),
        (60, [bold, faint, green], "info", "world", "--regions"), (60, [bold, faint], "info", "universe"),
        (24, [bold, faint], "blocks", "chunks-world/chunks", "--by-y"), (24, [yellow], "blocks", "chunks-world/chunks", "--unknown"),
        (60, [yellow, faint], *diff), (60, [green, red], "diff", "world", "old"), (60, [green], "diff", "world", "world"),
        (60, [faint], "get", "chunks-world/chunks", "3", "3", "3"), (60, [faint], "packet", "show", "SetChunk"),
        (60, [faint], "snapshots", "store", "first"), (60, [], "snapshots", "store"), (60, [bold, faint], "keys", "show", "pair"),
        (60, [], "upgrade", "chunks-world/chunks", "--dry-run"), (60, [faint], "prune", "world", "--remove", "0,0", "--dry-run"),
        (60, [green], "repair", "chunks-world/damaged", "--dry-run"), (60, [red], "verify", "chunks-world/damaged"),
    ]:
        name = " ".join(arguments)
        whole = piped(*arguments, cwd=folder)
        coloured = piped(*arguments, "--color=always", cwd=folder)
        good &= check(whole and not set("\x1b…") & set(whole) and uncoloured(coloured) == whole, f"{name}: complete in a pipe")
        _, shown = on_terminal(*arguments, cwd=folder, columns=columns, messages=False)
        good &= check(widest(shown) <= columns, f"{name}: fits {columns} columns, found {widest(shown)}")
        good &= check(all(colour in shown for colour in expected), f"{name}: has colours on a terminal")
        for environment, option in [({"NO_COLOR": "1"}, []), ({}, ["--color=never"])]:
            _, bare = on_terminal(*arguments, *option, cwd=folder, columns=columns, messages=False, **environment)
            good &= check(bare == uncoloured(shown), f"{name}: no colours with {option or environment}")
    _, shown = on_terminal("info", "world", cwd=folder, columns=60, NO_COLOR="1")
    good &= check(" ".join(shown.split()) == " ".join(piped("info", "world", cwd=folder).split()),
                  "a text that goes on below itself is complete")
sys.exit(0 if good else 1)

#!/usr/bin/env python3
"""Checks what needs a terminal: terminal.py ORBIS MAKE_FIXTURES

The progress bar shows on a terminal, never with --quiet and never into a pipe; binary data is kept off it.
"""

import os
import pathlib
import pty
import subprocess
import sys
import tempfile

orbis, fixtures = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def on_terminal(*arguments, cwd):
    """Runs orbis with stdout and stderr on a terminal of its own: exit code and everything it showed."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        os.execv(orbis, [str(orbis), *arguments])
    shown = b""
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:  # the other end closed
        pass
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode(errors="replace")


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
    piped = subprocess.run([orbis, "convert", "world", "c"], cwd=folder, capture_output=True, check=True)
    good &= check(piped.stderr == b"" and b"\r" not in piped.stdout, "no bar goes into a pipe")
    code, shown = on_terminal("cat", "world", "0,0", cwd=folder)
    good &= check(code == 2 and "stdout is a terminal" in shown, "binary data is kept off the terminal")
sys.exit(0 if good else 1)

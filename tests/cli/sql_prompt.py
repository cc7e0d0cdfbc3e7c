#!/usr/bin/env python3
"""Types at the prompt of `orbis sql` on a terminal: sql_prompt.py ORBIS MAKE_FIXTURES

Statements over several lines, commands, completion, history, Ctrl+C at the prompt and while a statement runs, Ctrl+D.
Nothing waits for a time, only for what the terminal shows.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time

orbis, maker = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
PATIENCE = 120  # seconds until a prompt counts as hanging
PROMPT = r"orbis> "
failures = []


def expect(condition, what):
    print(("ok      " if condition else "FAILED  ") + what)
    if not condition:
        failures.append(what)


class Prompt:
    """A prompt on a terminal of its own."""

    def __init__(self, folder, *arguments, columns=100):
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "XDG_STATE_HOME", "EDITRC")}
        environment |= {"TERM": "xterm", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.shown = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            os.chdir(folder)
            os.execve(orbis, [str(orbis), "sql", *arguments], environment)
        self.wait_for(PROMPT)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        """What was shown up to the end of the pattern, without what moves the cursor."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, plain(self.shown), re.S)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"waiting for {pattern}, shown: {self.shown[-2000:]!r}")
            self.shown += os.read(self.terminal, 65536).decode(errors="replace")
        text = plain(self.shown)[:found.end()]
        self.shown = ""
        return text

    def ask(self, text, pattern=""):
        """Types a line and waits for the prompt after its answer."""
        self.send(text + "\r")
        return self.wait_for(pattern + r".*\n" + PROMPT)

    def end(self):
        try:
            while part := os.read(self.terminal, 65536):
                self.shown += part.decode(errors="replace")
        except OSError:  # the other end closed
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07|\r", "", text)


with tempfile.TemporaryDirectory(prefix="orbis-prompt-") as name:
    folder = pathlib.Path(name)
    subprocess.run([maker, folder], check=True)
    prompt = Prompt(folder, "chunks-world")
    expect("\n       2\n" in prompt.ask("SELECT count(*) FROM chunks;", "count"), "a statement is answered")
    prompt.send("SELECT x, z\r")
    prompt.wait_for(r"\.\.\.> ")
    prompt.send("FROM chunks -- the rest is a comment ;\r")
    prompt.wait_for(r"\.\.\.> ")
    expect("0  0" in prompt.ask("ORDER BY x LIMIT 1;"), "a statement may have several lines")
    expect("block_components" in prompt.ask(".tables") and "FormatError" not in prompt.ask(""), ".tables lists the tables")
    expect("chunks(world, x, z, region" in prompt.ask(".schema chunks"), ".schema lists the columns of a table")
    expect("findings(world" in prompt.ask(".schema"), ".schema lists all columns")
    expect(".quit" in prompt.ask(".help"), ".help lists the commands")
    expect("unknown command .what" in prompt.ask(".what"), "an unknown command is named")
    expect("syntax error" in prompt.ask("SELECT 1 FORM chunks;"), "an error is told, and the prompt comes back")
    expect("\\x1b[31mred" in prompt.ask("SELECT char(27) || '[31mred' AS text;"), "nothing acts on the terminal")
    expect("would do more than read" in prompt.ask("CREATE TABLE a(b);"), "nothing can be written")

    prompt.send("sel\t")
    prompt.wait_for("SELECT ")
    prompt.send("count(*) FROM block_com\t")
    prompt.wait_for("block_components ")
    expect("count(*)" in prompt.ask(";"), "keywords and tables are completed")
    prompt.send(".sch\t")
    prompt.wait_for(r"\.schema ")
    prompt.send("wor\t")
    expect("worlds(world" in prompt.ask(""), "commands and their tables are completed")
    prompt.send("SELECT block_\t")
    listed = prompt.wait_for(r"block_counts.*SELECT block_")
    expect("block_components" in listed, "what has several ends is listed")
    prompt.send("\x03")
    prompt.wait_for(r"\n" + PROMPT)
    expect("42" in prompt.ask("SELECT 6 * 7;"), "Ctrl+C cancels a line")
    prompt.send("SELECT 'begun' AS text,\r")
    prompt.wait_for(r"\.\.\.> ")
    prompt.send("\x03")
    prompt.wait_for(r"\n" + PROMPT)
    expect("43" in prompt.ask("SELECT 43;"), "Ctrl+C cancels a statement that is not complete")

    # The first row shows that it runs; without Ctrl+C it would never end.
    prompt.send("SELECT 'runs' UNION ALL SELECT n FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c);\r")
    prompt.wait_for(r"\n *runs\s")
    prompt.send("\x03")
    prompt.wait_for(r"the statement was stopped.*\n" + PROMPT)
    expect("44" in prompt.ask("SELECT 44;"), "Ctrl+C ends a statement that runs")
    prompt.send("\x1b[A")
    prompt.wait_for("SELECT 44;")
    expect("44" in prompt.ask(""), "an arrow brings the last statement back")
    prompt.send("\x04")
    expect(prompt.end() == 0, "Ctrl+D ends")

    history = folder / ".local" / "state" / "orbis" / "sql_history"
    expect(stat.S_IMODE(history.stat().st_mode) == 0o600, "only the user can read the history")
    expect(history.read_text().splitlines()[-1] == "SELECT 44;", "the history is in the usual place")
    with history.open("a") as file:
        file.writelines(f"SELECT {number};\n" for number in range(3000))
    prompt = Prompt(folder, "world", "--csv")
    prompt.send("\x1b[A")
    prompt.wait_for("SELECT 2999;")
    expect("2999\n2999\n" in prompt.ask(""), "statements of earlier days come back, and --csv counts here too")
    expect(prompt.ask(".tables") and len(history.read_text().splitlines()) < 1100, "the history does not grow without end")
    prompt.send(".quit\r")
    expect(prompt.end() == 0, ".quit ends")

    history.unlink()
    history.mkdir()
    prompt = Prompt(folder, "world", "--json")
    expect('{"a":1}' in prompt.ask("SELECT 1 AS a;"), "without a history there is a prompt too")
    prompt.send("\x04")
    expect(prompt.end() == 0, "and it ends")

    # A world with a damaged chunk: the problem is told after the answer, and the exit code says it too.
    torn = folder / "torn"
    subprocess.run(["cp", "-r", folder / "chunks-world", torn], check=True)
    with (torn / "chunks" / "0.0.region.bin").open("r+b") as file:
        file.seek(4136)
        file.write(b"damage")
    prompt = Prompt(folder, "torn")
    expect("expected a Zstandard frame" in prompt.ask("SELECT count(version) FROM chunks;"), "damage is named")
    prompt.send("\x04")
    expect(prompt.end() == 1, "damage shows in the exit code")

    # A table that does not fit is a list.
    prompt = Prompt(folder, "world", columns=60)
    shown = prompt.ask("SELECT * FROM worlds;")
    expect("\nkind: region files\n" in shown and "…" not in shown, "what does not fit is shown value by value")
    prompt.send("\x04")
    expect(prompt.end() == 0, "the end")
sys.exit(1 if failures else 0)

#!/usr/bin/env python3
"""Presses Tab in real shells: completion.py ORBIS MAKE_FIXTURES BLOCKS_TSV [SHELL…]

bash and zsh run on a terminal of their own. A key that is bound for the test prints the line as it stands, so that
nothing waits for a time: the shell handles keys one after another. fish is asked by `complete -C`.

Worlds with names that would do harm are there as well: no name may run anything or act on the terminal.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

orbis, maker, blocks = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
SHELLS = sys.argv[4:] or ["bash", "zsh", "fish"]
PATIENCE = 120  # seconds until a shell counts as hanging
HARMFUL = ["$(touch pwned)", "`touch pwned`", ";touch pwned;", "a\x1b[31mred", "new\nline", "tab\there"]
HARMLESS = ["blank in it", "quote's", "col:on", "dollar$HOME"]
failures = []


def expect(condition, what):
    print(("ok      " if condition else "FAILED  ") + what)
    if not condition:
        failures.append(what)


class Terminal:
    """A shell on a terminal."""

    def __init__(self, command, environment, folder, begin):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 2000, 200, 0, 0))
        self.send(begin + " printf 'BEG''UN\\n'\n")
        self.wait_for(rb"BEGUN")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        shown, end = b"", time.monotonic() + PATIENCE
        while not (found := re.search(pattern, shown, re.S)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"waiting for {pattern}, shown: {shown[-2000:]}")
            shown += os.read(self.terminal, 65536)
        return found, shown

    def complete(self, line):
        """The line after Tab, and everything that was shown meanwhile."""
        self.send(line + "\t\x14")
        found, shown = self.wait_for(rb"<<<(.*?)>>>")
        self.send("\x15")
        return re.sub(rb"\r\n?", b"", found[1]).decode(errors="replace"), shown.decode(errors="replace")

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


BASH = """bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind 'set show-all-if-ambiguous on'; bind 'set enable-bracketed-paste off'
bind -x '"\\C-t": printf "<<<%s>>>" "$READLINE_LINE"'
"""
ZSH = """unsetopt prompt_cr prompt_sp beep list_ambiguous; LISTMAX=100000; PROMPT='> '
autoload -Uz compinit; compinit -u -D
show-line() { print -rn -- "<<<$BUFFER>>>" }; zle -N show-line; bindkey -e; bindkey '^T' show-line; bindkey '^U' kill-whole-line
"""


def ask_fish(script, environment, folder, line):
    command = f"source {shlex.quote(str(script))}; complete -C {shlex.quote(line)}"
    done = subprocess.run(["fish", "--no-config", "-c", command], env=environment, cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE)
    return [each.split("\t")[0] for each in done.stdout.splitlines()], done.stdout + done.stderr


def unique_key():
    """A block key that is the only one with all its letters but the last two."""
    keys = [line.split("\t")[0] for line in blocks.read_text().splitlines()[1:]]
    keys = [key for key in keys if not key.startswith("*")]
    return next(key for key in keys if re.fullmatch(r"\w{8,}", key) and sum(other.startswith(key[:-2]) for other in keys) == 1)


def check_shell(shell, folder):
    environment = {"PATH": f"{orbis.parent}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "dumb",
                   "PS1": "> ", "HISTFILE": "/dev/null"}
    script = folder / f"complete.{shell}"
    script.write_bytes(subprocess.run([orbis, "completion", shell], check=True, capture_output=True).stdout)
    terminal = None
    if shell == "bash":
        (folder / "begin.bash").write_text(BASH + f"source {script}\n")
        terminal = Terminal(["bash", "--noprofile", "--norc", "-i"], environment, folder, "source ./begin.bash;")
    elif shell == "zsh":
        (folder / "begin.zsh").write_text(ZSH + f"source {script}\n")
        terminal = Terminal(["zsh", "-f", "-i"], environment, folder, "source ./begin.zsh;")

    def one(line, whole):
        """The only possibility is filled in; fish names it."""
        if terminal:
            found, shown = terminal.complete(line)
            expect(found.rstrip() == whole, f"{shell}: {line} becomes {whole}" + ("" if found.rstrip() == whole else f", found {found!r}"))
        else:
            found, shown = ask_fish(script, environment, folder, line)
            expect(found == [whole.split(" ")[-1]], f"{shell}: {line} becomes {whole}" + (f", found {found}" if len(found) != 1 else ""))
        return shown

    def listed(line, words, absent=()):
        """Several possibilities are shown."""
        if terminal:
            found, shown = terminal.complete(line)
        else:
            _, shown = ask_fish(script, environment, folder, line)
        expect(all(word in shown for word in words), f"{shell}: {line} shows {', '.join(words)}")
        for word in absent:
            expect(word not in shown, f"{shell}: {line} does not show {word!r}")

    key = unique_key()
    one("orbis veri", "orbis verify")
    one("orbis help veri", "orbis help verify")
    one("orbis verify --acc", "orbis verify --accept")
    one("orbis ls universe --world ar", "orbis ls universe --world arena")
    one("orbis ls universe --world=ar", "orbis ls universe --world=arena")
    one("orbis restore universe --from universe --from-world ar", "orbis restore universe --from universe --from-world arena")
    one("orbis ls store@latest --world ar", "orbis ls store@latest --world arena")
    one("orbis info store@bef", "orbis info store@before")
    one("orbis snapshots store bef", "orbis snapshots store before")
    one("orbis checkout store bef", "orbis checkout store before")
    one(f"orbis bot host --place {key[:-2]}", f"orbis bot host --place {key}")
    one(f"orbis prune world --keep block:{key[:-2]}", f"orbis prune world --keep block:{key}")
    one("orbis packet show ClientMov", "orbis packet show ClientMovement")
    one("orbis packet list --build 2026.05", "orbis packet list --build 2026.05.07")
    one("orbis convert a b --to roc", "orbis convert a b --to rocksdb")
    one("orbis ls --color ne", "orbis ls --color never")
    one("orbis keys ma", "orbis keys make")
    one("orbis ls univ", "orbis ls universe/")
    listed("orbis sn", ["snapshot", "snapshots"], absent=["prune"])
    listed("orbis verify --no", ["--no-memory"], absent=["--json"])

    # Names as they are on disk: those that could do something are left out or come quoted.
    listed("orbis ls hostile --world ", ["arena"], absent=["\x1b[31m", "a\\x1b"])
    for name in HARMLESS if terminal else []:
        line = f"orbis ls hostile --world {shlex.quote(name[:2])[:3] if name[0] == chr(39) else name[:2]}"
        found, _ = terminal.complete(line)
        expect(shlex.split(found)[-1:] == [name], f"{shell}: {name!r} comes back quoted, as {found!r}")
    if terminal:
        for begin in ["\\$\\(", "\\`", "\\;"]:
            terminal.complete(f"orbis ls hostile --world {begin}")
        terminal.close()
    expect(not (folder / "pwned").exists(), f"{shell}: no name ran anything")


with tempfile.TemporaryDirectory(prefix="orbis-completion-") as folder:
    folder = pathlib.Path(folder)
    subprocess.run([maker, folder], check=True)
    subprocess.run([orbis, "snapshot", "store", "universe", "--name", "before", "--quiet"], cwd=folder, check=True,
                   capture_output=True)
    shutil.copytree(folder / "universe", folder / "hostile", symlinks=True)
    for name in HARMFUL + HARMLESS:
        shutil.copytree(folder / "hostile" / "worlds" / "arena", folder / "hostile" / "worlds" / name, symlinks=True)
    for shell in SHELLS:
        check_shell(shell, folder)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)

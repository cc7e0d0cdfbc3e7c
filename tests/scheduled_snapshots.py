#!/usr/bin/env python3
"""Runs the command lines of docs/snapshots.md and contrib/ as cron and systemd do.

    scheduled_snapshots.py ORBIS MAKE_FIXTURES

No terminal, no HOME, next to no environment: silent when all is well, words and an exit code when not, and
what is thinned goes.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORE = "/srv/hytale/snapshots"
UNIVERSE = "/srv/hytale/universe"


def crontab():
    """The commands of the page, without their times."""
    block = re.search(r"```crontab\n(.*?)```", (ROOT / "docs" / "snapshots.md").read_text(), re.S).group(1)
    lines = [line for line in block.splitlines() if line and "=" not in line.split()[0]]
    commands = [line.split(None, 5)[5] for line in lines]
    assert len(commands) == 2 and not any("%" in command for command in commands), commands
    return commands


def service():
    """What systemd runs, in its order."""
    text = (ROOT / "contrib" / "orbis-snapshot@.service").read_text()
    values = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, re.M)) | {"STORE": STORE, "UNIVERSE": UNIVERSE}
    commands = re.findall(r"^Exec(?:Start|StopPost)=(.*)$", text, re.M)
    assert len(commands) == 2, text
    return [re.sub(r"\$\{(\w+)\}", lambda found: values[found.group(1)], command) for command in commands]


class Machine:
    """A folder that stands for /srv/hytale."""

    def __init__(self, orbis, fixtures, folder):
        self.orbis = orbis
        self.folder = folder
        shutil.copytree(fixtures / "universe", folder / "universe")
        # Only what can be read: the test of what cannot comes later.
        shutil.copytree(fixtures / "chunks-world" / "chunks", folder / "universe/worlds/overworld/chunks",
                        dirs_exist_ok=True)
        (folder / "universe/worlds/overworld/chunks/readme.txt").unlink(missing_ok=True)

    def run(self, command):
        command = (command.replace("/usr/bin/orbis", str(self.orbis)).replace(STORE, str(self.folder / "snapshots"))
                   .replace(UNIVERSE, str(self.folder / "universe")))
        done = subprocess.run(["/bin/sh", "-c", command], cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                              env={"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "hytale"}, timeout=600)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def snapshots(self):
        return len(list((self.folder / "snapshots" / "snapshots").glob("*.snapshot")))


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: expected {wanted!r}, found {found!r}")


def try_cron(machine):
    take, check = crontab()
    for _ in range(4):
        expect("a snapshot by cron", machine.run(take), (0, ""))
    if machine.snapshots() != 3:  # all of one hour, or of two: the last three stay
        sys.exit(f"thinning: expected 3 snapshots, found {machine.snapshots()}")
    expect("a check by cron", machine.run(check), (0, ""))


def try_service(machine):
    take, thin = service()
    for _ in range(4):
        code, output = machine.run(take)
        expect("a snapshot by systemd", (code, output.count("\n")), (0, 1))  # one line for the journal
        expect("thinning by systemd", machine.run(thin)[0], 0)
    expect("snapshots that are left", machine.snapshots(), 3)


def try_failures(machine):
    take, check = crontab()
    only = take.split(";")[0]
    before = machine.snapshots()

    # Damage: taken all the same, and named.
    region = machine.folder / "universe/worlds/overworld/chunks/0.0.region.bin"
    whole = region.read_bytes()
    region.write_bytes(whole[:4136] + b"damage" + whole[4142:])
    code, mail = machine.run(only)
    if code != 1 or "chunk 0,0" not in mail or machine.snapshots() != before + 1:
        sys.exit(f"damage: expected code 1, a mail and a snapshot, found {code}, {mail!r}")
    region.write_bytes(whole)

    # Nothing to take: the mail says so, earlier snapshots stay, and thinning takes none.
    kept = machine.snapshots()
    (machine.folder / "universe").rename(machine.folder / "away")
    code, mail = machine.run(only)
    if code != 2 or "universe: there is no such file or folder" not in mail:
        sys.exit(f"no universe: expected code 2 and a mail, found {code}, {mail!r}")
    machine.run(take)
    machine.run(take)
    if machine.snapshots() < min(kept, 3):
        sys.exit(f"no universe: expected that snapshots stay, found {machine.snapshots()} of {kept}")
    (machine.folder / "away").rename(machine.folder / "universe")

    # A store that is damaged.
    pack = next((machine.folder / "snapshots" / "packs").glob("*.pack"))
    content = bytearray(pack.read_bytes())
    content[80] ^= 0xFF
    pack.write_bytes(content)
    code, mail = machine.run(check)
    if code != 1 or not mail.startswith("orbis: "):
        sys.exit(f"a damaged store: expected code 1 and a mail, found {code}, {mail!r}")


def main():
    orbis, make_fixtures = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="orbis-scheduled-") as folder:
        folder = pathlib.Path(folder)
        subprocess.run([make_fixtures, folder / "fixtures"], check=True)
        for name, job in (("cron", try_cron), ("systemd", try_service)):
            machine = Machine(orbis, folder / "fixtures", folder / name)
            job(machine)
        try_failures(machine)


if __name__ == "__main__":
    main()

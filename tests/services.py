#!/usr/bin/env python3
"""Checks the units of contrib/ and runs their commands as systemd does.

    services.py ORBIS

systemd itself says whether the units are right and closed enough. Then `up` and `serve` run with the environment that
the units give them: they get ready, read their settings again when asked, and end cleanly.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = sorted((ROOT / "contrib").glob("orbis-*"))
MOST_EXPOSED = 20  # tenths, as `systemd-analyze security` rates; 100 is a unit without any protection


def checked_by_systemd(orbis, folder):
    """Copies that name this program, because systemd looks whether it is there."""
    copies = []
    for unit in UNITS:
        copy = folder / unit.name
        copy.write_text(unit.read_text().replace("/usr/bin/orbis", str(orbis)))
        copies.append(copy)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *copies], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "orbis" in line]
    if done.returncode or said:
        sys.exit("systemd-analyze verify: " + "\n".join(said or [done.stderr]))
    for copy in copies:
        if copy.suffix != ".service" or copy.name.startswith("orbis-failed"):
            continue
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", copy],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{copy.name} is too open: {done.stdout.splitlines()[-1] if done.stdout else done.stderr}")


class Unit:
    """One service with its configuration, enough of it to run its command."""

    def __init__(self, name, orbis, etc, variables):
        self.text = (ROOT / "contrib" / f"orbis-{name}@.service").read_text()
        self.etc = etc
        self.orbis = orbis
        self.variables = dict(re.findall(r"^Environment=(\w+)=(.*)$", self.text, re.M))
        if "EnvironmentFile=/etc/orbis/%i.conf" not in self.text:
            sys.exit(f"{name}: expected that it reads /etc/orbis/NAME.conf")
        for line in (etc / "main.conf").read_text().splitlines():
            if line and not line.startswith("#"):
                key, value = line.split("=", 1)
                self.variables[key] = value
        self.variables |= variables

    def command(self):
        """What ExecStart= says: ${X} is one word, $X as many as it has."""
        line = re.search(r"^ExecStart=(.*)$", self.text, re.M).group(1)
        line = line.replace("/etc/orbis", str(self.etc)).replace("%i", "main")
        words = []
        for word in line.replace("/usr/bin/orbis", str(self.orbis)).split():
            if word.startswith("$") and not word.startswith("${"):
                words += shlex.split(self.variables[word[1:]])
            else:
                words.append(re.sub(r"\$\{(\w+)\}", lambda found: self.variables[found.group(1)], word))
        return words

    def start(self):
        self.process = subprocess.Popen(self.command(), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        env={"PATH": "/usr/bin:/bin"}, text=True)

    def until(self, pattern):
        for line in self.process.stdout:
            found = re.search(pattern, line)
            if found:
                return found
        sys.exit(f"{self.command()}: ended with {self.process.wait()} before it said {pattern}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        if self.process.wait() != 0:
            sys.exit(f"{self.command()}: expected exit code 0 after SIGTERM, found {self.process.returncode}")


def try_up(orbis, etc, folder):
    unit = Unit("up", orbis, etc, {"CACHE_DIRECTORY": str(folder / "cache")})
    unit.start()
    unit.until('"url":"http://127.0.0.1:')
    unit.stop()
    if not (folder / "cache").is_dir():
        sys.exit("up: expected that pictures go to the cache of the unit")


def try_serve(orbis, etc):
    settings = etc / "main.json"
    values = json.loads((ROOT / "contrib" / "example.json").read_text()) | {"bind": "127.0.0.1:0"}
    settings.write_text(json.dumps(values))
    unit = Unit("serve", orbis, etc, {})
    unit.start()
    ready = unit.until('"event":"ready".*').group(0)
    if f'"max_players":{values["max_players"]}' not in ready:
        sys.exit(f"serve: expected the settings of {settings}, found {ready}")
    reload = re.search(r"^ExecReload=(.+)$", unit.text, re.M).group(1)
    subprocess.run(shlex.split(reload.replace("$MAINPID", str(unit.process.pid))), check=True)
    unit.until('"command":"reload","done":true')
    unit.stop()


def main():
    orbis = pathlib.Path(sys.argv[1]).resolve()
    for unit in UNITS:
        if re.search(r"password|secret", unit.read_text(), re.I):
            sys.exit(f"{unit.name}: expected no secrets")
    with tempfile.TemporaryDirectory(prefix="orbis-services-") as folder:
        folder = pathlib.Path(folder)
        checked_by_systemd(orbis, folder)
        universe, etc = folder / "the universe", folder / "etc"
        shutil.copytree(os.environ["ORBIS_SAMPLE"], universe)
        etc.mkdir()
        conf = (ROOT / "contrib" / "example.conf").read_text()
        conf = re.sub(r"^UNIVERSE=.*$", f"UNIVERSE={universe}", conf, flags=re.M)
        conf += "UP_OPTIONS=--http 127.0.0.1:0 --game off --json\nSERVE_OPTIONS=--json --stop-notice 0\n"
        (etc / "main.conf").write_text(conf)
        try_up(orbis, etc, folder)
        try_serve(orbis, etc)


if __name__ == "__main__":
    main()

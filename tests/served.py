"""`orbis serve` and those who visit it, for the tests that run the whole program."""

import hashlib
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

# The sanitizers make everything several times slower: what is only a matter of amount is less then.
SHORT = os.environ.get("ORBIS_TESTS_SHORT") == "1"

# How many seconds a test waits for what must happen: far more than the slowest machine needs, as only a test that fails
# anyway waits so long. In scenarios of bots: f"join {SOON}".
PATIENCE = 180
SOON = f"within {PATIENCE}s"


def wait_until(condition, what):
    """Asks again and again; what the condition said when it held."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.02)
    return found


def content(folder):
    """The bytes of every file, as hashes, and when each was written."""
    return {path.relative_to(folder): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*")) if path.is_file()}


def spoken_builds():
    """All builds of which servers and clients can be."""
    folder = pathlib.Path(__file__).resolve().parent.parent / "protocol/dialect"
    dialects = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return [build for build, dialect in dialects.items() if dialect.get("spoken", True)]


def make_sample(program, folder):
    """The sample universe: a copy of that in ORBIS_SAMPLE, where one was made for all tests."""
    made = os.environ.get("ORBIS_SAMPLE")
    if made:
        shutil.copytree(made, folder)
    else:
        subprocess.run([program, "sample", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)


class Orbis:
    """The program, in a folder of its own that goes when the test ends. So do all that it has started."""

    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()
        self.running = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="orbis-living-"))
        return self

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *arguments, **streams):
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.folder, text=True, **streams)
        self.running.append(process)
        return process

    def run(self, *arguments, expect=0):
        """What it says. Another exit code than the expected one ends the test with all that was said."""
        run = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                             timeout=2 * PATIENCE)
        assert expect is None or run.returncode == expect, \
            f"orbis {' '.join(map(str, arguments))}: exit code {run.returncode}\n{run.stdout}{run.stderr}"
        return run

    def report(self, *arguments, expect=0):
        return json.loads(self.run(*arguments, "--json", "--quiet", expect=expect).stdout)

    def lines(self, *arguments, expect=0):
        return [json.loads(line) for line in self.run(*arguments, "--json", "--quiet", expect=expect).stdout.splitlines()]

    def block(self, path, x, y, z):
        """The name of a block on the disk."""
        return self.report("get", path, x, y, z)["block"]

    def serve(self, *arguments):
        return Served(self, *arguments)

    def proxy(self, target, *arguments):
        return Proxied(self, target, *arguments)

    def play(self, server, text, *arguments, expect=0):
        """Bots that act out a scenario; their report."""
        scenario = self.folder / "scenario.txt"
        scenario.write_text(text)
        return self.report("bot", server.address, "--scenario", scenario, *arguments, expect=expect)


def run_parts(program, parts, chosen):
    """Those that were chosen, or all, one after another in one folder."""
    with Orbis(program) as orbis:
        for part in parts:
            if chosen and part.__name__ not in chosen:
                continue
            begin = time.monotonic()
            what = part(orbis)
            print(f"{part.__name__.replace('_', ' ')}: {what} ({time.monotonic() - begin:.1f} s)", flush=True)


def chunks(orbis, path):
    return sorted((line["x"], line["z"]) for line in orbis.lines("ls", path))


def real_world(orbis, name):
    """A copy of one, and the option for the area in which its chunks are; nothing where there are none."""
    shared = pathlib.Path(os.environ.get("ORBIS_SHARED", "")) / "worlds"
    if not shared.is_dir():
        return None
    if not (orbis.folder / name).exists():
        shutil.copytree(shared / name, orbis.folder / name)
    places = chunks(orbis, orbis.folder / name)
    (west, north), (east, south) = map(min, zip(*places)), map(max, zip(*places))
    return orbis.folder / name, "--area=" + ",".join(str(32 * at) for at in (west, north, east, south))


class Served:
    """A server that listens, and all events that it has told."""

    def __init__(self, orbis, *arguments):
        self.orbis = orbis
        self.errors = tempfile.TemporaryFile("w+")
        self.process = orbis.start(*self.command(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.arrived = queue.Queue()
        self.events = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.address = self.wait("ready")["addresses"][0]

    def command(self, arguments):
        return ["serve", *arguments, "--bind", "127.0.0.1:0", "--json", "--stop-notice", "0"]

    def _read(self):
        for line in self.process.stdout:
            # The last line of a process that was killed may be cut.
            if line.endswith("\n"):
                self.arrived.put(json.loads(line))
        self.arrived.put(None)

    def gather(self, timeout=0.0):
        """Takes what has come; false when nothing more will."""
        try:
            while True:
                event = self.arrived.get(timeout > 0, timeout or None)
                if event is None:
                    return False
                self.events.append(event)
                timeout = 0.0
        except queue.Empty:
            return True

    def wait(self, name, when=lambda event: True):
        """The next event of this name for which `when`, from those that nobody has waited for yet."""
        begin, at = time.monotonic(), len(self.events)
        while True:
            more = self.gather(0.05)
            for event in self.events[at:]:
                if event["event"] == name and when(event):
                    return event
            at = len(self.events)
            if not more or time.monotonic() - begin > PATIENCE:
                raise AssertionError(f"no event {name}; the server said:\n{self.said()}")

    def ask(self, line):
        """Gives a command to its console; the answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.wait("answer", when=lambda event: event["command"] == line)

    def said(self):
        self.errors.seek(0)
        return "\n".join(map(str, self.events[-30:])) + "\n" + self.errors.read()

    def named(self, name):
        self.gather()
        return [event for event in self.events if event["event"] == name]

    def memory(self):
        """Bytes of its own that are in memory, those of mapped files not counted."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
        return 0

    def _end(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE)
        self.reader.join(timeout=PATIENCE)
        self.gather()
        return code

    def kill(self):
        self._end(signal.SIGKILL)
        self.errors.close()

    def stop(self):
        code = self._end(signal.SIGTERM)
        assert code == 0, f"the server ended with {code} and said:\n{self.said()}"
        self.errors.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            print(f"the server said:\n{self.said()}", flush=True)
            self.kill()


class Proxied(Served):
    """A proxy that listens, and all events that it has told."""

    def __init__(self, orbis, target, *arguments):
        self.target = target
        super().__init__(orbis, *arguments)

    def command(self, arguments):
        return ["proxy", "127.0.0.1:0", self.target, "--json", *arguments]

#!/usr/bin/env python3
"""The load test: a server and bots in two processes, and what they take (docs/load.md).

    tests/load/run.py build/release/bin/orbis [--row columns|pace|crowd|random|memory] [--json]

Exit codes: 0 all goals were met, 1 one was not, 2 it could not be measured.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import tiled_world

BESIDE = pathlib.Path(__file__).resolve().parents[3] / "shared"
GROUP = 50
TICK = 1 / 30
APART = 40  # chunks between groups; nobody sees so far
CLOCK = os.sysconf("SC_CLK_TCK")


class Unmeasured(Exception):
    pass


class Process:
    """What the system says of a process that runs."""

    def __init__(self, child):
        self.child = child

    def processor(self):
        """Seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def resident(self):
        """Bytes of memory."""
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024


class Server(Process):
    def __init__(self, orbis, world, *options):
        command = [orbis, "serve", world, "--json", "--bind", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]
        super().__init__(
            subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        ready = {}
        for line in self.child.stdout:
            ready = json.loads(line)
            if ready.get("event") == "ready":
                break
        if ready.get("event") != "ready":
            raise Unmeasured("the server did not start")
        self.address = ready["addresses"][0]
        self.metrics_url = ready["metrics"]
        # A pipe that nobody reads would stop the server.
        threading.Thread(target=lambda: [None for _ in self.child.stdout], daemon=True).start()

    def metrics(self):
        text = urllib.request.urlopen(self.metrics_url, timeout=10).read().decode()
        figures = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                figures[name] = float(value)
        return figures

    def stop(self):
        self.child.terminate()
        self.child.wait(timeout=60)


@contextlib.contextmanager
def serving(*arguments):
    server = Server(*arguments)
    try:
        yield server
    finally:
        server.stop()


def bound_of(before, after, name, part):
    """An upper bound of a percentile of what a histogram has counted in between, in seconds."""
    buckets = []
    for key, value in after.items():
        found = re.fullmatch(name + r'_bucket\{le="(.*)"\}', key)
        if found:
            buckets.append((float(found[1].replace("+Inf", "inf")), value - before.get(key, 0)))
    buckets.sort()
    total = buckets[-1][1]
    return next(bound for bound, count in buckets if count >= part * total)


def bots(orbis, server, *options):
    return subprocess.Popen(
        [orbis, "bot", server.address, "--json", "--quiet", *options], stdout=subprocess.PIPE, text=True
    )


def report_of(child):
    out, _ = child.communicate(timeout=300)
    try:
        return json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        raise Unmeasured("the bots have reported nothing") from None


def row(name, value, unit, goal=None, is_met=None):
    if goal is None:
        return {"name": name, "value": value, "unit": unit}
    return {"name": name, "value": value, "unit": unit, "goal": goal, "met": bool(is_met)}


def measure_columns(orbis, work, source):
    """A player alone, who sees twelve chunks far, as fast as the network takes it."""
    world = work / "one"
    tiled_world.make(source, world, [(0, 0)], 13)
    with serving(orbis, world, "--unlimited", "--no-map", "--view-radius", "12") as server:
        start = server.processor()
        report = report_of(bots(orbis, server, "--view-radius", "384", "--no-world", "--time", "3s"))
        used = server.processor() - start
    last = report["time_to_last_chunk"]["p50_ms"]
    return [
        row("columns of a view of 12 chunks", report["chunks"], "", 441, report["chunks"] == 441),
        row("until all are there, nothing prepared", last, "ms", 1000, last < 1000),
        row("processor time of the server for it, 3 s of ticks included", round(1000 * used), "ms"),
    ]


def measure_pace(orbis, work, source):
    """The same at the pace of the game: four in a tick."""
    world = work / "pace"
    tiled_world.make(source, world, [(0, 0)], 13)
    with serving(orbis, world, "--no-map", "--view-radius", "12") as server:
        report = report_of(bots(orbis, server, "--view-radius", "384", "--no-world", "--time", "6s"))
    seconds = (report["time_to_last_chunk"]["p50_ms"] - report["time_to_first_chunk"]["p50_ms"]) / 1000
    rate = (report["chunks"] - 1) / seconds
    return [row("columns in a second at the pace of the game", round(rate, 1), "/s", 120, 108 <= rate <= 122)]


def scenario(groups, walk, joining, steady):
    places = [(g % 5 * APART * 32, g // 5 * APART * 32) for g in range(groups)]
    lines = [f"bots {groups * GROUP}"]
    lines += [f"group {GROUP} at {x} 100 {z}" for x, z in places]
    lines += [f"join within {joining}s", *([f"walk {walk}"] if walk else []), f"wait {steady}s"]
    return "\n".join(lines) + "\n"


def wait_for_players(server, child, count, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and child.poll() is None:
        if sum(value for name, value in server.metrics().items() if name.startswith("orbis_players{")) >= count:
            return
        time.sleep(0.5)
    raise Unmeasured(f"{count} bots have not joined in {seconds} s")


def run_crowd(orbis, work, source, name, groups, walk, steady, radius, *options):
    """Bots in groups that see each other, and stand where `walk` is None; what both processes did once all were there."""
    world = work / name
    places = [(g % 5 * APART, g // 5 * APART) for g in range(groups)]
    tiled_world.make(source, world, [*places, (0, 0)], radius // 32 + 1)
    story = work / f"{name}.txt"
    story.write_text(scenario(groups, walk, 90, steady + 8))
    count = groups * GROUP
    with serving(orbis, world, "--no-map", "--max-players", str(count + 10)) as server:
        empty = server.resident()
        child = bots(orbis, server, "--scenario", story, "--view-radius", str(radius), *options)
        crowd = Process(child)
        wait_for_players(server, child, count, 120)
        time.sleep(5)  # the last chunks of the last
        before, used, since = server.metrics(), (server.processor(), crowd.processor()), time.monotonic()
        time.sleep(steady)
        after, passed = server.metrics(), time.monotonic() - since
        shares = [(now - then) / passed for now, then in zip((server.processor(), crowd.processor()), used)]
        memory = server.resident(), crowd.resident()
        report = report_of(child)
    return {
        "before": before,
        "after": after,
        "seconds": passed,
        "server": shares[0],
        "bots": shares[1],
        "per_player": (memory[0] - empty) / count,
        "per_bot": memory[1] / count,
        "report": report,
    }


def measure_crowd(orbis, work, source, walk="circle"):
    """A thousand who walk."""
    run = run_crowd(orbis, work, source, walk, 20, walk, 10, 64, "--no-world")
    before, after, report = run["before"], run["after"], run["report"]

    def grown(name):
        return (after[name] - before[name]) / run["seconds"]

    done = bound_of(before, after, "orbis_tick_done_seconds", 0.99)
    ticks = grown("orbis_ticks_total")
    updates = grown("orbis_entity_updates_total") / (20 * GROUP)
    return [
        row("bots that joined", report["joined"], "", 20 * GROUP, report["joined"] == 20 * GROUP),
        row("bots that were lost", sum(each["count"] for each in report["errors"]), "", 0, not report["errors"]),
        row("tick, from when it was due until it was done, p99 at most", 1000 * done, "ms", 33, done <= 0.033),
        row("tick, the same, p50 at most", 1000 * bound_of(before, after, "orbis_tick_done_seconds", 0.5), "ms"),
        row("tick, duration, p99 at most", 1000 * bound_of(before, after, "orbis_tick_duration_seconds", 0.99), "ms"),
        row("tick, lateness, p99 at most", 1000 * bound_of(before, after, "orbis_tick_lateness_seconds", 0.99), "ms"),
        row("ticks", round(ticks, 1), "/s", 30, ticks > 29.5),
        row("updates that each player got", round(updates, 1), "/s"),
        row("movements of each bot, at most", round(grown("orbis_received_datagrams_total") / (20 * GROUP), 1), "/s"),
        row("processor of the server", round(100 * run["server"]), "%"),
        row("processor of the bots", round(100 * run["bots"]), "%"),
        row("sent", round(grown("orbis_sent_bytes_total") / 1e6, 1), "MB/s"),
        row("time to join, p99", report["time_to_join"]["p99_ms"], "ms"),
        row("ping of the whole run, p99", report["ping"]["p99_ms"], "ms"),
    ]


def measure_random_crowd(orbis, work, source):
    """The same where each goes its own way, and columns come and go."""
    return measure_crowd(orbis, work, source, "random")


def measure_memory(orbis, work, source):
    """What players and bots with a world take, columns that all share included."""
    run = run_crowd(orbis, work, source, "memory", 4, "circle", 5, 64)
    idle = run_crowd(orbis, work, source, "idle", 4, None, 5, 64, "--no-world")
    kib, mib = run["per_player"] / 1024, run["per_bot"] / (1 << 20)
    idle_kib = idle["per_player"] / 1024
    return [
        row("memory of the server for a player who walks", round(kib), "KiB", 256, kib < 256),
        row("memory of the server for a player who stands still", round(idle_kib), "KiB", 256, idle_kib < 256),
        row("memory of a bot with a world of 13 chunks", round(mib, 2), "MiB", 1, mib < 1),
    ]


ROWS = {
    "columns": measure_columns,
    "pace": measure_pace,
    "crowd": measure_crowd,
    "random": measure_random_crowd,
    "memory": measure_memory,
}


def main():
    parser = argparse.ArgumentParser(description="Measures orbis serve with many bots.")
    parser.add_argument("orbis", type=pathlib.Path)
    parser.add_argument("--row", choices=ROWS, action="append", help="only this; may be given several times")
    parser.add_argument("--chunks", type=pathlib.Path, help="region files that the worlds are made of")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        source = given.chunks or pathlib.Path(os.environ.get("ORBIS_SHARED", BESIDE)) / "worlds/dense/chunks"
        if not source.is_dir():
            subprocess.run([given.orbis, "sample", work / "sample", "--quiet"], check=True)
            source = next((work / "sample").rglob("chunks"))
        for name in given.row or ROWS:
            try:
                rows = ROWS[name](given.orbis, work, source)
            except (Unmeasured, OSError, KeyError) as problem:
                print(f"{name}: could not be measured: {problem!r}", file=sys.stderr)
                return 2
            for each in rows:
                failed |= each.get("met") is False
                if given.json:
                    print(json.dumps(each), flush=True)
                    continue
                goal = "" if "goal" not in each else f"   goal {each['goal']}: {'met' if each['met'] else 'NOT MET'}"
                print(f"{each['name']:<62}{each['value']:>10} {each['unit']:<6}{goal}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

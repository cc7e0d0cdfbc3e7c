#!/usr/bin/env python3
"""Checks that `orbis up` serves, keeps its hands off the universe, and ends in order: up.py ORBIS"""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

from served import make_sample

orbis = pathlib.Path(sys.argv[1]).resolve()
failed = 0


def check(condition, what):
    global failed
    print(("ok      " if condition else "FAILED  ") + what)
    failed += not condition


def listing(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


class Up:
    def __init__(self, *arguments, cwd, user=None):
        self.process = subprocess.Popen([orbis, "up", *arguments], cwd=cwd, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, user=user)
        self.first = json.loads(self.process.stdout.readline())
        self.address = urllib.parse.urlparse(self.first["url"]).netloc

    def get(self, path, host=None):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def end(self, number):
        begin = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.process.communicate()
        return code, time.monotonic() - begin


with tempfile.TemporaryDirectory(prefix="orbis-up-") as name:
    folder = pathlib.Path(name)
    make_sample(orbis, folder / "universe")
    before = listing(folder / "universe")
    options = ["universe", "--json", "--quiet", "--http", "127.0.0.1:0", "--game", "127.0.0.1:0", "--cache", "cache"]

    up = Up(*options, cwd=folder)
    check(up.first["worlds"][0]["chunks"] == 400 and up.first["url"].startswith("http://127.0.0.1:"),
          "--json prints one object with the address")
    begin = time.monotonic()
    status, body = up.get("/api/tile/default/surface/0/0.0")
    check(status == 200 and body.startswith(b"\x89PNG"), "a tile is rendered when asked for")
    print(f"        the first tile took {(time.monotonic() - begin) * 1000:.0f} ms")
    check(up.get("/")[0] in (200, 503), "the page, or how to get it")
    check(b'"live":true' in up.get("/map.js")[1], "map.js says that it is live")
    check(up.get("/", host="evil.example")[0] == 403, "a foreign name in the Host header is refused")
    check(up.get("/../../../etc/passwd")[0] == 400, "paths upwards are refused")
    bot = subprocess.run([orbis, "bot", up.first["game"], "--time", "2s", "--json", "--quiet"], capture_output=True, text=True)
    report = json.loads(bot.stdout)
    check(bot.returncode == 0 and report["joined"] == 1 and report["chunks"] > 0, "players can join and see the world")
    told = [json.loads(up.process.stdout.readline()) for _ in range(2)]
    check([event["event"] for event in told] == ["join", "leave"] and told[0]["player"] == "bot", "who comes and goes is told")
    code, took = up.end(signal.SIGINT)
    check(code == 0 and took < 10, f"Ctrl+C ends it in order ({took:.1f} s)")

    up = Up(*options, cwd=folder)
    up.end(signal.SIGKILL)
    up = Up(*options, cwd=folder)
    for _ in range(300):
        if b'"state":' in up.get("/worlds/default/world.js")[1]:
            break
        time.sleep(0.1)
    check(b'"state":' in up.get("/worlds/default/world.js")[1], "after a kill the next run makes the map")
    second = Up(*options, cwd=folder)
    check(second.get("/map.js")[0] == 200, "two may show the same universe")
    check(second.end(signal.SIGTERM)[0] == 0 and up.end(signal.SIGTERM)[0] == 0, "SIGTERM ends it in order")
    check(listing(folder / "universe") == before, "nothing in the universe was touched")
    check(sorted(path.name for path in folder.iterdir()) == ["cache", "universe"], "nothing was written beside it")

with tempfile.TemporaryDirectory(prefix="orbis-up-") as name:
    folder = pathlib.Path(name)
    folder.chmod(0o777)
    make_sample(orbis, folder / "universe")
    closed = folder / "universe/worlds/default/chunks"
    closed.chmod(0)
    nobody = 65534 if os.getuid() == 0 else None  # root may read everything
    up = Up("universe", "--json", "--quiet", "--http", "127.0.0.1:0", "--game", "127.0.0.1:0", "--cache", "cache",
            cwd=folder, user=nobody)
    world = json.loads(up.get("/api/worlds")[1])["worlds"][0]
    check(world["state"] == "failed" and world["problems"][0]["file"] == "worlds/default/chunks"
          and "read" in world["problems"][0]["advice"], "a chunks folder that may not be read is no empty world")
    check(up.get("/api/tile/default/surface/0/0.0")[0] == 503, "and its tiles say so too")
    closed.chmod(0o755)
    begin = time.monotonic()
    while time.monotonic() - begin < 10 and up.get("/api/tile/default/surface/0/0.0")[0] != 200:
        time.sleep(0.05)
    took = time.monotonic() - begin
    check(took < 5, f"it shows when it can be read ({took:.1f} s)")
    up.end(signal.SIGTERM)

    subprocess.run([orbis, "sample", "other", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "other/worlds/default").rename(folder / "universe/worlds/closed")
    (folder / "universe/worlds/closed/chunks").chmod(0)
    command = [orbis, "up", "universe", "--quiet", "--http", "off", "--game", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, user=nobody)
    lines = [process.stdout.readline() for _ in range(4)]
    check(any(line.startswith("closed is left out, it cannot be opened: ") for line in lines), "a world that cannot be opened is named")
    game = next((line.split()[1] for line in lines if line.startswith("Game: ")), "localhost:1")
    bot = subprocess.run([orbis, "bot", game, "--time", "2s", "--json", "--quiet"], capture_output=True, text=True)
    check(bot.returncode == 0 and json.loads(bot.stdout)["chunks"] > 0, "and players can join the others")
    process.terminate()
    process.communicate(timeout=30)
    (folder / "universe/worlds/closed/chunks").chmod(0o755)
sys.exit(1 if failed else 0)

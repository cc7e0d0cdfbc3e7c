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

from served import PATIENCE, SOON, make_sample, wait_until

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
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def end(self, number):
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE)
        self.process.communicate()
        return code


def visit(folder, address):
    """A bot that goes when it has seen a chunk: its exit code and its report."""
    scenario = folder.parent / f"{folder.name}-visit.txt"
    scenario.write_text(f"join {SOON}\nwait chunks 1 {SOON}\n")
    run = subprocess.run([orbis, "bot", address, "--scenario", scenario, "--json", "--quiet"], capture_output=True, text=True)
    scenario.unlink()
    return run.returncode, json.loads(run.stdout)


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
    code, report = visit(folder, up.first["game"])
    check(code == 0 and report["joined"] == 1 and report["chunks"] > 0, "players can join and see the world")
    told = [json.loads(up.process.stdout.readline()) for _ in range(2)]
    check([event["event"] for event in told] == ["join", "leave"] and told[0]["player"] == "bot", "who comes and goes is told")
    check(up.end(signal.SIGINT) == 0, "Ctrl+C ends it in order")

    up = Up(*options, cwd=folder)
    up.end(signal.SIGKILL)
    up = Up(*options, cwd=folder)
    wait_until(lambda: b'"state":' in up.get("/worlds/default/world.js")[1], "the next run after a kill makes the map")
    second = Up(*options, cwd=folder)
    check(second.get("/map.js")[0] == 200, "two may show the same universe")
    check(second.end(signal.SIGTERM) == 0 and up.end(signal.SIGTERM) == 0, "SIGTERM ends it in order")
    check(listing(folder / "universe") == before, "nothing in the universe was touched")
    check(sorted(path.name for path in folder.iterdir()) == ["cache", "universe"], "nothing was written beside it")

with tempfile.TemporaryDirectory(prefix="orbis-up-") as name:
    folder = pathlib.Path(name)
    make_sample(orbis, folder / "universe")
    for path, text in {"Server/Item/Items/Cut.json": '{"BlockType": {', "Server/Item/Items/Odd.json": '{"MaxStack": "many"}',
                       "Common/Icons/Odd.png": "an icon"}.items():
        (folder / "assets" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "assets" / path).write_text(text)
    for verb, options in {"up": ["--http", "off", "--game", "127.0.0.1:0"], "serve": ["--bind", "127.0.0.1:0"]}.items():
        process = subprocess.Popen([orbis, verb, "universe", "--assets", "assets", *options], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while (line := process.stdout.readline()) and not line.startswith(("Game: ", "Serving ")):
            pass
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
        check(said.count("Cut.json") == 1 and "assets: Server/Item/Items/Cut.json: " in said,
              f"{verb}: a file of the assets that cannot be read is told once, with its place")
        check("assets: Server/Item/Items/Odd.json: 'MaxStack': " in said, f"{verb}: and a wrong member with its file")
        check("Players can download 1 file of assets" in said, f"{verb}: players can download the assets")

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
    wait_until(lambda: up.get("/api/tile/default/surface/0/0.0")[0] == 200, "it shows when it can be read")
    up.end(signal.SIGTERM)

    make_sample(orbis, folder / "other")
    (folder / "other/worlds/default").rename(folder / "universe/worlds/closed")
    (folder / "universe/worlds/closed/chunks").chmod(0)
    command = [orbis, "up", "universe", "--quiet", "--http", "off", "--game", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, user=nobody)
    lines = [process.stdout.readline() for _ in range(4)]
    check(any(line.startswith("closed cannot be opened and is not served: ") for line in lines), "a world that cannot be opened is named")
    game = next((line.split()[1] for line in lines if line.startswith("Game: ")), "localhost:1")
    code, report = visit(folder, game)
    check(code == 0 and report["chunks"] > 0, "and players can join the others")
    process.terminate()
    process.communicate(timeout=PATIENCE)
    (folder / "universe/worlds/closed/chunks").chmod(0o755)
sys.exit(1 if failed else 0)

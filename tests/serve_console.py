#!/usr/bin/env python3
"""`orbis serve` as its owner runs it: console, settings, figures, with bots as players:
serve_console.py ORBIS [TEST…]"""

import fcntl
import json
import os
import pathlib
import pty
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from served import PATIENCE, SOON, make_sample, wait_until

orbis = pathlib.Path(sys.argv[1]).resolve()
failed = 0
STAY = f"wait {10 * PATIENCE}s"  # until it is told to go
started = []  # ends with this, whatever happens


def check(condition, what, *found):
    global failed
    print(("ok      " if condition else "FAILED  ") + what, *([] if condition else found), flush=True)
    failed += not condition


class Server:
    def __init__(self, folder, *arguments, universe="universe"):
        self.process = subprocess.Popen(
            [orbis, "serve", universe, "--json", "--bind", "127.0.0.1:0", "--no-map", *arguments],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(self.process)
        self.events = []
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.ready = self.wait("ready")
        self.address = self.ready["addresses"][0]

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put({"event": "end"})

    def wait(self, event, **members):
        """The next event of a kind; those before it are kept in `events`."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = self.lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            self.events.append(found)
            if found["event"] == event and all(found.get(key) == value for key, value in members.items()):
                return found
            if found["event"] == "end":
                raise AssertionError(f"the server ended before {event} {members}: {self.events[-3:]}")

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.write(line)
        return self.wait("answer", command=line)

    def players(self, want):
        """Asks for the players until the answer has a text in it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            lines = self.ask("players")["lines"]
            if any(re.search(want, line) for line in lines) or time.monotonic() > deadline:
                return lines
            time.sleep(0.02)

    def end(self, number=None):
        if number:
            self.process.send_signal(number)
        self.wait("stopped")
        return self.process.wait(PATIENCE)


class Bot:
    def __init__(self, folder, server, name, *steps, options=()):
        scenario = folder / f"{name}.txt"
        scenario.write_text(f"join {SOON}\n" + "".join(step + "\n" for step in steps))
        self.process = subprocess.Popen(
            [orbis, "bot", server.address, "--name", name, "--scenario", scenario, "--json", "--quiet", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(self.process)

    def report(self):
        """Ends it, and says how it was."""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=PATIENCE)
        return json.loads(out)


def visit(folder, address, name, *options, within=SOON):
    """A bot that goes as soon as it is in the world: its exit code, and what it says."""
    scenario = folder / "visit.txt"
    scenario.write_text(f"join {within}\n")
    return subprocess.run([orbis, "bot", address, "--name", name, "--scenario", scenario, "--quiet", "--json", *options],
                          capture_output=True, text=True, timeout=2 * PATIENCE)


def refused_bot(server, name, *options):
    """A bot that is not let in: what it says."""
    return subprocess.run([orbis, "bot", server.address, "--name", name, "--time", f"{PATIENCE}s", "--quiet", "--json", *options],
                          capture_output=True, text=True, timeout=2 * PATIENCE)


def place_of(lines, name):
    """Where a player is, in the answer to `players`."""
    return next(tuple(map(int, found.groups())) for line in lines
                if (found := re.match(rf"{name} .* at (-?\d+) (-?\d+) (-?\d+),", line)))


def scrape(url):
    """A page of figures as {name and labels: value}; fails on anything that the format does not allow."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"), answer.headers
        text = answer.read().decode()
    assert text.endswith("\n")
    values, types, helps, finished, current = {}, {}, set(), set(), None
    for line in text.splitlines():
        if note := re.fullmatch(r"# (HELP|TYPE) ([a-z_]+) (.+)", line):
            kind, name, rest = note.groups()
            if name != current:
                assert name not in finished, f"{name} stands in two places"
                finished.add(current)
                current = name
            if kind == "TYPE":
                assert name not in types and rest in ("counter", "gauge", "histogram"), line
                types[name] = rest
            else:
                helps.add(name)
            continue
        sample = re.fullmatch(r'([a-z_]+)((?:\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"\})?) (\S+)', line)
        assert sample, f"no sample: {line}"
        family = re.sub(r"_(bucket|sum|count)$", "", sample[1]) if types[current] == "histogram" else sample[1]
        assert family == current and (types[family] != "counter" or family.endswith("_total")), line
        assert sample[1] + sample[2] not in values, f"twice: {line}"
        values[sample[1] + sample[2]] = float(sample[3])
    assert helps == set(types)
    for name in (name for name, kind in types.items() if kind == "histogram"):
        buckets = [value for key, value in values.items() if key.startswith(name + "_bucket")]
        assert buckets == sorted(buckets) and buckets[-1] == values[name + "_count"], name
    return values


def test_console(folder):
    server = Server(folder, "--welcome", "Mind the cows.", "--metrics", "127.0.0.1:0")
    check(server.ask("players")["lines"] == ["No players online"], "players, when nobody is here")
    first = scrape(server.ready["metrics"])
    check(first['orbis_players{world="default"}'] == 0 and first["orbis_joined_total"] == 0, "figures before")

    ada = Bot(folder, server, "Ada", f'expect chat "Mind the cows." {SOON}', f"wait chunks 20 {SOON}",
              f'expect chat "tea is ready" {SOON}', STAY)
    bob = Bot(folder, server, "Bob", f'expect chat "tea is ready" {SOON}', f"walk to 60 0 60 speed 40 {SOON}",
              f'expect chat "are you there" {SOON}', 'chat "here I am"', STAY)
    server.wait("join", player="Ada")
    lines = server.players("Ada (plays|is loading) in default .* 2[0-9]|Ada .*[1-9][0-9][0-9] chunks")
    check(any(re.fullmatch(r"Ada (plays|is loading) in default at -?\d+ -?\d+ -?\d+, ping \d+\.\d ms, \d+ chunks, "
                           r"127\.0\.0\.1:\d+", line) for line in lines), "players says who is where", lines)
    begin = place_of(server.players("Bob .* in default"), "Bob")
    check(server.ask("say tea is ready")["lines"] == ["Sent to 2 players"], "say tells everybody")
    figures = scrape(server.ready["metrics"])
    check(figures['orbis_players{world="default"}'] == 2 and figures["orbis_joined_total"] == 2
          and figures["orbis_chunks_sent_total"] >= 20 and figures["orbis_sent_bytes_total"] > 10_000
          and figures['orbis_chunks_encoded_total{world="default"}'] > 0 and figures["orbis_connections"] >= 2
          and figures["orbis_tick_duration_seconds_count"] > 0 and figures["orbis_resident_bytes"] > 1 << 20,
          "the figures say so too")
    status = server.ask("status")["lines"]
    check(re.match(r"Up \d+ s, 2 players of 100, 2 joined so far", status[0]), "status", status)
    base = server.ready["metrics"].removesuffix("/metrics")
    check(b"/metrics" in urllib.request.urlopen(base + "/").read(), "the page says where the figures are")
    try:
        urllib.request.urlopen(base + "/other")
        check(False, "other pages are not there")
    except urllib.error.HTTPError as problem:
        check(problem.code == 404, "other pages are not there", problem.code)

    lines = server.players("Bob plays in default at 60 -?[0-9]+ 60,")
    check(place_of(lines, "Bob")[::2] == (60, 60), "Bob walks", lines)
    answer = server.ask("teleport Bob -40 90 -24.5")
    check(answer["lines"] == ["Teleported Bob to -40 90 -25"], "teleport", answer)
    lines = server.players(r"Bob plays in default at -40 90 -25,.* [1-9]\d* chunks")
    check(place_of(lines, "Bob") == (-40, 90, -25), "Bob is elsewhere", lines)
    check(server.ask("teleport Nobody 1 2 3")["lines"][0].startswith("No player named"), "teleport of nobody")
    answer = server.ask("move Bob caves")
    check(answer["done"] and any(event.get("to") == "caves" for event in server.events), "move", answer)
    lines = server.players(r"Bob .* in caves .* [1-9]\d* chunks")
    check(any(re.search(r"Bob .* in caves .* [1-9]\d* chunks", line) for line in lines), "Bob is in the caves", lines)
    server.players("Bob plays in caves")
    server.ask("say are you there")
    server.wait("chat", player="Bob")  # and all that he has said before
    lines = server.players("Bob plays in caves")
    check(place_of(lines, "Bob")[::2] == begin[::2], "where he began, and not where he has walked to", begin, lines)
    check(server.ask("worlds")["lines"][1].startswith("caves: 1 player,"), "worlds counts him")
    check(server.ask("move Bob caves")["lines"] == ["Bob is already in caves"], "a move to where he is")

    server.ask("kick Bob no digging here")
    server.wait("leave", player="Bob")
    report = bob.report()
    check(any("no digging here" in error["error"] for error in report["errors"]), "kick tells the reason", report["errors"])

    other = Server(folder)
    check(server.ask(f"refer Ada {other.address}")["done"], "refer")
    check(other.wait("join", player="Ada")["world"] == "default", "Ada comes to the other server")
    lines = other.players(r"Ada .* [1-9]\d* chunks")
    check(any(re.search(r"Ada .* [1-9]\d* chunks", line) for line in lines), "and sees it", lines)
    report = ada.report()
    check(report["referrals"] == 1 and report["unmet"] == [], "Ada has heard all of it", report)

    for line, want in [("", None), ("  ", None), ("dance", "unknown command dance"), ("kick Nobody", "No player named"),
                       ("move Ada", "move needs a player"), ("save", "nothing to save"), ("reload", "--settings"),
                       ("refer * 127.0.0.1:5520", "Sent 0 players")]:
        if want is None:
            server.write(line)
        else:
            lines = server.ask(line)["lines"]
            check(want in lines[0], f"`{line}` is answered", lines)
    server.write(b"\xff\xfe\x00\x1b[31m\n")
    check("UTF-8" in server.wait("answer")["lines"][0], "bytes that are no text")
    server.write(b"x" * 100_000 + b"\n")
    check("longer than" in server.wait("answer")["lines"][0], "a line without an end")
    server.write(b"status\n" * 2000)
    for _ in range(2000):
        server.wait("answer", command="status")
    check(True, "a flood of commands")
    server.process.stdin.close()
    time.sleep(0.1)
    check(server.process.poll() is None, "the end of the input does not end the server")
    check(server.end(signal.SIGTERM) == 0, "SIGTERM does")
    other.write("stop")
    check(other.end() == 0, "stop does, at once where nobody is")


def test_stop(folder):
    server = Server(folder)
    bots = [Bot(folder, server, name, f'expect chat "stops in {PATIENCE} s: new cows" {SOON}', STAY) for name in ("Cyd", "Dee")]
    server.players("Dee .* in default")
    server.players("Cyd .* in default")
    server.write(f"stop {PATIENCE} new cows")
    stopping = server.wait("stopping")
    check(stopping["players"] == 2 and stopping["notice"] == PATIENCE and stopping["reason"] == "new cows", "stop begins")
    answer = server.ask(f"stop {2 * PATIENCE} old cows")
    check(not answer["done"] and re.match(r"The server already stops in \d+ (s|min);", answer["lines"][0]),
          "the time does not become longer", answer)
    late = refused_bot(server, "Eve")
    check("Server is shutting down!" in late.stdout, "nobody is let in any more", late.stdout, late.stderr)
    begin = time.monotonic()
    server.write("stop 1")
    check(server.end() == 0 and time.monotonic() - begin >= 1, "the notice is kept, and the end is in order")
    for bot in bots:
        report = bot.report()
        check(report["unmet"] == [] and any("The server stops: new cows" in error["error"] for error in report["errors"]),
              "a bot has seen notice and reason", report["unmet"], report["errors"])


def test_usual_notice(folder):
    server = Server(folder, "--stop-notice", str(PATIENCE))
    bot = Bot(folder, server, "Cyd", f'expect chat "stops in {PATIENCE} s" {SOON}', 'chat "good night"', STAY)
    server.players("Cyd .* in default")
    server.write("stop")
    check(server.wait("stopping")["notice"] == PATIENCE, "without a time it is the usual one")
    check(server.wait("chat", player="Cyd")["text"] == "good night", "the bot has heard of it")
    server.write("stop 0")
    check(server.wait("stopping")["notice"] == 0 and server.end() == 0, "stop 0 stops at once")
    check(bot.report()["unmet"] == [], "the bot was told")


def test_referral_to_nobody(folder):
    server = Server(folder)
    bot = Bot(folder, server, "Gus", "wait 4s")
    server.players("Gus .* in default")
    check(server.ask("refer Gus bad host")["lines"][0].startswith("not HOST"), "a host has no blanks")
    check(server.ask("refer Gus 127.0.0.1:1")["done"], "refer to nobody")
    leave = server.wait("leave", player="Gus")
    check(leave["reason"] == "was sent to 127.0.0.1:1", "it did not go by itself", leave)
    report = bot.report()
    check(any(error["error"].startswith("referred to 127.0.0.1:1: ") for error in report["errors"]),
          "a bot that comes nowhere is an error", report["errors"])
    server.write("stop")
    check(server.end() == 0, "stopped")


def test_settings(folder):
    settings = folder / "conf" / "settings.json"
    settings.parent.mkdir()

    def put(**members):
        settings.write_text(json.dumps(members))

    put(name="Cows", max_players=1, view_radius=8, stop_notice=0)
    server = Server(folder, "--settings", "conf/settings.json", "--view-radius", "6")
    check((server.ready["name"], server.ready["max_players"], server.ready["view_radius"]) == ("Cows", 1, 6),
          "the file is read, and the command line wins")
    bot = Bot(folder, server, "Fay", STAY, options=("--view-radius", "320"))
    server.players("Fay .* in default")
    full = refused_bot(server, "Gus")
    check("The server is full: 1 of 1" in full.stdout, "the limit is kept", full.stdout)

    put(name="Cows", max_players=9, view_radius=8, stop_notice=0, motd="moo", workers=2, unlimited=True)
    answer = server.ask("reload")
    check(answer["done"] and answer["lines"] == ["Changed: motd, max_players, unlimited", "Restart the server to change workers"],
          "reload says what has changed and what has not", answer)
    gus = visit(folder, server.address, "Gus")
    check(gus.returncode == 0, "the new limit holds", gus.stdout)

    for text, want in [('{"max_players": "many"}', 'max_players: expected a whole number from 1 to 10000, found "many"'),
                       ('{"moth": 1}', '"moth": unknown setting'), ('{', "does not parse"),
                       ('{"password_file": "nowhere"}', "nowhere")]:
        settings.write_text(text)
        answer = server.ask("reload")
        check(not answer["done"] and want in answer["lines"][0] and answer["lines"][1] == "Nothing was changed",
              f"{text} is refused", answer)
    (settings.parent / "word").write_text("secret\n")
    put(password_file="word", max_players=9)
    server.process.send_signal(signal.SIGHUP)
    answer = server.wait("answer", command="reload")
    check(answer["done"] and "password" in answer["lines"][0], "SIGHUP reads it again", answer)
    # The threads of the network hear of it a moment later.
    wait_until(lambda: "password" in visit(folder, server.address, "Gus", within="within 1s").stdout,
               "who comes is asked for the password")
    gus = visit(folder, server.address, "Gus", "--password-file", settings.parent / "word")
    check(gus.returncode == 0, "who comes now gets in with the password", gus.stdout)
    check(any(line.startswith("Fay ") for line in server.ask("players")["lines"]), "who was here stays")
    check(server.end(signal.SIGINT) == 0, "Ctrl+C stops it")
    bot.report()

    put(view_radius=3)
    server = Server(folder, "--settings", "conf/settings.json")
    bot = Bot(folder, server, "Hal", f"wait chunks 20 {SOON}", STAY, options=("--view-radius", "320"))
    check("29 chunks" in server.players("Hal .* 29 chunks")[0], "the view is that of the settings")
    put(view_radius=6)
    server.ask("reload")
    check("113 chunks" in server.players("Hal .* 113 chunks")[0], "it grows with them")
    put(view_radius=3)
    server.ask("reload")
    check("29 chunks" in server.players("Hal .* 29 chunks")[0], "and shrinks")
    server.write("stop")
    check(server.end() == 0, "stopped")
    bot.report()


def test_options(folder):
    """Each option of the command line is the setting of its name: the file cannot change it any more."""
    (folder / "word").write_text("secret\n")
    settings = folder / "all.json"
    settings.write_text("{}")
    server = Server(folder, "--settings", "all.json", "--name", "Ours", "--motd", "Today", "--welcome", "Hello there",
                    "--max-players", "9", "--view-radius", "5", "--stop-notice", "1", "--workers", "1", "--cache", "64",
                    "--unlimited", "--world", "default", "--password-file", "word")
    ready = server.ready
    check((ready["name"], ready["max_players"], ready["view_radius"], ready["password"], ready["worlds"])
          == ("Ours", 9, 5, True, ["default"]), "options are told", ready)
    settings.write_text(json.dumps(dict(name="Theirs", motd="Tomorrow", welcome="Go", max_players=8, view_radius=4,
                                        stop_notice=2, workers=2, cache=65, unlimited=False, world="other",
                                        bind="127.0.0.1:1", password_file="nowhere")))
    answer = server.ask("reload")
    check(answer["done"] and answer["lines"] == ["Nothing has changed"], "options win over the file", answer)
    kim = Bot(folder, server, "Kim", f"expect chat \"Hello there\" {SOON}", STAY, options=("--password-file", folder / "word"))
    server.players("Kim .* in default")
    begin = time.monotonic()
    server.write("stop")
    check(server.wait("stopping")["notice"] == 1, "the notice is the one of the option")
    check(server.end() == 0 and time.monotonic() - begin >= 1, "stopped after the notice")
    check(kim.report()["unmet"] == [], "the welcome was heard")


def test_passwords(folder):
    (folder / "right").write_text("secret\n")
    (folder / "wrong").write_text("guess\n")
    server = Server(folder, "--password-file", "right")
    for number in range(1, 7):
        refused_bot(server, f"Eve{number}", "--password-file", folder / "wrong")
        told = server.wait("password")
        check(told["failures"] == number and (told["wait"] > 0) == (number > 5) and not told["refused"],
              f"wrong password {number} is told", told)
    wait_until(lambda: visit(folder, server.address, "Ada", "--password-file", folder / "right",
                             within="within 5s").returncode == 0,
               "the right one gets in again after the wait")
    refused_bot(server, "Eve7", "--password-file", folder / "wrong")
    check(server.wait("password", player="Eve7")["failures"] == 1, "a right password forgets")
    server.write("stop 0")
    check(server.end() == 0, "stopped")


def test_controls(folder):
    """Names and texts of strangers do not act on the terminal of the owner."""
    universe = folder / "controls"
    shutil.copytree(folder / "universe", universe)
    os.rename(universe / "worlds/caves", universe / "worlds/\x1b[31mred\x9b\x07")
    process = subprocess.Popen([orbis, "serve", "controls", "--bind", "127.0.0.1:0", "--no-map"], cwd=folder,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    started.append(process)
    first = process.stdout.readline()
    address = re.search(rb"127\.0\.0\.1:\d+", first)[0].decode()
    bot = subprocess.Popen([orbis, "bot", address, "--name", "Mal", "--chat", "a\x1b]0;title\x07b\x9bc\nFORGED\re",
                            "--time", f"{PATIENCE}s", "--quiet"], stdout=subprocess.DEVNULL)
    started.append(bot)
    lines = [first]
    while lines[-1] and b"title" not in lines[-1]:
        lines.append(process.stdout.readline())
    process.stdin.write(b"worlds\nsay \x1b[2J\x07\nno\x1bsuch\nstop 0\n")
    process.stdin.close()
    lines.append(process.stdout.read())
    shown = b"".join(lines).decode()
    bot.kill()
    check(process.wait(PATIENCE) == 0 and "red" in shown and "title" in shown, "all of it is told", shown)
    check(not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown), "without characters that act", repr(shown))
    check(not any(line.startswith("FORGED") for line in shown.splitlines()), "and no line is made by a player", shown)


def test_streams(folder):
    closed = subprocess.Popen(["sh", "-c", 'exec "$0" serve universe --bind 127.0.0.1:0 --json <&-', orbis], cwd=folder,
                              stdout=subprocess.PIPE, text=True)
    started.append(closed)
    first = closed.stdout.readline()
    closed.terminate()
    rest = closed.communicate(timeout=PATIENCE)[0]
    check('"ready"' in first and closed.returncode == 0 and '"stopped"' in rest, "without stdin it runs", first, rest)
    file = folder / "commands"
    file.write_text("worlds\nstop 0 read from a file")
    with open(file) as commands:
        run = subprocess.run([orbis, "serve", "universe", "--bind", "127.0.0.1:0"], cwd=folder, stdin=commands,
                             capture_output=True, text=True, timeout=PATIENCE)
    check(run.returncode == 0 and "default: 0 players" in run.stdout, "commands of a file, the last without an end", run)


def test_reader_that_stands_still(folder):
    """As a pager that shows its first page: what is printed gathers, the game goes on."""
    process = subprocess.Popen([orbis, "serve", "universe", "--bind", "127.0.0.1:0", "--json", "--no-map", "--stop-notice", "0"],
                               cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    started.append(process)
    address = json.loads(process.stdout.readline())["addresses"][0]
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    process.stdin.write(b"help\n" * 50)
    process.stdin.flush()
    # The answers are longer than what the pipe holds.
    other_end = os.open(f"/proc/self/fd/{process.stdout.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    wait_until(lambda: not select.select([], [other_end], [], 0)[1], "the pipe is full")
    os.close(other_end)
    visited = visit(folder, address, "Joe", "--no-world")
    check(visited.returncode == 0, "nobody reads the events: players still play", visited)
    process.terminate()
    check(process.wait(PATIENCE) == 0, "and the server still stops")


def make_creative(folder, name):
    """A universe of its own, in which players may build."""
    shutil.copytree(folder / "universe", folder / name)
    shutil.rmtree(folder / name / "worlds/caves")
    path = folder / name / "worlds/default/config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "GameMode": "Creative"}))


def build(folder, server, number):
    """A bot that places a block, which all have seen when it has left."""
    where = f"{number} 150 8"
    report = Bot(folder, server, f"Ivy{number}", "at 8 150 8", f"expect block {where} is Empty {SOON}",
                 f"place Rock_Stone at {where}",
                 f"expect block {where} is Rock_Stone {SOON}").process.communicate(timeout=PATIENCE)[0]
    assert json.loads(report)["unmet"] == [], report


def block(folder, universe, x):
    got = subprocess.run([orbis, "get", universe, str(x), "150", "8", "--json"], cwd=folder, capture_output=True, text=True,
                         timeout=PATIENCE)
    return json.loads(got.stdout)["block"]


def test_save(folder):
    make_creative(folder, "saved")
    server = Server(folder, "--edit", "--save-every", "3600", universe="saved")
    build(folder, server, 1)
    check(block(folder, "saved", 1) == "Empty", "an edit is not on the disk yet")
    answer = server.ask("save")
    check(answer["done"], "save is answered", answer)
    check(any(event["event"] == "saved" for event in server.events) or server.wait("saved")["edits"] == 1,
          "and told when it is done")
    check(block(folder, "saved", 1) == "Rock_Stone", "the edit is on the disk then")
    server.write("stop")
    check(server.end() == 0, "stopped")


def test_edits_that_are_lost(folder):
    """The chunks are away when the server ends, as on a disk that was pulled out."""
    make_creative(folder, "torn")
    server = Server(folder, "--edit", "--save-every", "3600", universe="torn")
    build(folder, server, 1)
    chunks = folder / "torn/worlds/default/chunks"
    chunks.rename(folder / "pulled-out")
    chunks.write_text("a file where a folder was")
    server.process.terminate()
    stopped = server.wait("stopped")
    check(stopped["unsaved"] == 1, "the end tells how many edits are lost", stopped)
    check(any(event["event"] == "unsaved" and event["error"] for event in server.events), "and why", server.events[-3:])
    check(server.process.wait(PATIENCE) == 1, "the exit code is 1", server.process.returncode)
    chunks.unlink()
    (folder / "pulled-out").rename(chunks)
    server = Server(folder, "--edit", "--save-every", "3600", universe="torn")
    build(folder, server, 2)
    check(server.end(signal.SIGTERM) == 0 and block(folder, "torn", 2) == "Rock_Stone",
          "where they are there it is 0, and nothing is lost")
    check(block(folder, "torn", 1) == "Empty", "what was told as lost is not there")


def read_terminal(terminal, *wanted, seconds=PATIENCE):
    """What the terminal shows until all that is wanted is in it."""
    shown, deadline = b"", time.monotonic() + seconds
    while not all(want in shown for want in wanted) and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536)
    return shown


def test_terminal(folder):
    """Begun with & in a shell: it must not read the terminal, and must not be stopped for trying."""
    job = None
    shell, terminal = pty.fork()
    if shell == 0:
        # A shell with one job: in the background first, then in the foreground. SIGTTOU would stop it for that.
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = subprocess.Popen([orbis, "serve", "universe", "--bind", "127.0.0.1:0", "--json", "--no-map"], cwd=folder,
                               preexec_fn=lambda: os.setpgid(0, 0))
        signal.signal(signal.SIGUSR1, lambda *_: os.tcsetpgrp(0, job.pid))
        print(f"job {job.pid}.", flush=True)
        os._exit(job.wait())
    try:
        shown = read_terminal(terminal, b'"event":"ready"', b"job ")
        check(b'"event":"ready"' in shown, "a server in the background begins", shown)
        job = int(re.search(rb"job (\d+)\.", shown)[1])
        os.write(terminal, b"status\n")
        shown = read_terminal(terminal, b'"event":"answer"', seconds=0.1)
        state = pathlib.Path(f"/proc/{job}/stat").read_text().rsplit(")", 1)[1].split()[0]
        check(state != "T" and b'"event":"answer"' not in shown, "it leaves the terminal to the shell, and runs", state, shown)
        os.kill(shell, signal.SIGUSR1)
        shown = read_terminal(terminal, b'"event":"answer"')
        check(b'"command":"status"' in shown, "in the foreground it reads what was written", shown)
        os.write(terminal, b"stop\n")
        shown = read_terminal(terminal, b'"event":"stopped"')
        check(b'"event":"stopped"' in shown, "and what is", shown)
    finally:
        for process in filter(None, (job, shell)):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(shell, 0)
        os.close(terminal)


with tempfile.TemporaryDirectory(prefix="orbis-serve-") as name:
    folder = pathlib.Path(name)
    make_sample(orbis, folder / "universe")
    shutil.copytree(folder / "universe/worlds/default", folder / "universe/worlds/caves")
    try:
        for test in (test_console, test_stop, test_usual_notice, test_referral_to_nobody, test_settings, test_options, test_passwords,
                     test_controls, test_streams,
                     test_reader_that_stands_still, test_save, test_edits_that_are_lost, test_terminal):
            if not sys.argv[2:] or test.__name__ in sys.argv[2:]:
                test(folder)
    finally:
        for process in started:
            process.kill()
sys.exit(1 if failed else 0)

#!/usr/bin/env python3
"""Captures of a server and of a bot, from end to end: capture.py ORBIS

A bot joins a server, and both capture. `orbis capture` must find the same frames in both files, and tshark must open them
with the installed dissector and no other setting; that part is left out where tshark is not installed. Both sides are
played again: what the bot said to the server, what the server said to new clients.
"""

import json
import os
import shutil
import signal
import subprocess
import sys

from served import PATIENCE, SOON, Orbis, make_sample, wait_until

ALL = ("--area=-320,-320,319,319", "--view-radius", 512, "--settle", f"{PATIENCE}s", "--quiet")
# A bot that stays until it is sent away, and a replay that sends it away soon after the last frame.
LONG = ("--time", "1h")
BRIEFLY = ("--stay", "1s")
failed = 0


def check(condition, what, *found):
    global failed
    print(("ok      " if condition else "FAILED  ") + what, *([] if condition else found), flush=True)
    failed += not condition


def lines(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


def act(orbis, address, what, *options):
    """A bot that joins, sees some chunks, and does what must be true in the end."""
    story = orbis.folder / "act.txt"
    story.write_text(f"join {SOON}\nwait chunks 20 {SOON}\n{what} {SOON}\n")
    orbis.run("bot", address, "--password-file", "password", "--scenario", story, *options)


def check_wireshark(orbis, file):
    if shutil.which("tshark") is None:
        print("tshark is not installed")
        return
    home = orbis.folder / "home"
    home.mkdir()
    environment = dict(os.environ, HOME=str(home))
    subprocess.run([orbis.program, "packet", "dissector", "--install"], env=environment, check=True, capture_output=True)

    def tshark(*arguments):
        return subprocess.run(["tshark", "-r", file, *arguments], cwd=orbis.folder, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)

    shown = tshark("-T", "fields", "-e", "hytale.packet", "-e", "frame.comment", "-e", "ip.dst", "-e", "udp.dstport")
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    expected = [(one["packet"], one["to"]) for one in lines(orbis.run("capture", "json", file))]
    found = [(row[0], "server" if "to=server" in row[1] else "client") for row in rows]
    check(found == expected, "tshark shows every frame by its packet, with its direction", found[:5], expected[:5], shown.stderr)
    check("Lua Error" not in shown.stdout + shown.stderr, "the dissector has no errors", shown.stderr)
    asked = tshark("-Y", 'hytale.packet == "Connect" && hytale.Connect.username == "bot"', "-T", "fields", "-e", "hytale.length")
    check(len(asked.stdout.split()) == 1, "tshark filters by fields", asked.stdout, asked.stderr)


def check_world(orbis):
    made = orbis.report("capture", "world", "server.pcapng", "from-capture", "--player", 2)
    check(made["chunks"] == 400 and not made["incomplete"] and not made["problems"], "a capture has all chunks of the world", made)
    for other in ("universe", "downloaded"):
        found = orbis.lines("diff", other, "from-capture", "--terrain", expect=None)
        check(found[-1]["equal"], f"they are the same as in {other}", found[:3])
    sound = orbis.lines("verify", "from-capture", expect=None)[-1]
    check(sound["damage"] == 0, "the world is sound", sound)
    part = orbis.report("capture", "world", "server.pcapng", "of-bot", expect=None)
    check(part["player"] == 1 and 0 < part["chunks"] < 400, "without --player it is that of the first one", part)


def replayed(orbis, *arguments):
    """A replay that listens, and where."""
    process = orbis.start("capture", "replay", "server.pcapng", "--listen", "127.0.0.1:0", "--json", *arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return process, json.loads(process.stdout.readline())["addresses"][0]


def ended(process):
    """What it said until its end, and its exit code."""
    out = process.communicate(timeout=PATIENCE)[0]
    return [json.loads(line) for line in out.splitlines()], process.returncode


def check_clients(orbis):
    # The server asked for a password; the replay does not, and its login is new.
    for times in (["--at-once"], []):
        replay, address = replayed(orbis, "--player", 2, "--stay", f"{PATIENCE}s", *times)
        out = "again" + "".join(times)
        orbis.run("download", address, out, *ALL)
        events, code = ended(replay)
        played = events[-1]
        check(code == 0 and "problem" not in played and played["sent"] > 5000, "a client hears all that the server said", events, code)
        found = orbis.lines("diff", "universe", out, "--terrain", expect=None)
        check(found[-1]["equal"], "the world that it sees is the source", found[:3])

    replay, address = replayed(orbis, "--clients", 2, "--at-once", *BRIEFLY)
    refused = orbis.run("bot", address, "--build", "0.5.1", *LONG, expect=None)
    check(refused.returncode != 0 and "2026.02.17" in refused.stdout + refused.stderr, "a client of another build is told which one",
          refused)
    for name in ("first", "second"):
        orbis.run("bot", address, "--name", name, *LONG, expect=None)  # it is sent away in the end
    events, code = ended(replay)
    check(code == 0 and [event["event"] for event in events] == ["refused", "played", "played"], "two clients come one after the other",
          events, code)
    check("0.5.1" in events[0]["reason"], "the refusal is told here too", events)

    # Another build, which asks who the player is. The password was asked of the captured one alone.
    replay, address = replayed(orbis, "--player", 5, "--at-once", *BRIEFLY)
    report = orbis.report("bot", address, "--name", "modern", "--build", "0.5.1", *LONG, expect=None)
    events, code = ended(replay)
    check(code == 0 and events[-1]["complete"] and events[-1]["left_out"] == 1, "a client of another build hears its own words", events,
          code, report)

    # A client that would stay longer than the capture lasts.
    replay, address = replayed(orbis, *BRIEFLY)
    bot = orbis.start("bot", address, *LONG, "--quiet", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_until(lambda: bot.poll() is not None, "a bot is sent away when the capture is over")
    events, code = ended(replay)
    check(code == 0 and events[-1]["complete"], "the capture was played to its end", events, code)

    replay, address = replayed(orbis)
    replay.send_signal(signal.SIGINT)
    check(ended(replay) == ([], 1), "it stops while it waits for a client")


def main():
    with Orbis(sys.argv[1]) as orbis:
        make_sample(orbis.program, orbis.folder / "universe")
        (orbis.folder / "password").write_text("swordfish\n")
        server = orbis.start("serve", "universe", "--json", "--bind", "127.0.0.1:0", "--no-map", "--unlimited", "--password-file", "password",
                             "--capture", "server.pcapng", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ready = json.loads(server.stdout.readline())
        address = ready["addresses"][0]
        act(orbis, address, 'chat "hello from the bot"\nexpect chat "hello from the bot"', "--capture", "bot.pcapng", "--capture-size", "1")
        # All of the sample world, to be found in the capture again.
        orbis.run("download", address, "downloaded", "--password-file", "password", *ALL)
        # The server has the file while it runs: a kill loses nothing that is older than a second.
        wait_until(lambda: orbis.run("capture", "show", "server.pcapng", "--where", "player = 2 and Disconnect", expect=None).stdout,
                   "the file of a running server has all that both players said")
        orbis.run("capture", "filter", "server.pcapng", "first.pcapng", "--where", "player = 1")
        again = orbis.report("capture", "replay", "first.pcapng", address, "--password-file", "password", "--name", "echo", "--at-once")
        check(again["sent"] >= 1 and "problem" not in again, "what the bot said can be said again", again)
        made = orbis.report("capture", "scenario", "first.pcapng", "story.txt")
        story = (orbis.folder / "story.txt").read_text()
        check(made["bots"] == 1 and 'bot 1 chat "hello from the bot"' in story, "a capture becomes a scenario", made, story)
        orbis.run("bot", address, "--password-file", "password", "--name", "actor", "--scenario", "story.txt")
        act(orbis, address, "expect players > 0", "--name", "later", "--build", "0.5.1")
        server.stdin.write("stop\n")
        server.stdin.flush()
        events = [json.loads(line) for line in server.communicate(timeout=PATIENCE)[0].splitlines()]
        said = [event for event in events if event["event"] == "chat" and "hello from the bot" in json.dumps(event)]
        check(len(said) == 3 and "echo" in json.dumps(said[1]) and "actor" in json.dumps(said[2]),
              "the server hears it from those who repeat it too", said)
        check(server.returncode == 0, "the server stops", server.returncode)

        pieces = sorted(path.name for path in orbis.folder.glob("bot-*.pcapng"))
        check(pieces and pieces[0] == "bot-000001.pcapng", "a bot rotates its files", pieces)
        of_bot = [one for piece in pieces for one in lines(orbis.run("capture", "json", piece))]
        of_server = lines(orbis.run("capture", "json", "server.pcapng", "--where", "player = 1"))

        def flow(records, to, channel):
            return [(one["packet"], one["size"], json.dumps(one.get("value"))) for one in records
                    if one["to"] == to and one["channel"] == channel]

        for to, channel in [("server", "Default"), ("client", "Default"), ("client", "Chunks")]:
            sent, came = (of_bot, of_server) if to == "server" else (of_server, of_bot)
            came, sent = flow(came, to, channel), flow(sent, to, channel)
            check(came and came == sent[:len(came)], f"both sides have the same frames on {channel} to the {to}", len(came), len(sent))
        check(all("value" in one for one in of_server), "every frame decodes")
        response = [one for one in of_server if one["packet"] == "PasswordResponse"]
        check(len(response) == 1 and set(response[0]["value"]["hash"]) == {"0"}, "the answer to the password is left out", response)
        chat = orbis.run("capture", "show", "server.pcapng", "--where", 'player = 1 and to server and ChatMessage.message ~ "hello*bot"')
        check(chat.stdout.count("ChatMessage") == 1, "a filter finds what the bot said", chat.stdout)
        info = json.loads(orbis.run("capture", "info", "server.pcapng", "--json").stdout)
        check(info["players"][0]["name"] == "bot" and info["dropped"] == 0, "info names the player", info)
        check_wireshark(orbis, "first.pcapng")
        check_world(orbis)
        check_clients(orbis)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Captures of a server and of a bot, from end to end: capture.py ORBIS

A bot joins a server, and both capture. `orbis capture` must find the same frames in both files, and tshark must open them
with the installed dissector and no other setting; that part is left out where tshark is not installed.
"""

import json
import os
import shutil
import subprocess
import sys

from served import PATIENCE, Orbis, make_sample, wait_until

failed = 0


def check(condition, what, *found):
    global failed
    print(("ok      " if condition else "FAILED  ") + what, *([] if condition else found), flush=True)
    failed += not condition


def lines(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


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


def main():
    with Orbis(sys.argv[1]) as orbis:
        make_sample(orbis.program, orbis.folder / "universe")
        (orbis.folder / "password").write_text("swordfish\n")
        server = orbis.start("serve", "universe", "--json", "--bind", "127.0.0.1:0", "--no-map", "--unlimited", "--password-file", "password",
                             "--capture", "server.pcapng", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ready = json.loads(server.stdout.readline())
        address = ready["addresses"][0]
        orbis.run("bot", address, "--password-file", "password", "--chat", "hello from the bot", "--time", "1s", "--capture", "bot.pcapng",
                  "--capture-size", "1")
        # All of the sample world, to be found in the capture again.
        orbis.run("download", address, "downloaded", "--password-file", "password", "--area=-320,-320,319,319", "--view-radius", 512,
                  "--settle", f"{PATIENCE}s", "--quiet")
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
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

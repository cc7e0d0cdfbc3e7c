#!/usr/bin/env python3
"""`orbis proxy` between the programs that use it: proxy.py ORBIS [PART…]"""

import json
import signal
import subprocess
import sys
import urllib.request

from served import PATIENCE, SHORT, SOON, make_sample, real_world, run_parts, wait_until

ALL = ("--area=-320,-320,319,319", "--view-radius", 512, "--settle", f"{PATIENCE}s")


def make_universe(orbis):
    made = orbis.folder / "made"
    if not made.exists():
        make_sample(orbis.program, made)
    return made


def world_comes_home_unchanged(orbis):
    made = make_universe(orbis)
    builds = ("b242",) if SHORT else ("2026.02.17", "b242")
    with orbis.serve(made, "--unlimited") as server, orbis.proxy(server.address) as proxy:
        for build in builds:
            out = orbis.folder / f"home-{build}"
            orbis.run("download", proxy.address, out, *ALL, "--build", build)
            orbis.run("diff", made, out, "--terrain")
            left = proxy.wait("leave")
            assert left["by"] == "client" and left["build"] == build, left
        joined = proxy.named("join")
        assert len(joined) == len(builds) and all(event["player"] == "orbis" and event["uuid"] for event in joined), joined
        assert left["received_bytes"] > 100_000, left
    return "downloads equal the source"


def players_and_pings_pass(orbis):
    players = 5 if SHORT else 20
    with orbis.serve(make_universe(orbis)) as server, \
            orbis.proxy(server.address, "--metrics", "127.0.0.1:0", "--threads", 2) as proxy:
        orbis.run("ping", proxy.address)
        orbis.play(proxy, f"bots {players}\njoin {SOON}\n")
        wait_until(lambda: len(proxy.named("leave")) == players + 1, "all players have left")
        with urllib.request.urlopen(proxy.named("ready")[0]["metrics"]) as page:
            figures = dict(line.rsplit(" ", 1) for line in page.read().decode().splitlines() if line[0] != "#")
        assert float(figures["orbis_proxy_joined_total"]) >= players, figures
        assert float(figures['orbis_proxy_forwarded_bytes_total{from="server"}']) > 1_000_000, figures
        # Those who are there when it stops are told.
        bot = orbis.start("bot", proxy.address, "--time", "1h", "--json", "--quiet", stdout=subprocess.PIPE)
        proxy.wait("join", when=lambda event: event["player"] == "bot")
        proxy.process.send_signal(signal.SIGTERM)
        report = json.loads(bot.communicate(timeout=PATIENCE)[0])
        assert "The proxy stops." in json.dumps(report), report
        assert proxy.process.wait(PATIENCE) == 0
    return f"{players} players, metrics, a clean stop"


def captures_have_everything(orbis):
    made, file, out = make_universe(orbis), orbis.folder / "home.pcapng", orbis.folder / "captured"
    with orbis.serve(made, "--unlimited") as server, orbis.proxy(server.address, "--capture", file) as proxy:
        orbis.run("download", proxy.address, orbis.folder / "again", *ALL)
        proxy.wait("leave")
    orbis.run("capture", "world", file, out)
    orbis.run("diff", made, out, "--terrain")
    info = orbis.report("capture", "info", file)
    return f"a captured world equals the source, {info['frames']} frames"


def the_inspector_shows_what_passes(orbis):
    with orbis.serve(make_universe(orbis), "--unlimited") as server, \
            orbis.proxy(server.address, "--inspect", "127.0.0.1:0") as proxy:
        url = proxy.named("ready")[0]["inspector"]

        def ask(target):
            with urllib.request.urlopen(url + target, timeout=PATIENCE) as answer:
                return answer.read()

        orbis.run("download", proxy.address, orbis.folder / "inspected", *ALL)
        proxy.wait("leave")
        wait_until(lambda: json.loads(ask("api/scene/1"))["drawn"] == 400, "all chunks are drawn")
        state = json.loads(ask("api/state"))
        assert state["players"][0]["name"] == "orbis" and state["dropped"] == 0, state
        chunks = json.loads(ask("api/rows?filter=SetChunk&count=1"))
        assert chunks["end"] >= 4000 and chunks["rows"][0][6] == "SetChunk", chunks
        packet = json.loads(ask(f"api/packet/{chunks['rows'][0][1]}"))
        assert [span[4] for span in packet["spans"] if span[3] == "value"][:4] == ["SetChunk", "x", "y", "z"], packet["spans"][:9]
        assert ask("api/tile/1/surface/0/0.0").startswith(b"\x89PNG")
        assert b"secret" not in ask("api/export?format=json&filter=Connect")
        kinds = {sample[1] for sample in json.loads(ask("api/latency"))["players"][0]["samples"]}
        assert {"client", "server"} <= kinds, kinds
        file = orbis.folder / "exported.pcapng"
        file.write_bytes(ask("api/export?filter=JoinWorld"))
        assert orbis.report("capture", "info", file)["frames"] == 1
    return f"{state['end'] - 1} packets, all chunks on the map"


def real_worlds_come_through(orbis):
    """Served, through the proxy and home; out of the capture; and out of a replay of it."""
    told = []
    for name in ["lavafalls"] if SHORT else ["lavafalls", "dense"]:
        world = real_world(orbis, name)
        if world is None:
            return "there are none here"
        source, area = world
        file = orbis.folder / f"{name}.pcapng"
        options = (area, "--settle", f"{PATIENCE}s")
        with orbis.serve(source, "--unlimited") as server, orbis.proxy(server.address, "--capture", file) as proxy:
            report = orbis.report("download", proxy.address, f"{name}-home", *options)
            proxy.wait("leave")
        orbis.run("capture", "world", file, f"{name}-captured")
        replay = orbis.start("capture", "replay", file, "--listen", "127.0.0.1:0", "--at-once", "--json", stdout=subprocess.PIPE)
        # The capture may be over before somebody who looks around is sure to have seen everything.
        orbis.run("download", json.loads(replay.stdout.readline())["addresses"][0], f"{name}-replayed", *options, expect=None)
        replay.communicate(timeout=PATIENCE)
        assert replay.returncode == 0
        for copy in "home", "captured", "replayed":
            orbis.run("diff", source, f"{name}-{copy}", "--terrain")
        told.append(f"{name}, {report['chunks']} chunks")
    return " and ".join(told)


def rules_are_applied(orbis):
    rules = orbis.folder / "rules.txt"
    rules.write_text("when: ChatMessage.message ~ hello\n  show\n  set: message = \"good-bye\"\n")
    with orbis.serve(make_universe(orbis)) as server, orbis.proxy(server.address, "--rules", rules) as proxy:
        orbis.play(proxy, f'join {SOON}\nchat "hello world"\nexpect chat "good-bye" {SOON}\n')
        assert server.wait("leave") and server.named("chat")[0]["text"] == "good-bye", server.events
        shown = proxy.named("frame")[0]
        assert shown["packet"] == "ChatMessage" and shown["value"] == {"message": "good-bye"}, shown
    return "the server hears something else"


def missing_servers_are_told(orbis):
    with orbis.proxy("127.0.0.1:9") as proxy:
        refused = orbis.run("ping", proxy.address, expect=None)
        assert refused.returncode != 0
        assert "127.0.0.1:9 does not answer" in refused.stdout + refused.stderr, refused
        assert proxy.wait("refused")["server"] == "127.0.0.1:9"
    return "the reason arrives"


run_parts(sys.argv[1], (world_comes_home_unchanged, players_and_pings_pass, captures_have_everything, real_worlds_come_through,
                        the_inspector_shows_what_passes, rules_are_applied, missing_servers_are_told), sys.argv[2:])

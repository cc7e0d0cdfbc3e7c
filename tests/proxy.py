#!/usr/bin/env python3
"""`orbis proxy` between the programs that use it: proxy.py ORBIS [PART…]"""

import json
import signal
import subprocess
import sys
import urllib.request

from served import PATIENCE, SOON, make_sample, run_parts, wait_until

ALL = ("--area=-320,-320,319,319", "--view-radius", 512, "--settle", f"{PATIENCE}s")


def make_universe(orbis):
    made = orbis.folder / "made"
    if not made.exists():
        make_sample(orbis.program, made)
    return made


def world_comes_home_unchanged(orbis):
    made = make_universe(orbis)
    with orbis.serve(made, "--unlimited") as server, orbis.proxy(server.address) as proxy:
        for build in "2026.02.17", "b242":
            out = orbis.folder / f"home-{build}"
            orbis.run("download", proxy.address, out, *ALL, "--build", build)
            orbis.run("diff", made, out, "--terrain")
            left = proxy.wait("leave")
            assert left["by"] == "client" and left["build"] == build, left
        joined = proxy.named("join")
        assert len(joined) == 2 and all(event["player"] == "orbis" and event["uuid"] for event in joined), joined
        assert left["received_bytes"] > 100_000, left
    return "two downloads equal the source"


def players_and_pings_pass(orbis):
    with orbis.serve(make_universe(orbis)) as server, \
            orbis.proxy(server.address, "--metrics", "127.0.0.1:0", "--threads", 2) as proxy:
        orbis.run("ping", proxy.address)
        orbis.play(proxy, f"bots 20\njoin {SOON}\n")
        wait_until(lambda: len(proxy.named("leave")) == 21, "all players have left")
        with urllib.request.urlopen(proxy.named("ready")[0]["metrics"]) as page:
            figures = dict(line.rsplit(" ", 1) for line in page.read().decode().splitlines() if line[0] != "#")
        assert float(figures["orbis_proxy_joined_total"]) >= 20, figures
        assert float(figures['orbis_proxy_forwarded_bytes_total{from="server"}']) > 1_000_000, figures
        # Those who are there when it stops are told.
        bot = orbis.start("bot", proxy.address, "--time", "1h", "--json", "--quiet", stdout=subprocess.PIPE)
        proxy.wait("join", when=lambda event: event["player"] == "bot")
        proxy.process.send_signal(signal.SIGTERM)
        report = json.loads(bot.communicate(timeout=PATIENCE)[0])
        assert "The proxy stops." in json.dumps(report), report
        assert proxy.process.wait(PATIENCE) == 0
    return "20 players, metrics, a clean stop"


def captures_have_everything(orbis):
    made, file, out = make_universe(orbis), orbis.folder / "home.pcapng", orbis.folder / "captured"
    with orbis.serve(made, "--unlimited") as server, orbis.proxy(server.address, "--capture", file) as proxy:
        orbis.run("download", proxy.address, orbis.folder / "again", *ALL)
        proxy.wait("leave")
    orbis.run("capture", "world", file, out)
    orbis.run("diff", made, out, "--terrain")
    info = orbis.report("capture", "info", file)
    return f"a captured world equals the source, {info['frames']} frames"


def rules_are_applied(orbis):
    rules = orbis.folder / "rules.txt"
    rules.write_text("when: ChatMessage.message ~ hello\n  show\n  set: message = \"good-bye\"\n")
    with orbis.serve(make_universe(orbis)) as server, orbis.proxy(server.address, "--rules", rules) as proxy:
        orbis.run("bot", proxy.address, "--chat", "hello world", "--time", "2s", "--quiet")
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


run_parts(sys.argv[1], (world_comes_home_unchanged, players_and_pings_pass, captures_have_everything,
                        rules_are_applied, missing_servers_are_told), sys.argv[2:])

#!/usr/bin/env python3
"""Worlds that live: served, walked, edited, killed, carried home. living_world.py ORBIS [PART…]

The whole program from end to end; each part is a function below. ORBIS_SHARED names a folder with real worlds, which
are carried home too where they are there. ORBIS_TESTS_SHORT=1 does less, for builds with sanitizers.
"""

import json
import random
import shutil
import signal
import subprocess
import sys
import time

from served import PATIENCE, SHORT, SOON, chunks, content, make_sample, real_world, run_parts, spoken_builds, wait_until

# Blocks in the air above the sample world, where nothing is.
SKY = 150
NAMES = ["Rock_Stone", "Soil_Dirt", "Wood_Oak_Trunk"]


def make_universe(orbis, name, creative=False):
    """The sample universe, which is made once."""
    made = orbis.folder / "made"
    if not made.exists():
        make_sample(orbis.program, made)
    shutil.copytree(made, orbis.folder / name)
    if creative:
        path = orbis.folder / name / "worlds/default/config.json"
        config = json.loads(path.read_text())
        config["GameMode"] = "Creative"
        path.write_text(json.dumps(config, indent=2))
    return orbis.folder / name


def check_equal(orbis, source, copy):
    difference = orbis.lines("diff", source, copy, "--terrain", expect=None)[-1]
    assert difference["equal"], f"{source} came home otherwise: {difference}"
    assert chunks(orbis, source) == chunks(orbis, copy), "other chunks came home than there are"
    found, before = (orbis.lines("verify", path, expect=None)[-1] for path in (copy, source))
    assert found["damage"] == 0 and found["wrong"] <= before["wrong"], f"{found}; the source: {before}"


def download(orbis, source, out, *options):
    """Serves it, lets bots walk in it, and downloads it meanwhile; the source stays as it is."""
    before = content(source)
    with orbis.serve(source, "--unlimited") as server:
        walking = orbis.start("bot", server.address, "--count", 3, "--walk", "random", "--time", f"{10 * PATIENCE}s",
                              "--json", "--quiet", stdout=subprocess.PIPE)
        report = orbis.report("download", server.address, out, "--name", "carrier", "--settle", f"{PATIENCE}s", *options)
        walking.send_signal(2)
        walked = json.loads(walking.communicate(timeout=PATIENCE)[0])
        assert walking.returncode == 0 and walked["joined"] == 3 and not walked["errors"], walked
        assert report["finished"] and not report["incomplete"] and not report["problems"], report
    assert content(source) == before, f"serving has changed {source}"
    check_equal(orbis, source, orbis.folder / out)
    return report


def sample_comes_home(orbis):
    # A ring of chunks around the world is looked at too: there is nothing, and nothing is made up.
    report = download(orbis, make_universe(orbis, "sample"), "home", "--area=-352,-352,351,351")
    return f"{report['chunks']} chunks in {report['seconds']:.1f} s"


def holes_and_islands_stay(orbis):
    """A world that has a lake of nothing and, far from the rest, an island: nothing is invented around them."""
    source = make_universe(orbis, "torn")
    orbis.run("prune", source, "--keep", "chunks:-4,-4..4,4", "--keep", "9,9", "--quiet")
    orbis.run("prune", source, "--remove", "chunks:2,-2..3,1", "--quiet")
    there = chunks(orbis, source)
    assert len(there) == 81 - 8 + 1, len(there)
    download(orbis, source, "repaired", "--area=-160,-160,319,319")
    return f"{len(there)} chunks"


def a_server_that_pauses_loses_nothing(orbis):
    """It stands still in the middle of sending, for longer than anybody would wait who does not miss its pings."""
    source = make_universe(orbis, "slow")
    orbis.run("prune", source, "--keep", "chunks:-6,-6..5,5", "--keep", "9,9", "--quiet")
    with orbis.serve(source) as server:
        carrier = orbis.start("download", server.address, "slow-home", "--json", "--quiet", stdout=subprocess.PIPE)
        server.wait("join")
        wait_until(lambda: list(orbis.folder.glob("slow-home/chunks/*.region.bin")), "the first chunk is written")
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(2 if SHORT else 4)
        server.process.send_signal(signal.SIGCONT)
        report = json.loads(carrier.communicate(timeout=PATIENCE)[0])
        assert carrier.returncode == 0 and report["chunks"] == 145, report
    check_equal(orbis, source, orbis.folder / "slow-home")
    return f"{report['chunks']} chunks in {report['seconds']:.1f} s"


def worlds_without_much_come_home(orbis):
    """A single chunk, and none at all."""
    source = make_universe(orbis, "tiny")
    orbis.run("prune", source, "--keep", "0,0", "--quiet")
    with orbis.serve(source) as server:
        report = orbis.report("download", server.address, "tiny-home")
        assert report["chunks"] == 1, report
        world = content(source)
        refused = orbis.run("download", server.address, source / "worlds/default", "--continue", expect=2)
        assert "orbis-download.json" in refused.stderr, refused.stderr
        assert content(source) == world, "a download has changed a world of the game"
    check_equal(orbis, source, orbis.folder / "tiny-home")
    for file in (source / "worlds/default/chunks").iterdir():
        file.unlink()
    with orbis.serve(source) as server:
        nothing = orbis.report("download", server.address, "none-home", expect=1)
        assert nothing["chunks"] == 0 and "no chunk at all" in nothing["problems"][0], nothing
        assert not (orbis.folder / "none-home").exists(), nothing
        assert server.named("empty")[0]["world"] == "default"
    return f"a chunk in {report['seconds']:.1f} s, none in {nothing['seconds']:.1f} s"


def real_worlds_come_home(orbis):
    told = []
    for name in ["lavafalls"] if SHORT else ["dense", "lavafalls"]:
        if world := real_world(orbis, name):
            report = download(orbis, world[0], f"{name}-home", world[1])
            told.append(f"{name} {report['chunks']} chunks in {report['seconds']:.1f} s")
    return ", ".join(told) or "there are none here"


def each_build_brings_home_the_same(orbis):
    """Clients of all builds at once, from one server."""
    worlds = [(make_universe(orbis, "many-builds"), "--area=-320,-320,319,319")]
    worlds += [world for name in ("dense", "lavafalls") if not SHORT and (world := real_world(orbis, name))]
    builds = ["2026.01.17", "b242"] if SHORT else spoken_builds()
    for source, area in worlds:
        with orbis.serve(source, "--unlimited") as server:
            carriers = {build: orbis.start("download", server.address, f"{source.name}-{build}", area, "--build", build, "--name",
                                           f"carrier{number}", "--settle", f"{PATIENCE}s", "--json", "--quiet",
                                           stdout=subprocess.PIPE)
                        for number, build in enumerate(builds)}
            for build, carrier in carriers.items():
                report = json.loads(carrier.communicate(timeout=PATIENCE)[0])
                assert carrier.returncode == 0 and report["finished"] and not report["problems"], (build, report)
        for build in builds:
            check_equal(orbis, source, orbis.folder / f"{source.name}-{build}")
    return f"{len(worlds)} worlds, {len(builds)} builds"


def edits_reach_players_and_disk(orbis):
    """One block, a list of them, and so many of one section that it is sent again."""
    universe = make_universe(orbis, "edited", creative=True)
    several = [(32 + x, SKY, 96 + z) for x in range(10) for z in range(10)]
    many = [(32 + x, SKY + 15 + y, 96 + z) for x in range(20) for y in range(4) for z in range(20)]
    # No player may send so much that it takes for a flood.
    steps = ["bots 9", f"join {SOON}", f"wait chunks 60 {SOON}", f"at 40 {SKY} 104",
             f"place Rock_Stone at 33 {SKY + 8} 97", f"expect block 33 {SKY + 8} 97 is Rock_Stone {SOON}"]
    total = 1
    for group, name in ((several, "Soil_Dirt"), (many, "Rock_Stone")):
        total += len(group)
        steps += [f"bot {1 + number % 8} place {name} at {x} {y} {z}" for number, (x, y, z) in enumerate(group)]
        steps += [f"expect edits-confirmed = {total} {SOON}"]
        # Whoever made an edit has seen it, and the others do in a moment.
        steps += [f"expect block {x} {y} {z} is {name} within 10s" for x, y, z in group]
    steps += ["expect edits-refused = 0",
              f"bot 9 break at 33 {SKY + 8} 97", f"expect block 33 {SKY + 8} 97 is Empty {SOON}"]
    with orbis.serve(universe, "--edit", "--tell-edits", "--save-every", 1) as server:
        report = orbis.play(server, "\n".join(steps))
        server.wait("saved", lambda event: event["edits"] == total + 1)
        for (x, y, z), name in ((several[0], "Soil_Dirt"), (many[-1], "Rock_Stone"), ((33, SKY + 8, 97), "Empty")):
            assert orbis.block(universe, x, y, z) == name, (x, y, z)
        told = server.named("edit")
        assert [event["number"] for event in told] == list(range(1, total + 2)), told[-1]
        assert told[0] == {"event": "edit", "world": "default", "number": 1, "player": "bot1",
                           "blocks": [[33, SKY + 8, 97, "Rock_Stone"]]}, told[0]

        # Nobody else writes meanwhile.
        held = content(universe)
        for verb in (("serve", universe, "--edit", "--bind", "127.0.0.1:0"),
                     ("prune", universe, "--remove", "0,0"), ("compact", universe)):
            refused = orbis.run(*verb, expect=None)
            assert refused.returncode != 0 and "another" in refused.stderr, (verb, refused)
        assert {path: file for path, file in content(universe).items()} == held, "a refused verb has written"
    found = orbis.lines("verify", universe)[-1]
    assert found["damage"] == 0, found
    return f"{total + 1} edits, seen after {report['edit']['p50_ms']:.0f} ms"


def storm(bots, bursts, choose):
    """Edits of all bots at once: (bot, place, name) or None for a moment's rest. `choose` is chance with a seed."""
    for _ in range(bursts):
        for _ in range(choose.randrange(5, 40)):
            place = choose.randrange(-20, 36), SKY + choose.randrange(8), choose.randrange(-20, 36)
            yield choose.randrange(bots) + 1, place, "Empty" if choose.random() < 0.3 else choose.choice(NAMES)
        yield None


def scenario_of(bots, edits):
    yield from (f"bots {bots}", f"join {SOON}", f"wait chunks 100 {SOON}", f"at 0 {SKY} 0")
    for edit in edits:
        if edit is None:
            yield "wait 20ms"
            continue
        bot, (x, y, z), name = edit
        yield f"bot {bot} break at {x} {y} {z}" if name == "Empty" else f"bot {bot} place {name} at {x} {y} {z}"


def untold(edits, told):
    """What a killed server may have done without a word: of each bot the edits that follow the last that was told."""
    left = {}
    for edit in edits:
        if edit:
            left.setdefault(f"bot{edit[0]}", []).append(edit[1:])
    for event in told:
        mine, x, y, z, name = left[event["player"]], *event["blocks"][0]
        while mine.pop(0) != ((x, y, z), name):
            pass  # it changed nothing
    return [edit for mine in left.values() for edit in mine[:100]]


def differing_blocks(orbis, before, after):
    """Where blocks differ, and what is there now."""
    found = {}
    for line in orbis.lines("diff", before, after, "--details", 1000000, expect=None):
        assert line.get("change") not in ("added", "removed", "unreadable"), line
        for change in line.get("block_changes", []):
            found[change["x"], change["y"], change["z"]] = change["after"]["key"]
    return found


def kills_lose_nothing_saved(orbis):
    """The server dies in the middle of a storm, again and again, and the world goes on each time."""
    universe = make_universe(orbis, "stormy", creative=True)
    original = orbis.folder / "calm"
    shutil.copytree(universe, original)
    choose = random.Random(8)
    now, sure, unsure, turn = {}, 0, 0, 0
    while turn < (2 if SHORT else 5) or unsure == 0:
        turn += 1
        assert turn < 30, "every edit was saved before each kill"
        server = orbis.serve(universe, "--edit", "--tell-edits", "--save-every", 1, "--unlimited")
        scenario = orbis.folder / "storm.txt"
        edits = list(storm(4, 400, choose))
        scenario.write_text("\n".join(scenario_of(4, edits)))
        players = orbis.start("bot", server.address, "--scenario", scenario, "--quiet", stdout=subprocess.DEVNULL)
        server.wait("saved", lambda event: event["edits"] > 30)
        time.sleep(choose.uniform(0, 1))  # dies anywhere between two saves
        server.kill()
        players.kill()
        players.wait()

        # What each place must hold: the last edit that was saved, or any that came after it.
        saved = server.named("saved")[-1]["edits"]
        allowed = {at: {name} for at, name in now.items()}
        for edit in server.named("edit"):
            for x, y, z, name in edit["blocks"]:
                if edit["number"] <= saved:
                    allowed[x, y, z] = {name}
                else:
                    allowed.setdefault((x, y, z), {"Empty"}).add(name)
        for place, name in untold(edits, server.named("edit")):
            allowed.setdefault(place, {"Empty"}).add(name)
        now = differing_blocks(orbis, original, universe)
        for at, names in allowed.items():
            assert now.get(at, "Empty") in names, \
                f"round {turn}, {at}: expected {names}, found {now.get(at, 'Empty')}; {saved} edits were saved"
        assert set(now) <= set(allowed), f"round {turn}: blocks that nobody has placed: {set(now) - set(allowed)}"
        sure += saved
        unsure += len(server.named("edit")) - saved
        found = orbis.lines("verify", universe)[-1]
        assert found["damage"] == 0, f"round {turn}: {found}"
    return f"{sure} edits were saved, {unsure} were not yet"


def stone_above_the_spawn(orbis, name):
    """A copy of the sample whose chunk 0,0 has one block more."""
    universe = make_universe(orbis, name, creative=True)
    with orbis.serve(universe, "--edit") as server:
        orbis.play(server, f"join {SOON}\nwait chunks 100 {SOON}\nat 8 {SKY} 8\n"
                           f"place Rock_Stone at 8 {SKY} 8\nexpect block 8 {SKY} 8 is Rock_Stone {SOON}")
    return universe


def watch_the_stone(orbis, server, put, take):
    """A bot that sees the block come when `put` is called, and go after `take`."""
    scenario = orbis.folder / "watch.txt"
    scenario.write_text(f"bots 2\njoin {SOON}\nwait chunks 100 {SOON}\nexpect block 8 {SKY} 8 is Empty {SOON}\n"
                        f"chat one\nexpect block 8 {SKY} 8 is Rock_Stone {SOON}\n"
                        f"chat two\nexpect block 8 {SKY} 8 is Empty {SOON}\nchat three\nexpect chat three {SOON}")
    watching = orbis.start("bot", server.address, "--scenario", scenario, "--json", "--quiet", stdout=subprocess.PIPE)
    server.wait("chat", lambda event: event["text"] == "one")
    begin = time.monotonic()
    put()
    server.wait("chat", lambda event: event["text"] == "two")
    took = time.monotonic() - begin
    take()
    server.wait("chat", lambda event: event["text"] == "three")
    report = json.loads(watching.communicate(timeout=PATIENCE)[0])
    assert watching.returncode == 0 and not report["unmet"], report
    return took


def changes_on_disk_are_seen(orbis):
    """Other verbs write while the world is only shown."""
    universe, other = make_universe(orbis, "shown"), stone_above_the_spawn(orbis, "other")
    with orbis.serve(universe, "--unlimited") as server:
        took = watch_the_stone(orbis, server,
                               lambda: orbis.run("restore", universe, "--from", other, "--chunks", "0,0", "--quiet"),
                               lambda: orbis.run("undo", universe, "--quiet"))
    return f"a restored block after {took:.1f} s"


def changes_beside_edits_are_seen(orbis):
    """Somebody copies files over those of a world that is being edited: in place, and with another name first."""
    universe, other = make_universe(orbis, "beside", creative=True), stone_above_the_spawn(orbis, "laid over")
    file, new = (folder / "worlds/default/chunks/0.0.region.bin" for folder in (universe, other))
    before, beside = file.read_bytes(), file.with_suffix(".new")
    # The same chunks, each in another place of the file.
    orbis.run("compact", other, "--quiet")

    def put_in_place():
        file.write_bytes(new.read_bytes())

    def take_by_name():
        beside.write_bytes(before)
        beside.rename(file)

    with orbis.serve(universe, "--edit", "--save-every", 1, "--unlimited") as server:
        took = watch_the_stone(orbis, server, put_in_place, take_by_name)
        # What is edited then stands on what is there.
        orbis.play(server, f"join {SOON}\nwait chunks 100 {SOON}\nat 9 {SKY} 8\n"
                           f"place Soil_Dirt at 9 {SKY} 8\nexpect block 9 {SKY} 8 is Soil_Dirt {SOON}")
        assert not server.named("unreadable"), server.said()
    original = make_universe(orbis, "as it was", creative=True)
    assert differing_blocks(orbis, original, universe) == {(9, SKY, 8): "Soil_Dirt"}
    return f"a block that was copied after {took:.1f} s"


def stored_entities_are_seen(orbis):
    """Those of the chunks around a player, who is alone; not where there are no chunks."""
    with orbis.serve(make_universe(orbis, "inhabited"), "--unlimited") as server:
        orbis.play(server, f"join {SOON}\nwait chunks 100 {SOON}\nexpect players = 1\n"
                           f"expect entities > 0 {SOON}\nat 5000 {SKY} 5000\nexpect entities = 0 {SOON}\n"
                           f"at 40 {SKY} 104\nexpect entities > 0 {SOON}")
    return "they come and go with their chunks"


def visitors_are_let_in(orbis):
    """Step by step, as somebody who looks for what is wrong does."""
    with orbis.serve(make_universe(orbis, "open"), "--max-players", 1) as server:
        report = orbis.report("ping", server.address, "--count", 2)
        assert all(step["ok"] for step in report["steps"]), report
        full = orbis.start("bot", server.address, "--time", f"{10 * PATIENCE}s", "--quiet", stdout=subprocess.DEVNULL)
        server.wait("join")
        refused = orbis.report("bot", server.address, "--name", "late", "--time", f"{PATIENCE}s", expect=1)
        assert refused["joined"] == 0 and "full" in refused["errors"][0]["error"], refused
        full.send_signal(2)
        assert full.wait(PATIENCE) == 0
        server.wait("leave")
    return f"{len(report['steps'])} steps"


PARTS = [visitors_are_let_in, stored_entities_are_seen, sample_comes_home, holes_and_islands_stay,
         a_server_that_pauses_loses_nothing, worlds_without_much_come_home, real_worlds_come_home,
         each_build_brings_home_the_same, edits_reach_players_and_disk, kills_lose_nothing_saved, changes_on_disk_are_seen,
         changes_beside_edits_are_seen]

run_parts(sys.argv[1], PARTS, sys.argv[2:])

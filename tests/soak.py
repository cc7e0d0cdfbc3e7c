#!/usr/bin/env python3
"""A server with a crowd that walks, edits, joins and leaves, for as long as wanted: soak.py ORBIS [SECONDS]

The memory of the server is looked at all the time. After a warm-up it may not grow: the test fails where the largest
amount of the last third is above that of the third before by more than a tenth and 1 MiB (16 MiB in less than five
minutes). Without SECONDS it ends after nine waves of bots. With them (3600 for an hour) it prints a line per sample;
docs/serve.md says more.
"""

import json
import signal
import subprocess
import sys
import time

from served import PATIENCE, Orbis, make_sample

seconds = float(sys.argv[2]) if len(sys.argv) > 2 else None
WAVES = 9  # of a run without a time
STAYS, COMES = 12, 6  # bots that stay, and those of each wave that comes and goes
# What the last third may need above the one before. A short run is all warm-up: columns are made for the first time.
GROWTH, SLACK = 1.1, 16 << 20 if not seconds or seconds < 300 else 1 << 20
NAMES = ["Rock_Stone", "Soil_Dirt", "Wood_Oak_Trunk"]


def start_bots(orbis, server, number, count, time_limit, turn):
    return orbis.start("bot", server.address, "--name", f"soak{number}x", "--count", count, "--walk", "random",
                       "--speed", 12, "--place", NAMES[turn % len(NAMES)], "--chat", "hello", "--seed", turn,
                       "--time", f"{time_limit:.0f}s", "--json", "--quiet", stdout=subprocess.PIPE)


def take_report(bots):
    report = json.loads(bots.communicate(timeout=PATIENCE)[0])
    assert bots.returncode == 0 and not report["errors"], f"bots had trouble: {report}"
    return report


with Orbis(sys.argv[1]) as orbis:
    make_sample(orbis.program, orbis.folder / "universe")
    config = orbis.folder / "universe/worlds/default/config.json"
    config.write_text(config.read_text().replace('"GameMode": "Adventure"', '"GameMode": "Creative"'))
    # A small cache, so that columns come and go too.
    with orbis.serve("universe", "--edit", "--save-every", 1, "--cache", 4, "--view-radius", 6) as server:
        begin = time.monotonic()
        staying = start_bots(orbis, server, 0, STAYS, 100 * (seconds or PATIENCE), 0)
        wave, waves, edits, samples, told = None, 0, 0, [], 0.0
        while True:
            passed = time.monotonic() - begin
            # A wave ends when all of it has come and said so: without a time that is all it is for.
            spoke = {event["player"] for event in server.named("chat")}
            if wave and not seconds and sum(name.startswith(f"soak{waves}x") for name in spoke) == COMES:
                wave.send_signal(signal.SIGINT)
                wave.wait(PATIENCE)
            if wave is None or wave.poll() is not None:
                if wave:
                    edits += take_report(wave)["edits_confirmed"]
                if passed >= seconds if seconds else waves == WAVES:
                    break
                waves += 1
                wave = start_bots(orbis, server, waves, COMES, 3 if seconds else 100 * PATIENCE, waves)
            # How much of it is over, and what that takes.
            samples.append((passed / seconds if seconds else (waves - 1) / WAVES, server.memory()))
            if seconds and passed >= told:
                told = passed + 10
                print(f"{passed:7.0f} s  {samples[-1][1] / 2**20:7.1f} MiB  {waves} waves", flush=True)
            time.sleep(0.25 if seconds else 0.05)
        staying.send_signal(signal.SIGINT)
        edits += take_report(staying)["edits_confirmed"]
        assert not server.named("unsaved") and not server.named("lost"), server.said()
        # What the end of the server itself saves is counted too.
    saved = server.named("saved")[-1]["edits"]
    assert edits > 0 and saved > 0, (edits, saved)
    middle, last = (max(size for done, size in samples if part / 3 <= done < (part + 1) / 3 or part == 2 and done >= 1)
                    for part in (1, 2))
    print(f"{waves} waves of bots, {saved} edits saved in {passed:.0f} s; memory {middle / 2**20:.1f} MiB at most, "
          f"then {last / 2**20:.1f} MiB")
    assert last <= middle * GROWTH + SLACK, "the memory of the server grows"
    found = orbis.lines("verify", "universe")[-1]
    assert found["damage"] == 0, found

#!/usr/bin/env python3
"""`orbis download` as its users run it: how the player goes, passwords, early ends. download.py ORBIS [PART…]"""

import re
import signal
import subprocess
import sys
import time

from served import make_sample, run_parts

# All of the sample world from one stop, and nothing around it where one would have to wait for what does not exist. So
# there is time for a machine that is busy with other things.
ALL = ("--area=-320,-320,319,319", "--view-radius", 512, "--settle", "20s")


def make_universe(orbis):
    made = orbis.folder / "made"
    if not made.exists():
        make_sample(orbis.program, made)
    return made


def chunks(orbis, path):
    return sorted((line["x"], line["z"]) for line in orbis.lines("ls", path, expect=None) if "x" in line)


def places(orbis, server, *options, want=40):
    """Where the player was and when, as the server says, while a download runs."""
    process = orbis.start("download", server.address, orbis.folder / "walked", "--name", "walker", "--quiet", *options,
                          stdout=subprocess.DEVNULL)
    found = []
    while process.poll() is None and len(found) < want:
        for line in server.ask("players")["lines"]:
            if at := re.match(r"walker plays in default at (-?\d+) (-?\d+) (-?\d+)", line):
                found.append((time.monotonic(), *map(int, at.groups())))
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert len(found) >= 10, found
    return found


def player_goes_as_told(orbis):
    """At a speed, over the ground or high above it, or at once."""
    told = []
    for number, (options, speed, flies) in enumerate(((["--speed", 40], 40, False), (["--speed", 40, "--fly"], 40, True),
                                                      (["--fly"], None, True), ([], None, False))):
        with orbis.serve(make_universe(orbis)) as server:
            found = places(orbis, server, "--view-radius", 64, *options)
        (orbis.folder / "walked").rename(orbis.folder / f"walked{number}")
        ways = [(after[0] - before[0], abs(after[1] - before[1]) + abs(after[3] - before[3]))
                for before, after in zip(found, found[1:])]
        assert sum(way for _, way in ways) > 20, f"{options}: it does not go: {found}"
        if speed:
            # In whole blocks, along both axes, and by a server that hears of it now and then.
            assert all(way <= speed * (passed + 0.3) * 1.5 + 2 for passed, way in ways), f"{options}: too fast: {found}"
        else:
            assert max(way for _, way in ways) > 40, f"{options}: not at once: {found}"
        heights = [at[2] for at in found[len(found) // 2:]]
        assert all((height == 250) == flies for height in heights), f"{options}: heights {heights}"
        told.append(f"{' '.join(map(str, options)) or 'without options'}: {len(ways)} ways")
    return ", ".join(told)


def password_is_given(orbis):
    word = orbis.folder / "word"
    word.write_text("open sesame\n")
    (orbis.folder / "wrong").write_text("open barley\n")
    area = ("--area=0,0,63,63", "--settle", "20s")
    with orbis.serve(make_universe(orbis), "--password-file", word, "--unlimited") as server:
        for options, want in (([], "asks for a password"), (["--password-file", "wrong"], "the password is wrong")):
            refused = orbis.report("download", server.address, "refused", *area, *options, expect=1)
            assert not refused["finished"] and any(want in problem for problem in refused["problems"]), refused
            assert not (orbis.folder / "refused").exists(), "nothing came, and something is left"
        report = orbis.report("download", server.address, "let-in", *area, "--password-file", word)
        assert report["finished"] and report["chunks"] == 4, report
    return "no, a wrong, and the right one"


def end_early(orbis, server, number, out, after):
    """Ends a download in the middle with a signal: what it said, and the exit code."""
    process = orbis.start("download", server.address, out, *ALL, "--json", "--quiet", stdout=subprocess.PIPE)
    begin = time.monotonic()
    while not list(orbis.folder.glob(f"{out}/chunks/*.region.bin")) and time.monotonic() - begin < 30:
        time.sleep(0.02)
    time.sleep(after)
    process.send_signal(number)
    return process.communicate(timeout=60)[0], process.returncode


def check_part(orbis, source, out):
    """A valid world with a part of the chunks, each as it is at the source; how many."""
    there = chunks(orbis, out)
    assert 0 < len(there) < 400 and set(there) < set(chunks(orbis, source)), len(there)
    found = orbis.lines("verify", out, expect=None)[-1]
    assert found["damage"] == 0, found
    for line in orbis.lines("diff", source, out, "--terrain", expect=None):
        assert line.get("change") in (None, "removed"), line
    return len(there)


def check_whole(orbis, source, out):
    assert chunks(orbis, out) == chunks(orbis, source)
    assert orbis.lines("diff", source, out, "--terrain", expect=None)[-1]["equal"]
    assert not notes(orbis, out)


def notes(orbis, out):
    return [line for line in orbis.lines("verify", out, expect=None) if line.get("code") == "world.unfinished"]


def stopped_by_its_user(orbis):
    source = make_universe(orbis)
    with orbis.serve(source) as server:
        said, code = end_early(orbis, server, signal.SIGINT, "stopped", 0.7)
        kept = check_part(orbis, source, "stopped")
        assert code == 1 and '"finished":false' in said and "it was stopped" in said and f'"chunks":{kept},' in said, said
        assert not notes(orbis, "stopped"), "its user knows"
        report = orbis.report("download", server.address, "stopped", "--continue", *ALL)
        assert report["finished"] and report["written"] == 400 - kept, report
        check_whole(orbis, source, "stopped")
    return f"{kept} chunks kept, {report['written']} later"


def killed(orbis):
    source = make_universe(orbis)
    with orbis.serve(source) as server:
        # What came is on the disk every two seconds.
        said, code = end_early(orbis, server, signal.SIGKILL, "killed", 2.3)
        assert code == -9 and said == "", (code, said)
        kept = check_part(orbis, source, "killed")
        told = notes(orbis, "killed")
        assert len(told) == 1 and told[0]["help"].endswith(" --continue"), told
        refused = orbis.run("download", server.address, "killed", expect=2)
        assert "--continue" in refused.stderr, refused
        # What is told goes on.
        command = told[0]["help"].replace("&& orbis ", f"&& {orbis.program} ", 1)
        going_on = subprocess.run(["sh", "-c", command], timeout=120, capture_output=True, text=True)
        assert going_on.returncode == 0, (command, going_on)
        check_whole(orbis, source, "killed")
    return f"{kept} chunks kept, and how it goes on"


PARTS = [player_goes_as_told, password_is_given, stopped_by_its_user, killed]

run_parts(sys.argv[1], PARTS, sys.argv[2:])

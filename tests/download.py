#!/usr/bin/env python3
"""`orbis download` as its users run it: how the player goes, passwords, early ends. download.py ORBIS [PART…]"""

import itertools
import math
import re
import signal
import subprocess
import sys
import time

from served import PATIENCE, make_sample, run_parts, wait_until

# All of the sample world from one stop, and nothing around it where one would have to wait for what does not exist. So
# there is time for a machine that is busy with other things.
ALL = ("--area=-320,-320,319,319", "--view-radius", 512, "--settle", f"{PATIENCE}s")


def make_universe(orbis):
    made = orbis.folder / "made"
    if not made.exists():
        make_sample(orbis.program, made)
    return made


def chunks(orbis, path):
    return sorted((line["x"], line["z"]) for line in orbis.lines("ls", path, expect=None) if "x" in line)


def distance(one, other):
    return math.hypot(one[0] - other[0], one[2] - other[2])


def places(orbis, server, name, *options, far_enough):
    """Where the player was, as the server says, and how long after the start at most, until it has come far enough."""
    begin = time.monotonic()
    process = orbis.start("download", server.address, orbis.folder / name, "--name", name, "--quiet", *options,
                          stdout=subprocess.DEVNULL)
    found = []

    def has_come_far():
        for line in server.ask("players")["lines"]:
            if at := re.match(rf"{name} plays in default at (-?\d+) (-?\d+) (-?\d+)", line):
                found.append((time.monotonic() - begin, tuple(map(int, at.groups()))))
        assert process.poll() is None, f"{options}: the download is over: {found}"
        return far_enough([at for _, at in found])

    wait_until(has_come_far, f"a player with {options} has come far enough")
    process.kill()
    process.wait()
    return found


def player_goes_as_told(orbis):
    """At a speed, over the ground or high above it, or at once."""
    told = []
    with orbis.serve(make_universe(orbis)) as server:
        for number, (options, speed, flies) in enumerate(((["--speed", 30], 30, False), (["--speed", 30, "--fly"], 30, True),
                                                          (["--fly"], None, True), ([], None, False))):
            def far_enough(places):
                if flies and places and places[-1][1] != 250:
                    return False
                ways = [distance(before, after) for before, after in itertools.pairwise(places)]
                return sum(ways) > 60 if speed else max(ways, default=0) > 40

            found = places(orbis, server, f"walker{number}", "--view-radius", 64, *options, far_enough=far_enough)
            first = found[0][1]
            for passed, at in found if speed else []:
                # In whole blocks.
                assert distance(first, at) <= speed * passed + 2, f"{options}: too fast: {found}"
            if speed:
                assert any((at[0] % 32, at[2] % 32) != (16, 16) for _, at in found[1:]), f"{options}: at once: {found}"
            if not flies:
                assert all(at[1] != 250 for _, at in found), f"{options}: it flies: {found}"
            told.append(f"{' '.join(map(str, options)) or 'without options'}: {len(found)} places")
    return ", ".join(told)


def password_is_given(orbis):
    word = orbis.folder / "word"
    word.write_text("open sesame\n")
    (orbis.folder / "wrong").write_text("open barley\n")
    area = ("--area=0,0,63,63", "--settle", f"{PATIENCE}s")
    with orbis.serve(make_universe(orbis), "--password-file", word, "--unlimited") as server:
        for options, want in (([], "asks for a password"), (["--password-file", "wrong"], "the password is wrong")):
            refused = orbis.report("download", server.address, "refused", *area, *options, expect=1)
            assert not refused["finished"] and any(want in problem for problem in refused["problems"]), refused
            assert not (orbis.folder / "refused").exists(), "nothing came, and something is left"
        report = orbis.report("download", server.address, "let-in", *area, "--password-file", word)
        assert report["finished"] and report["chunks"] == 4, report
    return "no, a wrong, and the right one"


def end_early(orbis, server, number, out):
    """Ends a download in the middle with a signal: what it said, and the exit code. The server stands still meanwhile, so
    that it cannot come to its end before."""
    process = orbis.start("download", server.address, out, *ALL, "--json", "--quiet", stdout=subprocess.PIPE)
    wait_until(lambda: list(orbis.folder.glob(f"{out}/chunks/*.region.bin")), "the first chunk is written")
    server.process.send_signal(signal.SIGSTOP)
    # What came is on the disk every two seconds.
    wait_until(lambda: chunks(orbis, out), "there are chunks on the disk")
    process.send_signal(number)
    said = process.communicate(timeout=PATIENCE)[0]
    server.process.send_signal(signal.SIGCONT)
    return said, process.returncode


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
        said, code = end_early(orbis, server, signal.SIGINT, "stopped")
        kept = check_part(orbis, source, "stopped")
        assert code == 1 and '"finished":false' in said and "it was interrupted" in said and f'"chunks":{kept},' in said, said
        assert not notes(orbis, "stopped"), "its user knows"
        report = orbis.report("download", server.address, "stopped", "--continue", *ALL)
        assert report["finished"] and report["written"] == 400 - kept, report
        check_whole(orbis, source, "stopped")
    return f"{kept} chunks kept, {report['written']} later"


def killed(orbis):
    source = make_universe(orbis)
    with orbis.serve(source) as server:
        said, code = end_early(orbis, server, signal.SIGKILL, "killed")
        assert code == -9 and said == "", (code, said)
        kept = check_part(orbis, source, "killed")
        told = notes(orbis, "killed")
        assert len(told) == 1 and told[0]["help"].endswith(" --continue"), told
        refused = orbis.run("download", server.address, "killed", expect=2)
        assert "--continue" in refused.stderr, refused
        # What is told goes on.
        command = told[0]["help"].replace("&& orbis ", f"&& {orbis.program} ", 1)
        going_on = subprocess.run(["sh", "-c", command], timeout=PATIENCE, capture_output=True, text=True)
        assert going_on.returncode == 0, (command, going_on)
        check_whole(orbis, source, "killed")
    return f"{kept} chunks kept, and how it goes on"


PARTS = [player_goes_as_told, password_is_given, stopped_by_its_user, killed]

run_parts(sys.argv[1], PARTS, sys.argv[2:])

#!/usr/bin/env python3
"""Clients of all builds, made of another QUIC library and the schemas, visit `orbis serve`: serve.py ORBIS FOLDER [BUILD]

tests/interop/go/visitor is the client, always.txt and join.txt are what it expects. FOLDER is for what is built. With
BUILD the session of that client is told in short: milliseconds, who speaks on which stream, how many packets of a kind
in a row, their bytes on the wire.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
import go_program
from served import Orbis, make_sample, spoken_builds

here = pathlib.Path(__file__).resolve().parent
protocol = here.parent.parent / "protocol"
work = pathlib.Path(sys.argv[2]).resolve()
told = [f"--tell={build}" for build in sys.argv[3:]]


def replay_vectors(visitor):
    """What the game has written, where it is at hand: the client reads and writes the same, and refuses what it must."""
    vectors = pathlib.Path(os.environ.get("ORBIS_SHARED", "/nonexistent")) / "protocol"
    for folder in sorted(vectors.glob("vectors*")):
        build = folder.name.removeprefix("vectors").removeprefix("-") or "2026.02.17"
        files = [path for path in sorted(folder.glob("*.gz")) if not path.name.startswith("frames.")]
        subprocess.run([visitor, "replay", protocol / "schema" / f"{build}.json", *files], check=True,
                       stdout=subprocess.DEVNULL)


if text := go_program.missing():
    sys.exit(text)
visitor = go_program.build("visitor", work)
replay_vectors(visitor)
builds = spoken_builds()
with Orbis(sys.argv[1]) as orbis:
    make_sample(orbis.program, orbis.folder / "universe")
    config = orbis.folder / "universe/worlds/default/config.json"
    settings = json.loads(config.read_text()) | {"GameMode": "Creative"}
    for key in ("ClientEffects", "DaytimeDurationSeconds", "NighttimeDurationSeconds"):
        del settings[key]  # so that the game's own values hold
    config.write_text(json.dumps(settings))
    shutil.copytree(orbis.folder / "universe", orbis.folder / "another")

    def visit(address, *arguments):
        """What they say; all must be as expected."""
        visit = subprocess.run([visitor, "visit", address, protocol / "schema", here, *arguments], capture_output=True,
                               text=True)
        assert visit.returncode == 0, visit.stdout + visit.stderr
        return visit.stdout

    with orbis.serve("universe", "--edit") as server:
        print(visit(server.address, *told, *builds), end="")
    # The same clients through the proxy, which changes nothing.
    with orbis.serve("another", "--edit") as server, orbis.proxy(server.address) as proxy:
        print("through the proxy:", visit(proxy.address, *builds), sep="\n", end="")

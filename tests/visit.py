#!/usr/bin/env python3
"""The client of the library in a world that `orbis serve` serves: visit.py ORBIS VISIT_SERVER"""

import subprocess
import sys

from served import SOON, Orbis, make_sample

program, visit_server = sys.argv[1:]

with Orbis(program) as orbis:
    make_sample(orbis.program, orbis.folder / "sample")
    with orbis.serve("sample") as server:
        for stay in "2", "20", "200":  # seconds; how soon all is there depends on the machine
            visit = subprocess.run([visit_server, server.address, stay], capture_output=True, text=True)
            assert visit.returncode == 0, visit
            names = {line.split(" ")[0] for line in visit.stdout.splitlines()}
            if {"JoinWorld", "SetChunk", "UpdateWorldMap", "Ping"} <= names:  # of all three channels
                break
        else:
            sys.exit(f"some packets did not come: {sorted(names)}\n{server.said()}")
        server.wait("leave")

    # Which builds a server accepts, and which one a client is.
    with orbis.serve("sample", "--accept", "0.5.1,0.6.0-pre.1") as server:
        refused = orbis.run("ping", server.address, expect=17)
        assert "0.5.1, 0.6.0-pre.1" in refused.stdout + refused.stderr, refused
        orbis.run("ping", server.address, "--build", "0.6.0-pre.1")
        orbis.play(server, f"join {SOON}\n", "--build", "0.5.1")
        orbis.run("download", server.address, "here", "--around", "0,0,32", "--build", "0.5.1")

    # Builds with one stream for everything, and one in which columns travel otherwise: what comes home is the same.
    with orbis.serve("sample") as server:
        orbis.run("download", server.address, "usual", "--around", "0,0,32")
        for build in "2026.01.17", "2026.02.06", "b242":
            orbis.run("ping", server.address, "--build", build)
            orbis.play(server, f"join {SOON}\n", "--build", build)
            orbis.run("download", server.address, build, "--around", "0,0,32", "--build", build)
            orbis.run("diff", "usual", build)

print("visit: packets of all channels came, and only builds that are accepted came in")

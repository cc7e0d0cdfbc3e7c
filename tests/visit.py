#!/usr/bin/env python3
"""The client of the library in a world that `orbis serve` serves: visit.py ORBIS VISIT_SERVER"""

import subprocess
import sys

from served import Orbis, make_sample

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

print("visit: packets of all channels came")

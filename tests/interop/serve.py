#!/usr/bin/env python3
"""A player on another QUIC library visits `orbis serve`, and its recording is read: serve.py ORBIS FOLDER [RECORDING]

tests/interop/go/visitor.go is the player. FOLDER is for what is built. With RECORDING the recording is kept there, and
told in short: milliseconds, who speaks on which stream, how many packets of a kind in a row, their bytes on the wire.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent.parent))
import go_program
from served import make_sample

orbis, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
COLUMNS = 20


def decode(recording):
    """Every frame of the recording as our own reader sees it."""
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    for to in ("client", "server"):
        frames = [line for line in lines if line["to"] == to]
        text = "".join(json.dumps({"frame_hex": line["frame_hex"]}) + "\n" for line in frames)
        run = subprocess.run([orbis, "packet", "decode", "--frame", "--to", to, "--strict"], input=text, text=True,
                             capture_output=True)
        for line, answer in zip(frames, map(json.loads, run.stdout.splitlines()), strict=True):
            assert "error" not in answer, (line, answer)
            line["packet"], line["value"] = answer["packet"], answer["value"]
    return lines


def check(lines):
    to_client = [line for line in lines if line["to"] == "client"]
    count = collections.Counter(line["packet"] for line in to_client)
    first = {}
    for number, line in enumerate(to_client):
        first.setdefault(line["packet"], number)
    order = ["ConnectAccept", "WorldSettings", "ServerInfo", "UpdateBlockTypes", "WorldLoadFinished", "JoinWorld",
             "SetClientId", "EntityUpdates"]
    assert sorted(order, key=first.__getitem__) == order, first
    registries = {name for name in count if name.startswith("Update")}
    assert {"UpdateFluids", "UpdateEnvironments", "UpdateWeathers", "UpdateTranslations", "UpdateTime",
            "UpdateTimeSettings"} <= registries, registries

    # Chunks and nothing else on stream 3, the map on 7, the rest on 0.
    streams = collections.defaultdict(set)
    for line in to_client:
        streams[line["stream"]].add(line["packet"])
    assert streams[3] <= {"SetChunkHeightmap", "SetChunkTintmap", "SetChunkEnvironments", "SetChunk", "SetFluids"}, streams[3]
    assert streams[7] == {"ClearWorldMap", "UpdateWorldMap"}, streams[7]
    assert [line["packet"] for line in lines if line["to"] == "server"].count("Disconnect") == 1

    # Whole columns, each once, and every block in them was announced by name.
    blocks = next(line for line in to_client if line["packet"] == "UpdateBlockTypes")["value"]["blockTypes"]
    assert len(blocks) > 1000, len(blocks)
    sections = collections.Counter((line["value"]["x"], line["value"]["z"]) for line in to_client
                                   if line["packet"] == "SetChunk")
    whole = [column for column, number in sections.items() if number == 10]
    assert len(whole) >= COLUMNS and max(sections.values()) == 10, sections
    return count, whole


def tell(lines):
    """Runs of packets of one kind, streams one after another where they were interleaved."""
    runs = []
    for line in lines:
        key = ("<-" if line["to"] == "client" else "->", line["stream"], line["packet"])
        same = next((run for run in reversed(runs[-8:]) if run[0] == key), None)
        if same:
            same[2] += 1
            same[3] += len(line["frame_hex"]) // 2
        else:
            runs.append([key, line["ms"], 1, len(line["frame_hex"]) // 2])
    for (arrow, stream, packet), ms, number, size in runs:
        print(f"{ms:6} {arrow} {stream} {packet}" + (f" x{number}" if number > 1 else "") + f" ({size} bytes)")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    if text := go_program.missing():
        sys.exit(text)
    visitor = go_program.build("visitor", work)
    make_sample(orbis, folder / "universe")
    server = subprocess.Popen([orbis, "serve", folder / "universe", "--bind", "127.0.0.1:0", "--json"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        ready = json.loads(server.stdout.readline())
        assert ready["event"] == "ready", ready
        recording = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else folder / "recording.jsonl"
        visit = subprocess.run([visitor, ready["addresses"][0], recording, str(COLUMNS)], capture_output=True, text=True,
                               timeout=300)
        assert visit.returncode == 0, visit
    finally:
        server.terminate()
        code = server.wait(120)
    assert code == 0, f"the server ended with {code}"
    lines = decode(recording)
    if len(sys.argv) > 3:
        tell(lines)
    count, whole = check(lines)
    print(f"a player on quic-go got {sum(count.values())} packets of {len(count)} kinds, {len(whole)} whole columns")

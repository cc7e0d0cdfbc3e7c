#!/usr/bin/env python3
"""Reads frames with the Wireshark dissector that `orbis packet dissector` prints.

    dissector.py ORBIS

Writes a capture of one TCP connection by hand, has tshark dissect it and looks for what must be in there. Debian's
tshark 4.0 cannot decompress zstd; a second run has a stand-in for the call that later ones understand. Then `--install`
must put the script where tshark itself finds it, and replace nothing of others. Ends with 77 (skipped) where tshark is
not installed.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
PORT = 5520


def frames(orbis, packets, *options):
    lines = "".join(json.dumps({"packet": name, "value": value}) + "\n" for name, value in packets)
    done = subprocess.run([orbis, "packet", "encode", "--frame", *options], input=lines, capture_output=True, text=True, check=True)
    return [bytes.fromhex(json.loads(line)["frame_hex"]) for line in done.stdout.splitlines()]


def with_stand_in(script, orbis, name, value, *options):
    """The script with this one payload in the place of what `uncompress_zstd` of Wireshark 4.4 would give."""
    line = json.dumps({"packet": name, "value": value})
    done = subprocess.run([orbis, "packet", "encode", *options], input=line, capture_output=True, text=True, check=True)
    call, plain = 'range:uncompress_zstd("Decompressed payload")', json.loads(done.stdout)["payload_hex"]
    assert call in script
    return script.replace(call, f'ByteArray.new("{plain}"):tvb("Decompressed payload"):range()')


def capture(segments):
    """A pcap file of raw IPv4 packets: (to the server?, bytes) each as one TCP segment."""
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101)
    sequence = {True: 1, False: 1}
    for index, (to_server, data) in enumerate(segments):
        client, server = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
        source, target = (client, server) if to_server else (server, client)
        ports = (40000, PORT) if to_server else (PORT, 40000)
        tcp = struct.pack(">HHIIBBHHH", *ports, sequence[to_server], sequence[not to_server], 0x50, 0x18, 65535, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), index, 0x4000, 64, 6, 0) + source + target
        packet = ip + tcp + data
        out += struct.pack("<IIII", index, 0, len(packet), len(packet)) + packet
        sequence[to_server] += len(data)
    return out


def check_install(orbis, folder, pcap):
    """What is wrong with --install, as sentences."""
    wrong = []
    home = folder / "a home"
    home.mkdir()
    environment = dict(os.environ, HOME=str(home))

    def install(*options):
        return subprocess.run([orbis, "packet", "dissector", "--install", *options], env=environment, capture_output=True, text=True)

    done = install("--build", "2026.01.17")
    told = home / ".local/lib/wireshark/plugins/hytale.lua"
    if done.returncode != 0 or done.stdout != f"Installed {told}\n" or not told.is_file():
        return [f"--install installs and says where: {done.stdout}{done.stderr}"]
    folders = subprocess.run(["tshark", "-G", "folders"], env=environment, capture_output=True, text=True, check=True).stdout
    if str(told.parent) not in folders:
        wrong.append(f"tshark looks into {told.parent}: {folders}")
    done = install()
    if done.returncode != 0 or done.stdout != f"Replaced {told}\n" or "packets of build 2026.02.17" not in told.read_text():
        wrong.append(f"--install replaces an older one of its own: {done.stdout}{done.stderr}")
    fields = subprocess.run(["tshark", "-r", pcap, "-T", "fields", "-e", "hytale.packet"], env=environment, capture_output=True,
                            text=True)
    if "ClientMovement" not in fields.stdout:
        wrong.append(f"tshark loads it without being told: {fields.stdout}{fields.stderr}")

    kept = home / "mine.lua"
    kept.write_text("-- mine\n")
    for make, what in [(lambda: told.write_text("-- mine\n"), "a file of somebody else"), (lambda: told.symlink_to(kept), "a link"),
                       (told.mkdir, "a folder")]:
        told.unlink()
        make()
        done = install()
        untouched = told.is_dir() or told.read_text() == "-- mine\n"
        if done.returncode != 2 or not untouched or "was not replaced" not in done.stderr:
            wrong.append(f"--install leaves {what} alone: {done.returncode} {done.stderr}")
    if sorted(path.name for path in told.parent.iterdir()) != ["hytale.lua"]:
        wrong.append("--install leaves no temporary files")
    environment["HOME"] = ""
    if install().returncode != 2:
        wrong.append("without HOME there is no folder to install to")
    return wrong


def check_b242(orbis, folder):
    """What is wrong with the packets of b242, whose format has more, as sentences."""
    build = ["--build", "b242"]
    heights = {"x": -3, "z": 7, "heightmap": [index - 512 for index in range(1024)]}
    title = {"fadeInDuration": 0.5, "fadeOutDuration": 1.0, "duration": 2.0, "style": "GoblinBreach", "icon": None,
             "primaryTitle": None, "secondaryTitle": None}
    packets = [("SetChunkHeightmap", heights), ("ClientReady", {"readyForChunks": False, "readyForGameplay": True}),
               ("ShowEventTitle", title)]
    column, ready, event = frames(orbis, packets, *build)
    script, pcap = folder / "b242.lua", folder / "b242.pcap"
    text = subprocess.run([orbis, "packet", "dissector", *build], capture_output=True, text=True, check=True).stdout
    # The build has flags, but no packet with them yet.
    probe = 'S.Probe={start=1,{"flags",{k="flags",name="DebugFlags"},at=0},}\n'
    probe += 'P[9998]={name="Probe",category="test",direction="Both",compressed=false}\n'
    behind = "\n-- What follows"
    assert behind in text
    script.write_text(with_stand_in(text.replace(behind, probe + behind), orbis, "SetChunkHeightmap", heights, *build))
    flags = struct.pack("<ii", 1, 9998) + bytes([5])
    pcap.write_bytes(capture([(False, column), (True, ready), (False, event + flags)]))
    done = subprocess.run(["tshark", "-X", f"lua_script:{script}", "-r", pcap, "-V", "-O", "hytale"], capture_output=True, text=True,
                          check=True)
    filtered = subprocess.run(
        ["tshark", "-X", f"lua_script:{script}", "-r", pcap, "-Y", "hytale.ClientReady.readyForGameplay == 1", "-T", "fields", "-e",
         "hytale.ClientReady.readyForChunks", "-e", "hytale.ClientReady.readyForGameplay"], capture_output=True, text=True, check=True)
    wanted = ["heightmap: 1024 elements", "[0]: -512", "[999]: 487", "(more)", "readyForChunks: False", "readyForGameplay: True",
              "style: GoblinBreach (2)", "flags: 0x05 (Fade, NoSolid)"]
    wrong = [f"b242: {text}" for text in wanted if text not in done.stdout]
    if "Lua Error" in done.stdout + done.stderr or "does not parse" in done.stdout:
        wrong.append("b242: a dissection without errors")
    if filtered.stdout.split() not in (["0", "1"], ["False", "True"]):
        wrong.append("b242: each bit of a byte as a field, found " + filtered.stdout)
    if wrong:
        print(done.stdout[-6000:], done.stderr)
    return wrong


def main():
    orbis = sys.argv[1]
    if shutil.which("tshark") is None:
        print("tshark is not installed")
        return SKIPPED
    movement = {
        "movementStates": None, "relativePosition": None, "absolutePosition": {"x": 1.5, "y": 64.25, "z": -3.0},
        "bodyOrientation": None, "lookOrientation": None, "teleportAck": None, "wishMovement": None, "velocity": None,
        "mountedTo": 4711, "riderMovementStates": None,
    }
    message = {"message": "grüße"}
    chunk = {"x": 1, "y": 2, "z": 3, "localLight": None, "globalLight": None, "data": "00" * 500}
    chain = {"action": {"$type": "SelectSlotAction", "slot": 3}, "id": 12}
    move, chat, window, set_chunk, join = frames(
        orbis,
        [
            ("ClientMovement", movement), ("ChatMessage", message), ("SendWindowAction", chain), ("SetChunk", chunk),
            ("JoinWorld", {"clearWorld": True, "fadeInOut": False, "worldUuid": "00112233-4455-6677-8899-aabbccddeeff"}),
        ],
    )
    unknown = struct.pack("<ii", 3, 9999) + b"abc"
    damaged = struct.pack("<ii", 2, 100) + b"ab"
    with tempfile.TemporaryDirectory(prefix="orbis-dissector-") as folder:
        folder = pathlib.Path(folder)
        script, pcap, newer = folder / "hytale.lua", folder / "frames.pcap", folder / "newer.lua"
        script.write_bytes(subprocess.run([orbis, "packet", "dissector"], capture_output=True, check=True).stdout)
        newer.write_text(with_stand_in(script.read_text(), orbis, "SetChunk", chunk))
        pcap.write_bytes(
            capture([(True, move[:50]), (True, move[50:] + chat + window), (False, join + set_chunk), (False, unknown + damaged)])
        )
        done = subprocess.run(
            ["tshark", "-X", f"lua_script:{script}", "-r", pcap, "-V", "-O", "hytale"], capture_output=True, text=True, check=True
        )
        fields = subprocess.run(
            ["tshark", "-X", f"lua_script:{script}", "-r", pcap, "-T", "fields", "-e", "hytale.packet", "-e",
             "hytale.ClientMovement.mountedTo"], capture_output=True, text=True, check=True,
        )
        opened = subprocess.run(
            ["tshark", "-X", f"lua_script:{newer}", "-r", pcap, "-T", "fields", "-e", "hytale.SetChunk.z", "-e",
             "hytale.SetChunk.data"], capture_output=True, text=True, check=True,
        )
        installed = check_install(orbis, folder, pcap) + check_b242(orbis, folder)
    wanted = [
        "Packet id: ClientMovement (108)", "mountedTo: 4711", "x: 1.5", "y: 64.25", "z: -3", "absolutePosition (Position)",
        "Direction: ToServer", "Packet id: ChatMessage", "message: grüße", "action (SelectSlotAction)", "slot: 3",
        "clearWorld: True", "worldUuid: 00112233-4455-6677-8899-aabbccddeeff", "Packet id: SetChunk (131)",
        "Compressed payload: 28b52ffd", "Packet id: Unknown (9999)", "Payload: 616263", "The payload does not parse",
    ]
    missing = [text for text in wanted if text not in done.stdout]
    if "Lua Error" in done.stdout + done.stderr:
        missing.append("a dissection without Lua errors")
    if "ClientMovement,ChatMessage,SendWindowAction\t4711" not in fields.stdout:
        missing.append("three packets of one segment as fields, found " + fields.stdout)
    if "3\t" + "00" * 500 not in opened.stdout:
        missing.append("the fields of a packet that was decompressed, found " + opened.stdout)
    missing += installed
    for text in missing:
        print(f"missing: {text}")
    if missing:
        print(done.stdout, done.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

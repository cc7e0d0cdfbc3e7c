"""A world that is as large as a load test needs: the chunks of another, over and over."""

import pathlib
import struct

MAGIC = b"HytaleIndexedStorage"
SEGMENT = 4096
SLOTS = 1024


def read_blobs(chunks):
    """The stored chunks of all region files of a folder, compressed as they are."""
    blobs = []
    for path in sorted(pathlib.Path(chunks).glob("*.region.bin")):
        data = path.read_bytes()
        version, slots, segment = struct.unpack(">III", data[20:32])
        if data[:20] != MAGIC or version != 1:
            raise ValueError(f"{path}: expected a region file of version 1")
        for first in struct.unpack(f">{slots}I", data[32 : 32 + 4 * slots]):
            if first == 0:
                continue
            start = 32 + 4 * slots + (first - 1) * segment
            size = struct.unpack(">I", data[start + 4 : start + 8])[0]
            blobs.append(data[start : start + 8 + size])
    if not blobs:
        raise ValueError(f"{chunks}: no chunks")
    return blobs


def region(blobs, is_wanted):
    """A region file whose wanted slots have the given chunks, in turn."""
    index = [0] * SLOTS
    body = bytearray()
    for slot in filter(is_wanted, range(SLOTS)):
        blob = blobs[(slot * 7) % len(blobs)]
        index[slot] = len(body) // SEGMENT + 1
        body += blob + bytes(-len(blob) % SEGMENT)
    return MAGIC + struct.pack(">III", 1, SLOTS, SEGMENT) + struct.pack(f">{SLOTS}I", *index) + body


def make(source, out, places, radius):
    """Writes a world with full circles of chunks around places, which are (x, z) in chunks."""
    blobs = read_blobs(source)
    wanted = set()
    for px, pz in places:
        for x in range(px - radius, px + radius + 1):
            for z in range(pz - radius, pz + radius + 1):
                if (x - px) ** 2 + (z - pz) ** 2 <= radius**2:
                    wanted.add((x, z))
    chunks = pathlib.Path(out) / "chunks"
    chunks.mkdir(parents=True)
    (pathlib.Path(out) / "config.json").write_text('{"Version": 4, "GameMode": "Creative"}\n')
    for rx, rz in sorted({(x >> 5, z >> 5) for x, z in wanted}):
        content = region(blobs, lambda slot: (rx * 32 + (slot & 31), rz * 32 + (slot >> 5)) in wanted)
        (chunks / f"{rx}.{rz}.region.bin").write_bytes(content)
    return len(wanted)

"""Locations that somebody made to do harm: each function fills an empty folder with one.

What they are made from is given to them: `base` has the fixtures of tests/cli, and `database`, a world in RocksDB.
`outside` is a folder beside the location that no verb may change.
"""

import os
import shutil
import socket
import struct
import zipfile
import zlib

MIB = 1 << 20
TERABYTE = 1 << 40
# CSI as a byte sequence and as one character, a title, a bell, a new line, an override of the writing direction.
CONTROLS = "\x1b[31mred\x1b]0;title\x07\x9b2Jcsi\nline\r\u202eright"

LOCATIONS = []


def location(function):
    LOCATIONS.append(function)
    return function


def world(folder, base):
    shutil.copytree(base / "chunks-world", folder)
    return folder


def region(folder):
    return folder / "chunks" / "0.0.region.bin"


# Region files, by hand.


def region_image(blobs, segments=None, version=1, slots=1024, segment_size=4096):
    """Header, index and blobs in their segments; `segments` overrides the index."""
    index = [0] * 1024
    body = b""
    for slot, blob in blobs.items():
        index[slot] = len(body) // segment_size + 1
        body += blob + b"\0" * (-len(blob) % segment_size)
    for slot, segment in (segments or {}).items():
        index[slot] = segment
    head = b"HytaleIndexedStorage" + struct.pack(">iii", version, slots, segment_size)
    return head + struct.pack(">1024i", *index) + body


def frame(document):
    """A Zstandard frame of blocks that are stored as they are."""
    blocks = [document[at : at + 100_000] for at in range(0, len(document), 100_000)] or [b""]
    out = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(document))
    for number, block in enumerate(blocks):
        out += struct.pack("<I", len(block) << 3 | (number == len(blocks) - 1))[:3] + block
    return out


def repeated_frame(byte, size):
    """A frame of a few bytes that expands to `size`."""
    count = size // 131072
    blocks = [struct.pack("<I", 131072 << 3 | 1 << 1 | (i == count - 1))[:3] + bytes([byte]) for i in range(count)]
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, count * 131072) + b"".join(blocks)


def blob(packed, raw_size):
    return struct.pack(">ii", raw_size, len(packed)) + packed


def nested_document(depth):
    """BSON, one document in another."""
    inner = b"\x05\0\0\0\0"
    for _ in range(depth):
        inner = struct.pack("<i", len(inner) + 8) + b"\x03a\0" + inner + b"\0"
    return inner


def put_region(folder, image, base):
    world(folder, base)
    region(folder).write_bytes(image)


# Links.


@location
def linked_chunks(folder, base, outside, **_):
    world(folder, base)
    shutil.move(folder / "chunks", outside / "chunks")
    (folder / "chunks").symlink_to(outside / "chunks")


@location
def linked_region_file(folder, base, outside, **_):
    world(folder, base)
    shutil.move(region(folder), outside / "0.0.region.bin")
    region(folder).symlink_to(outside / "0.0.region.bin")


@location
def linked_files(folder, base, outside, **_):
    world(folder, base)
    (folder / "config.json").unlink(missing_ok=True)
    shutil.copy(base / "world" / "config.json", outside / "config.json")
    (folder / "config.json").symlink_to(outside / "config.json")
    (folder / "private.key").symlink_to(outside / "private.key")
    (folder / "resources").symlink_to(outside)
    (folder / "orbis-undo").symlink_to(outside)


@location
def loops_of_links(folder, base, **_):
    world(folder, base)
    (folder / "again").symlink_to(".")
    (folder / "above").symlink_to("..")
    (folder / "root").symlink_to("/")
    (folder / "itself").symlink_to("itself")
    (folder / "chunks" / "1.1.region.bin").symlink_to("../chunks")


@location
def linked_worlds(folder, base, outside, **_):
    shutil.copytree(base / "universe", folder)
    shutil.copytree(base / "world", outside / "world")
    (folder / "worlds" / "linked").symlink_to(outside / "world")
    shutil.rmtree(folder / "players")
    (folder / "players").symlink_to(outside)


@location
def linked_folder_of_worlds(folder, base, outside, **_):
    folder.mkdir()
    shutil.copytree(base / "universe" / "worlds", outside / "worlds")
    (folder / "worlds").symlink_to(outside / "worlds")


# What is no file.


@location
def pipes_and_sockets(folder, base, **_):
    shutil.copytree(base / "universe", folder)
    first = folder / "worlds" / "overworld"
    (first / "config.json").unlink()
    os.mkfifo(first / "config.json")
    os.mkfifo(first / "chunks" / "5.5.region.bin")
    os.mkfifo(folder / "worlds" / "pipe")
    os.mkfifo(folder / "players" / "00000000-0000-4000-8000-000000000002.json")
    here = os.getcwd()
    os.chdir(folder)  # names of sockets are short
    try:
        socket.socket(socket.AF_UNIX).bind("socket")
    finally:
        os.chdir(here)


@location
def devices(folder, base, **_):
    world(folder, base)
    (folder / "config.json").unlink(missing_ok=True)
    for name in ("config.json", "chunks/7.7.region.bin", "random"):
        try:
            os.mknod(folder / name, 0o20600, os.makedev(1, 5))
        except PermissionError:  # not as root
            (folder / name).symlink_to("/dev/zero")


def with_database(name):
    def decorated(replace):
        def fill(folder, database, **_):
            if database is None:
                folder.mkdir()
                return
            shutil.copytree(database, folder)
            path = next(iter(sorted((folder / "db").glob(name))))
            path.unlink()
            replace(path)

        fill.__name__ = replace.__name__
        return location(fill)

    return decorated


@with_database("CURRENT")
def database_current_is_endless(path):
    path.symlink_to("/dev/zero")


@with_database("CURRENT")
def database_current_is_a_pipe(path):
    os.mkfifo(path)


@with_database("MANIFEST-*")
def database_manifest_is_a_terabyte(path):
    sparse(path)


@with_database("*.log")
def database_log_is_a_terabyte(path):
    sparse(path)


@with_database("IDENTITY")
def database_identity_is_a_terabyte(path):
    sparse(path)


# Sizes that are lies.


def sparse(path, size=TERABYTE):
    with open(path, "ab") as file:
        file.truncate(size)


@location
def region_of_a_terabyte(folder, base, **_):
    world(folder, base)
    sparse(region(folder))


@location
def other_files_of_a_terabyte(folder, base, **_):
    world(folder, base)
    (folder / "config.json").unlink(missing_ok=True)
    sparse(folder / "config.json")
    sparse(folder / "sparse.log")
    (folder / "orbis-undo").mkdir()
    sparse(folder / "orbis-undo" / "000001.undo")


@location
def headers_that_lie(folder, base, **_):
    world(folder, base)
    for number, (slots, size) in enumerate(
        [(0x7FFFFFFF, 4096), (-1, 4096), (0, 4096), (1024, 0), (1024, -4096), (1024, 0x7FFFFFFF), (1024, 1)]
    ):
        (folder / "chunks" / f"{number}.9.region.bin").write_bytes(region_image({}, slots=slots, segment_size=size))
    (folder / "chunks" / "8.9.region.bin").write_bytes(region_image({}, version=0x7FFFFFFF))


def region_image_lying(values):
    return region_image({}, segments=dict(enumerate(values)))


@location
def index_that_lies(folder, base, **_):
    put_region(folder, region_image_lying([0x7FFFFFFF, -1, 2, -0x80000000, 1, 1, 1] * 100), base)


@location
def lengths_that_lie(folder, base, **_):
    lies = [0x7FFFFFFF, -1, 0, 64 * MIB, 64 * MIB + 1]
    blobs = {i: struct.pack(">ii", raw, size) + b"\x28\xb5\x2f\xfd" for i, (raw, size) in
             enumerate((a, b) for a in lies for b in lies)}
    put_region(folder, region_image(blobs), base)


@location
def cut_region_files(folder, base, **_):
    world(folder, base)
    whole = region(folder).read_bytes()
    for number, length in enumerate((0, 1, 19, 31, 32, 33, 4127, 4128, 4129, 5000, len(whole) - 1)):
        (folder / "chunks" / f"{number}.3.region.bin").write_bytes(whole[:length])


@location
def chunks_that_expand(folder, base, **_):
    sizes = {i: size for i, size in enumerate((64 * MIB, 16 * MIB + 131072, *[16 * MIB] * 16))}
    put_region(folder, region_image({i: blob(repeated_frame(i, size), size) for i, size in sizes.items()}), base)


@location
def deep_documents(folder, base, **_):
    documents = [nested_document(depth) for depth in (99, 1_000, 30_000)]
    put_region(folder, region_image({i: blob(frame(d), len(d)) for i, d in enumerate(documents)}), base)


# Configuration.


def with_config(text):
    def decorated(function):
        def fill(folder, base, **_):
            world(folder, base)
            (folder / "config.json").write_text(text(), errors="surrogateescape")

        fill.__name__ = function.__name__
        return location(fill)

    return decorated


@with_config(lambda: '{"a":' * 100_000)
def config_of_many_levels(): ...


@with_config(lambda: '{"ChunkStorage":' + '{"Type":"Migration","Loaders":[' * 300 + "]}" * 300 + "}")
def config_of_many_migrations(): ...


@with_config(lambda: "[" + "1," * 100_000 + "1]")
def config_of_many_numbers(): ...


@with_config(lambda: '{"a":[' + "{}," * 100_000 + "{}]}")
def config_of_many_objects(): ...


@with_config(lambda: "{" + ",".join(f'"{i}":1' for i in range(80_000)) + "}")
def config_of_many_members(): ...


@with_config(lambda: '{"Seed":' + "9" * 250_000 + "}")
def config_of_one_long_number(): ...


# Names and texts that act on a terminal.


@location
def names_with_controls(folder, base, **_):
    shutil.copytree(base / "universe", folder)
    os.rename(folder / "worlds" / "arena", folder / "worlds" / CONTROLS)
    (folder / "worlds" / "overworld" / CONTROLS).write_text("x")
    (folder / "worlds" / "overworld" / "chunks" / f"{CONTROLS}.region.bin").write_text("x")
    (folder / "worlds" / "overworld" / ("link" + CONTROLS)).symlink_to(CONTROLS)
    os.mkfifo(folder / ("pipe" + CONTROLS))
    config = '{"DisplayName":"\\u001b[31m\\u009b","ChunkStorage":{"Type":"\\u001b[2J\\n"},"\\u0007":1}'
    (folder / "worlds" / "overworld" / "config.json").write_text(config)


@location
def block_keys_with_controls(folder, base, document, **_):
    name = b"Rock_Stone"
    assert name in document
    key = "\x1b[2J\x9b\x07\n".encode().ljust(len(name), b"!")
    changed = document.replace(name, key)
    put_region(folder, region_image({0: blob(frame(changed), len(changed))}), base)


# Zips. The name of the location is that of the file.


def zip_location(function):
    def fill(folder, **arguments):
        function(folder, **arguments)

    fill.__name__ = function.__name__
    return location(fill)


@zip_location
def zip_of_deep_folders(path, **_):
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("d/" * 20_000 + "f", "x")


@zip_location
def zip_of_many_deep_folders(path, **_):
    with zipfile.ZipFile(path, "w") as out:
        for i in range(60):
            out.writestr(f"{i:0100}/" * 40 + "f", "x")


@zip_location
def zip_with_a_region_bomb(path, **_):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("config.json", "{}")
        with out.open("chunks/0.0.region.bin", "w") as file:
            file.write(region_image({}))
            for _ in range(500):
                file.write(b"\0" * MIB)


@zip_location
def zip_with_small_bombs(path, **_):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("config.json", " " * (9 * MIB) + "{}")
        with out.open("chunks/0.0.region.bin", "w") as file:
            file.write(region_image({}))
            file.write(b"\1" * (20 * MIB))


@zip_location
def zip_with_names_that_climb(path, base, outside, **_):
    with zipfile.ZipFile(path, "w") as out:
        for name in ("../victim", "/etc/orbis-victim", f"{outside}/victim", "worlds/../../victim", "..\\victim",
                     "worlds/a/config.json", "worlds/" + CONTROLS.replace("/", "") + "/config.json"):
            out.writestr(name, "{}")
        out.comment = CONTROLS.encode()


@zip_location
def zip_whose_sizes_lie(path, **_):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("config.json", "{}")
        out.writestr("chunks/0.0.region.bin", region_image({}) + b"\0" * 100_000)
    image = bytearray(path.read_bytes())
    at = image.rfind(b"PK\1\2")
    struct.pack_into("<I", image, at + 24, 0xFFFFFFFE)
    path.write_bytes(image)


@zip_location
def zip_that_is_cut(path, base, **_):
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("config.json", "{}")
    path.write_bytes(path.read_bytes()[:-9])


# What orbis keeps itself.


@location
def undo_archives_of_noise(folder, base, **_):
    world(folder, base)
    (folder / "orbis-undo").mkdir()
    for number in range(4):
        noise = zlib.compress(bytes([number]) * 999)[number:]
        (folder / "orbis-undo" / f"00000{number}.undo").write_bytes(b"OrbisUndo"[: 3 * number] + noise)
    (folder / "orbis-undo" / "000009.undo").symlink_to("/dev/zero")


@location
def unfinished_note_that_lies(folder, base, **_):
    world(folder, base)
    (folder / "orbis-convert.unfinished").write_text(f"/\nregion\n{CONTROLS}\n; rm -rf /\n")


# Prefabs, each a file that P stands for.

PREFABS = []


def prefab(function):
    PREFABS.append(function)
    return function


PREFAB_HEAD = '{"version":8,"blockIdVersion":11,"anchorX":0,"anchorY":0,"anchorZ":0'


def cell(x, y, z, name="Rock_Stone", more=""):
    return f'{{"x":{x},"y":{y},"z":{z},"name":"{name}"{more}}}'


def prefab_text(blocks="", more=""):
    return f'{PREFAB_HEAD},"blocks":[{blocks}]{more}}}'


@prefab
def prefab_of_many_levels(path, **_):
    path.write_text(PREFAB_HEAD + ',"entities":[' + '{"a":' * (MIB // 5))


@prefab
def prefab_of_many_lists(path, **_):
    path.write_text(PREFAB_HEAD + ',"odd":' + "[" * MIB)


@prefab
def prefab_of_many_blocks(path, **_):
    path.write_text(prefab_text(",".join(cell(i % 300, i // 300 % 100, i // 30000, "A") for i in range(30000))))


@prefab
def prefab_of_many_entities(path, **_):
    path.write_text(prefab_text(more=',"entities":[' + ",".join(["{}"] * (MIB // 3)) + "]"))


@prefab
def prefab_of_many_numbers(path, **_):
    path.write_text(prefab_text(cell(0, 0, 0, more=',"components":{"Components":{"a":[' + "0," * (MIB // 2) + "0]}}")))


@prefab
def prefab_of_many_members(path, **_):
    members = ",".join(f'"{i}":0' for i in range(90000))
    path.write_text(prefab_text(cell(0, 0, 0, more=',"components":{' + members + "}")))


@prefab
def prefab_of_many_names(path, **_):
    path.write_text(prefab_text(",".join(cell(i % 300, i // 300, 0, f"Name_{i}") for i in range(20000))))


@prefab
def prefab_with_one_block_twice(path, **_):
    path.write_text(prefab_text(",".join([cell(0, 0, 0)] * 20000)))


@prefab
def prefab_over_the_whole_world(path, **_):
    far = 67_000_000
    path.write_text(prefab_text(",".join(cell(x, 5, z) for x in (-far, far) for z in (-far, far))))


@prefab
def prefab_with_a_block_in_every_chunk(path, **_):
    path.write_text(prefab_text(",".join(cell(i % 100 * 32, 5, i // 100 * 32) for i in range(500))))


@prefab
def prefab_with_controls(path, **_):
    text = "".join(f"\\u{ord(c):04x}" for c in CONTROLS)
    more = f',"components":{{"Components":{{"{text}":{{}}}}}},"{text}":0'
    path.write_text(prefab_text(cell(0, 0, 0, text, more), f',"{text}":1'))


@prefab
def prefab_of_a_terabyte(path, **_):
    path.write_text(PREFAB_HEAD)
    os.truncate(path, TERABYTE)


@prefab
def prefab_that_is_a_pipe(path, **_):
    os.mkfifo(path)


@prefab
def prefab_that_is_endless(path, **_):
    path.symlink_to("/dev/zero")


@prefab
def prefab_that_is_a_loop(path, **_):
    path.symlink_to(path.name)


@prefab
def prefab_that_is_a_folder(path, **_):
    path.mkdir()


@prefab
def prefab_that_is_a_key(path, outside, **_):
    path.symlink_to(outside / "private.key")


def lpf(columns, body=b""):
    names = struct.pack(">iiH", 1, 0, 1) + b"A"
    return struct.pack(">Hhq", 21, 11, 0) + names + names + struct.pack(">i", columns) + body


@prefab
def lpf_whose_counts_lie(path, **_):
    path.write_bytes(lpf(2**31 - 1, b"\0" * MIB))


@prefab
def lpf_whose_blocks_lie(path, **_):
    path.write_bytes(lpf(1, struct.pack(">ii", 0, 2**31 - 1) + b"\0" * MIB))


@prefab
def lpf_of_many_columns(path, **_):
    path.write_bytes(lpf(100_000, b"".join(struct.pack(">iiH", i, 0, 0) for i in range(100_000))))


@prefab
def lpf_of_deep_holders(path, **_):
    deep = nested_document(6000)
    path.write_bytes(lpf(1, struct.pack(">iihiBH", 0, 1, 0, 0, 2, len(deep)) + deep + b"\0\0"))

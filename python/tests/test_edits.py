"""Changes of worlds, and pictures."""

import io
import struct
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import orbis


def test_a_changed_block_is_there_when_it_is_saved(universe, orbis_program):
    world = orbis.open(universe)
    before = world.block(5, 200, 5)
    with world.edit(title="a test") as edit:
        edit.set_block(5, 200, 5, "Rock_Stone", rotation=(90, 0, 0))
        assert edit.block(5, 200, 5).key == "Rock_Stone"
        assert edit.changed_chunks == 1
        assert orbis.open(universe).block(5, 200, 5) == before
    for world in (world, orbis.open(universe)):
        assert world.block(5, 200, 5).key == "Rock_Stone"
        assert world.block(5, 200, 5).rotation == (90, 0, 0)
    subprocess.run([orbis_program, "verify", universe, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([orbis_program, "undo", universe, "--quiet", "--force"], check=True, stdout=subprocess.DEVNULL)
    assert orbis.open(universe).block(5, 200, 5) == before


def test_many_changes_at_once(universe):
    world = orbis.open(universe)
    edit = world.edit()
    assert edit.fill((0, 250, 0), (3, 251, 1), "Rock_Stone") == 16
    edit.set_fluid(1, 252, 1, "Water_Source", 8)
    edit.set_tint(2, 2, 0xFF112233)
    saved = edit.save()
    assert saved["chunks_written"] == 1 and saved["chunks_removed"] == 0 and saved["undo_archive"]
    chunk = world.chunk(0, 0)
    assert [chunk.block(x, 250, 0).key for x in range(5)] == ["Rock_Stone"] * 4 + ["Empty"]
    assert chunk.fluid(1, 252, 1).key == "Water_Source" and chunk.fluid(1, 252, 1).level == 8
    assert chunk.tints[2, 2] == 0xFF112233


def test_chests_and_entities_can_be_changed(universe):
    world = orbis.open(universe)
    chest = next(c for chunk in world.chunks() for c in chunk.containers if c["items"])
    home = next(chunk for chunk in world.chunks() if len(chunk.entities) > 0)
    number = len(home.entities)
    with world.edit() as edit:
        edit.set_components(*chest["position"], None)
        edit.add_entity(home.x, home.z, home.entities[0]["components"])
        edit.add_entity(home.x, home.z, home.entities[0]["components"])
        edit.remove_entity(home.x, home.z, 0)
    x, y, z = chest["position"]
    assert world.chunk(x >> 5, z >> 5).components(x, y, z) == {}
    assert world.block(x, y, z).key == chest["block"]
    assert len(world.chunk(home.x, home.z).entities) == number + 1


def test_a_removed_chunk_is_gone(universe):
    world = orbis.open(universe)
    with world.edit() as edit:
        edit.remove_chunk(1, 1)
    assert (1, 1) not in orbis.open(universe)


def test_what_fails_writes_nothing(universe):
    world = orbis.open(universe)
    with pytest.raises(ZeroDivisionError):
        with world.edit() as edit:
            edit.set_block(5, 200, 5, "Rock_Stone")
            1 / 0
    assert world.block(5, 200, 5).key == "Empty"
    with pytest.raises(orbis.Error) as raised:
        edit.set_block(5, 200, 5, "Rock_Stone")
    assert raised.value.code == "usage"
    with world.edit() as edit:
        with pytest.raises(orbis.Error):
            edit.set_block(1_000_000, 10, 0, "Rock_Stone")
        with pytest.raises(ValueError):
            edit.set_block(5, 200, 5, "Rock_Stone", rotation=(45, 0, 0))
        edit.drop()


def test_a_world_has_one_writer(universe):
    world = orbis.open(universe)
    with world.edit():
        with pytest.raises(orbis.Error) as raised:
            orbis.open(universe).edit()
        assert raised.value.code == "busy"
    with world.edit() as edit:
        edit.set_block(5, 200, 5, "Rock_Stone")


def test_threads_share_an_edit(universe):
    world = orbis.open(universe)
    with world.edit() as edit, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: edit.set_block(i % 32, 210, i // 32, "Rock_Stone"), range(256)))
    assert (world.chunk(0, 0).section(6).blocks[18, :8] ==
            world.chunk(0, 0).section(6).keys.index("Rock_Stone")).all()


def test_a_picture_is_an_array_and_a_png(universe, orbis_program, tmp_path):
    world = orbis.open(universe)
    picture = world.draw(area=((0, 0), (2, 1)))
    assert (picture.width, picture.height, picture.first, picture.chunks, picture.unreadable) == (96, 64, (0, 0), 6, 0)
    assert picture.pixels.shape == (64, 96, 4) and picture.pixels.dtype == numpy.uint8
    assert numpy.shares_memory(picture.pixels, picture.pixels)
    assert (read_png(picture.png()) == picture.pixels).all()
    info = world.draw_png(tmp_path / "height.png", "height")
    assert info["chunks"] == len(world.positions)
    assert (tmp_path / "height.png").read_bytes().startswith(b"\x89PNG")
    assert world.draw("height").pixels.shape == (info["height"], info["width"], 4)
    with pytest.raises(orbis.Error):
        world.draw("no such layer")
    with pytest.raises(orbis.Error) as raised:
        world.draw(area=((9000, 9000), (9001, 9001)))
    assert raised.value.code == "not_found"


def read_png(data):
    """As much of PNG as our own writer uses."""
    stream = io.BytesIO(data)
    assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    parts = {}
    while head := stream.read(8):
        length, kind = struct.unpack(">I4s", head)
        content = stream.read(length)
        assert struct.unpack(">I", stream.read(4))[0] == zlib.crc32(kind + content)
        parts[kind] = parts.get(kind, b"") + content
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    rows = numpy.frombuffer(zlib.decompress(parts[b"IDAT"]), numpy.uint8).reshape(height, 1 + width * 4)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, 4)

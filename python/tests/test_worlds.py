"""Worlds, chunks and sections."""

import gc
import json
import pathlib
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import orbis


def printed(program, *arguments):
    """What the program prints about the same thing."""
    done = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True)
    return done.stdout


def counted(world):
    counts = Counter()
    for chunk in world.chunks():
        for section in chunk.sections:
            numbers = numpy.bincount(section.blocks.ravel(), minlength=len(section.keys))
            for key, number in zip(section.keys, numbers):
                counts[key] += int(number)
    return +counts


def counted_by_program(program, path):
    lines = [json.loads(line) for line in printed(program, "blocks", path, "--json").splitlines()]
    return +Counter({line["key"]: line["cells"] for line in lines if "key" in line})


def test_the_example_of_the_documentation(sample):
    world = orbis.open(str(sample), world="default")
    assert isinstance(world.block(10, 64, -3).key, str)
    for chunk in world.chunks():
        section = chunk.section(2)
        assert isinstance(chunk.x, int) and isinstance(chunk.z, int)
        assert isinstance(section.keys, list)
        assert section.blocks.shape == (32, 32, 32)
        assert section.blocks.max() < len(section.keys)


def test_paths_may_be_objects_and_bytes(sample):
    for path in (sample, str(sample), bytes(sample)):
        assert orbis.open(path).name == "default"
    assert [world.name for world in orbis.worlds(sample)] == ["default"]


def test_blocks_are_those_that_the_program_counts(sample, orbis_program):
    assert counted(orbis.open(sample)) == counted_by_program(orbis_program, sample)


def test_blocks_of_real_worlds_are_those_that_the_program_counts(real_world, orbis_program):
    world = orbis.open(real_world)
    assert counted(world) == counted_by_program(orbis_program, real_world)
    assert sorted(world.positions) == sorted((chunk.x, chunk.z) for chunk in world.chunks())


def test_an_array_looks_at_the_section_without_a_copy(sample):
    section = next(iter(orbis.open(sample).chunks())).section(1)
    first, second = section.blocks, section.blocks
    assert numpy.shares_memory(first, second)
    assert not first.flags.owndata and first.flags.c_contiguous
    with pytest.raises(ValueError):
        first[0, 0, 0] = 1


def test_an_array_outlives_everything_that_it_came_from(sample):
    arrays = [chunk.section(y).blocks for chunk in orbis.open(sample).chunks() for y in range(10)]
    gc.collect()
    again = [chunk.section(y).blocks for chunk in orbis.open(sample).chunks() for y in range(10)]
    assert all((one == other).all() for one, other in zip(arrays, again, strict=True))


def test_the_axes_are_y_z_x(sample):
    chunk = busiest(orbis.open(sample))
    section = next(section for section in chunk.sections if len(section.keys) > 4)
    for x, y, z in [(0, 0, 0), (1, 2, 3), (31, 5, 8), (4, 31, 30), (17, 9, 31)]:
        block = chunk.block(x, section.y * 32 + y, z)
        assert section.keys[section.blocks[y, z, x]] == block.key == section.block(x, y, z).key
        rotation = block.rotation
        assert section.rotations[y, z, x] == rotation[2] // 90 * 16 + rotation[1] // 90 * 4 + rotation[0] // 90
        fluid = chunk.fluid(x, section.y * 32 + y, z)
        assert section.fluid_keys[section.fluids[y, z, x]] == fluid.key == section.fluid(x, y, z).key
        assert section.fluid_levels[y, z, x] == fluid.level
        light = chunk.light(x, section.y * 32 + y, z)
        assert section.lights[y, z, x] == light["red"] | light["green"] << 4 | light["blue"] << 8 | light["sky"] << 12
    assert (section.counts == numpy.bincount(section.blocks.ravel(), minlength=len(section.keys))).all()


def test_one_block_of_the_world_is_that_of_its_chunk(sample, orbis_program):
    world = orbis.open(sample)
    for x, z in [(0, 0), (-1, -1), (33, -40)]:
        y = int(world.chunk(x >> 5, z >> 5).heights[z & 31, x & 31])
        block = world.block(x, y, z)
        assert block == world.chunk(x >> 5, z >> 5).block(x, y, z)
        assert block.key != "Empty"
        assert json.loads(printed(orbis_program, "get", sample, x, y, z, "--json"))["block"] == block.key


def test_an_area_has_the_chunks_between_its_corners(sample):
    world = orbis.open(sample)
    inside = {(chunk.x, chunk.z) for chunk in world.chunks(area=((2, 1), (-1, -2)))}
    assert inside == {(x, z) for x, z in world.positions if -1 <= x <= 2 and -2 <= z <= 1}
    assert len(inside) == 16
    assert (0, 0) in world and (10_000, 0) not in world


def test_entities_and_containers_are_dictionaries(sample, orbis_program):
    world = orbis.open(sample)
    entities = [entity for chunk in world.chunks() for entity in chunk.entities]
    containers = [container for chunk in world.chunks() for container in chunk.containers]
    assert len(entities) == 16 and all(entity["type"] and len(entity["position"]) == 3 for entity in entities)
    assert containers and any(container["items"] for container in containers)
    for container in containers:
        assert world.block(*container["position"]).key == container["block"]
        assert all(item["id"] and item["quantity"] > 0 for item in container["items"])
        chunk = world.chunk(container["position"][0] >> 5, container["position"][2] >> 5)
        assert chunk.components(*container["position"]) == container["components"] != {}
        assert container["position"] in chunk.blocks_with_components


def test_containers_of_real_worlds_are_all_found(real_world):
    world = orbis.open(real_world)
    containers = [container for chunk in world.chunks() for container in chunk.containers]
    known = {"dense": (11, 24), "workshop": (18, 0), "sparse": (1, 1)}.get(real_world.name)
    if known:
        assert (len(containers), sum(len(container["items"]) for container in containers)) == known
    assert world.problems == []


def test_a_chunk_as_a_dictionary_is_what_the_program_shows(sample, orbis_program):
    chunk = busiest(orbis.open(sample))
    shown = json.loads(printed(orbis_program, "show", sample, f"{chunk.x},{chunk.z}", "--json"))
    assert chunk.to_dict() == shown
    assert len(chunk.to_dict(blocks=True)) >= len(shown)
    assert chunk.document[-1] == 0 and len(chunk.document) == int.from_bytes(chunk.document[:4], "little")


def test_columns_have_heights_and_tints(sample):
    chunk = busiest(orbis.open(sample))
    assert chunk.heights.shape == chunk.tints.shape == (32, 32)
    assert chunk.heights.dtype == numpy.int16 and chunk.tints.dtype == numpy.uint32
    assert chunk.environment(chunk.x * 32, 100, chunk.z * 32)


def test_threads_share_one_walk_and_each_chunk_comes_once(sample):
    world = orbis.open(sample)
    walk = world.chunks()

    def take(_):
        return [(chunk.x, chunk.z, int(chunk.section(2).blocks.sum())) for chunk in walk]

    with ThreadPoolExecutor(4) as pool:
        taken = sorted(found for part in pool.map(take, range(4)) for found in part)
    assert taken == sorted((chunk.x, chunk.z, int(chunk.section(2).blocks.sum())) for chunk in world.chunks())
    assert list(walk) == []


def test_threads_share_a_world_a_chunk_and_a_section(sample):
    world = orbis.open(sample)
    chunk = busiest(world)
    section = chunk.section(2)

    def look(i):
        x, z = world.positions[i % len(world.positions)]
        return int(world.chunk(x, z).section(i % 10).blocks[0, 0, 0]), int(section.blocks.sum()), len(chunk.entities)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look, range(400))) == [look(i) for i in range(400)]


def test_errors_have_fields(tmp_path, sample):
    with pytest.raises(orbis.Error) as raised:
        orbis.open(tmp_path / "nothing")
    error = raised.value
    assert error.code == "not_found" and error.file == str(tmp_path / "nothing")
    assert error.problem and error.problem in str(error)
    assert error.region is None and error.chunk is None and error.section is None and error.offset is None
    with pytest.raises(orbis.Error) as raised:
        orbis.open(sample, world="no such world")
    with pytest.raises(orbis.Error) as raised:
        orbis.open(sample).chunk(10_000, 10_000)
    assert raised.value.code == "not_found" and raised.value.chunk == (10_000, 10_000)
    with pytest.raises(IndexError):
        busiest(orbis.open(sample)).section(10)


def test_damage_is_named_and_the_rest_is_read(universe):
    region = sorted((universe / "worlds/default/chunks").glob("*.region.bin"))[0]
    content = bytearray(region.read_bytes())
    whole = sum(1 for _ in orbis.open(universe).chunks())
    frame = content.index(b"\x28\xb5\x2f\xfd")
    content[frame:frame + 4] = b"none"
    region.write_bytes(content)
    world = orbis.open(universe)
    assert sum(1 for _ in world.chunks()) == whole - 1
    [problem] = world.problems
    assert isinstance(problem, orbis.Error)
    assert problem.code and problem.chunk not in [(chunk.x, chunk.z) for chunk in world.chunks()]
    assert pathlib.Path(problem.file).name == region.name
    with pytest.raises(orbis.Error):
        world.chunk(*problem.chunk)


def test_files_that_are_no_worlds_are_errors(tmp_path):
    for name, content in {"0.0.region.bin": b"HytaleIndexedStorage", "a.zip": b"PK\3\4", "b": b""}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(orbis.Error):
            world = orbis.open(tmp_path / name)
            assert list(world.chunks()) == []
            raise world.problems[0]


def busiest(world):
    """A chunk near the middle of the sample, with houses."""
    return max(world.chunks(area=((-2, -2), (2, 2))), key=lambda chunk: sum(len(section.keys) for section in chunk.sections))

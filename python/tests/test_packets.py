"""Packets to dictionaries and back."""

import gzip
import itertools
import json
import math
import os
import pathlib
import pickle
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import orbis
from orbis import packets


def again(name, fields):
    return packets.decode(name, packets.encode(name, fields))


def test_a_packet_comes_back_as_it_was_written():
    payload = packets.encode("ViewRadius", {"value": 192})
    assert isinstance(payload, bytes)
    assert packets.decode("ViewRadius", payload) == {"value": 192}
    assert packets.decode("ViewRadius", memoryview(bytearray(payload))) == {"value": 192}


def test_packets_are_found_by_name_and_id():
    protocol = packets.Protocol()
    info = protocol.find("ViewRadius")
    assert protocol.find(info["id"]) == info
    assert info in protocol.packets()
    assert protocol.decode(info["id"], protocol.encode("ViewRadius", {"value": 7})) == {"value": 7}


def test_every_packet_of_every_build_comes_back_as_it_was_made():
    assert packets.Protocol().build in packets.builds()
    for build in packets.builds():
        protocol = packets.Protocol(build)
        assert protocol.build == build
        for info in protocol.packets():
            payload = protocol.encode(info["name"])
            fields = protocol.decode(info["name"], payload)
            assert protocol.encode(info["name"], fields) == payload, info["name"]


def test_a_stream_in_pieces_gives_the_same_packets_as_at_once():
    sent = [("ViewRadius", {"value": 5}), ("Ping", again("Ping", {}))]
    stream = b"".join(packets.frame(name, fields) for name, fields in sent)
    assert list(packets.frames(stream)) == sent
    assert list(packets.frames(stream[i:i + 1] for i in range(len(stream)))) == sent
    reader = packets.Frames()
    reader.feed(stream[:-1])
    assert reader.next() == sent[0]
    assert reader.next() is None and reader.pending > 0
    reader.feed(stream[-1:])
    assert reader.next() == sent[1] and reader.pending == 0


def test_numbers_that_json_does_not_have_survive():
    for number in (math.inf, -math.inf, 1.5):
        assert again("SetTimeDilation", {"timeDilation": number})["timeDilation"] == number
    assert math.isnan(again("SetTimeDilation", {"timeDilation": math.nan})["timeDilation"])


def test_values_have_the_types_of_python():
    wanted = uuid.UUID(int=0x1234 << 64 | 5)
    assert again("JoinWorld", {"worldUuid": wanted})["worldUuid"] == str(wanted)
    assert again("JoinWorld", {"clearWorld": True})["clearWorld"] is True
    assert again("PasswordResponse", {"hash": b"\0\1\xff"}) == {"hash": b"\0\1\xff"}
    assert again("PasswordResponse", {}) == {"hash": None}
    assert again("ServerTags", {"tags": [("a", 1), ("ä", -2)]}) == {"tags": [("a", 1), ("ä", -2)]}


def test_a_record_that_can_be_of_several_types_names_its_own():
    fields = again("SendWindowAction", {})
    assert fields["action"]["$type"]
    assert again("SendWindowAction", fields) == fields
    assert "$type" not in again("MouseInteraction", {})


def test_an_unknown_name_is_an_error_with_fields():
    with pytest.raises(orbis.Error) as raised:
        packets.encode("ViewRadus", {})
    assert raised.value.code == "not_found"
    assert "ViewRadius" in str(raised.value)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert vars(copy) == vars(raised.value) and str(copy) == str(raised.value)


@pytest.mark.parametrize("payload", [b"", b"\xff" * 40])
def test_bytes_that_are_no_payload_are_an_error(payload):
    with pytest.raises(orbis.Error):
        packets.decode("Connect", payload)


def test_a_field_that_does_not_exist_is_an_error():
    with pytest.raises(orbis.Error) as raised:
        packets.encode("ViewRadius", {"valeu": 1})
    assert "valeu" in str(raised.value)


def test_values_of_other_types_are_refused():
    with pytest.raises(TypeError):
        packets.encode("ViewRadius", {"value": object()})
    with pytest.raises(ValueError):
        packets.decode("ViewRadius", b"", reading="sloppy")
    with pytest.raises(TypeError):
        packets.decode("ViewRadius", "text")


def test_threads_may_share_a_protocol():
    protocol = packets.Protocol()
    with ThreadPoolExecutor(8) as pool:
        numbers = pool.map(lambda i: protocol.decode("ViewRadius", protocol.encode("ViewRadius", {"value": i}))["value"],
                           range(2000))
        assert list(numbers) == list(range(2000))


def vector_files():
    folder = pathlib.Path(os.environ.get("ORBIS_SHARED", "/nonexistent")) / "protocol" / "vectors"
    return sorted(folder.glob("*.jsonl.gz"))


@pytest.mark.parametrize("path", vector_files(), ids=lambda path: path.name)
def test_payloads_of_the_game_come_back_byte_for_byte(path):
    protocol = packets.Protocol("2026.02.17")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, 0, None, 7):  # the library's own tests read all of them
            vector = json.loads(line)
            if "case" in vector or "value" not in vector or len(vector["payload_hex"]) > 200_000:
                continue
            payload = bytes.fromhex(vector["payload_hex"])
            fields = protocol.decode(vector["packet"], payload)
            assert as_json(fields) == vector["value"], vector["packet"]
            assert protocol.encode(vector["packet"], fields) == payload, vector["packet"]


def as_json(value):
    """What the vectors say instead of the types of Python."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(part) for part in value]
    return value

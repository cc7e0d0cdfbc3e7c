"""Packets of Hytale's network protocol, to and from dictionaries.

    from orbis import packets

    payload = packets.encode("ViewRadius", {"value": 192})
    packets.decode("ViewRadius", payload)           # {'value': 192}

A record is a dictionary, a map of the protocol a list of pairs, a list of bytes `bytes`, a UUID and a value of an enum
their text. A record that can be of several types names its own as "$type". Fields that are not given are absent, zero or
empty.
"""

from __future__ import annotations

import json
import math
from typing import Any, Iterable, Iterator, Mapping
from uuid import UUID

from . import _packets
from ._error import Error

__all__ = ["Error", "Frames", "Protocol", "builds", "decode", "encode", "frame", "frames"]


def builds() -> list[str]:
    """The builds of the game that are known, oldest first."""
    return _packets.builds()


class Protocol:
    """The packets of one build of the game. May be used by several threads at once."""

    def __init__(self, build: str | None = None) -> None:
        """A build by its name, its CRC or its hash; without one the usual build."""
        self._inner = _packets.Protocol(build)

    def __repr__(self) -> str:
        return f"orbis.packets.Protocol({self.build!r})"

    @property
    def build(self) -> str:
        """The name of the build."""
        return self._inner.build

    def packets(self) -> list[dict[str, Any]]:
        """What is known about each packet: name, id, category, receiver, channel, compressed, smallest, largest."""
        return self._inner.packets()

    def find(self, packet: str | int) -> dict[str, Any]:
        """The same about one packet, by its name or its id."""
        return self._inner.find(packet)

    def decode(self, packet: str | int, payload: bytes | bytearray | memoryview, *, reading: str = "usual") -> dict[str, Any]:
        """The fields of a packet. `reading` is "usual": as the game reads, "strict": refuses what the game would never
        write, "keep": what cannot be read becomes {"$bytes": …}."""
        return self._inner.decode(packet, payload, reading)

    def encode(self, packet: str, fields: Mapping[str, Any] | None = None) -> bytes:
        """The payload of a packet: the bytes of its fields."""
        return self._inner.encode(packet, _json(fields), False)

    def frame(self, packet: str, fields: Mapping[str, Any] | None = None) -> bytes:
        """A packet as it is sent: length, id and payload, which is compressed where the packet is."""
        return self._inner.encode(packet, _json(fields), True)

    def frames(self, data: bytes | Iterable[bytes], *, reading: str = "usual") -> Iterator[tuple[str, dict[str, Any]]]:
        """The name and the fields of each packet in a stream, given at once or in pieces."""
        reader = Frames(self)
        for piece in [data] if isinstance(data, (bytes, bytearray, memoryview)) else data:
            reader.feed(piece)
            while packet := reader.next(reading=reading):
                yield packet


class Frames:
    """Cuts a stream into packets, in pieces as they arrive."""

    def __init__(self, protocol: Protocol | None = None) -> None:
        self._inner = _packets.Frames((protocol or _usual())._inner)

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Takes the next bytes of the stream."""
        self._inner.feed(data)

    def next(self, *, reading: str = "usual") -> tuple[str, dict[str, Any]] | None:
        """The name and the fields of the next packet; None when more bytes are needed."""
        return self._inner.next(reading)

    @property
    def pending(self) -> int:
        """Bytes that wait for the rest of their packet."""
        return self._inner.pending


def decode(packet: str | int, payload: bytes | bytearray | memoryview, *, reading: str = "usual") -> dict[str, Any]:
    """`Protocol.decode` of the usual build."""
    return _usual().decode(packet, payload, reading=reading)


def encode(packet: str, fields: Mapping[str, Any] | None = None) -> bytes:
    """`Protocol.encode` of the usual build."""
    return _usual().encode(packet, fields)


def frame(packet: str, fields: Mapping[str, Any] | None = None) -> bytes:
    """`Protocol.frame` of the usual build."""
    return _usual().frame(packet, fields)


def frames(data: bytes | Iterable[bytes], *, reading: str = "usual") -> Iterator[tuple[str, dict[str, Any]]]:
    """`Protocol.frames` of the usual build."""
    return _usual().frames(data, reading=reading)


def _usual() -> Protocol:
    return Protocol()


def _json(fields: Mapping[str, Any] | None) -> bytes:
    """As the library takes it (docs/formats/protocol.md)."""
    try:
        text = json.dumps(fields or {}, default=_plain, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_without_nan(fields), default=_plain, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogateescape")


def _plain(value: object) -> object:
    """What json does not know."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return value.tolist()
    raise TypeError(f"a packet has no values of the type {type(value).__name__}")


def _without_nan(value: object) -> object:
    """The numbers for which JSON has no words, as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {name: _without_nan(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(part) for part in value]
    return value

"""Hytale worlds and packets.

    import orbis

    world = orbis.open("universe", world="default")
    world.block(10, 64, -3).key                     # 'Rock_Stone'
    for chunk in world.chunks():
        section = chunk.section(2)
        section.keys[section.blocks[0, 0, 0]]       # blocks: numpy, [y, z, x]

`orbis.packets` has the packets of the game's network protocol.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from ._error import Error
from ._worlds import Block, Chunk, Chunks, Edit, Fluid, Picture, Section, World, __version__, open, worlds

__all__ = ["Block", "Chunk", "Chunks", "Edit", "Error", "Fluid", "Picture", "Section", "World", "__version__", "open",
           "packets", "worlds"]


def __getattr__(name: str) -> ModuleType:
    """`orbis.packets` is loaded when somebody asks for it: who reads worlds needs none of its libraries."""
    if name == "packets":
        return importlib.import_module("orbis.packets")
    raise AttributeError(f"module 'orbis' has no attribute {name!r}")

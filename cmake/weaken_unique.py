#!/usr/bin/env python3
"""Makes the unique symbols of an object file weak, in place: weaken_unique.py FILE

g++ marks static variables of inline functions and templates as unique in the whole process. objcopy cannot make those
local, and two objects of which one has lost its groups cannot be linked with them.
"""

import pathlib
import struct
import sys

SYMBOL_TABLE, UNIQUE, WEAK = 2, 10, 2
SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, info, alignment, entry size
SYMBOL_SIZE = 24  # name (4), info (1): binding in the upper half, type in the lower

path = pathlib.Path(sys.argv[1])
image = bytearray(path.read_bytes())
if image[:6] != b"\x7fELF\x02\x01":
    sys.exit(f"{path}: expected an ELF file of 64 bits, little-endian")
first, = struct.unpack_from("<Q", image, 0x28)
entry_size, count = struct.unpack_from("<HH", image, 0x3A)
if count == 0:  # more than fit here: the first section says how many
    count = SECTION.unpack_from(image, first)[5]
for number in range(count):
    section = SECTION.unpack_from(image, first + number * entry_size)
    if section[1] != SYMBOL_TABLE:
        continue
    for symbol in range(section[4], section[4] + section[5], SYMBOL_SIZE):
        if image[symbol + 4] >> 4 == UNIQUE:
            image[symbol + 4] = WEAK << 4 | image[symbol + 4] & 15
path.write_bytes(image)

"""Prints the shortest processor time in which Python reads all blocks of a world as arrays.

    all_blocks.py WORLD PASSES
"""

import sys
import time

import orbis


def read(path):
    """How many cells there are."""
    cells = 0
    for chunk in orbis.open(path).chunks():
        for section in chunk.sections:
            cells += section.blocks.size
    return cells


def main():
    best = float("inf")
    for _ in range(int(sys.argv[2])):
        begin = time.process_time()
        cells = read(sys.argv[1])
        best = min(best, time.process_time() - begin)
    print(cells, best)


if __name__ == "__main__":
    main()

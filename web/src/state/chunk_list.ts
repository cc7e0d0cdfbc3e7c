import type { Inspect } from '../data/types';
import { type Bounds, chunkOf, k_chunk } from '../map/grid';

export interface UnreadableChunk {
  chunk: [number, number];
  message: string;
}

/// The chunks that a world has, as its values per chunk name them.
export class ChunkList {
  readonly unreadable: UnreadableChunk[];
  readonly #x: number[];
  readonly #z: number[];
  readonly #all: Set<string>;

  constructor(inspect: Inspect | null) {
    const { x = [], z = [], unreadable } = inspect ?? {};
    this.unreadable = (unreadable?.x ?? []).map((cx, i) => ({
      chunk: [cx, unreadable?.z[i] ?? 0],
      message: unreadable?.message[i] ?? '',
    }));
    this.#x = [...x, ...this.unreadable.map(({ chunk }) => chunk[0])];
    this.#z = [...z, ...this.unreadable.map(({ chunk }) => chunk[1])];
    this.#all = new Set(this.#x.map((cx, i) => `${cx},${this.#z[i]}`));
  }

  /// Whether it says anything: the list of a new world comes after its index.
  get known(): boolean {
    return this.#x.length > 0;
  }

  /// Whether there is a chunk at a block.
  has(x: number, z: number): boolean {
    return this.#all.has(`${chunkOf(x)},${chunkOf(z)}`);
  }

  /// Why the chunk at a block cannot be read.
  problemAt(x: number, z: number): UnreadableChunk | undefined {
    const [cx, cz] = [chunkOf(x), chunkOf(z)];
    return this.unreadable.find(({ chunk }) => chunk[0] === cx && chunk[1] === cz);
  }

  anyIn({ min, max }: Bounds): boolean {
    const [left, top, right, bottom] = [chunkOf(min[0]), chunkOf(min[1]), Math.ceil(max[0] / k_chunk), Math.ceil(max[1] / k_chunk)];
    return this.#x.some((cx, i) => cx >= left && cx < right && (this.#z[i] ?? 0) >= top && (this.#z[i] ?? 0) < bottom);
  }
}

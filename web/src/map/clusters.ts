/// Many points on the plane, gathered in square cells whose side is a power of two of blocks. A level is made when
/// it is first drawn, from the level below it; drawing then takes one walk over its cells.
export interface Cells {
  side: number;
  x: Float64Array; // mean of the points
  z: Float64Array;
  count: Uint32Array;
  one: Uint32Array; // a point of the cell
}

const k_levels = 32;
const k_prepared = 14;
const k_many = 5000;

export class Clusters {
  readonly #levels: (Cells | undefined)[] = [];

  constructor(
    readonly x: ArrayLike<number>,
    readonly z: ArrayLike<number>,
  ) {}

  /// Makes the levels that a world needs while nobody waits for them: one at a time, the finest first, because the
  /// others are quick to make from it.
  prepare(idle: (work: () => void) => void, level = 0): void {
    if (level >= k_prepared || this.size < k_many) return;
    idle(() => {
      this.level(level);
      this.prepare(idle, level + 1);
    });
  }

  get size(): number {
    return this.x.length;
  }

  /// The cells of side 2^level.
  level(level: number): Cells {
    const at = Math.max(0, Math.min(k_levels - 1, level));
    const known = this.#levels[at];
    if (known) return known;
    let below = at - 1;
    while (below >= 0 && !this.#levels[below]) --below;
    const made = gather(this.#levels[below] ?? this.#points(), 2 ** at);
    this.#levels[at] = made;
    return made;
  }

  #points(): Cells {
    return {
      side: 0,
      x: Float64Array.from(this.x),
      z: Float64Array.from(this.z),
      count: new Uint32Array(this.size).fill(1),
      one: Uint32Array.from({ length: this.size }, (_, i) => i),
    };
  }
}

function gather(from: Cells, side: number): Cells {
  const places = new Map<number, number>();
  const size = from.x.length;
  const x = new Float64Array(size);
  const z = new Float64Array(size);
  const count = new Uint32Array(size);
  const one = new Uint32Array(size);
  let used = 0;
  for (let i = 0; i < size; ++i) {
    const weight = from.count[i] ?? 0;
    // Cells are numbered within ±2^26, which is farther than a world reaches.
    const key = Math.floor((from.x[i] ?? 0) / side) * 2 ** 27 + Math.floor((from.z[i] ?? 0) / side);
    let at = places.get(key);
    if (at === undefined) {
      at = used++;
      places.set(key, at);
      one[at] = from.one[i] ?? 0;
    }
    x[at]! += (from.x[i] ?? 0) * weight;
    z[at]! += (from.z[i] ?? 0) * weight;
    count[at]! += weight;
  }
  for (let i = 0; i < used; ++i) {
    x[i]! /= count[i] ?? 1;
    z[i]! /= count[i] ?? 1;
  }
  return { side, x: x.slice(0, used), z: z.slice(0, used), count: count.slice(0, used), one: one.slice(0, used) };
}

/// The level whose cells are at least `pixels` wide on the screen.
export const levelFor = (resolution: number, pixels: number): number =>
  Math.max(0, Math.ceil(Math.log2(resolution * pixels)));

import { boxOf, type Quad, quadAt } from './mesh_data';

export type Vector = [number, number, number];

/// A line from a point, as the eye looks.
export interface Ray {
  from: Vector;
  /// Of length 1.
  to: Vector;
}

export interface Picked {
  block: Vector;
  distance: number;
}

/// The axis that a face stands across, and whether it looks towards greater numbers.
const k_axes: readonly (readonly [number, boolean])[] = [
  [1, true],
  [1, false],
  [2, false],
  [2, true],
  [0, false],
  [0, true],
];

/// How far away a ray meets a face from outside; nothing if it does not.
function meets(ray: Ray, quad: Quad): number | null {
  const [axis, positive] = k_axes[quad.face]!;
  const towards = ray.to[axis]!;
  if (positive ? towards >= 0 : towards <= 0) return null;
  const { min, max } = boxOf(quad);
  const plane = positive ? max[axis]! : min[axis]!;
  const distance = (plane - ray.from[axis]!) / towards;
  if (distance < 0) return null;
  for (let other = 0; other < 3; ++other) {
    if (other === axis) continue;
    const at = ray.from[other]! + ray.to[other]! * distance;
    if (at < min[other]! || at > max[other]!) return null;
  }
  return distance;
}

/// Whether a ray meets a box before a distance.
function meetsBox(ray: Ray, min: Vector, max: Vector, before: number): boolean {
  let near = 0;
  let far = before;
  for (let axis = 0; axis < 3; ++axis) {
    const inverse = 1 / ray.to[axis]!;
    const a = (min[axis]! - ray.from[axis]!) * inverse;
    const b = (max[axis]! - ray.from[axis]!) * inverse;
    // A ray along the box, beside it, gives no numbers: it is not excluded by this axis.
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far;
}

/// A chunk that can be seen, by the corner of its mesh in the world.
export interface Pickable {
  corner: Vector;
  quads: Uint32Array;
  /// Where its faces are: the lowest and highest.
  low: number;
  high: number;
}

/// The block that a ray meets first.
export function pick(ray: Ray, chunks: Iterable<Pickable>): Picked | null {
  let found: Picked | null = null;
  for (const chunk of chunks) {
    const [x, y, z] = chunk.corner;
    const local: Ray = { from: [ray.from[0] - x, ray.from[1] - y, ray.from[2] - z], to: ray.to };
    if (!meetsBox(local, [0, chunk.low, 0], [32, chunk.high, 32], found?.distance ?? Infinity)) continue;
    for (let i = 0; i < chunk.quads.length / 2; ++i) {
      const quad = quadAt(chunk.quads, i);
      const distance = meets(local, quad);
      if (distance === null || (found && distance >= found.distance)) continue;
      found = { distance, block: blockOf(local, quad, distance, chunk.corner) };
    }
  }
  return found;
}

function blockOf(ray: Ray, quad: Quad, distance: number, corner: Vector): Vector {
  const axis = k_axes[quad.face]![0];
  const start: Vector = [quad.x, quad.y, quad.z];
  return start.map((first, i) => {
    if (i === axis) return corner[i]! + first; // a face lies in one layer of cells
    const last = i === 0 ? 31 : i === 2 ? 31 : 319;
    return corner[i]! + Math.max(first, Math.min(last, Math.floor(ray.from[i]! + ray.to[i]! * distance)));
  }) as Vector;
}

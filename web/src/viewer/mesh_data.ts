/// The mesh of one chunk, as docs/formats/mesh.md says it.
export interface MeshData {
  allFaces: boolean;
  /// Parts of the chunk could not be read.
  incomplete: boolean;
  /// Eight bytes each: base red, green, blue, particle red, green, blue, percent of the tint, alpha.
  materials: Uint8Array;
  /// Red, green, blue and 255 of each column, in rows from the north.
  tints: Uint8Array;
  /// Two numbers each, place and look; those that are seen through come last.
  quads: Uint32Array;
  opaque: number;
}

const k_header = 16;
const k_columns = 1024;
const k_magic = 0x48534d4f; // OMSH
/// More than any chunk has: 320 layers of 1,024 cells with six faces of a clear block and six of a fluid.
const k_most_records = 320 * 1024 * 12;

export class MeshError extends Error {}

/// Inflates to exactly this many bytes: what says it has more is not read to its end.
async function inflate(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array> {
  const out = new Uint8Array(size);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((problem: unknown) => {
      throw new MeshError(`the mesh cannot be decompressed: ${String(problem)}`);
    });
    if (done) break;
    if (at + value.length > size) {
      void reader.cancel().catch(() => {});
      throw new MeshError('the mesh is longer than it says');
    }
    out.set(value, at);
    at += value.length;
  }
  if (at < size) throw new MeshError('the mesh is shorter than it says');
  return out;
}

/// Numbers whose bytes are apart: the lowest of all of them, then the next.
function fromPlanes(planes: Uint8Array, count: number): Uint32Array {
  const out = new Uint32Array(count);
  for (let at = 0, shift = 0; at < planes.length; at += count, shift += 8) {
    for (let i = 0; i < count; ++i) out[i]! |= planes[at + i]! << shift;
  }
  return out;
}

/// The same where each is what it has grown by.
function fromSteps(planes: Uint8Array, count: number, mask: number): Uint32Array {
  const out = fromPlanes(planes, count);
  let value = 0;
  for (let i = 0; i < count; ++i) out[i] = value = (value + out[i]!) & mask;
  return out;
}

/// Each is the difference to its column in the north, in the first row to that in the west.
function readTints(planes: Uint8Array): Uint8Array {
  const tints = new Uint8Array(k_columns * 4).fill(255);
  for (let channel = 0; channel < 3; ++channel) {
    for (let i = 0; i < k_columns; ++i) {
      const before = i >= 32 ? tints[(i - 32) * 4 + channel]! : i > 0 ? tints[(i - 1) * 4 + channel]! : 0;
      tints[i * 4 + channel] = before + planes[channel * k_columns + i]!;
    }
  }
  return tints;
}

/// A record with one of these faces is a block that stands free: a box without its bottom, or with it.
const k_piece = 6;
const k_box = [0, 2, 3, 4, 5, 1];

/// The rectangles of some records.
class Faces {
  readonly #words: Uint32Array;
  #count = 0;

  constructor(records: number, kinds: Uint32Array) {
    let faces = records;
    for (const kind of kinds) faces += (kind & 7) >= k_piece ? (kind & 7) - 2 : 0;
    this.#words = new Uint32Array(faces * 2);
  }

  get count(): number {
    return this.#count;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  add(place: number, look: number, face: number): void {
    const faces = face === k_piece ? k_box.slice(0, 5) : face > k_piece ? k_box : [face];
    for (const each of faces) {
      this.#words[this.#count * 2] = (place | (each << 29)) >>> 0;
      this.#words[this.#count * 2 + 1] = look;
      ++this.#count;
    }
  }
}

export async function readMesh(file: Uint8Array<ArrayBuffer>): Promise<MeshData> {
  if (file.length < k_header) throw new MeshError('the mesh has no header');
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (view.getUint32(0, true) !== k_magic) throw new MeshError('this is not a mesh');
  if (file[4] !== 1) throw new MeshError(`expected version 1 of a mesh, found ${file[4]}`);
  const flags = file[5]!;
  const materials = view.getUint16(6, true);
  const opaque = view.getUint32(8, true);
  const records = opaque + view.getUint32(12, true);
  if (records > k_most_records) throw new MeshError('the mesh has more faces than a chunk can have');
  const body = await inflate(file.subarray(k_header), materials * 8 + k_columns * 3 + records * 10);
  let at = materials * 8;
  const take = (size: number): Uint8Array => body.subarray(at, (at += size));
  const tints = readTints(take(k_columns * 3));
  const cells = fromSteps(take(records * 3), records, 0xffffff);
  const widths = take(records);
  const heights = take(records);
  const kinds = fromPlanes(take(records), records);
  const numbers = fromSteps(take(records * 2), records, 0xffff);
  const lights = fromPlanes(take(records * 2), records);
  const faces = new Faces(records, kinds);
  let opaqueFaces = 0;
  for (let i = 0; i < records; ++i) {
    const kind = kinds[i]!;
    const number = numbers[i]!;
    if (number >= materials) throw new MeshError('a face is made of nothing');
    if (cells[i]! >= 320 * k_columns || widths[i]! > 31 || heights[i]! > 31 || kind >> 3 > 15 || lights[i]! > 0xfff) throw new MeshError('a face is not in the chunk');
    if (i === opaque) opaqueFaces = faces.count;
    faces.add(cells[i]! | (widths[i]! << 19) | (heights[i]! << 24), (number | ((kind >> 3) << 16) | (lights[i]! << 20)) >>> 0, kind & 7);
  }
  if (opaque === records) opaqueFaces = faces.count;
  return { allFaces: (flags & 1) !== 0, incomplete: (flags & 2) !== 0, materials: body.slice(0, materials * 8), tints, quads: faces.words, opaque: opaqueFaces };
}

/// A rectangle of a mesh, taken apart.
export interface Quad {
  x: number;
  y: number;
  z: number;
  width: number;
  height: number;
  face: number;
  material: number;
  shape: number;
  light: number;
}

export const quadAt = (quads: Uint32Array, index: number): Quad => {
  const place = quads[2 * index]!;
  const look = quads[2 * index + 1]!;
  return {
    x: place & 31,
    z: (place >>> 5) & 31,
    y: (place >>> 10) & 511,
    width: ((place >>> 19) & 31) + 1,
    height: ((place >>> 24) & 31) + 1,
    face: place >>> 29,
    material: look & 0xffff,
    shape: (look >>> 16) & 15,
    light: look >>> 20,
  };
};

/// Puts a rectangle together, for what is not from a server.
export const quadWords = ({ x, y, z, width, height, face, material, shape, light }: Quad): [number, number] => [
  (x | (z << 5) | (y << 10) | ((width - 1) << 19) | ((height - 1) << 24) | (face << 29)) >>> 0,
  (material | (shape << 16) | (light << 20)) >>> 0,
];

/// What shapes leave free on each side, and where they end above, in blocks.
export const k_extents: readonly (readonly [number, number])[] = [
  [0, 1],
  [2 / 16, 14 / 16],
  [5 / 16, 12 / 16],
  [0, 14 / 16],
  [0, 8 / 16],
];

/// The box that a rectangle is a side of: its least and greatest corner in the chunk.
export function boxOf(quad: Quad): { min: [number, number, number]; max: [number, number, number] } {
  const [side, top] = k_extents[quad.shape] ?? k_extents[0]!;
  const flat = quad.face < 2;
  const alongZ = quad.face >= 4;
  return {
    min: [quad.x + side, quad.y, quad.z + side],
    max: [
      quad.x + (alongZ ? 1 : quad.width) - side,
      quad.y + (flat ? 1 : quad.height) - 1 + top,
      quad.z + (alongZ ? quad.width : flat ? quad.height : 1) - side,
    ],
  };
}

import { deflateSync } from 'node:zlib';

/// A record of a mesh; what is left out is 0, width and height 1.
export interface Face {
  x?: number;
  y: number;
  z?: number;
  width?: number;
  height?: number;
  /// 0 up, 1 down, 2 north, 3 south, 4 west, 5 east, 6 a block that stands free, 7 with its lower face.
  face: number;
  shape?: number;
  material: number;
  /// Red, green, blue of lamps.
  light?: [number, number, number];
}

export interface Material {
  base: [number, number, number];
  particle?: [number, number, number];
  percent?: number;
  alpha?: number;
}

export type Tint = (x: number, z: number) => [number, number, number];

/// Writes a mesh as docs/formats/mesh.md says it. Records of materials that are seen through have to come last.
export function madeMesh(materials: Material[], faces: Face[], tint: Tint = () => [0, 0, 0]): Buffer {
  const body: number[] = [];
  for (const { base, particle = [255, 255, 255], percent = 0, alpha = 255 } of materials) body.push(...base, ...particle, percent, alpha);
  for (let channel = 0; channel < 3; ++channel) {
    for (let i = 0; i < 1024; ++i) {
      const [x, z] = [i % 32, Math.floor(i / 32)];
      const before = z > 0 ? tint(x, z - 1)[channel]! : x > 0 ? tint(x - 1, z)[channel]! : 0;
      body.push((tint(x, z)[channel]! - before) & 255);
    }
  }
  const planes = (bytes: number, value: (face: Face) => number): void => {
    for (let byte = 0; byte < bytes; ++byte) for (const face of faces) body.push((value(face) >> (8 * byte)) & 255);
  };
  const steps = (bytes: number, value: (face: Face) => number): void => {
    for (let byte = 0; byte < bytes; ++byte) {
      let before = 0;
      for (const face of faces) {
        body.push(((value(face) - before) >> (8 * byte)) & 255);
        before = value(face);
      }
    }
  };
  steps(3, ({ x = 0, y, z = 0 }) => x | (z << 5) | (y << 10));
  planes(1, ({ width = 1 }) => width - 1);
  planes(1, ({ height = 1 }) => height - 1);
  planes(1, ({ face, shape = 0 }) => face | (shape << 3));
  steps(2, ({ material }) => material);
  planes(2, ({ light: [red, green, blue] = [0, 0, 0] }) => red | (green << 4) | (blue << 8));
  const clear = faces.filter(({ material }) => (materials[material]?.alpha ?? 255) < 255).length;
  const header = Buffer.alloc(16);
  header.write('OMSH', 'latin1');
  header.writeUInt8(1, 4);
  header.writeUInt16LE(materials.length, 6);
  header.writeUInt32LE(faces.length - clear, 8);
  header.writeUInt32LE(clear, 12);
  return Buffer.concat([header, deflateSync(Uint8Array.from(body))]);
}

/// Flat ground of one material.
export const ground = (y: number, material: number): Face => ({ y, width: 32, height: 32, face: 0, material });

/// The six faces of a block.
export const block = (x: number, y: number, z: number, material: number): Face[] => [0, 1, 2, 3, 4, 5].map((face) => ({ x, y, z, face, material }));

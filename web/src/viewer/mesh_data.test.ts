import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { block, type Face, ground, madeMesh } from '../../test/made_mesh';
import { boxOf, MeshError, quadAt, quadWords, readMesh } from './mesh_data';

const read = (file: Uint8Array): ReturnType<typeof readMesh> => readMesh(new Uint8Array(file));

const k_materials = [{ base: [10, 20, 30] as [number, number, number], percent: 40 }, { base: [1, 2, 3] as [number, number, number], alpha: 153 }];

test('faces, colours and tints are what was written', async () => {
  const faces: Face[] = [ground(64, 0), { x: 31, y: 319, z: 30, width: 1, height: 2, face: 5, material: 0, shape: 4, light: [15, 0, 9] }, { x: 3, y: 5, z: 7, face: 0, material: 1, shape: 3 }];
  const mesh = await read(madeMesh(k_materials, faces, (x, z) => [x * 8, z * 8, 255 - x]));
  expect(mesh.opaque).toBe(2);
  expect(mesh.quads.length).toBe(6);
  expect(quadAt(mesh.quads, 0)).toEqual({ x: 0, y: 64, z: 0, width: 32, height: 32, face: 0, material: 0, shape: 0, light: 0 });
  expect(quadAt(mesh.quads, 1)).toEqual({ x: 31, y: 319, z: 30, width: 1, height: 2, face: 5, material: 0, shape: 4, light: 0x90f });
  expect(quadAt(mesh.quads, 2)).toEqual({ x: 3, y: 5, z: 7, width: 1, height: 1, face: 0, material: 1, shape: 3, light: 0 });
  expect([...mesh.materials]).toEqual([10, 20, 30, 255, 255, 255, 40, 255, 1, 2, 3, 255, 255, 255, 0, 153]);
  for (const [x, z] of [[0, 0], [31, 0], [0, 31], [17, 5]] as const) expect([...mesh.tints.subarray((z * 32 + x) * 4, (z * 32 + x) * 4 + 4)]).toEqual([x * 8, z * 8, 255 - x, 255]);
});

test('a block that stands free has all its faces', async () => {
  const mesh = await read(madeMesh(k_materials, [{ x: 1, y: 2, z: 3, face: 6, shape: 2, material: 0 }, { x: 4, y: 2, z: 3, face: 7, shape: 1, material: 0 }, { y: 9, face: 0, material: 1 }]));
  const faces = Array.from({ length: mesh.quads.length / 2 }, (_, i) => quadAt(mesh.quads, i));
  expect(faces.map(({ face }) => face)).toEqual([0, 2, 3, 4, 5, 0, 2, 3, 4, 5, 1, 0]);
  expect(faces.slice(0, 5).every(({ x, shape }) => x === 1 && shape === 2)).toBe(true);
  expect(mesh.opaque).toBe(11);
});

test('an empty mesh is one', async () => {
  const mesh = await read(madeMesh([], []));
  expect([mesh.opaque, mesh.quads.length, mesh.incomplete, mesh.allFaces]).toEqual([0, 0, false, false]);
});

test('every cut is an error', async () => {
  const file = madeMesh(k_materials, block(1, 2, 3, 0));
  for (let length = 0; length < file.length; ++length) await expect(read(file.subarray(0, length)), String(length)).rejects.toThrow(MeshError);
});

test('what is wrong is an error and takes no memory', async () => {
  const good = madeMesh(k_materials, [ground(1, 0)]);
  const changed = (at: number, ...bytes: number[]): Buffer => {
    const copy = Buffer.from(good);
    copy.set(bytes, at);
    return copy;
  };
  const bad: [string, Uint8Array][] = [
    ['magic', changed(0, 0)],
    ['version', changed(4, 2)],
    ['counts', changed(8, 255, 255, 255, 255)],
    ['one record more', changed(8, 2)],
    ['one record less', changed(8, 0)],
    ['one material more', changed(6, 3)],
    ['no such material', madeMesh(k_materials, [ground(1, 5)])],
    ['too high', madeMesh(k_materials, [ground(320, 0)])],
    ['far more than it says', Buffer.concat([good.subarray(0, 16), deflateSync(Buffer.alloc(20_000_000))])],
  ];
  for (const [name, file] of bad) await expect(read(file), name).rejects.toThrow(MeshError);
});

test('a rectangle is a side of a box', () => {
  const quad = { x: 3, y: 10, z: 4, width: 5, height: 2, face: 0, material: 7, shape: 0, light: 0xabc };
  expect(quadAt(new Uint32Array(quadWords(quad)), 0)).toEqual(quad);
  expect(boxOf(quad)).toEqual({ min: [3, 10, 4], max: [8, 11, 6] });
  expect(boxOf({ ...quad, face: 3 })).toEqual({ min: [3, 10, 4], max: [8, 12, 5] });
  expect(boxOf({ ...quad, face: 5 })).toEqual({ min: [3, 10, 4], max: [4, 12, 9] });
  expect(boxOf({ ...quad, width: 1, height: 1, shape: 2 })).toEqual({ min: [3 + 5 / 16, 10, 4 + 5 / 16], max: [4 - 5 / 16, 10.75, 5 - 5 / 16] });
});

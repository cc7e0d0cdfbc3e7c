import { expect, test } from 'vitest';
import { block, type Face, ground, madeMesh } from '../../test/made_mesh';
import { readMesh } from './mesh_data';
import { pick, type Pickable, type Vector } from './pick';

async function chunk(cx: number, cz: number, faces: Face[]): Promise<Pickable> {
  const { quads } = await readMesh(new Uint8Array(madeMesh([{ base: [9, 9, 9] }], faces)));
  return { corner: [cx * 32, 0, cz * 32], quads, low: 0, high: 320 };
}

const towards = (from: Vector, to: Vector): Vector => {
  const way = to.map((value, i) => value - from[i]!) as Vector;
  const length = Math.hypot(...way);
  return way.map((value) => value / length) as Vector;
};

test('the first block on the way is found', async () => {
  const chunks = [await chunk(0, 0, [ground(60, 0), ...block(5, 61, 6, 0)]), await chunk(-1, 0, [ground(60, 0)])];
  expect(pick({ from: [5.5, 100, 6.5], to: [0, -1, 0] }, chunks)).toEqual({ block: [5, 61, 6], distance: 38 });
  expect(pick({ from: [9.5, 100, 6.5], to: [0, -1, 0] }, chunks)?.block).toEqual([9, 60, 6]);
  expect(pick({ from: [-3.5, 100, 31.5], to: [0, -1, 0] }, chunks)?.block).toEqual([-4, 60, 31]);
  const south: Vector = [5.5, 61.5, 20];
  expect(pick({ from: south, to: towards(south, [5.5, 61.5, 0]) }, chunks)).toEqual({ block: [5, 61, 6], distance: 13 });
  expect(pick({ from: [5.5, 50, 6.5], to: [0, 1, 0] }, chunks)?.block, 'from below the ground is seen through').toEqual([5, 61, 6]);
  expect(pick({ from: [5.5, 100, 6.5], to: [0, 1, 0] }, chunks)).toBeNull();
  expect(pick({ from: [500, 100, 500], to: [0, -1, 0] }, chunks)).toBeNull();
});

test('a narrow block is hit only where it is', async () => {
  const chunks = [await chunk(0, 0, [{ x: 2, y: 60, z: 2, face: 7, shape: 2, material: 0 }])];
  expect(pick({ from: [2.5, 99, 2.5], to: [0, -1, 0] }, chunks)?.block).toEqual([2, 60, 2]);
  expect(pick({ from: [2.1, 99, 2.5], to: [0, -1, 0] }, chunks)).toBeNull();
});

test('the farthest cell of a rectangle is in it', async () => {
  const chunks = [await chunk(0, 0, [ground(60, 0)])];
  const from: Vector = [16, 92, 16];
  expect(pick({ from, to: towards(from, [31.999, 61, 31.999]) }, chunks)?.block).toEqual([31, 60, 31]);
  expect(pick({ from, to: towards(from, [32, 61, 32]) }, chunks)?.block).toEqual([31, 60, 31]);
});

import { expect, test } from 'vitest';
import { ChunkList } from './chunk_list';

const list = new ChunkList({ layers: [], x: [0, -3], z: [0, 4], values: {}, unreadable: { x: [9], z: [-9], message: ['a broken frame'] } });

test('chunks are found by the blocks in them', () => {
  expect(list.has(31, 0)).toBe(true);
  expect(list.has(32, 0)).toBe(false);
  expect(list.has(-96, 128)).toBe(true);
  expect(list.has(9 * 32, -9 * 32)).toBe(true);
  expect(new ChunkList(null).known).toBe(false);
});

test('a chunk that cannot be read says why', () => {
  expect(list.problemAt(9 * 32 + 5, -9 * 32 + 31)?.message).toBe('a broken frame');
  expect(list.problemAt(0, 0)).toBeUndefined();
});

test('a part of the map without chunks is known as such', () => {
  expect(list.anyIn({ min: [31.5, 31.5], max: [60, 60] })).toBe(true);
  expect(list.anyIn({ min: [32, 32], max: [60, 60] })).toBe(false);
  expect(list.anyIn({ min: [-9999, -9999], max: [9999, 9999] })).toBe(true);
});

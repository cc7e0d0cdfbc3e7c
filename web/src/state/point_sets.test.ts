import { expect, test } from 'vitest';
import { facts } from '../../test/made_world';
import { foundSet, groupOf, pointSets, type Shown, titleOf } from './point_sets';

const all: Shown = { markers: true, players: true, warps: true, beds: true, containers: true, entities: true, grid: false };
const at = { x: 1, y: 2, z: 3 };

test('sets are full when shown and empty when not', () => {
  const made = facts(10);
  expect(pointSets(made, made.markers, all).map((set) => set.x.length)).toEqual([10, 10, 6]);
  const none = { ...all, containers: false, entities: false, beds: false, warps: false };
  expect(pointSets(made, made.markers, none).map((set) => set.x.length)).toEqual([0, 0, 4]);
  expect(pointSets(null, [], all).map((set) => set.x.length)).toEqual([0, 0, 0]);
});

test('the same facts give the same arrays, so that they are gathered once', () => {
  const made = facts(10);
  const [a, b] = [pointSets(made, [], all), pointSets(made, [], all)];
  expect(a[0]?.x).toBe(b[0]?.x);
  expect(a[1]?.x).toBe(b[1]?.x);
});

test('markers of unknown kinds look like markers', () => {
  for (const kind of ['shop', 'constructor', 'toString', '']) {
    const marker = { kind, name: '', ...at };
    expect(groupOf(kind)).toBe('markers');
    expect(titleOf(marker)).toBe('Marker');
    expect(pointSets(null, [marker], all)[2]?.look(0)).toBe('marker');
  }
  expect(titleOf({ kind: 'spawn', name: '', ...at })).toBe('Spawn');
});

test('the most telling of several markers at a place comes first', () => {
  const markers = ['respawn', 'warp', 'spawn', 'player'].map((kind) => ({ kind, name: kind, ...at }));
  expect(pointSets(null, markers, all)[2]?.label?.(0)).toBe('spawn');
});

test('whole chunks are not among the pins of a search', () => {
  const place = { kind: 'block' as const, name: 'Ore', x: 16, z: 16, detail: '' };
  const set = foundSet([{ ...place, y: null }, { ...place, y: 4 }]);
  expect(set.x).toHaveLength(1);
  expect(set.label?.(0)).toBe('Ore');
});

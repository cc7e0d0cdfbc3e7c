import { expect, test } from 'vitest';
import { index, inspect } from '../../test/made_world';
import { heightToSee, inspectChoices, missingLayer, nearestHeight, tileChoices, tileLayerOf } from './layers';

const layer = (title: string) => ({ title, kind: 'tiles' as const, tiles: {} });

test('an export offers what was exported, slices once with all heights', () => {
  const world = { ...index('w'), layers: { surface: layer('Surface'), 'slice@90': layer(''), 'slice@8': layer(''), height: layer('Height') } };
  expect(tileChoices(world, false).map((choice) => choice.id)).toEqual(['surface', 'slice', 'height']);
  expect(tileChoices(world, false)[1]?.heights).toEqual([8, 90]);
});

test('a server offers every layer at any height, and findings', () => {
  const world = index('w');
  expect(tileChoices(world, true).map((choice) => choice.id)).toEqual(['surface', 'slice', 'cave', 'height', 'light', 'environment']);
  expect(tileChoices(world, true)[1]?.heights).toBe('any');
  expect(inspectChoices(inspect(), true).at(-1)?.id).toBe('inspect:findings');
  expect(inspectChoices(inspect(), false).map((choice) => choice.id)).not.toContain('inspect:findings');
  expect(inspectChoices(null, false)).toEqual([]);
});

test('the nearest height that exists is taken', () => {
  const range = { min: 0, max: 320 };
  expect(nearestHeight([8, 64, 90], 70, range)).toBe(64);
  expect(nearestHeight('any', 400, range)).toBe(319);
  expect(nearestHeight('any', -4, range)).toBe(0);
  expect(tileLayerOf('cave', 30)).toBe('cave@30');
  expect(tileLayerOf('height', 30)).toBe('height');
});

test('a layer has the same key in every map', () => {
  const world = { ...index('w'), layers: { surface: layer('Surface'), height: layer('Height') } };
  const key = (live: boolean, id: string) => [...tileChoices(world, live), ...inspectChoices(inspect(), live)].find((choice) => choice.id === id)?.key;
  for (const id of ['surface', 'height', 'inspect:bytes', 'inspect:version']) expect(key(false, id)).toBe(key(true, id));
  expect(key(true, 'height')).toBe(4);
  expect(key(true, 'inspect:bytes')).toBe(7);
});

test('a layer or height that a map has not is told', () => {
  const world = { ...index('w'), layers: { surface: layer('Surface'), 'slice@64': layer('') } };
  const choices = tileChoices(world, false);
  expect(missingLayer({ id: 'slice', y: 57 }, choices, { id: 'slice', y: 64 })).toContain('no slice at y 57; y 64');
  expect(missingLayer({ id: 'slice', y: 64 }, choices, { id: 'slice', y: 64 })).toBe('');
  expect(missingLayer({ id: 'slice' }, choices, { id: 'slice', y: 64 })).toBe('');
  expect(missingLayer({ id: 'cave', y: 64 }, choices, { id: 'surface', y: 64 })).toContain('no layer “Caves”');
  expect(missingLayer({ id: 'nonsense' }, choices, { id: 'surface', y: 64 })).toBe('');
});

test('a block is seen from its own height or above', () => {
  const range = { min: 0, max: 320 };
  expect(heightToSee([32, 64, 96], 40, range)).toBe(64);
  expect(heightToSee([32, 64, 96], 64, range)).toBe(64);
  expect(heightToSee([32, 64, 96], 200, range)).toBe(96);
  expect(heightToSee('any', 41, range)).toBe(41);
});

import { expect, test } from 'vitest';
import { index, inspect } from '../../test/made_world';
import { inspectChoices, nearestHeight, tileChoices, tileLayerOf } from './layers';

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

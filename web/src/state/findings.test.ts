import { expect, test } from 'vitest';
import { checked, inspect } from '../../test/made_world';
import { byChunk, byCode, byValues, exportedFindings } from './findings';

test('an export that was checked has findings, another has none', () => {
  expect(exportedFindings(checked())?.findings).toHaveLength(3);
  expect(exportedFindings(inspect())).toBeNull();
  expect(exportedFindings(null)).toBeNull();
});

test('the values of an export and the lines of a server give the same chunks', () => {
  const some = (all: { count: number }[] | null): unknown => all?.filter(({ count }) => count > 0);
  const values = byValues(checked());
  expect(some(values)).toEqual([
    { x: 1, z: 3, count: 1, rank: 2 },
    { x: 2, z: 3, count: 4, rank: 0 },
  ]);
  expect(some(byChunk(checked().findings ?? [], checked()))).toEqual(some(values));
  expect(byValues(inspect())).toBeNull();
});

test('findings in chunks are gathered by code, the worst first, each chunk once', () => {
  const lines = checked().findings ?? [];
  const groups = byCode([...lines, ...lines]);
  expect(groups.map(({ code, chunks }) => [code, chunks])).toEqual([
    ['component.unreadable', [[1, 3]]],
    ['light.stale', [[2, 3]]],
  ]);
  expect(byCode(lines).map(({ count }) => count)).toEqual([1, 4]);
});

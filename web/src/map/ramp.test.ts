import { expect, test } from 'vitest';
import { findingColour, findingScale, scaleFor, severityRank } from './ramp';

test('amounts get a logarithmic scale from the least to the most', () => {
  const scale = scaleFor('bytes', [100, 1000, 10_000]);
  expect(scale.kind).toBe('amount');
  expect(scale.stops.map((stop) => stop.value)).toEqual([100, 316, 1000, 3162, 10_000]);
  expect(scale.colour(1000)).toEqual(scale.stops[2]?.colour);
  expect(scale.colour(0)).toBeNull();
});

test('versions are kinds, each with its own colour', () => {
  const scale = scaleFor('version', [11, 10, 11, 4]);
  expect(scale.kind).toBe('kinds');
  expect(scale.stops.map((stop) => stop.value)).toEqual([4, 10, 11]);
  expect(new Set(scale.stops.map((stop) => String(stop.colour))).size).toBe(3);
});

test('a layer in which no chunk has anything says so', () => {
  expect(scaleFor('entities', [0, 0]).kind).toBe('nothing');
  expect(scaleFor('findings', []).kind).toBe('nothing');
});

test('one value alone has a colour', () => {
  expect(scaleFor('entities', [0, 7]).colour(7)).not.toBeNull();
});

test('one damage is redder than many notes', () => {
  const damage = findingColour(severityRank('damage'), 1, 1000)!;
  const notes = findingColour(severityRank('note'), 1000, 1000)!;
  expect(damage[0] - damage[2]).toBeGreaterThan(100);
  expect(notes[2]).toBeGreaterThan(notes[0]);
  expect(findingColour(severityRank('damage'), 1000, 1000)).not.toEqual(damage);
  expect(findingColour(severityRank('wrong'), 0, 9)).toBeNull();
  expect(findingScale(new Set([2, 0])).stops.map((stop) => stop.name)).toEqual(['Notes', 'Damage']);
  expect(findingScale(new Set()).kind).toBe('nothing');
});

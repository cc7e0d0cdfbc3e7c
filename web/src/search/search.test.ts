import { expect, test } from 'vitest';
import { facts } from '../../test/made_world';
import type { PlaceKind } from '../data/types';
import { found, group, rank, searchFacts } from './search';

const all = new Set<PlaceKind>(['block', 'item', 'entity', 'marker']);

test('names are ranked by how well they answer', () => {
  expect(rank('Ingredient_Bar_Gold', 'ingredient bar gold')).toBe(0);
  expect(rank('Ingredient_Bar_Gold', 'Ingredient')).toBe(1);
  expect(rank('Ingredient_Bar_Gold', 'gold bar')).toBe(2);
  expect(rank('Ingredient_Bar_Gold', 'redient')).toBe(3);
  expect(rank('Ingredient_Bar_Gold', 'iron')).toBe(-1);
  expect(rank('Ingredient_Bar_Gold', ' _ ')).toBe(-1);
});

test('items are found in their containers, with their sum', () => {
  const { places, total } = searchFacts(facts(10), 'bar gold', all, 100);
  expect(total).toBe(1);
  expect(places[0]).toMatchObject({ kind: 'item', name: 'Ingredient_Bar_Gold', x: 12, z: -20 });
  expect(places[0]?.detail).toBe('3 in Furniture Village Chest Small');
});

test('stacks of one item in one container are one place', () => {
  const made = facts(1);
  made.containers = { block: [0], x: [1], y: [2], z: [3], first: [0, 2], item: [2, 2], count: [64, 6] };
  expect(searchFacts(made, 'gold', new Set(['item']), 10).places.map((place) => place.detail)).toEqual(['70 in Furniture Village Chest Small']);
});

test('entities are found by type and by name', () => {
  const made = facts(1000);
  expect(searchFacts(made, 'trork', all, 1000).total).toBe(333);
  const named = searchFacts(made, 'Pell', all, 1000);
  expect(named.total).toBe(2);
  expect(named.places[0]?.detail).toBe('Farmer Pell');
});

test('blocks are found where the highest of a chunk is, or as a chunk', () => {
  const at = (text: string) => searchFacts(facts(1), text, all, 10).places.map((place) => [place.x, place.y, place.z]);
  expect(at('ore_gold')).toEqual([[13 * 32 + 9, 30, -7 * 32 + 4], [-9 * 32, 0, 64]]);
  expect(at('mod glowing')).toEqual([[80, null, 80]]);
});

test('only the kinds that are asked for, and not more than the limit', () => {
  const made = facts(1000);
  expect(searchFacts(made, 'gold', new Set(['block']), 10).places.every((place) => place.kind === 'block')).toBe(true);
  const some = searchFacts(made, 'potato', all, 7);
  expect(some.places).toHaveLength(7);
  expect(some.total).toBe(999);
});

test('100,000 containers and entities are searched, and only the first are listed', () => {
  const found = searchFacts(facts(100_000), 'potato', all, 2000);
  expect(found.places).toHaveLength(2000);
  expect(found.total).toBe(99_999);
});

test('groups gather a thing, the nearest place first', () => {
  const place = (name: string, x: number) => ({ kind: 'item' as const, name, x, y: 0, z: 0, detail: '' });
  const groups = group([place('a', 90), place('b', 5), place('a', 12)], [10, 0]);
  expect(groups.map(({ name, places }) => [name, places.map(({ x }) => x)])).toEqual([['a', [12, 90]], ['b', [5]]]);
});

test('a list that is cut off says so', () => {
  const { places } = searchFacts(facts(50), 'o', all, 2);
  expect(places).toHaveLength(2);
  expect(found({ places, total: 2, more: false })).toBe('2 results.');
  expect(found({ places, total: 5, more: true })).toBe('The first 2 of 5 results.');
  expect(found({ places, total: 2, more: true })).toBe('The first 2 results; there are more.');
});

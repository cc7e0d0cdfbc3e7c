import { expect, test } from 'vitest';
import { facts } from '../../test/made_world';
import { contents, inventories } from './items';

test('a chest is found with its slots', () => {
  const found = inventories({
    ItemContainerBlock: { Capacity: 18, ItemContainer: { Capacity: 18, Items: { 3: { Id: 'Gold', Quantity: 6, Durability: 0, MaxDurability: 0 } } } },
  });
  expect(found).toEqual([{ title: 'ItemContainer', capacity: 18, stacks: [{ slot: '3', item: 'Gold', count: 6, note: '' }] }]);
});

test('a bench has several inventories', () => {
  const bench = { ProcessingBenchBlock: { InputContainer: { Items: {} }, FuelContainer: { Items: { 0: { Id: 'Coal' } } } } };
  expect(inventories(bench).map(({ title, stacks }) => [title, stacks.length])).toEqual([['InputContainer', 0], ['FuelContainer', 1]]);
});

test('what is worn says how much is left', () => {
  const found = inventories({ a: { Items: { 0: { Id: 'Sword', Quantity: 1, Durability: 60, MaxDurability: 80 } } } });
  expect(found[0]?.stacks[0]?.note).toBe('75 % durability');
});

test('odd components do no harm', () => {
  const deep: Record<string, unknown> = {};
  deep['self'] = deep;
  expect(inventories(deep)).toEqual([]);
  expect(inventories({ a: null, b: [1], c: { Items: { 0: 'text', 1: { Quantity: 3 } } } })).toEqual([{ title: 'c', capacity: null, stacks: [] }]);
});

test('the facts of a container are summed by item', () => {
  expect(contents(facts(1), 0).map(({ item, count }) => [item, count])).toEqual([['Ingredient_Bar_Gold', 3], ['Potion_Health', 2], ['Weapon_Sword_Iron', 1]]);
});

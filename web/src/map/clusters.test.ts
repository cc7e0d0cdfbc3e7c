import { expect, test } from 'vitest';
import { Clusters, levelFor } from './clusters';

const sum = (values: Uint32Array): number => values.reduce((a, b) => a + b, 0);

test('every level holds every point once', () => {
  const many = 5000;
  const x = Array.from({ length: many }, (_, i) => Math.sin(i) * 4000);
  const z = Array.from({ length: many }, (_, i) => Math.cos(i * 1.7) * 4000);
  const clusters = new Clusters(x, z);
  for (const level of [3, 0, 9, 6, 14, 31]) {
    const cells = clusters.level(level);
    expect(sum(cells.count)).toBe(many);
    expect(cells.side).toBe(2 ** level);
  }
  expect(clusters.level(31).count.length).toBeLessThanOrEqual(4);
});

test('a level does not depend on the levels that were made before', () => {
  const [x, z] = [[-0.5, 0.5, 3.5, 40], [0.5, 0.5, -3.5, 40]];
  const direct = new Clusters(x, z).level(3);
  const later = new Clusters(x, z);
  later.level(0);
  later.level(1);
  const cells = later.level(3);
  const sorted = (all: typeof direct): number[][] => Array.from(all.x, (value, i) => [value, all.z[i]!, all.count[i]!]).sort((a, b) => a[0]! - b[0]!);
  expect(sorted(cells)).toEqual(sorted(direct));
  expect(sorted(direct)).toEqual([[-0.5, 0.5, 1], [0.5, 0.5, 1], [3.5, -3.5, 1], [40, 40, 1]]);
});

test('levels are made one by one when there is time', () => {
  const spread = Array.from({ length: 6000 }, (_, i) => i * 7);
  const clusters = new Clusters(spread, spread);
  const waiting: (() => void)[] = [];
  clusters.prepare((work) => waiting.push(work));
  let turns = 0;
  for (let work = waiting.shift(); work; work = waiting.shift()) {
    work();
    ++turns;
    expect(waiting.length).toBeLessThanOrEqual(1);
  }
  expect(turns).toBe(14);
});

test('a cell stands where its points are in the mean and knows one of them', () => {
  const cells = new Clusters([1, 3], [1, 2]).level(2);
  expect([cells.x[0], cells.z[0], cells.count[0], cells.one[0]]).toEqual([2, 1.5, 2, 0]);
});

test('cells are wide enough on the screen', () => {
  for (const resolution of [1 / 32, 0.3, 1, 7, 200]) {
    expect(2 ** levelFor(resolution, 60) / resolution).toBeGreaterThanOrEqual(60 * (levelFor(resolution, 60) > 0 ? 1 : 0));
  }
});

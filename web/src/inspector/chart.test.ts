import { describe, expect, test } from 'vitest';
import { curvesOf, k_most_curves, latencyOf, roundUp, stacked } from './chart';

const table = {
  start: 0,
  width: 500_000,
  count: 3,
  series: [
    { packet: 'SetChunk', to: 0, channel: 1, frames: [1, 0, 2], bytes: [1000, 0, 2000] },
    { packet: 'Ping', to: 0, channel: 0, frames: [1, 1, 1], bytes: [37, 37, 37] },
    { packet: 'Pong', to: 1, channel: 0, frames: [1, 1, 0], bytes: [28, 28, 0] },
    { packet: '', to: 2, channel: -1, frames: [9, 0, 0], bytes: [9000, 0, 0] },
  ],
};

describe('charts', () => {
  test('rates are per second, the largest first, others last', () => {
    expect(curvesOf(table, 'channel', 'bytes').map(({ name, values }) => [name, values])).toEqual([
      ['Chunks', [2000, 0, 4000]],
      ['Default', [130, 130, 74]],
      ['Others', [18_000, 0, 0]],
    ]);
    expect(curvesOf(table, 'direction', 'frames').map(({ name, sum }) => [name, sum])).toEqual([['unknown', 9], ['to clients', 6], ['to servers', 2]]);
    expect(curvesOf(table, 'packet', 'bytes').map(({ name }) => name)).toEqual(['SetChunk', 'Ping', 'Pong', 'Others']);
  });

  test('many kinds become few curves that have the same sum', () => {
    const series = Array.from({ length: 30 }, (_, i) => ({ packet: `P${i}`, to: 0, channel: 0, frames: [1], bytes: [i + 1] }));
    const curves = curvesOf({ start: 0, width: 1_000_000, count: 1, series }, 'packet', 'bytes');
    expect(curves).toHaveLength(k_most_curves);
    expect(curves.reduce((sum, curve) => sum + curve.values[0]!, 0)).toBe((30 * 31) / 2);
    expect(curves.at(-1)?.name).toBe('Others');
  });

  test('layers lie on each other', () => {
    expect(stacked([{ name: 'a', values: [1, 2], sum: 3 }, { name: 'b', values: [3, 4], sum: 7 }])).toEqual([[1, 2], [4, 6]]);
  });

  test('axes end at round numbers', () => {
    expect([0, 1, 1.2, 37, 501, 999].map(roundUp)).toEqual([1, 1, 2, 50, 1000, 1000]);
  });

  test('latency has a line for each kind of measurement', () => {
    const lines = latencyOf({ players: [{ player: 2, samples: [[1, 'raw', 9000], [2, 'server', 500], [3, 'raw', 1000], [4, 'raw', 3000]] }] }, 2);
    expect(lines.map(({ kind, last, median, worst }) => [kind, last, median, worst])).toEqual([['raw', 3, 3, 9], ['server', 0.5, 0.5, 0.5]]);
    expect(latencyOf({ players: [] }, 2)).toEqual([]);
  });
});

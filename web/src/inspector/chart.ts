import type { LatencyTable, RateTable, Sample } from './api';
import { channelName } from './api';

/// A line or a layer of a chart.
export interface Curve {
  name: string;
  values: number[];
  sum: number;
}

export type Grouping = 'channel' | 'packet' | 'direction';

const k_others = 'Others';
export const k_most_curves = 8;

const k_sides = ['to clients', 'to servers', 'unknown'];

/// The rates of a table per second, gathered by what is asked; the largest first, small ones as one.
export function curvesOf(table: RateTable, by: Grouping, of: 'bytes' | 'frames'): Curve[] {
  const sums = new Map<string, number[]>();
  for (const series of table.series) {
    const name =
      by === 'channel' ? (series.packet === '' ? k_others : channelName(series.channel))
      : by === 'direction' ? (k_sides[series.to] ?? k_others)
      : series.packet || k_others;
    let values = sums.get(name);
    if (!values) sums.set(name, (values = new Array<number>(table.count).fill(0)));
    series[of].forEach((value, i) => (values[i]! += value));
  }
  const scale = table.width > 0 ? 1e6 / table.width : 1;
  const all = [...sums].map(([name, values]) => ({
    name,
    sum: values.reduce((a, b) => a + b, 0),
    values: values.map((value) => value * scale),
  }));
  all.sort((a, b) => Number(a.name === k_others) - Number(b.name === k_others) || b.sum - a.sum);
  if (all.length <= k_most_curves) return all;
  const rest = all.splice(k_most_curves - 1);
  const values = new Array<number>(table.count).fill(0);
  for (const curve of rest) curve.values.forEach((value, i) => (values[i]! += value));
  return [...all, { name: k_others, values, sum: rest.reduce((sum, curve) => sum + curve.sum, 0) }];
}

/// Upper edges of layers on each other.
export function stacked(curves: Curve[]): number[][] {
  let below: number[] = [];
  return curves.map(({ values }) => (below = values.map((value, i) => value + (below[i] ?? 0))));
}

/// A round number that is not less than this.
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value * 0.999999) ?? 10);
}

export const k_latency_names: Record<string, string> = {
  raw: 'Ping, raw',
  direct: 'Ping, direct',
  tick: 'Ping, tick',
  client: 'Transport, client',
  server: 'Transport, server',
};

export interface LatencyLine {
  kind: string;
  name: string;
  samples: Sample[];
  last: number;
  median: number;
  worst: number;
}

/// The lines of one player in milliseconds, in a fixed order.
export function latencyOf(table: LatencyTable, player: number): LatencyLine[] {
  const samples = table.players.find((each) => each.player === player)?.samples ?? [];
  return Object.entries(k_latency_names).flatMap(([kind, name]) => {
    const mine = samples.filter((sample) => sample[1] === kind);
    if (mine.length === 0) return [];
    const sorted = mine.map((sample) => sample[2] / 1000).sort((a, b) => a - b);
    return [{ kind, name, samples: mine, last: mine.at(-1)![2] / 1000, median: sorted[sorted.length >> 1]!, worst: sorted.at(-1)! }];
  });
}

/// Colours for values per chunk.
export type Rgb = [number, number, number];

/// Dark to bright in even steps of lightness, so that order shows without hue.
const k_amounts: Rgb[] = [
  [59, 28, 90],
  [72, 61, 139],
  [49, 104, 142],
  [33, 145, 140],
  [53, 183, 121],
  [144, 215, 67],
  [253, 231, 37],
];
const k_alarms: Rgb[] = [
  [250, 190, 80],
  [240, 120, 50],
  [205, 30, 50],
];
/// Colours that are easily told apart.
export const k_kinds: Rgb[] = [
  [66, 133, 244],
  [240, 150, 30],
  [52, 168, 110],
  [214, 80, 120],
  [140, 100, 210],
  [20, 165, 185],
  [160, 110, 70],
  [120, 130, 145],
];

function along(stops: Rgb[], share: number): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const part = at - low;
  const [from, to] = [stops[low]!, stops[low + 1]!];
  return [0, 1, 2].map((i) => Math.round(from[i]! + (to[i]! - from[i]!) * part)) as Rgb;
}

export const css = (colour: Rgb): string => `rgb(${colour.join(' ')})`;

export interface Scale {
  /// Null where there is nothing to show, a chunk without entities for example.
  colour(value: number): Rgb | null;
  kind: 'amount' | 'kinds' | 'nothing';
  /// For a legend: values with their colours, ascending; with a name where the number says nothing to people.
  stops: { value: number; colour: Rgb; name?: string }[];
}

/// How bad findings are, as `orbis verify` says it, the least first. A shade of its own for each: the first for one
/// finding, the second for the most.
const k_severities: { id: string; name: string; few: Rgb; many: Rgb }[] = [
  { id: 'note', name: 'Notes', few: [150, 190, 230], many: [60, 120, 190] },
  { id: 'wrong', name: 'Wrong', few: [250, 200, 90], many: [235, 140, 30] },
  { id: 'damage', name: 'Damage', few: [225, 60, 60], many: [150, 0, 30] },
];

/// The place of a severity among them; one that is not known counts as the least.
export const severityRank = (id: string): number => Math.max(0, k_severities.findIndex((each) => each.id === id));

/// The colour of a chunk by its worst finding first and then by their number, `most` in any chunk.
export function findingColour(rank: number, count: number, most: number): Rgb | null {
  const severity = k_severities[rank];
  if (!severity || count <= 0) return null;
  return along([severity.few, severity.many], most > 1 ? Math.log(count) / Math.log(most) : 0);
}

/// The scale of findings whose worst are of these ranks.
export function findingScale(ranks: ReadonlySet<number>): Scale {
  const stops = k_severities.flatMap(({ name, few }, value) => (ranks.has(value) ? [{ value, colour: few, name }] : []));
  return { kind: stops.length > 0 ? 'kinds' : 'nothing', stops, colour: (value) => k_severities[value]?.few ?? null };
}

/// A scale for the values of an inspector layer. Amounts differ by orders of magnitude, so their scale is
/// logarithmic; versions are few and distinct.
export function scaleFor(id: string, values: number[]): Scale {
  const distinct = new Set<number>();
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (distinct.size <= k_kinds.length) distinct.add(value);
    if (value > most) most = value;
    if (value < least && value > 0) least = value;
  }
  if (id === 'version' && distinct.size > 0 && distinct.size <= k_kinds.length) {
    const stops = [...distinct].sort((a, b) => a - b).map((value, i) => ({ value, colour: k_kinds[i]! }));
    const colours = new Map(stops.map((stop) => [stop.value, stop.colour]));
    return { kind: 'kinds', stops, colour: (value) => colours.get(value) ?? null };
  }
  if (!(most > 0)) return { kind: 'nothing', stops: [], colour: () => null };
  const ramp = id === 'findings' || id === 'unknown' ? k_alarms : k_amounts;
  const [low, high] = [Math.log(least), Math.log(most)];
  const colour = (value: number): Rgb | null =>
    value > 0 ? along(ramp, high > low ? (Math.log(value) - low) / (high - low) : 1) : null;
  const shares = most > least ? [0, 0.25, 0.5, 0.75, 1] : [1];
  const stops = shares.map((share) => {
    const value = share === 1 ? most : Math.round(Math.exp(low + (high - low) * share));
    return { value, colour: along(ramp, most > least ? share : 1) };
  });
  return { kind: 'amount', stops, colour };
}

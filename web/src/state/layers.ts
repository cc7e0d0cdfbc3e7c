import type { Inspect, WorldIndex } from '../data/types';

/// A choice in the list of layers. Slices and caves are one choice each, with a height beside it.
export interface Choice {
  id: string; // surface, slice, cave, height, light, environment, inspect:bytes, …
  title: string;
  hint: string;
  /// The key that chooses it: the same in every map, whichever layers it has.
  key: number;
  /// The heights that exist; 'any' when a server renders them.
  heights?: number[] | 'any';
}

const k_known: [string, string, string][] = [
  ['surface', 'Surface', 'As on the game’s map: tints, slopes, depth of water'],
  ['slice', 'Slice', 'The world without everything above one height'],
  ['cave', 'Caves', 'The highest open space below the ground; deeper is darker'],
  ['height', 'Height', 'Heights as colours, with a line every 10 blocks'],
  ['light', 'Light', 'The world at night: what lamps light'],
  ['environment', 'Environments', 'A colour for each environment'],
];

/// The layers made of tiles that a world has, in the order of the number keys.
export function tileChoices(index: WorldIndex, live: boolean): Choice[] {
  const choices: Choice[] = [];
  for (const [i, [id, title, hint]] of k_known.entries()) {
    const key = i + 1;
    if (id === 'slice' || id === 'cave') {
      const heights = live ? 'any' : heightsOf(index, id);
      if (heights === 'any' || heights.length > 0) choices.push({ id, title, hint, key, heights });
    } else if (live || id in index.layers) {
      choices.push({ id, title: index.layers[id]?.title ?? title, hint, key });
    }
  }
  return choices;
}

export function heightsOf(index: WorldIndex, kind: string): number[] {
  return Object.keys(index.layers)
    .filter((id) => id.startsWith(`${kind}@`))
    .map((id) => Number(id.slice(kind.length + 1)))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
}

/// Known inspector layers in the order of their keys; others come after them.
const k_inspected = ['bytes', 'entities', 'ticking', 'components', 'unknown', 'version', 'findings'];

/// The layers that the page draws itself from values per chunk. A server also checks, when asked.
export function inspectChoices(inspect: Inspect | null, live: boolean): Choice[] {
  const key = (id: string): number => k_known.length + 1 + (k_inspected.includes(id) ? k_inspected.indexOf(id) : k_inspected.length);
  const choices = (inspect?.layers ?? []).map(({ id, title, unit }) => ({
    id: `inspect:${id}`,
    title,
    hint: unit && unit !== 'B' ? `${unit}, per chunk` : 'Per chunk',
    key: key(id),
  }));
  if (live && !choices.some((choice) => choice.id === 'inspect:findings')) {
    choices.push({ id: 'inspect:findings', title: 'Findings', hint: 'What orbis verify finds, per chunk', key: key('findings') });
  }
  return choices;
}

/// Why a layer of an address is not shown as it says; empty when it is. `shown` is what is shown instead.
export function missingLayer(wanted: { id: string; y?: number }, choices: Choice[], shown: { id: string; y: number }): string {
  const known = k_known.find(([id]) => id === wanted.id);
  if (!known) return '';
  const [id, title] = known;
  if (!choices.some((choice) => choice.id === id)) return `This map has no layer “${title}”, so you see the surface instead.`;
  if (shown.id !== id || wanted.y === undefined || wanted.y === shown.y) return '';
  return `This map has no ${id === 'slice' ? 'slice' : 'cave view'} at y ${wanted.y}; y ${shown.y} is the nearest.`;
}

/// The id under which tiles are found: `slice` at 64 is `slice@64`.
export const tileLayerOf = (id: string, y: number): string => (id === 'slice' || id === 'cave' ? `${id}@${y}` : id);

/// The existing height that is nearest to a wanted one.
export function nearestHeight(heights: number[] | 'any', wanted: number, range: { min: number; max: number }): number {
  if (heights === 'any') return Math.max(range.min, Math.min(range.max - 1, Math.round(wanted)));
  return heights.reduce((best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best), heights[0] ?? 0);
}

/// The height from which a block at `y` is seen: the lowest that exists at or above it, else the nearest.
export function heightToSee(heights: number[] | 'any', y: number, range: { min: number; max: number }): number {
  const above = heights === 'any' ? [] : heights.filter((each) => each >= y);
  return above.length > 0 ? Math.min(...above) : nearestHeight(heights, y, range);
}

import type { Facts, Place, PlaceKind } from '../data/types';
import { count, plural, words } from '../ui/text';

/// How well a name answers a search: 0 the name itself, then beginnings of the name, of a word, anything inside;
/// −1 when it does not. Case, underscores and spaces do not matter; every word of the text must be there.
export function rank(name: string, text: string): number {
  const plain = fold(name);
  const wanted = fold(text);
  if (wanted === '') return -1;
  if (plain === wanted) return 0;
  if (plain.startsWith(wanted)) return 1;
  const parts = wanted.split(' ');
  if (parts.every((part) => ` ${plain}`.includes(` ${part}`))) return 2;
  return parts.every((part) => plain.includes(part)) ? 3 : -1;
}

const fold = (text: string): string => text.toLowerCase().replace(/[\s_*:.-]+/g, ' ').trim();

export interface Found {
  places: Place[];
  /// How many there are in all, when not all of them are in `places`.
  total: number;
}

/// Searches the facts of an exported map. Places of better names come first; there are at most `limit`.
export function searchFacts(facts: Facts, text: string, kinds: ReadonlySet<PlaceKind>, limit: number): Found {
  const ranks = facts.names.map((name) => rank(name, text));
  const byRank: Place[][] = [[], [], [], []];
  let total = 0;
  const add = (value: number, make: () => Place): void => {
    ++total;
    const list = byRank[value];
    if (list && list.length < limit) list.push(make());
  };

  if (kinds.has('marker')) {
    for (const marker of facts.markers) {
      const value = best(rank(marker.name, text), rank(marker.kind, text));
      if (value >= 0) add(value, () => ({ ...marker, kind: 'marker', name: marker.name || marker.kind, detail: marker.kind }));
    }
  }
  if (kinds.has('item')) addItems(facts, ranks, add);
  if (kinds.has('entity')) {
    const { type, name, x, y, z } = facts.entities;
    for (let i = 0; i < type.length; ++i) {
      const value = best(ranks[type[i] ?? -1] ?? -1, ranks[name[i] ?? -1] ?? -1);
      if (value < 0) continue;
      const own = facts.names[name[i] ?? -1];
      const kind = facts.names[type[i] ?? -1] ?? '';
      add(value, () => ({ kind: 'entity', name: kind, x: x[i] ?? 0, y: y[i] ?? 0, z: z[i] ?? 0, detail: own ?? '' }));
    }
  }
  if (kinds.has('block')) {
    for (const block of facts.blocks) {
      const value = rank(block.key, text);
      if (value < 0) continue;
      for (let i = 0; i + 3 < block.chunks.length; i += 4) add(value, () => blockPlace(block.key, block.chunks.slice(i, i + 4)));
    }
  }
  return { places: byRank.flat().slice(0, limit), total };
}

/// A block in a chunk: the highest of its kind, or the whole chunk where no cell is known.
function blockPlace(name: string, [cx = 0, cz = 0, cells = 0, cell = -1]: number[]): Place {
  const detail = `${count(cells)} in chunk ${cx},${cz}`;
  if (cell < 0) return { kind: 'block', name, x: cx * 32 + 16, y: null, z: cz * 32 + 16, detail };
  return { kind: 'block', name, x: cx * 32 + (cell & 31), y: cell >> 10, z: cz * 32 + ((cell >> 5) & 31), detail };
}

/// A container counts once for each item, however many stacks of it are inside.
function addItems(facts: Facts, ranks: number[], add: (value: number, make: () => Place) => void): void {
  const { block, x, y, z, first, item, count: amount } = facts.containers;
  for (let i = 0; i < block.length; ++i) {
    const [begin, end] = [first[i] ?? 0, first[i + 1] ?? 0];
    for (let at = begin; at < end; ++at) {
      const id = item[at] ?? -1;
      const value = ranks[id] ?? -1;
      if (value < 0 || item.indexOf(id, begin) < at) continue;
      add(value, () => {
        let sum = 0;
        for (let other = at; other < end; ++other) if (item[other] === id) sum += amount[other] ?? 0;
        const detail = `${count(sum)} in ${words(facts.names[block[i] ?? -1] ?? 'a container')}`;
        return { kind: 'item', name: facts.names[id] ?? '', x: x[i] ?? 0, y: y[i] ?? 0, z: z[i] ?? 0, detail };
      });
    }
  }
}

function best(a: number, b: number): number {
  if (a < 0) return b;
  return b < 0 ? a : Math.min(a, b);
}

/// How many places there are, and whether only the first are in the list.
export function found({ places, total, more }: { places: Place[]; total: number; more: boolean }): string {
  if (!more) return `${plural(total, 'result')}.`;
  if (total > places.length) return `The first ${count(places.length)} of ${plural(total, 'result')}.`;
  return `The first ${plural(places.length, 'result')}; there are more.`;
}

export interface Group {
  kind: PlaceKind;
  name: string;
  places: Place[];
}

/// Places of the same thing together, in the order of their first; inside a group the nearest to `from` first.
export function group(places: Place[], from: [number, number]): Group[] {
  const groups = new Map<string, Group>();
  for (const place of places) {
    const key = `${place.kind} ${place.name}`;
    const known = groups.get(key);
    if (known) known.places.push(place);
    else groups.set(key, { kind: place.kind, name: place.name, places: [place] });
  }
  const distance = (place: Place): number => (place.x - from[0]) ** 2 + (place.z - from[1]) ** 2;
  for (const each of groups.values()) each.places.sort((a, b) => distance(a) - distance(b));
  return [...groups.values()];
}

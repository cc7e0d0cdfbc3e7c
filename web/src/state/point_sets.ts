import type { Facts, Marker, Place } from '../data/types';
import type { PointSet } from '../map/points';
import { k_colours, type Look } from '../map/sprites';
import { words } from '../ui/text';

/// What of the facts is drawn on the map.
export interface Shown {
  markers: boolean;
  players: boolean;
  warps: boolean;
  beds: boolean;
  containers: boolean;
  entities: boolean;
  grid: boolean;
}

const k_marker_groups: Record<string, keyof Shown> = { player: 'players', death: 'players', warp: 'warps', respawn: 'beds' };
const k_marker_titles: Record<string, string> = { spawn: 'Spawn', player: 'Player', warp: 'Warp', respawn: 'Respawn point', death: 'Death' };
// Where markers stand close together, the first of these is seen.
const k_order = ['spawn', 'player', 'marker', 'warp', 'death', 'respawn'];

export const titleOf = (marker: Marker): string => marker.name || (Object.hasOwn(k_marker_titles, marker.kind) && k_marker_titles[marker.kind]) || 'Marker';

// Kinds come from files: `constructor` is none of ours.
export const lookOf = (kind: string | undefined): Look => (kind && Object.hasOwn(k_colours, kind) ? (kind as Look) : 'marker');
export const groupOf = (kind: string): keyof Shown => (Object.hasOwn(k_marker_groups, kind) && k_marker_groups[kind]) || 'markers';

const k_nothing: { x: number[]; z: number[] } = { x: [], z: [] };
const k_middles = new WeakMap<number[], number[]>();

/// Blocks are drawn at their middle. The same array gives the same array, so that nothing is gathered twice.
function middle(values: number[]): number[] {
  const known = k_middles.get(values) ?? values.map((value) => value + 0.5);
  k_middles.set(values, known);
  return known;
}

/// The points of a world. A set that is not shown is empty.
export function pointSets(facts: Facts | null, all: Marker[], shown: Shown): PointSet[] {
  const names = facts?.names ?? [];
  const { containers, entities } = facts ?? {};
  const markers = all
    .filter((marker) => shown[groupOf(marker.kind)])
    .sort((a, b) => k_order.indexOf(a.kind) - k_order.indexOf(b.kind));
  return [
    {
      name: 'entities',
      ...(shown.entities && entities ? { x: entities.x, z: entities.z } : k_nothing),
      look: () => 'entity',
      style: 'badge',
      cell: 60,
      rank: 1,
      aside: 10,
      label: (i) => names[entities?.name[i] ?? -1] ?? words(names[entities?.type[i] ?? -1] ?? 'entity'),
    },
    {
      name: 'containers',
      ...(shown.containers && containers ? { x: middle(containers.x), z: middle(containers.z) } : k_nothing),
      look: () => 'container',
      style: 'badge',
      cell: 60,
      rank: 2,
      aside: -10,
      label: (i) => words(names[containers?.block[i] ?? -1] ?? 'container'),
    },
    {
      name: 'markers',
      x: markers.map((marker) => marker.x),
      z: markers.map((marker) => marker.z),
      look: (i) => lookOf(markers[i]?.kind),
      style: 'pin',
      cell: 18,
      named: true,
      rank: 3,
      label: (i) => (markers[i] ? titleOf(markers[i]) : ''),
    },
  ];
}

/// Whether a result is a point: a block in a chunk of which only the chunk is known is none.
export const isPoint = (place: Place): boolean => place.y !== null || (place.kind === 'place' && place.side === undefined);

/// The results of a search that have a place, above everything else; whole chunks are drawn as such.
export function foundSet(all: Place[]): PointSet {
  const places = all.filter(isPoint);
  const shift = (place: Place): number => (place.kind === 'item' || place.kind === 'block' || place.kind === 'place' ? 0.5 : 0); // the middle of a block
  return {
    name: 'found',
    x: places.map((place) => place.x + shift(place)),
    z: places.map((place) => place.z + shift(place)),
    look: () => 'found',
    style: 'pin',
    cell: 30,
    rank: 4,
    label: (i) => {
      const { name = '', detail = '' } = places[i] ?? {};
      return `${words(name)}${detail ? ` · ${detail}` : ''}`;
    },
  };
}

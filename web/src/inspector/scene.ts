import type { WorldIndex } from '../data/types';
import type { PointSet } from '../map/points';
import type { SceneInfo } from './api';

/// What a player sees, as a world of the map: one level of tiles, nothing but the surface.
export function indexOf(scene: SceneInfo): WorldIndex {
  return {
    format: 1,
    name: `Player ${scene.player}`,
    generation: scene.version,
    bounds: scene.bounds,
    chunks: scene.chunks,
    levels: 1,
    spawn: null,
    height: { min: 0, max: 319 },
    layers: { surface: { title: 'Surface', kind: 'tiles', tiles: {} } },
    inspect: null,
    facts: null,
    legend: { blocks: [], environments: [], height: [] },
  };
}

/// Entities, and the player above them.
export function pointsOf(scene: SceneInfo): PointSet[] {
  const entities: PointSet = {
    name: 'entities',
    x: scene.entities.map((entity) => entity[2]),
    z: scene.entities.map((entity) => entity[4]),
    look: () => 'entity',
    style: 'badge',
    cell: 28,
    rank: 1,
    label: (index) => scene.entities[index]?.[1] || `Entity ${scene.entities[index]?.[0]}`,
  };
  const place = scene.place;
  const player: PointSet = {
    name: 'player',
    x: place ? [place[0]] : [],
    z: place ? [place[2]] : [],
    look: () => 'player',
    style: 'pin',
    cell: 28,
    rank: 2,
    label: () => `Player ${scene.player}`,
  };
  return [entities, player];
}

import type { Facts, Marker, Place } from '../data/types';
import type { Look } from '../map/sprites';
import { words } from '../ui/text';
import { groupOf, isPoint, lookOf, type Shown, titleOf } from './point_sets';

/// Something with a name at a place of the world, above the ground.
export interface SpacePoint {
  x: number;
  y: number;
  z: number;
  look: Look;
  style: 'badge' | 'pin';
  label: string;
  /// Whether its name is written beside it.
  named: boolean;
}

/// Farther away, only markers and results of a search are shown: there may be a hundred thousand of the others.
const k_near = 320;
const k_most = 600;

/// What is shown around a place, as on the flat map.
export function spacePoints(facts: Facts | null, markers: Marker[], shown: Shown, found: Place[], x: number, z: number): SpacePoint[] {
  const out: SpacePoint[] = [];
  const names = facts?.names ?? [];
  const gather = (many: { x: number[]; y: number[]; z: number[] }, look: Look, shift: number, label: (i: number) => string): void => {
    for (let i = 0; i < many.x.length && out.length < k_most; ++i) {
      const [px, py, pz] = [many.x[i]! + shift, many.y[i]! + 0.5, many.z[i]! + shift];
      if (Math.abs(px - x) < k_near && Math.abs(pz - z) < k_near) out.push({ x: px, y: py, z: pz, look, style: 'badge', label: label(i), named: false });
    }
  };
  if (facts && shown.entities) {
    const { entities } = facts;
    gather(entities, 'entity', 0, (i) => names[entities.name[i] ?? -1] ?? words(names[entities.type[i] ?? -1] ?? 'entity'));
  }
  if (facts && shown.containers) {
    const { containers } = facts;
    gather(containers, 'container', 0.5, (i) => words(names[containers.block[i] ?? -1] ?? 'container'));
  }
  for (const marker of markers) {
    if (!shown[groupOf(marker.kind)]) continue;
    out.push({ x: marker.x, y: marker.y, z: marker.z, look: lookOf(marker.kind), style: 'pin', label: titleOf(marker), named: true });
  }
  for (const place of found.filter(isPoint)) {
    if (place.y === null) continue;
    out.push({ x: place.x + 0.5, y: place.y + 1, z: place.z + 0.5, look: 'found', style: 'pin', label: words(place.name), named: false });
  }
  return out;
}

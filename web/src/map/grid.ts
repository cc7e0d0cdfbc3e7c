/// The plane of the map. A coordinate of the map library is (x, −z) in blocks, because its second axis points up
/// and north (−z) is up.

export const k_tile = 512;
export const k_chunk = 32;
export const k_region = 1024;
export const k_nearest = 5; // 32 screen pixels for a block

export type Extent = [number, number, number, number];
export interface Bounds {
  min: [number, number];
  max: [number, number];
}

/// Screen pixels per block and back; zoom 0 is one to one.
export const resolutionOf = (zoom: number): number => 2 ** -zoom;
export const zoomOf = (resolution: number): number => -Math.log2(resolution);

/// Blocks per pixel of each level, coarsest first, as the map library counts levels (z).
export const resolutionsOf = (levels: number): number[] =>
  Array.from({ length: Math.max(1, levels) }, (_, z) => 2 ** (Math.max(1, levels) - 1 - z));

export const levelOf = (levels: number, z: number): number => Math.max(1, levels) - 1 - z;

export const extentOf = (bounds: Bounds): Extent => [bounds.min[0], -bounds.max[1], bounds.max[0], -bounds.min[1]];

/// The block under a coordinate of the map library.
export const blockAt = (coordinate: readonly number[]): [number, number] => [
  Math.floor(coordinate[0] ?? 0),
  Math.floor(-(coordinate[1] ?? 0)) + 0, // no −0
];

export const chunkOf = (block: number): number => Math.floor(block / k_chunk);
export const regionOf = (block: number): number => Math.floor(block / k_region);

/// The farthest zoom that is of use: the whole world with some air around it. It is a whole number, because the map
/// library puts the nearest zoom a whole number of steps from the farthest.
export function farthestZoom(bounds: Bounds, width: number, height: number): number {
  const need = Math.max((bounds.max[0] - bounds.min[0]) / width, (bounds.max[1] - bounds.min[1]) / height, 1);
  return Math.floor(zoomOf(need * 1.5));
}

/// A round number of blocks whose bar is at most `widest` screen pixels long.
export function scaleBar(resolution: number, widest: number): { blocks: number; pixels: number } {
  const most = widest * resolution;
  const power = 10 ** Math.floor(Math.log10(most));
  const blocks = Math.max(1, [5, 2, 1].map((step) => step * power).find((value) => value <= most) ?? power);
  return { blocks, pixels: blocks / resolution };
}

import type { Facts, Inspect, WorldIndex } from '../src/data/types.ts';

/// A made landscape, the same in every run: what the page is tried on without the renderer.
export const k_bounds = { min: [-512, -512] as [number, number], max: [1024, 512] as [number, number] };
export const k_levels = 2;

const hash = (x: number, z: number, seed: number): number => {
  let value = Math.imul(x, 374761393) ^ Math.imul(z, 668265263) ^ Math.imul(seed, 1274126177);
  value = Math.imul(value ^ (value >>> 13), 1103515245);
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 32;
};

function noise(x: number, z: number, size: number, seed: number): number {
  const [cx, cz] = [Math.floor(x / size), Math.floor(z / size)];
  const smooth = (value: number): number => value * value * (3 - 2 * value);
  const [fx, fz] = [smooth(x / size - cx), smooth(z / size - cz)];
  const top = hash(cx, cz, seed) * (1 - fx) + hash(cx + 1, cz, seed) * fx;
  const low = hash(cx, cz + 1, seed) * (1 - fx) + hash(cx + 1, cz + 1, seed) * fx;
  return top * (1 - fz) + low * fz;
}

export const heightAt = (x: number, z: number): number =>
  Math.round(40 + 60 * noise(x, z, 220, 1) + 22 * noise(x, z, 60, 2) + 6 * noise(x, z, 14, 3));

/// A chunk that is there and cannot be read.
export const k_broken: [number, number] = [25, 3];

/// Whether there is a chunk: the edge of the world is ragged.
export const exists = (cx: number, cz: number): boolean =>
  !(cx === k_broken[0] && cz === k_broken[1]) &&
  cx * 32 >= k_bounds.min[0] && cx * 32 < k_bounds.max[0] && cz * 32 >= k_bounds.min[1] && cz * 32 < k_bounds.max[1] &&
  (Math.abs(cx - 8) < 16 || Math.abs(cz) < 10 || hash(cx, cz, 9) > 0.4);

type Pixel = [number, number, number, number];

export function pixelOf(layer: string, x: number, z: number): Pixel {
  if (!exists(Math.floor(x / 32), Math.floor(z / 32))) return [0, 0, 0, 0];
  const height = heightAt(x, z);
  if (layer === 'height') return [height, height * 1.2, 90 + height / 2, 255].map(Math.round) as Pixel;
  if (layer === 'light') return [height * 2, height * 2, height * 1.8, 255].map((value) => Math.min(255, Math.round(value))) as Pixel;
  if (layer === 'environment') return noise(x, z, 300, 5) > 0.5 ? [106, 168, 79, 255] : [217, 164, 65, 255];
  const at = /^(slice|cave)@(\d+)$/.exec(layer);
  if (at) {
    const y = Number(at[2]);
    if (y > height) return [0, 0, 0, 0];
    const grey = 90 + ((y * 7 + Math.floor(60 * noise(x, z, 9, y))) % 90);
    return at[1] === 'cave' && noise(x, z, 26, y) < 0.6 ? [20, 18, 16, 255] : [grey, grey - 6, grey - 14, 255];
  }
  const shade = Math.max(0.55, Math.min(1.2, 0.9 + (heightAt(x + 1, z + 1) - heightAt(x - 1, z - 1)) * -0.06));
  const grain = 0.94 + 0.12 * hash(x, z, 4);
  const colour = height < 68 ? [58 + height / 3, 112 + height / 3, 176] : height < 71 ? [214, 196, 140] : height < 104 ? [104, 150, 62] : [128, 126, 122];
  return [...colour.map((value) => Math.max(0, Math.min(255, Math.round(value * (height < 68 ? 1 : shade * grain))))), 255] as Pixel;
}

export function tile(layer: string, level: number, tx: number, tz: number): Uint8Array | null {
  const step = 2 ** level;
  const out = new Uint8Array(512 * 512 * 4);
  let any = false;
  for (let z = 0; z < 512; ++z) {
    for (let x = 0; x < 512; ++x) {
      const pixel = pixelOf(layer, (tx * 512 + x) * step, (tz * 512 + z) * step);
      if (pixel[3] === 0) continue;
      any = true;
      out.set(pixel, (z * 512 + x) * 4);
    }
  }
  return any ? out : null;
}

export function tilesOf(level: number): [number, number][] {
  const side = 512 * 2 ** level;
  const out: [number, number][] = [];
  for (let z = Math.floor(k_bounds.min[1] / side); z * side < k_bounds.max[1]; ++z) {
    for (let x = Math.floor(k_bounds.min[0] / side); x * side < k_bounds.max[0]; ++x) out.push([x, z]);
  }
  return out;
}

/// Facts with this many containers and entities.
export function facts(many: number): Facts {
  const names = ['Furniture_Village_Chest_Small', 'Furniture_Crude_Barrel', 'Ingredient_Bar_Gold', 'Ingredient_Bar_Iron', 'Plant_Crop_Potato_Item', 'Potion_Health', 'Kweebec_Sapling', 'Trork_Warrior', 'Skeleton_Archer', 'Farmer Pell', 'Weapon_Sword_Iron'];
  const containers: Facts['containers'] = { block: [], x: [], y: [], z: [], first: [0], item: [], count: [] };
  const entities: Facts['entities'] = { type: [], name: [], x: [], y: [], z: [] };
  const [width, depth] = [k_bounds.max[0] - k_bounds.min[0], k_bounds.max[1] - k_bounds.min[1]];
  const spot = (i: number, seed: number): [number, number] => {
    // Half of them around some villages, as people build.
    const [a, b] = [hash(i, 1, seed), hash(i, 2, seed)];
    if (i % 2 === 0) return [k_bounds.min[0] + a * width, k_bounds.min[1] + b * depth];
    const village = i % 7;
    return [hash(village, 3, seed) * 1100 - 300 + (a + b - 1) * 160, hash(village, 4, seed) * 700 - 350 + (b - a) * 160];
  };
  for (let i = 0; i < many; ++i) {
    const [x, z] = i === 0 ? [12, -20] : spot(i, 11).map(Math.floor) as [number, number];
    containers.block.push(i % 2);
    containers.x.push(x);
    containers.y.push(heightAt(x, z) + 1);
    containers.z.push(z);
    const stacks = i === 0 ? [[2, 3], [5, 2], [10, 1]] : [[3 + (i % 2), 1 + (i % 60)], [4, 1 + (i % 9)]];
    for (const [item = 0, count = 0] of stacks) {
      containers.item.push(item);
      containers.count.push(count);
    }
    containers.first.push(containers.item.length);
    const [ex, ez] = spot(i, 12);
    entities.type.push(6 + (i % 3));
    entities.name.push(i % 500 === 0 ? 9 : -1);
    entities.x.push(Number(ex.toFixed(2)));
    entities.y.push(heightAt(Math.floor(ex), Math.floor(ez)) + 1);
    entities.z.push(Number(ez.toFixed(2)));
  }
  return {
    names,
    markers: [
      { kind: 'spawn', name: 'Spawn', x: 0.5, y: heightAt(0, 0) + 1, z: 0.5 },
      { kind: 'player', name: 'Maris', x: 88.3, y: 90, z: -130.7 },
      { kind: 'warp', name: 'harbour', x: -310.5, y: 72, z: 240.5 },
      { kind: 'marker', name: 'Old mine', x: 420, y: 84, z: -222 },
      { kind: 'marker', name: 'Watch tower', x: -420, y: 101, z: -388 },
      { kind: 'respawn', name: 'Bed of Maris', x: 130, y: 80, z: 60 },
    ],
    containers,
    entities,
    blocks: [
      { key: 'Soil_Grass', cells: 812334, chunks: [0, 0, 700, -1, 0, 1, 650, -1, -3, 4, 12, -1], all: false },
      { key: 'Ore_Gold_Stone', cells: 57, chunks: [13, -7, 31, 30 * 1024 + 4 * 32 + 9, -9, 2, 26, 0], all: true },
      { key: 'Mod_Glowing_Thing', cells: 4, chunks: [2, 2, 4, -1], all: true },
    ],
  };
}

export function inspect(): Inspect {
  const out: Inspect = {
    layers: [
      { id: 'bytes', title: 'Stored bytes', unit: 'B' },
      { id: 'entities', title: 'Entities' },
      { id: 'unknown', title: 'Unknown blocks' },
      { id: 'version', title: 'Data version' },
    ],
    x: [],
    z: [],
    values: { bytes: [], entities: [], unknown: [], version: [] },
    unreadable: { x: [k_broken[0]], z: [k_broken[1]], message: ['the frame is broken'] },
  };
  for (let cz = k_bounds.min[1] / 32; cz < k_bounds.max[1] / 32; ++cz) {
    for (let cx = k_bounds.min[0] / 32; cx < k_bounds.max[0] / 32; ++cx) {
      if (!exists(cx, cz)) continue;
      out.x.push(cx);
      out.z.push(cz);
      out.values['bytes']?.push(Math.round(3000 + 42000 * noise(cx, cz, 9, 21) ** 3));
      out.values['entities']?.push(Math.floor(Math.max(0, noise(cx, cz, 5, 22) * 12 - 5)));
      out.values['unknown']?.push(cx === 2 && cz === 2 ? 4 : 0);
      out.values['version']?.push(noise(cx, cz, 20, 23) > 0.5 ? 11 : 10);
    }
  }
  return out;
}

/// The same after a check: damage in one chunk, notes in another, and one thing that concerns no chunk.
export function checked(): Inspect {
  const out = inspect();
  const value = (cx: number, cz: number, ...values: [number, number]): number[] =>
    out.x.map((x, i) => (x === cx && out.z[i] === cz ? values[0] : x === cx + 1 && out.z[i] === cz ? values[1] : 0));
  out.layers.push({ id: 'findings', title: 'Findings' });
  out.values['findings'] = value(1, 3, 1, 4);
  out.values['severity'] = value(1, 3, 3, 1);
  out.findings = [
    { code: 'config.missing', severity: 'wrong', message: 'the world has no config.json', file: 'config.json', help: 'orbis repair WORLD --from BACKUP' },
    { code: 'component.unreadable', severity: 'damage', message: 'a component is damaged', file: '0.0.region.bin', chunk: [1, 3] },
    { code: 'light.stale', severity: 'note', message: 'light is stale', file: '0.0.region.bin', chunk: [2, 3], count: 4 },
  ];
  out.left_out = 0;
  return out;
}

/// The index without tiles and file names, which whoever writes them fills in.
export function index(name: string): WorldIndex {
  return {
    format: 1,
    name,
    generation: 1,
    bounds: k_bounds,
    chunks: inspect().x.length,
    levels: k_levels,
    spawn: [0.5, heightAt(0, 0) + 1, 0.5],
    height: { min: 0, max: 320 },
    layers: {},
    inspect: null,
    facts: null,
    legend: {
      blocks: [
        { key: 'Soil_Grass', colour: '#68963e', cells: 2812334 },
        { key: 'Soil_Sand', colour: '#d6c48c', cells: 120332 },
        { key: 'Rock_Stone', colour: '#807e7a', cells: 98222 },
        { key: 'Mod_Glowing_Thing', colour: '#b04ac0', cells: 4, guessed: true },
      ],
      fluids: [{ key: 'Water_Source', cells: 733120, colours: ['#4a80b0', '#3a90a0'] }],
      environments: [
        { key: 'Env_Zone1_Forests', colour: '#6aa84f' },
        { key: 'Env_Zone1_Plains', colour: '#d9a441' },
      ],
      height: [
        { value: 0, colour: '#0b3d5c' },
        { value: 64, colour: '#2d6a4f' },
        { value: 120, colour: '#d8c68b' },
        { value: 320, colour: '#ffffff' },
      ],
    },
  };
}

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { WorldStatus } from '../src/data/types.ts';
import { rank } from '../src/search/search.ts';
import * as made from './made_world.ts';
import { png } from './png.ts';

const k_types: Record<string, string> = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', png: 'image/png' };

export interface Mock {
  address: string;
  /// How often a tile was asked for, by `layer/level/x.z`.
  asked: Map<string, number>;
  /// Changes a block so that its tiles look different, and tells the pages.
  edit(x: number, z: number): void;
  send(event: string, data: unknown): void;
  /// Whether another listener is refused.
  full: boolean;
  /// Whether streams are cut off soon after they begin.
  cutting: boolean;
  /// What is told of worlds and progress to everybody who begins to listen.
  worlds: WorldStatus[] | null;
  progress: unknown;
  /// Why no world is handed over.
  refused: { message: string; advice: string } | null;
  /// The meshes of chunks by `X.Z`; `broken` for one that cannot be read, `late` for one that is never answered.
  meshes: Map<string, Uint8Array | 'broken' | 'late'>;
  /// Which meshes were asked for, with what is cut off, and which of them nobody waited for.
  askedMeshes: string[];
  cancelled: string[];
  /// How many searches find the world half read, the first of them nothing at all.
  reading: number;
  stop(): Promise<void>;
}

/// Answers as `orbis up` does, from the made world.
export async function mockServer(folder: string, port = 0): Promise<Mock> {
  const asked = new Map<string, number>();
  const edits = new Set<string>();
  const drawn = new Map<string, Uint8Array | null>(); // by tag
  const listeners = new Set<ServerResponse>();
  const facts = made.facts(200);

  /// As docs/formats/mesh.md says it.
  const mesh = (response: ServerResponse, name: string, query: string, known: string | undefined): void => {
    mock.askedMeshes.push(name + query);
    const file = mock.meshes.get(name);
    if (file === 'late') return void response.on('close', () => mock.cancelled.push(name));
    if (file === 'broken') return json(response, { unreadable: { error: 'damaged', message: 'the frame of this chunk is broken', advice: '' } });
    if (!file) return void response.writeHead(204).end();
    const tag = `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`;
    if (known === tag) return void response.writeHead(304, { ETag: tag }).end();
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-cache', ETag: tag }).end(file);
  };

  const json = (response: ServerResponse, value: unknown, status = 200): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(value));
  };

  const tile = (response: ServerResponse, layer: string, level: number, name: string, counts: boolean): void => {
    const key = `${layer}/${level}/${name}`;
    if (counts) asked.set(key, (asked.get(key) ?? 0) + 1);
    const [x = 0, z = 0] = name.split('.').map(Number);
    const step = 2 ** level;
    const places = [...edits].map((edit) => edit.split(',').map(Number)).map(([ex = 0, ez = 0]) => [Math.floor((ex - x * 512 * step) / step), Math.floor((ez - z * 512 * step) / step)] as const);
    const mine = places.filter(([px, pz]) => px >= 0 && pz >= 0 && px < 512 && pz < 512);
    const tag = `"${key} ${mine.length}"`;
    if (!drawn.has(tag)) {
      const pixels = made.tile(layer, level, x, z);
      for (const [px, pz] of pixels ? mine : []) {
        for (let i = 0; i < 32; ++i) for (let j = 0; j < 32; ++j) if (px + i < 512 && pz + j < 512) pixels?.set([230, 20, 20, 255], ((pz + j) * 512 + px + i) * 4);
      }
      drawn.set(tag, pixels && png(512, 512, pixels));
    }
    const picture = drawn.get(tag);
    if (!picture) return void response.writeHead(204).end();
    response.writeHead(200, { 'Content-Type': 'image/png', 'Cache-Control': 'no-cache', ETag: tag }).end(picture);
  };

  const block = (x: number, y: number, z: number): unknown => {
    const height = made.heightAt(x, z);
    const chest = facts.containers.x[0] === x && facts.containers.z[0] === z && facts.containers.y[0] === y;
    const items = { '0': { Id: 'Ingredient_Bar_Gold', Quantity: 3, Durability: 0, MaxDurability: 0 }, '4': { Id: 'Potion_Health', Quantity: 2, Durability: 0, MaxDurability: 0 }, '5': { Id: 'Weapon_Sword_Iron', Quantity: 1, Durability: 60, MaxDurability: 80 } };
    return {
      x, y, z,
      block: chest ? 'Furniture_Village_Chest_Small' : y > height ? 'Empty' : 'Soil_Grass',
      known: true, draw_type: chest ? 'Model' : 'Cube', material: 'Solid', opacity: 'Solid',
      rotation: { index: chest ? 2 : 0, yaw: chest ? 180 : 0, pitch: 0, roll: 0 },
      fluid: 'Empty', fluid_level: 0, support: 0, ticks: false,
      light: { red: 0, green: 0, blue: 0, sky: 15 }, local_light: { red: 0, green: 0, blue: 0, sky: 15 }, light_valid: true,
      environment: 'Env_Zone1_Plains', tint: '#74a838', height,
      components: chest ? { ItemContainerBlock: { ItemContainer: { Capacity: 18, Items: items }, Capacity: 18 } } : {},
    };
  };

  const search = (text: string, kinds: string[], limit: number): unknown => {
    const results: unknown[] = [];
    if (kinds.includes('marker')) for (const marker of facts.markers) if (rank(marker.name, text) >= 0) results.push({ ...marker, kind: 'marker', detail: marker.kind });
    const { containers, names } = facts;
    if (kinds.includes('item')) {
      for (let i = 0; i < containers.x.length; ++i) {
        for (let at = containers.first[i]!; at < containers.first[i + 1]!; ++at) {
          const name = names[containers.item[at]!]!;
          if (rank(name, text) >= 0) results.push({ kind: 'item', name, x: containers.x[i], y: containers.y[i], z: containers.z[i], detail: `${containers.count[at]} in a chest` });
        }
      }
    }
    return { results: results.slice(0, limit), more: results.length > limit };
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
    if (parts[0] === 'api') {
      const [, what, world, a = '', b = '', c = ''] = parts;
      if (what === 'events' && mock.full) json(response, { error: 'busy', message: '64 pages listen already', advice: 'close some' }, 503);
      else if (what === 'search' && mock.reading > 0) {
        if (mock.reading-- > 1) json(response, { error: 'busy', message: 'the chunks are still being read', advice: 'try again in a moment' }, 503);
        else json(response, { results: [], more: false, complete: false });
      } else if (what === 'events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
        response.write(': hello\n\n');
        if (mock.worlds) response.write(`event: worlds\ndata: ${JSON.stringify({ worlds: mock.worlds })}\n\n`);
        if (mock.progress) response.write(`event: progress\ndata: ${JSON.stringify(mock.progress)}\n\n`);
        if (mock.cutting) setTimeout(() => response.destroy(), 100);
        listeners.add(response);
        response.on('close', () => listeners.delete(response));
      } else if (what === 'mesh') mesh(response, a, url.search, request.headers['if-none-match']);
      else if (what === 'tile') tile(response, a, Number(b), c, request.method === 'GET');
      else if (what === 'column') {
        const [x, z] = [Number(a), Number(b)];
        const chunk = [Math.floor(x / 32), Math.floor(z / 32)] as const;
        const there = made.exists(...chunk);
        const most = Number(/@(\d+)$/.exec(url.searchParams.get('layer') ?? '')?.[1] ?? 319);
        const unreadable = chunk.join() === made.k_broken.join() ? { error: 'damaged', message: 'the frame of this chunk is broken', advice: 'orbis repair WORLD --from BACKUP' } : null;
        json(response, { x, z, chunk, unreadable, height: there ? Math.min(most, made.heightAt(x, z)) : null, exists: there || unreadable !== null });
      } else if (what === 'block' && Number(b) > 319) json(response, { error: 'usage', message: 'expected y from 0 to 319', advice: 'choose another height' }, 400);
      else if (what === 'block') json(response, block(Number(a), Number(b), Number(c)));
      else if (what === 'search') json(response, search(url.searchParams.get('q') ?? '', (url.searchParams.get('kind') ?? '').split(','), Number(url.searchParams.get('limit') ?? 100)));
      else if (what === 'worlds') json(response, { worlds: mock.worlds ?? [] });
      else if (what === 'findings') json(response, { state: 'done', checked: 100, chunks: 100, findings: [{ code: 'light.stale', severity: 'note', world, file: '0.0.region.bin', chunk: [2, 3], count: 4, message: 'light is stale' }, { code: 'component.bytes', severity: 'damage', world, file: '0.0.region.bin', chunk: [1, 3], message: 'a component is damaged' }, { code: 'config.missing', severity: 'wrong', world, file: 'config.json', message: 'the world has no config.json', help: 'orbis repair PATH --from BACKUP' }] });
      else json(response, { error: 'not_found', message: 'no such address', advice: '' }, 404);
      return;
    }
    if (mock.refused && parts.at(-1) === 'world.js') return json(response, { error: 'busy', ...mock.refused }, 503);
    const path = normalize(join(folder, parts.length === 1 && parts[0] === '' ? 'index.html' : parts.join('/')));
    try {
      if (!path.startsWith(folder) || !statSync(path).isFile()) throw new Error('no');
      response.writeHead(200, { 'Content-Type': k_types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream', 'Cache-Control': 'no-cache' }).end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  const send = (event: string, data: unknown): void => {
    for (const listener of listeners) listener.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const mock: Mock = {
    meshes: new Map(),
    askedMeshes: [],
    cancelled: [],
    full: false,
    cutting: false,
    worlds: null,
    progress: null,
    refused: null,
    reading: 0,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    send,
    edit(x, z) {
      edits.add(`${x},${z}`);
      const tiles: Record<string, string[]> = {};
      for (let level = 0; level < made.k_levels; ++level) tiles[level] = [`${Math.floor(x / (512 * 2 ** level))}.${Math.floor(z / (512 * 2 ** level))}`];
      send('tiles', { world: 'default', layers: ['surface'], tiles });
    },
    stop: () =>
      new Promise((resolve) => {
        for (const listener of listeners) listener.end();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return mock;
}

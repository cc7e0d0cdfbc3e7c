import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as made from './made_world.ts';
import { png } from './png.ts';

const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function writeData(folder: string, kind: string, value: unknown): { file: string } {
  const json = JSON.stringify(value);
  const file = hashOf(json);
  write(join(folder, kind, `${file}.js`), `orbis(${JSON.stringify(`${kind}/${file}`)}, ${json});`);
  return { file };
}

/// Writes a map folder as docs/formats/map.md says it, with the built page.
export function makeMap(page: string, out: string, options: { many: number; layers: string[]; live?: boolean; checked?: boolean }): void {
  cpSync(page, out, { recursive: true });
  const worlds = [
    { name: 'default', folder: 'default' },
    { name: 'Tower 100%', folder: 'Tower%20100%25' },
    { name: 'empty', folder: 'empty' },
  ];
  const info = { format: 1, program: 'orbis test', live: options.live ?? false, title: 'Made universe', worlds };
  write(join(out, 'map.js'), `orbis("map", ${JSON.stringify(info)});`);
  for (const { name, folder } of worlds) {
    const path = join(out, 'worlds', folder);
    const index = made.index(name);
    if (name === 'empty') Object.assign(index, { bounds: null, chunks: 0, spawn: null });
    const layers = name === 'default' ? options.layers : name === 'empty' ? [] : ['surface'];
    for (const layer of layers) {
      const tiles: Record<string, Record<string, string>> = {};
      const at = /@(\d+)$/.exec(layer);
      for (let level = 0; level < made.k_levels; ++level) {
        const names: Record<string, string> = (tiles[level] = {});
        for (const [x, z] of name === 'default' ? made.tilesOf(level) : made.tilesOf(level).slice(0, 2)) {
          const pixels = made.tile(layer, level, x, z);
          if (!pixels) continue;
          const bytes = png(512, 512, pixels);
          const hash = hashOf(bytes);
          names[`${x}.${z}`] = hash;
          write(join(path, 'tiles', layer, String(level), `${x}.${z}.${hash}.png`), bytes);
        }
      }
      const title = layer[0]?.toUpperCase() + layer.slice(1).replace('@', ' at ');
      index.layers[layer] = { title, kind: 'tiles', tiles, ...(at ? { height: Number(at[1]) } : {}) };
    }
    if (name === 'default') {
      index.facts = writeData(path, 'facts', made.facts(options.many));
      index.inspect = writeData(path, 'inspect', options.checked ? made.checked() : made.inspect());
    }
    write(join(path, 'world.js'), `orbis(${JSON.stringify(`world/${folder}`)}, ${JSON.stringify(index)});`);
  }
}

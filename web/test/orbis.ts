import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Picture, readPng } from './png.ts';

/// The program under test; ctest names it.
export const k_orbis = resolve(process.env['ORBIS'] ?? '../build/release/bin/orbis');

export const run = (...words: string[]): string => execFileSync(k_orbis, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/// What `orbis map --image` draws: a pixel per block from the least chunk on.
export function picture(world: string, layer: string, file: string): Picture {
  run('map', world, '--layer', layer, '--image', file);
  return readPng(readFileSync(file));
}

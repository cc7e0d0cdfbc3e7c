import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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

export interface Up {
  address: string;
  stop(): Promise<void>;
}

/// Starts `orbis up` on a free port and waits until it says where it is.
export async function up(universe: string, ...options: string[]): Promise<Up> {
  const child: ChildProcess = spawn(k_orbis, ['up', universe, '--http', '127.0.0.1:0', '--game', 'off', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = await new Promise<string>((found, failed) => {
    const hear = (data: Buffer): void => {
      said += data.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (match) found(`${match[0]}/`);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('exit', () => failed(new Error(`orbis up ended: ${said}`)));
  });
  return {
    address,
    stop: () =>
      new Promise((done) => {
        child.on('exit', () => done());
        child.kill('SIGTERM');
      }),
  };
}

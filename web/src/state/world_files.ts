import { load } from '../data/scripts';
import type { Facts, Inspect, WorldIndex } from '../data/types';

/// Where the index of a world is. A server's may change at any time, so it is never taken from a cache.
export function indexAddress(folder: string, live: boolean): string {
  // The name is decoded once by the browser, so its percent signs have to be written as such.
  const address = `worlds/${encodeURIComponent(folder)}/world.js`;
  return live ? `${address}?at=${Date.now()}` : address;
}

export function readIndex(folder: string, live: boolean): Promise<WorldIndex> {
  return load<WorldIndex>(indexAddress(folder, live), `world/${folder}`);
}

/// The files that an index names; null for those that are missing.
export async function readFiles(folder: string, index: WorldIndex): Promise<{ facts: Facts | null; inspect: Inspect | null }> {
  const base = `worlds/${encodeURIComponent(folder)}`;
  const read = async <T>(kind: string, of: { file: string } | null): Promise<T | null> =>
    of?.file ? load<T>(`${base}/${kind}/${of.file}.js`, `${kind}/${of.file}`).catch(() => null) : null;
  const [facts, inspect] = await Promise.all([read<Facts>('facts', index.facts), read<Inspect>('inspect', index.inspect)]);
  return { facts, inspect };
}

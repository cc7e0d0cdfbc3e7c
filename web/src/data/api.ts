import { sentence } from '../ui/text';
import type { Cut } from '../viewer/types';
import type { BlockAnswer, Column, Findings, Place, PlaceKind, WorldStatus } from './types';

/// An answer of the server that is not what was asked for, in words for people.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

const k_restart_up = 'Start it again with orbis up; this page then reconnects by itself.';

export async function get<T>(address: string, signal?: AbortSignal, restart = k_restart_up): Promise<T> {
  return (await (await ask(address, signal, restart)).json()) as T;
}

async function ask(address: string, signal?: AbortSignal, restart = k_restart_up): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { signal: signal ?? null });
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new ApiError(0, 'The server does not answer.', restart);
  }
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as { message?: string; advice?: string };
  const message = sentence(said.message ?? `The server answered with ${answer.status}`);
  throw new ApiError(answer.status, message, sentence(said.advice ?? ''));
}

const part = encodeURIComponent;

/// Why the server does not hand over a file: a script that fails does not say. Null when it does hand it over.
export async function refusal(address: string): Promise<ApiError | null> {
  try {
    await ask(address);
    return null;
  } catch (problem) {
    return problem instanceof ApiError ? problem : new ApiError(0, String(problem), '');
  }
}

/// A coordinate as the server takes it.
const whole = (value: number): number => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(value)));

export const api = {
  column: (world: string, x: number, z: number, layer: string, signal?: AbortSignal) =>
    get<Column>(`api/column/${part(world)}/${x}/${z}?layer=${part(layer)}`, signal),
  block: (world: string, x: number, y: number, z: number, signal?: AbortSignal) =>
    get<BlockAnswer>(`api/block/${part(world)}/${x}/${y}/${z}`, signal),
  /// Of equal names the nearest to `from` come first.
  search: (world: string, text: string, kinds: PlaceKind[], limit: number, from: [number, number], signal?: AbortSignal) =>
    get<{ results: Place[]; more: boolean; complete?: boolean }>(
      `api/search/${part(world)}?q=${part(text)}&kind=${kinds.join(',')}&limit=${limit}&near=${from.map(whole).join(',')}`,
      signal,
    ),
  worlds: () => get<{ worlds: WorldStatus[] }>('api/worlds'),
  findings: (world: string, signal?: AbortSignal) => get<Findings>(`api/findings/${part(world)}`, signal),
};

export const tileAddress = (world: string, layer: string, level: number, x: number, z: number): string =>
  `api/tile/${part(world)}/${layer}/${level}/${x}.${z}`;

/// The mesh of a chunk without what is cut off.
export function meshAddress(world: string, cx: number, cz: number, { min, max }: Cut): string {
  const address = `api/mesh/${part(world)}/${cx}.${cz}`;
  if ([...min, ...max].every((value) => value === null)) return address;
  const box = [...min.map((value) => value ?? -(2 ** 31)), ...max.map((value) => value ?? 2 ** 31 - 1)];
  return `${address}?box=${box.map(whole).join(',')}`;
}

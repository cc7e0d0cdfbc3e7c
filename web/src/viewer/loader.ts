import { type MeshData, MeshError, readMesh } from './mesh_data';

/// What is known of a chunk.
export type Loaded = { kind: 'mesh'; data: MeshData; tag: string } | { kind: 'absent' } | { kind: 'unreadable' };

export interface LoaderHost {
  address(cx: number, cz: number): string;
  exists(cx: number, cz: number): boolean;
  /// A chunk has come, or comes again.
  arrived(cx: number, cz: number, loaded: Loaded): void;
  /// A chunk is too far away now.
  left(cx: number, cz: number): void;
}

/// As far as chunks are loaded, and from where on they are let go again.
export const k_reach = 16;
export const k_keep = 18;
/// At once: a browser has six connections to a server, and the map wants some of them.
const k_at_once = 4;
const k_again_ms = 1000;
/// Pauses grow up to this many times as long: a server that is gone is not asked for each chunk every second.
const k_longest_pauses = 32;

export const keyOf = (cx: number, cz: number): string => `${cx}.${cz}`;

interface Entry {
  cx: number;
  cz: number;
  /// `stale` is shown, and asked for again.
  state: 'waiting' | 'loading' | 'there' | 'stale';
  tag: string;
  shown: boolean;
  abort: AbortController | null;
  /// It has just failed, and is asked for again a moment later.
  resting: boolean;
  /// How often it failed since it came last: each time the moment is twice as long.
  failures: number;
}

/// Decides which chunks around a place are asked for, the nearest first. What is no longer wanted is cancelled: the
/// server then does not make it.
export class Loader {
  readonly #entries = new Map<string, Entry>();
  readonly #host: LoaderHost;
  #middle: [number, number] = [0, 0];
  #loading = 0;
  #closed = false;

  constructor(host: LoaderHost) {
    this.#host = host;
  }

  /// Around this chunk.
  look(cx: number, cz: number): void {
    this.#middle = [cx, cz];
    for (const [key, entry] of this.#entries) {
      if (this.#far(entry) <= k_keep) continue;
      entry.abort?.abort();
      this.#entries.delete(key);
      if (entry.shown) this.#host.left(entry.cx, entry.cz);
    }
    for (let dz = -k_reach; dz <= k_reach; ++dz) {
      for (let dx = -k_reach; dx <= k_reach; ++dx) {
        const [x, z] = [cx + dx, cz + dz];
        if (Math.hypot(dx, dz) > k_reach || this.#entries.has(keyOf(x, z)) || !this.#host.exists(x, z)) continue;
        this.#entries.set(keyOf(x, z), { cx: x, cz: z, state: 'waiting', tag: '', shown: false, abort: null, resting: false, failures: 0 });
      }
    }
    this.#go();
  }

  /// These chunks have changed, and what is beside them may look different. Nothing means all.
  changed(chunks?: [number, number][]): void {
    const around = chunks && new Set(chunks.flatMap(([x, z]) => [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dz) => keyOf(x + dx, z + dz)))));
    for (const [key, entry] of this.#entries) {
      if (around && !around.has(key)) continue;
      entry.abort?.abort();
      entry.state = entry.state === 'waiting' ? 'waiting' : 'stale';
    }
    this.look(...this.#middle);
  }

  get counts(): { there: number; waiting: number } {
    let [there, waiting] = [0, 0];
    for (const { state } of this.#entries.values()) {
      if (state === 'there') ++there;
      else ++waiting;
    }
    return { there, waiting };
  }

  close(): void {
    this.#closed = true;
    for (const entry of this.#entries.values()) entry.abort?.abort();
    this.#entries.clear();
  }

  #far(entry: Entry): number {
    return Math.hypot(entry.cx - this.#middle[0], entry.cz - this.#middle[1]);
  }

  #next(): Entry | null {
    let best: Entry | null = null;
    for (const entry of this.#entries.values()) {
      if ((entry.state !== 'waiting' && entry.state !== 'stale') || entry.resting) continue;
      if (entry.abort === null && (!best || this.#far(entry) < this.#far(best))) best = entry;
    }
    return best;
  }

  #go(): void {
    while (!this.#closed && this.#loading < k_at_once) {
      const entry = this.#next();
      if (!entry) return;
      void this.#load(entry);
    }
  }

  async #load(entry: Entry): Promise<void> {
    const abort = (entry.abort = new AbortController());
    entry.state = 'loading';
    ++this.#loading;
    try {
      const { loaded, tag } = await ask(this.#host.address(entry.cx, entry.cz), entry.tag, abort.signal);
      if (!abort.signal.aborted) {
        entry.state = 'there';
        entry.failures = 0;
        entry.tag = tag;
        if (loaded) {
          entry.shown = true;
          this.#host.arrived(entry.cx, entry.cz, loaded);
        }
      }
    } catch {
      if (!abort.signal.aborted) this.#rest(entry);
    }
    --this.#loading;
    if (entry.abort === abort) entry.abort = null;
    if (entry.state === 'loading') entry.state = entry.shown ? 'stale' : 'waiting'; // to be asked for again
    this.#go();
  }

  /// Lets the others go first for a while.
  #rest(entry: Entry): void {
    entry.resting = true;
    const pause = k_again_ms * Math.min(2 ** entry.failures++, k_longest_pauses);
    setTimeout(() => {
      entry.resting = false;
      this.#go();
    }, pause);
  }
}

/// Nothing where it is what is shown already.
async function ask(address: string, known: string, signal: AbortSignal): Promise<{ loaded: Loaded | null; tag: string }> {
  const answer = await fetch(address, { signal, cache: 'no-cache' });
  if (answer.status === 204) return { loaded: { kind: 'absent' }, tag: '' };
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  if (answer.headers.get('Content-Type')?.startsWith('application/json')) return { loaded: { kind: 'unreadable' }, tag: '' };
  const tag = answer.headers.get('ETag') ?? '';
  if (tag && tag === known) {
    await answer.body?.cancel();
    return { loaded: null, tag };
  }
  const file = new Uint8Array(await answer.arrayBuffer());
  try {
    return { loaded: { kind: 'mesh', data: await readMesh(file), tag }, tag };
  } catch (problem) {
    if (problem instanceof MeshError) return { loaded: { kind: 'unreadable' }, tag }; // the same bytes would come again
    throw problem;
  }
}
